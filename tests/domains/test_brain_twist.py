"""Brain Twist: the table of turns and the tetrahedron, the model, and the encodings."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from clingo import parse_term

import asplan
from asplan import Outcome
from asplan.catalog import instances
from asplan.domains.brain_twist.model import CYCLES, GOALS, MOVES, TILES, BrainTwist, Move

SHIPPED = [entry.path for entry in instances() if entry.domain == "brain_twist"]

OUTER_FACES = [(1, 4, 5), (2, 6, 7), (3, 8, 9), (10, 11, 12)]
INNER_FACES = [(1, 2, 3), (4, 9, 10), (5, 6, 11), (7, 8, 12)]
OUTER_COLOURS = ["rc rg rv", "bc bv bs", "fg fc fs", "ag as av"]
INNER_COLOURS = ["rc bc fc", "rv av bv", "rg ag fg", "as bs fs"]

VERTICES = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
"""The vertices of a tetrahedron, 1 to 4; at each lies a group of INNER_FACES."""

OPPOSITE = {1: 4, 2: 2, 3: 3, 4: 1}
"""A face lies opposite the only vertex that it does not meet."""


def place(position: int) -> tuple[int, int]:
    """The face and the vertex of a position, from 1."""
    [face] = [i for i, group in enumerate(OUTER_FACES, 1) if position in group]
    [vertex] = [i for i, group in enumerate(INNER_FACES, 1) if position in group]
    return face, vertex


def direction(move: int) -> np.ndarray:
    """Where a turning vertex points: 5 to 8 are those of the inner tetrahedron, at the faces."""
    return VERTICES[move - 1] if move <= 4 else -VERTICES[OPPOSITE[move - 4] - 1]


def rotated(move: int, sense: int) -> dict[int, int]:
    """Where each position goes when the whole tetrahedron rotates by 120 degrees."""
    axis = direction(move) / np.sqrt(3)
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = sense * 2 * np.pi / 3
    rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    goes = {}
    for vertex, point in enumerate(VERTICES, 1):
        [goes[vertex]] = np.flatnonzero((np.round(rotation @ point) == VERTICES).all(axis=1)) + 1
    faces = {f: next(g for g in OPPOSITE if OPPOSITE[g] == goes[OPPOSITE[f]]) for f in OPPOSITE}
    positions = {place(position): position for position in range(1, 13)}
    return {p: positions[faces[f], goes[v]] for (f, v), p in positions.items()}


@pytest.mark.parametrize("move", CYCLES)
def test_the_table_of_turns_follows_from_the_tetrahedron(move: int) -> None:
    group = INNER_FACES[move - 1] if move <= 4 else OUTER_FACES[move - 5]
    # Counterclockwise seen from outside; where 1 would move, all others go the other way.
    sense, tiles = (1, set(group)) if 1 not in group else (-1, set(range(1, 13)) - set(group))
    derived = {p: q for p, q in rotated(move, sense).items() if p in tiles}
    cycles = {p: q for c in CYCLES[move] for p, q in zip(c, c[1:] + c[:1], strict=True)}
    assert cycles == derived


def test_faces_and_vertices_of_positions() -> None:
    for position in range(1, 13):
        face, vertex = place(position)
        assert OPPOSITE[face] != vertex


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("which", [0, 1])
def test_goals_have_one_colour_a_face(goal: str, which: int) -> None:
    tiles = GOALS[goal][which]
    assert set(tiles) == TILES

    def seen(groups: list[tuple[int, ...]]) -> set[frozenset[str]]:
        return {frozenset(tiles[p - 1] for p in group) for group in groups}

    outer = {frozenset(names.split()) for names in OUTER_COLOURS}
    inner = {frozenset(names.split()) for names in INNER_COLOURS}
    if goal == "points":
        outer, inner = inner, outer
    assert (seen(OUTER_FACES), seen(INNER_FACES)) == (outer, inner)


def test_the_two_goals_differ_by_an_odd_permutation() -> None:
    for one, other in GOALS.values():
        order = [other.index(tile) for tile in one]
        inversions = sum(order[i] > order[j] for j in range(12) for i in range(j))
        assert inversions % 2 == 1


def test_moves() -> None:
    solved = GOALS["faces"][0]
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
def test_why_not(flip: int, action: str, why: str | None) -> None:
    twist = BrainTwist((flip, GOALS["faces"][0]))
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
def test_terms_that_are_no_actions(term: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        BrainTwist((0, GOALS["faces"][0])).parse_action(parse_term(term))


def test_text_and_fluents() -> None:
    twist = BrainTwist((1, GOALS["faces"][0]))
    assert twist.text(twist.initial) == "rc bc fc rg rv bv bs fs fg ag av as (flipped)"
    assert [str(f) for f in twist.fluents(twist.initial)][-2:] == ["on(as,12)", "flipped"]


def stated(path: Path) -> int:
    found = re.search(r"shortest plan (\d+) moves?", path.read_text().partition("\n")[0])
    assert found
    return int(found[1])


def test_there_is_an_instance_for_each_distance() -> None:
    assert sorted(map(stated, SHIPPED)) == list(range(1, 17))


@pytest.mark.parametrize("path", [p for p in SHIPPED if stated(p) < 15], ids=lambda p: p.stem)
def test_shipped_instances(path: Path) -> None:
    result = asplan.solve(path, engine="bidirectional")
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, stated(path))


EASY = [(e, f"twist{n:02}") for e, last in (("frontier", 12), ("turns", 9)) for n in range(1, last)]


@pytest.mark.parametrize(("encoding", "name"), EASY)
def test_encodings_find_the_optimum(encoding: str, name: str) -> None:
    result = asplan.solve(name, encoding=encoding)
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, int(name[-2:]))
    assert result.validated == "model"


def scramble(path: Path, goal: str, moves: int, seed: int) -> Path:
    """An instance some random moves away from one of the two solved arrangements."""
    random = Random(seed)
    twist = BrainTwist((random.randrange(2), random.choice(GOALS[goal])))
    state = twist.initial
    for _ in range(moves):
        state = random.choice(list(twist.successors(state)))
    facts = [f"on(0,{tile},{position})." for position, tile in enumerate(state[1], 1)]
    path.write_text(f"{' '.join(facts)} on(0,f,{state[0]}).")
    return path


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("seed", range(4))
def test_scrambles(goal: str, seed: int, tmp_path: Path) -> None:
    file = scramble(tmp_path / "twist.lp", goal, 9, seed)
    best = asplan.solve(file, engine="bidirectional", constants={"goal": goal}).horizon
    for encoding in ("frontier", "turns"):
        result = asplan.solve(file, encoding=encoding, constants={"goal": goal})
        assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, best)
    result = asplan.solve(file, encoding="turns", constants={"goal": goal, "extra": 1})
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, best)


def test_turns_says_never_twice_what_only_differs_in_order() -> None:
    result = asplan.solve("twist06", encoding="turns", models=0)
    for plan in result.plans:
        numbers = [int(a[5:-1]) if a != "flip" else 0 for a in plan.actions]
        for one, other in pairwise(numbers):
            assert (one == 0) != (other == 0) or abs(one) < abs(other)


def test_every_move_has_its_side() -> None:
    assert sorted(m for moves in MOVES for m in moves) == [m for m in range(-8, 9) if m]


def test_another_program_may_say_on(tmp_path: Path) -> None:
    """In the Towers of Hanoi on(Time,Disk,Peg) speaks of no tile."""
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


def test_unknown_goal() -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve("twist03", constants={"goal": "corners"})
    assert str(caught.value) == "goal=corners: goal in brain_twist is faces or points"
