"""Brain Twist: the model and the encodings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise, product, starmap
from pathlib import Path
from typing import Any

import pytest
from clingo import parse_term
from hypothesis import given, settings
from hypothesis import strategies as st

import asplan
from asplan import Outcome
from asplan.catalog import instances
from asplan.domains.brain_twist.model import BrainTwist, Move
from asplan.domains.brain_twist.turns import ARRANGEMENTS, MOVES, Tiles, rotations
from asplan.drawing.rules import make_scene
from asplan.problem import Inputs, load
from conftest import examples

SHIPPED = [entry.path for entry in instances() if entry.domain == "brain_twist"]


def test_each_move_is_undone_by_its_inverse() -> None:
    solved = ARRANGEMENTS["faces"][0]
    twist = BrainTwist((0, solved))
    for flip in (0, 1):
        state = flip, solved
        following = [twist.apply(state, action) for action in twist.actions(state)]
        assert following == list(twist.successors(state))
        assert len(set(following)) == 9
        for action in twist.actions(state):
            back = Move(-action.number)
            assert twist.apply(twist.apply(state, action), back) == state
    # The tile at 4 goes to 9.
    _, tiles = twist.apply((0, solved), Move(2))
    assert (tiles[8], tiles[9], tiles[3]) == (solved[3], solved[8], solved[9])


WHY_NOT = [
    (0, "turn(5)", "while the puzzle is not flipped, vertices 1 to 4 turn"),
    (1, "turn(-4)", "while the puzzle is flipped, vertices 5 to 8 turn"),
    (1, "turn(8)", None),
    (0, "turn(-1)", None),
    (0, "flip", None),
    (1, "flip", None),
]


@pytest.mark.parametrize(("flip", "action", "why"), WHY_NOT)
def test_a_turn_of_the_other_side_has_a_reason(flip: int, action: str, why: str | None) -> None:
    twist = BrainTwist((flip, ARRANGEMENTS["faces"][0]))
    assert twist.why_not(twist.initial, twist.parse_action(parse_term(action))) == why


@pytest.mark.parametrize(
    ("term", "why"),
    [
        ("twist(1)", "twist(1) is neither turn(V) nor flip"),
        ("turn(0)", "turn(0): 0 is not a vertex, 1 to 8 or -1 to -8"),
        ("turn(9)", "turn(9): 9 is not a vertex, 1 to 8 or -1 to -8"),
        ("turn(x)", "turn(x): x is not a vertex, 1 to 8 or -1 to -8"),
    ],
)
def test_invalid_action_terms_are_refused(term: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        BrainTwist((0, ARRANGEMENTS["faces"][0])).parse_action(parse_term(term))


def test_text_and_fluents_show_the_flip() -> None:
    twist = BrainTwist((1, ARRANGEMENTS["faces"][0]))
    assert twist.text(twist.initial) == "rc bc fc rg rv bv bs fs fg ag av as (flipped)"
    assert [str(f) for f in twist.fluents(twist.initial)][-2:] == ["on(as,12)", "flipped"]


def moves_in_header(path: Path) -> int:
    found = re.search(r"shortest plan (\d+) moves?", path.read_text().partition("\n")[0])
    assert found
    return int(found[1])


def test_there_is_an_instance_for_each_distance() -> None:
    assert sorted(map(moves_in_header, SHIPPED)) == list(range(1, 17))


@pytest.mark.parametrize(
    "path", [p for p in SHIPPED if moves_in_header(p) < 15], ids=lambda p: p.stem
)
def test_shipped_instances_take_the_moves_in_their_header(path: Path) -> None:
    result = asplan.solve(path, engine="bidirectional")
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, moves_in_header(path))


EASY = [(e, f"twist{n:02}") for e, last in (("frontier", 12), ("turns", 9)) for n in range(1, last)]


@pytest.mark.parametrize(("encoding", "name"), EASY)
def test_encodings_find_the_optimum(encoding: str, name: str) -> None:
    result = asplan.solve(name, encoding=encoding)
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, int(name[-2:]))
    assert result.validated == "model"


VARIANTS = [
    ("frontier", {}),
    ("turns", {}),
    ("turns", {"extra": 1}),
    ("turns", {"order": "talk"}),
    ("turns", {"order": "talk", "extra": 1}),
    ("turns", {"order": "none"}),
]


def as_facts(state: tuple[int, Tiles]) -> str:
    facts = [f"on(0,{tile},{position})." for position, tile in enumerate(state[1], 1)]
    return f"{' '.join(facts)} on(0,f,{state[0]})."


@st.composite
def scrambles(draw: st.DrawFn, moves: int = 7) -> tuple[str, tuple[int, Tiles]]:
    """Draw a goal, and a state with rc at position 1 that is at most `moves` moves away from it."""
    goal = draw(st.sampled_from(sorted(ARRANGEMENTS)))
    twist = BrainTwist((draw(st.integers(0, 1)), draw(st.sampled_from(ARRANGEMENTS[goal]))), goal)
    state = twist.initial
    for choice in draw(st.lists(st.integers(0, 8), min_size=moves // 2, max_size=moves)):
        state = twist.successors(state)[choice]
    return goal, state


def length(text: str, engine: str = "asp", **options: Any) -> int | None:
    """Return the length of a plan that is proven shortest and checked by the model."""
    result = asplan.solve(text=text, engine=engine, **options)
    assert (result.outcome, result.validated) == (Outcome.OPTIMAL, "model")
    return result.horizon


@given(scrambles())
@settings(max_examples=examples(10), deadline=None)
def test_all_variants_find_plans_of_the_same_length(
    scramble: tuple[str, tuple[int, Tiles]],
) -> None:
    goal, state = scramble
    best = length(as_facts(state), "bidirectional", constants={"goal": goal})
    for encoding, constants in VARIANTS:
        given = {"goal": goal, **constants}
        assert length(as_facts(state), encoding=encoding, constants=given) == best


@given(scrambles(moves=6), st.data())
@settings(max_examples=examples(10), deadline=None)
def test_free_rotation_leaves_the_fewest_moves_unchanged(
    scramble: tuple[str, tuple[int, Tiles]], data: st.DataObject
) -> None:
    goal, (flip, tiles) = scramble
    best = length(as_facts((flip, tiles)), "bidirectional", constants={"goal": goal})
    seen = as_facts((flip, data.draw(st.sampled_from(sorted(rotations(tiles))))))
    free = {"goal": goal, "rotation": "free"}
    for engine in ("bidirectional", "bfs"):
        assert length(seen, engine, constants=free) == best
    for encoding, constants in VARIANTS:
        assert length(seen, encoding=encoding, constants={**free, **constants}) == best


@pytest.mark.parametrize("rotation", ["fixed", "free"])
@pytest.mark.parametrize("order", ["talk", "ascending"])
@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize("mode", ["fixed", "minimize"])
def test_variants_solve_a_longer_horizon_than_needed(
    rotation: str, order: str, extra: int, mode: str
) -> None:
    """Nothing moves after the goal."""
    constants = {"rotation": rotation, "order": order, "extra": extra}
    result = asplan.solve("twist04", encoding="turns", constants=constants, mode=mode, horizon=6)
    outcome = Outcome.OPTIMAL if mode == "minimize" else Outcome.PLAN
    assert (result.outcome, result.validated) == (outcome, "model")
    assert result.horizon == 4 or mode == "fixed"


def plans(twist: BrainTwist, state: tuple[int, Tiles], steps: int) -> Iterator[tuple[int, ...]]:
    """Yield all sequences of at most `steps` moves that end where the goal first holds."""
    if twist.is_goal(state):
        yield ()
    elif steps:
        for action in twist.actions(state):
            for rest in plans(twist, twist.apply(state, action), steps - 1):
                yield action.number, *rest


ALLOWED: dict[str, Callable[[int, int], bool]] = {
    "none": lambda one, other: True,
    "talk": lambda one, other: one not in (other, -other),
    "ascending": lambda one, other: (one == 0) != (other == 0) or abs(one) < abs(other),
}
"""For each order, True if one move may come right before another."""


@pytest.mark.parametrize("rotation", ["fixed", "free"])
@pytest.mark.parametrize("name", ["twist02", "twist03"])
def test_an_order_leaves_exactly_the_plans_that_it_allows(name: str, rotation: str) -> None:
    """Compare all plans up to a length; the talk's rules forbid no shortest plan."""
    twist = load(Inputs((name,), constants={"rotation": rotation}), needs_model=True).model
    assert isinstance(twist, BrainTwist)
    every = set(plans(twist, twist.initial, 4))
    best = min(map(len, every))
    for (order, allowed), extra in product(ALLOWED.items(), (0, 1)):
        expected = {plan for plan in every if all(starmap(allowed, pairwise(plan)))}
        shortest = {plan for plan in expected if len(plan) == best}
        assert shortest
        assert order == "ascending" or shortest == {p for p in every if len(p) == best}
        constants = {"rotation": rotation, "order": order, "extra": extra}
        result = asplan.solve(
            name, encoding="turns", mode="fixed", horizon=4, models=0, constants=constants
        )
        found = [tuple(0 if a == "flip" else int(a[5:-1]) for a in p.actions) for p in result.plans]
        assert (len(found), set(found)) == (len(expected), expected)


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"order": "tlak"}, "tlak: order is ascending, talk or none"),
        ({"extra": 2}, "2: extra is 0 or 1"),
        ({"rotation": 1}, "rotation=1: rotation must be fixed or free in brain_twist"),
    ],
)
def test_invalid_constants_are_refused(constants: dict[str, object], message: str) -> None:
    with pytest.raises(asplan.AsplanError) as caught:
        asplan.solve("twist03", encoding="turns", constants=constants)
    assert str(caught.value) == message


