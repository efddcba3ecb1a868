"""Random PDDL tasks: all methods are right on a few, and wrong answers are noticed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from asplan.core.plan import Plan
from asplan.result import Outcome, Result
from attack_pddl import Attack, Way, attack, moves_of, ways
from lib.pddl_tasks import (
    Action,
    Condition,
    Effect,
    GeneratedTask,
    Meaning,
    Move,
    Price,
    domain_text,
    problem_text,
)

TASKS, CHUNK = 20, 5


@pytest.mark.parametrize("start", range(1, TASKS + 1, CHUNK))
def test_all_ways_are_right(start: int, tmp_path: Path) -> None:
    found = [
        finding for number in range(start, start + CHUNK) for finding in attack(number, 2, tmp_path)
    ]
    assert [finding for finding in found if finding.wrong] == []
    assert len(found) == 3 * CHUNK


OPEN, SHUT = Condition("atom", ("open", "?d")), Condition("atom", ("shut", "?d"))
DOORS = GeneratedTask(
    types={"door": "thing"},
    objects={"a": "door", "b": "door", "c": "thing"},
    predicates={"open": ("door",), "shut": ("door",)},
    derived={},
    functions={"toll": ("door",)},
    layers=(),
    actions=(
        Action(
            "turn",
            (("?d", "door"),),
            Condition("or", parts=(OPEN, SHUT)),
            (
                Effect(("open", "?d"), True, condition=SHUT),
                Effect(("shut", "?d"), False, condition=SHUT),
                Effect(("shut", "?d"), True, condition=OPEN),
                Effect(("open", "?d"), False, condition=OPEN),
            ),
            Price(1, (("toll", "?d"),)),
        ),
    ),
    initial=frozenset([("shut", "a"), ("shut", "b")]),
    values={("toll", "a"): 2, ("toll", "b"): 3},
    goal=Condition("forall", parts=(OPEN,), variables=(("?d", "door"),)),
    has_costs=True,
)
A, B = Move("turn", ("a",)), Move("turn", ("b",))


def test_the_plain_search_agrees_with_the_definition() -> None:
    meaning = Meaning(DOORS)
    assert list(meaning.moves(meaning.initial)) == [A, B]
    assert meaning.execute([A, A]) == meaning.initial
    assert meaning.execute([Move("turn", ("c",))]) is None
    assert (meaning.shortest, meaning.least_cost) == ([A, B], 7)
    dear = Meaning(replace(DOORS, values={("toll", "a"): 2}))  # so (turn b) never applies
    assert (dear.shortest, dear.least_cost) == (None, None)


@pytest.mark.parametrize(
    ("steps", "outcome", "wrong"),
    [
        ([["turn(a)"], ["turn(b)"]], "optimal", None),
        ([["turn(a)", "turn(b)"]], "optimal", None),
        ([["turn(a)"]], "optimal", "(('turn(a)',),) misses the goal"),
        ([["turn(c)"]], "plan", "step 1 of (('turn(c)',),) does not apply"),
        ([["turn(a)"], ["turn(a)"], ["turn(a)"], ["turn(b)"]], "plan", None),
        ([["turn(a)"], ["turn(a)"], ["turn(a)"], ["turn(b)"]], "optimal",
         "optimal with 4 actions, but 2 are the fewest"),
        (None, "unsolvable", "unsolvable"),
        (None, "unknown", "unknown without a limit: "),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_noticed(
    steps: list[list[str]] | None,
    outcome: str,
    wrong: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("attack_pddl.drawn", lambda number: (DOORS, Meaning(DOORS)))
    plans = () if steps is None else (Plan(tuple(map(tuple, steps))),)
    result = Result(outcome=Outcome(outcome), plans=plans)
    assert Attack(1, tmp_path).wrong(Way("bfs", "actions"), result) == wrong


def test_the_text_is_the_task(tmp_path: Path) -> None:
    import asplan

    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text(domain_text(DOORS))
    files[1].write_text(problem_text(DOORS))
    found = asplan.solve(*files, engine="astar", optimal="cost")
    assert found.cost == (7,)
    assert found.plan is not None
    assert sorted(moves_of(found.plan)) == [A, B]


def test_ways_have_names_of_their_own() -> None:
    names = [way.name for way in ways()]
    assert len(set(names)) == len(names)
