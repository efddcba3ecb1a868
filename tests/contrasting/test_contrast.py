"""Comparisons of plans, against plain searches and brute force over all changes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asplan
from asplan.contrasting.actions import find_least_hitting
from asplan.contrasting.by_states import GraphSearch
from asplan.core.budget import EffortBudget, OutOfBudget
from asplan.domains.model import Model
from asplan.enumeration.graph import PlanGraph
from asplan.explaining.contrast import Contrast, Feasible, Minimal, PlanChange
from asplan.problem import Inputs, load
from conftest import examples, run

HERE = Path(__file__).parent
BLOCKS = HERE.parents[1] / "docs" / "broken" / "blocks"
SEEDS = st.integers(0, 2**32)
SIZE = 6  # rooms of a random house; the goal is the last one

STEPWISE = """
at(0,0).
#program step(t).
{ go(Y,t) : edge(X,Y), at(X,t-1) } = 1.
at(Y,t) :- go(Y,t).
#program check(t).
:- query(t), not at(5,t).
#show go/2.
"""
RESTING = "asplan(monotone). " + STEPWISE.replace(
    "} = 1.", "} 1. at(X,t) :- at(X,t-1), not go(_,t)."
)
SINGLE_SHOT = """
#const n=3.
time(0..n).
at(0,0).
{ go(Y,T) : edge(X,Y), at(X,T-1) } = 1 :- time(T), T > 0.
at(Y,T) :- go(Y,T).
:- not at(5,n).
#show go/2.
"""
TELINGO = """
#program initial.
at(0).
#program dynamic.
{ go(Y) : _edge(X,Y), 'at(X) } = 1.
at(Y) :- go(Y).
#program final.
:- not at(5).
#show go/1.
"""
FORMS = {"steps": STEPWISE, "resting": RESTING, "single": SINGLE_SHOT, "telingo": TELINGO}


@dataclass(frozen=True)
class House:
    """Rooms with one-way doors, and a walk from the first room to the last one."""

    edges: frozenset[tuple[int, int]]
    walk: tuple[int, ...]

    @property
    def plan(self) -> asplan.Plan:
        return asplan.Plan(tuple((f"go({room})",) for room in self.walk[1:]))

    def text(self, form: str) -> str:
        doors = " ".join(f"edge({x},{y})." for x, y in sorted(self.edges))
        initial = "#program initial.\n" if form == "telingo" else ""
        return f"{initial}{doors}{FORMS[form]}"


def distance(
    edges: Collection[tuple[int, int]], start: int, without: Collection[int] = ()
) -> float:
    """Return the fewest steps to the last room, none of them into a room `without`."""
    layer, seen, steps = {start}, {start}, 0
    while layer and SIZE - 1 not in layer:
        layer = {y for x, y in edges if x in layer and y not in without} - seen
        seen |= layer
        steps += 1
    return steps if layer else float("inf")


def random_house(random: Random) -> House:
    while True:
        doors = [(x, y) for x in range(SIZE) for y in range(SIZE) if x != y]
        edges = frozenset(random.sample(doors, 9))
        walk = [0]
        while walk[-1] != SIZE - 1 and len(walk) < 7:
            after = [y for x, y in edges if x == walk[-1]]
            if not after:
                break
            walk.append(random.choice(sorted(after)))
        if walk[-1] == SIZE - 1:
            return House(edges, tuple(walk))


def subsets(members: Collection[object]) -> Iterator[tuple]:
    for size in range(len(members) + 1):
        yield from combinations(sorted(members), size)  # type: ignore[type-var]


def contrast_of(*files: str, **given: object) -> Contrast:
    found = asplan.explain(*files, against=given.pop("against", "best"), **given)
    assert found.accepted
    assert found.contrast is not None
    return found.contrast


@settings(max_examples=examples(25))
@given(SEEDS, st.sampled_from(list(FORMS)))
def test_lengths_and_changes_are_those_of_plain_search(seed: int, form: str) -> None:
    house = random_house(Random(seed))
    length = len(house.plan)
    found = contrast_of(text=house.text(form), plan=house.plan)
    away = [distance(house.edges, room) for room in house.walk]
    assert found.lengths == tuple(min(k + rest, length) for k, rest in enumerate(away))
    assert found.is_best == (away[0] == length)
    assert sum(loss.steps for loss in found.losses) == length - away[0]
    if found.is_best:
        assert found.actions is found.facts is None
        assert found.is_only == (count_walks(house, length) == 1)
        return
    assert found.other is not None
    assert len(found.other) == away[0]
    kept = max(k for k, total in enumerate(found.lengths) if total == away[0])
    assert found.other.steps[:kept] == house.plan.steps[:kept]
    assert found.begins >= kept
    check_actions(house, found.actions)
    if form != "telingo":  # its facts are in a part of their own
        check_facts(house, found.facts)


def count_walks(house: House, length: int) -> int:
    walks = {0: 1}
    for _ in range(length):
        after: dict[int, int] = {}
        for room, number in walks.items():
            for x, y in house.edges:
                if x == room:
                    after[y] = after.get(y, 0) + number
        walks = after
    return walks.get(SIZE - 1, 0)


def check_actions(house: House, change: PlanChange | None) -> None:
    """Compare the rooms to forbid with all sets of rooms that the walk does not enter."""
    length = len(house.plan)
    free = set(range(SIZE)) - set(house.walk[1:])
    good = [rooms for rooms in subsets(free) if distance(house.edges, 0, rooms) >= length]
    assert change is not None
    assert change.found is (Feasible.YES if good else Feasible.NO)
    if good:
        rooms = tuple(int(name[3:-1]) for name in change.members)
        assert rooms in good
        assert (len(rooms), change.minimal) == (len(good[0]), Minimal.CARDINALITY)
    else:
        assert change.obstacle is not None
        assert len(change.obstacle) < length
        assert set(change.obstacle.actions) <= set(house.plan.actions)


def check_facts(house: House, change: PlanChange | None) -> None:
    """Compare the doors to remove with all sets of doors that the walk does not use."""
    used = set(zip(house.walk, house.walk[1:], strict=False))
    length = len(house.plan)
    good = [
        doors
        for doors in subsets(house.edges - used)
        if distance(house.edges - set(doors), 0) >= length
    ]
    assert change is not None
    assert change.found is (Feasible.YES if good else Feasible.NO)
    if good:
        assert len(change.members) == len(good[0])
        names = {f"edge({x},{y})": (x, y) for x, y in house.edges}
        assert tuple(sorted(names[name] for name in change.members)) in good
        assert change.minimal is Minimal.CARDINALITY


def test_a_smallest_hitting_set() -> None:
    sets = [frozenset(word) for word in ("abc", "cd", "be", "ce")]
    chosen = find_least_hitting(sets)
    assert len(chosen) == 2
    assert all(members & set(chosen) for members in sets)


def bfs(model: Model[object, object], start: object) -> list[object]:
    """Return the actions of a shortest path from a state to a goal, by plain search."""
    paths: dict[object, list[object]] = {start: []}
    queue = [start]
    for state in queue:
        if model.is_goal(state):
            return paths[state]
        for action in model.actions(state):
            after = model.apply(state, action)
            if after not in paths:
                paths[after] = [*paths[state], action]
                queue.append(after)
    raise AssertionError("no plan exists")


@settings(max_examples=examples(6))
@given(SEEDS, st.sampled_from([None, "moves"]))
def test_steps_of_tiles_lose_what_plain_search_finds(seed: int, encoding: str | None) -> None:
    """Without an encoding the states are searched, with one clingo solves."""
    random = Random(seed)
    model = load(Inputs(("eight05",))).model
    assert model is not None
    state = model.initial
    actions: list[object] = []
    for _ in range(random.randint(0, 4)):
        actions.append(random.choice(list(model.actions(state))))
        state = model.apply(state, actions[-1])
    actions += bfs(model, state)
    passed = [model.initial]
    for action in actions:
        passed.append(model.apply(passed[-1], action))
    length = next(t for t, state in enumerate(passed) if model.is_goal(state))
    plan = asplan.Plan(tuple((str(action),) for action in actions))
    found = contrast_of("eight05", plan=plan, encoding=encoding)
    rests = [len(bfs(model, state)) for state in passed[: length + 1]]
    assert found.lengths == tuple(min(k + rest, length) for k, rest in enumerate(rests))
    assert found.left_out == len(actions) - length


GARDEN = """
edge(a,b;b,c;c,d;a,e;e,d;b,f;f,c).
at(a,0).
#program step(t).
{ go(Y,t) : edge(X,Y), at(X,t-1) } = 1.
at(Y,t) :- go(Y,t).
#program check(t).
:- query(t), not at(d,t).
#show go/2.
"""
LONG = "go(b)\ngo(f)\ngo(c)\ngo(d)\n"
TEXT = """\
your plan is a plan of 4 steps; a shortest plan has 2, 2 fewer

the steps of your plan that lose:
  step 1 (go(b)) loses 1 step: the goal is 2 steps away after it, 1 after a best step
  step 2 (go(f)) loses 1 step: the goal is 2 steps away after it, 1 after a best step

the other plan, 2 steps:
  1. go(e)
  2. go(d)

the plans part at the start:
  state there  at(a)
  yours        1. go(b)  2. go(f)  3. go(c)  4. go(d)
  the other    1. go(e)  2. go(d)
  they meet again: the state is the same after your step 4 and step 2 of the other

without these 2 facts your plan would be a shortest one (proven: no fewer do it):
  edge(b,c)  {}

forbidding actions cannot do it: this plan is shorter and has only yours:
  1. go(b)
  2. go(c)
  3. go(d)
"""


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    (tmp_path / "garden.lp").write_text(GARDEN)
    (tmp_path / "mine.txt").write_text(LONG)
    return tmp_path


def test_the_text_of_a_comparison(garden: Path) -> None:
    done = run("explain", "garden.lp", "--plan", "mine.txt", "--against", "best", cwd=garden)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in {TEXT.format("edge(e,d)"), TEXT.format("edge(a,e)")}


def test_the_object_of_a_comparison(garden: Path) -> None:
    words = ["explain", "garden.lp", "--plan", "mine.txt", "--against", "best", "--json"]
    found = json.loads(run(*words, cwd=garden).stdout)["contrast"]
    assert found["lengths"] == [2, 3, 4, 4, 4]
    assert [(loss["step"], loss["steps"], loss["rest"]) for loss in found["losses"]] == [
        (1, 1, 2),
        (2, 1, 2),
    ]
    assert (found["is_best"], found["least"]) == (False, 2)
    assert found["actions"]["found"] == "no"
    assert found["facts"]["minimal"] == "cardinality"


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ("go(b) go(c) go(d)", "after your step 1 the plans part:"),
        ("go(e) go(d)", "they meet again: the state is the same after your step 4 and step 2"),
        ("go(b) go(f) go(c) go(d)", "the other plan has the same steps"),
    ],
)
def test_another_plan_to_compare_with(garden: Path, against: str, said: str) -> None:
    (garden / "other.txt").write_text(against.replace(" ", "\n"))
    words = ["explain", "garden.lp", "--plan", "mine.txt", "--against", "other.txt"]
    done = run(*words, cwd=garden)
    assert done.returncode == 0
    assert said in done.stdout
    assert "a shortest plan has 2, 2 fewer" in done.stdout


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("--against best", 2, "asplan: there is no plan to compare"),
        ("--plan mine.txt --against none.txt", 2, "asplan: no such file: none.txt"),
        ("--plan mine.txt --against best --atom at(a,0)", 2, "asplan: pass an atom or a plan to"),
        ("--plan mine.txt --against best --horizon 3", 2, "asplan: pass a horizon or a plan, not"),
        ("--plan - --against -", 2, "asplan: only one plan can come from standard input"),
        (
            "--plan mine.txt --against short.txt",
            4,
            "asplan: the plan to compare with is none: after step 1 the goal does not hold",
        ),
    ],
)
def test_bad_input(garden: Path, words: str, status: int, said: str) -> None:
    (garden / "short.txt").write_text("go(b)\n")
    done = run("explain", "garden.lp", *words.split(), cwd=garden)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(said)


def test_a_program_without_actions_has_nothing_to_compare() -> None:
    text = """
        at(0,0). #program step(t). at(X+1,t) :- at(X,t-1).
        #program check(t). :- query(t), not at(2,t).
    """
    with pytest.raises(asplan.UsageError, match="shows no actions"):
        asplan.explain(text=text, plan=asplan.Plan(((), ())), against="best")


def test_a_plan_that_is_none_is_explained_as_before() -> None:
    plan = asplan.Plan((("go(b)",), ("go(f)",)))
    compared = asplan.explain(text=GARDEN, plan=plan, against="best")
    assert compared == asplan.explain(text=GARDEN, plan=plan)
    assert (compared.accepted, compared.contrast) == (False, None)


def test_a_limit_keeps_what_is_known(garden: Path) -> None:
    words = ["explain", "garden.lp", "--plan", "mine.txt", "--against", "best"]
    done = run(*words, "--time-limit", "0", cwd=garden)
    assert done.returncode == 1
    assert "time limit of 0 s reached" in done.stdout


@pytest.mark.parametrize("effort", [0, 1, 5, 20, 60, 1000])
def test_what_is_known_after_a_limit_is_true(effort: int) -> None:
    problem = load(Inputs(("eight05",)))
    model = problem.model
    assert model is not None
    back, forth = list(model.actions(model.initial))[:1] * 2
    away = model.apply(model.initial, back)
    back = next(a for a in model.actions(away) if model.apply(away, a) == model.initial)
    actions = [forth, back, *bfs(model, model.initial)]
    plan = asplan.Plan(tuple((str(action),) for action in actions))
    search = GraphSearch(PlanGraph(model, budget=EffortBudget(most=effort)), plan)
    outlook = search.measure()
    rests = [5, len(bfs(model, away)), 5, 4, 3, 2, 1, 0]
    true = [k + rest for k, rest in enumerate(rests)]
    known = [length for length in outlook.lengths if length is not None]
    assert known[:-1] == true[: len(known) - 1]
    assert outlook.lengths[-1] == 7
    assert outlook.least <= 5
    if effort == 1000:
        assert list(outlook.lengths) == true
    if effort == 0:
        assert outlook.is_best is None
        with pytest.raises(OutOfBudget):
            search.find_shorter(())


def test_a_task_in_pddl_has_its_own_names() -> None:
    words = "(pick-up b)\n(stack b a)\n(unstack b a)\n(stack b c)\n(pick-up a)\n(stack a b)\n"
    task = (str(BLOCKS / "domain.pddl"), str(BLOCKS / "tower.pddl"))
    done = run("explain", *task, "--plan", "-", "--against", "best", input=words)
    assert done.returncode == 0
    assert "step 2 ((stack b a)) loses 2 steps: the goal is 4 steps away after it" in done.stdout
    assert "these steps lead back to the same state" in done.stdout
    assert "  yours        2. (stack b a)  3. (unstack b a)\n" in done.stdout


@pytest.mark.parametrize(
    ("text", "plan", "is_only"),
    [(GARDEN, "go(e) go(d)", True), (GARDEN.replace("b,f", "b,d"), "go(e) go(d)", False)],
)
def test_a_best_plan_may_have_company(text: str, plan: str, is_only: bool) -> None:
    steps = tuple((action,) for action in plan.split())
    found = asplan.explain(text=text, plan=asplan.Plan(steps), against="best")
    assert found.contrast is not None
    assert (found.contrast.is_best, found.contrast.is_only) == (True, is_only)
    assert (found.contrast.another is None) == is_only
    company = "no other plan is as short" if is_only else "other plans are as short"
    assert f"your plan is a plan of 2 steps; no plan is shorter\n{company}" in str(found)


def test_a_theory_is_solved_by_its_own_package() -> None:
    pytest.importorskip("clingodl")
    found = contrast_of(text=TIMED, plan=asplan.Plan((("walk",), ("walk",), ("walk",))))
    assert (found.lengths, found.facts) == ((2, 2, 3, 3), PlanChange(Feasible.NO))
    assert found.actions == PlanChange(Feasible.YES, ("jump",), Minimal.CARDINALITY)


TIMED = """
at(0,0).
#program step(t).
{ walk(t); jump(t) } = 1.
at(X+1,t) :- at(X,t-1), walk(t).
at(X+2,t) :- at(X,t-1), jump(t).
&diff { s(t-1) - s(t) } <= -1.
#program check(t).
:- query(t), at(X,t), X < 3.
#show walk/1. #show jump/1.
"""