def test_a_puzzle_with_free_rotation_is_drawn() -> None:
    """Each of the twelve tiles shows one of its sides at each step, wherever rc is."""
    result = asplan.solve("twist05", constants={"rotation": "free"})
    assert result.trajectory is not None
    assert result.trajectory.rules is not None
    objects = make_scene(result, result.trajectory.rules).objects
    for t, fluents in enumerate(result.trajectory.states):
        assert any(f.startswith("on(rc,") for f in fluents)
        shown = Counter(o.name.partition("(")[0] for o in objects if o.shapes[t] is not None)
        side = "inner" if "flipped" in fluents else "outer"
        assert (shown[side], shown["inner"] + shown["outer"]) == (12, 12)
    assert "on(rc,1)" not in fluents


def test_every_turn_belongs_to_one_side() -> None:
    assert sorted(m for moves in MOVES for m in moves) == [m for m in range(-8, 9) if m]


def test_another_program_may_use_the_predicate_on(tmp_path: Path) -> None:
    """In the Towers of Hanoi, on(Time,Disk,Peg) is about disks, not about tiles."""
    file = tmp_path / "hanoi.lp"
    file.write_text(
        """
        on(0,1,a).
        #program step(t).
        { move(t,P) : P = (a;b) } = 1.
        on(t,1,P) :- move(t,P).
        occurs(to(P),t) :- move(t,P).
        #program check(t).
        #external query(t).
        :- query(t), not on(t,1,b).
        """
    )
    result = asplan.solve(file)
    assert (result.domain, result.horizon, result.validated) == (None, 1, "replay")


def test_an_unknown_goal_is_refused() -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve("twist03", constants={"goal": "corners"})
    assert str(caught.value) == "goal=corners: goal must be faces or points in brain_twist"
