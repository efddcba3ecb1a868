"""Brain Twist: the turns follow from a tetrahedron, with the properties that encodings rely on.

A permutation is a tuple: the tile at position p goes to position permutation[p - 1].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import permutations, product

import numpy as np
import pytest

from asplan.domains.brain_twist.model import BrainTwist
from asplan.domains.brain_twist.turns import (
    ARRANGEMENTS,
    CYCLES,
    MOVES,
    SOLVED,
    TILES,
    TURNS,
    Tiles,
    rotations,
)

Permutation = tuple[int, ...]

POSITIONS = range(1, 13)
IDENTITY = tuple(POSITIONS)
OUTER_FACES = [(1, 4, 5), (2, 6, 7), (3, 8, 9), (10, 11, 12)]
INNER_FACES = [(1, 2, 3), (4, 9, 10), (5, 6, 11), (7, 8, 12)]
OUTER_COLOURS = ["rc rg rv", "bc bv bs", "fg fc fs", "ag as av"]
INNER_COLOURS = ["rc bc fc", "rv av bv", "rg ag fg", "as bs fs"]
GROUPS = dict(enumerate(INNER_FACES + OUTER_FACES, 1))
"""The positions at each vertex."""

VERTICES = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
"""The vertices of a tetrahedron, 1 to 4; each has a group of INNER_FACES."""

OPPOSITE = {1: 4, 2: 2, 3: 3, 4: 1}
"""For each face the only vertex that it does not meet."""


def place(position: int) -> tuple[int, int]:
    """Return the face and the vertex of a position, from 1."""
    [face] = [i for i, group in enumerate(OUTER_FACES, 1) if position in group]
    [vertex] = [i for i, group in enumerate(INNER_FACES, 1) if position in group]
    return face, vertex


def direction(move: int) -> np.ndarray:
    """Return the direction of a vertex; 5 to 8 belong to the inner tetrahedron, at the faces."""
    return VERTICES[move - 1] if move <= 4 else -VERTICES[OPPOSITE[move - 4] - 1]


def rotated(move: int) -> Permutation:
    """Return the rotation of the whole about a vertex, counterclockwise from outside, by 120°."""
    axis = direction(abs(move)) / np.sqrt(3)
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.sign(move) * 2 * np.pi / 3
    rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    goes = {}
    for vertex, point in enumerate(VERTICES, 1):
        [goes[vertex]] = np.flatnonzero((np.round(rotation @ point) == VERTICES).all(axis=1)) + 1
    faces = {f: next(g for g in OPPOSITE if OPPOSITE[g] == goes[OPPOSITE[f]]) for f in OPPOSITE}
    positions = {place(position): position for position in POSITIONS}
    return tuple(positions[faces[f], goes[v]] for f, v in map(place, POSITIONS))


def restrict(permutation: Permutation, moved: Iterable[int]) -> Permutation:
    """Return a permutation that moves some positions as another one does, and no others."""
    kept = set(moved)
    return tuple(permutation[p - 1] if p in kept else p for p in POSITIONS)


def compose(first: Permutation, *others: Permutation) -> Permutation:
    """Return the permutation that applies all of these, one after the other."""
    return reduce(lambda one, other: tuple(other[p - 1] for p in one), others, first)


def free_turn(move: int) -> Permutation:
    """Return the turn of the three tiles at a vertex."""
    return restrict(rotated(move), GROUPS[abs(move)])


def fixed_turn(move: int) -> Permutation:
    """Return the turn that keeps position 1 in place, by a rotation of the whole if necessary."""
    own = set(GROUPS[abs(move)])
    return restrict(rotated(-move), set(POSITIONS) - own) if 1 in own else free_turn(move)


TURN = {"free": free_turn, "fixed": fixed_turn}
ALL_MOVES = [move for moves in MOVES for move in moves]


def closure(generators: Iterable[Permutation]) -> dict[Permutation, int]:
    """Map all products of some permutations to their fewest factors."""
    generators = list(generators)
    found = {IDENTITY: 0}
    waiting = [IDENTITY]
    for one in waiting:
        for after in (compose(one, generator) for generator in generators):
            if after not in found:
                found[after] = found[one] + 1
                waiting.append(after)
    return found


WHOLE = list(closure(map(rotated, range(1, 9))))
"""The rotations of the tetrahedron as permutations of the positions."""


@pytest.mark.parametrize("rotation", CYCLES)
@pytest.mark.parametrize("move", ALL_MOVES)
def test_the_table_of_turns_follows_from_the_tetrahedron(rotation: str, move: int) -> None:
    turn = TURN[rotation](move)
    expected: list[str] = [""] * 12
    for come, go in enumerate(turn):
        expected[go - 1] = ARRANGEMENTS["faces"][0][come]
    assert TURNS[rotation][move](ARRANGEMENTS["faces"][0]) == tuple(expected)


def test_no_position_lies_at_the_vertex_opposite_its_face() -> None:
    for position in POSITIONS:
        face, vertex = place(position)
        assert OPPOSITE[face] != vertex


def solved_by_colours(goal: str) -> set[Tiles]:
    """Return all arrangements with one outer colour a face and one inner colour a vertex.

    For the goal `points` inner and outer change places.
    """
    outer, inner = ([set(names.split()) for names in c] for c in (OUTER_COLOURS, INNER_COLOURS))
    if goal == "points":
        outer, inner = inner, outer
    found = set()
    for faces, vertices in product(permutations(outer), permutations(inner)):
        sets = [faces[f - 1] & vertices[v - 1] for f, v in map(place, POSITIONS)]
        if all(sets):
            found.add(tuple(tile for tiles in sets for tile in tiles))
    return found


@pytest.mark.parametrize("goal", ARRANGEMENTS)
def test_24_arrangements_are_solved_and_2_of_them_have_rc_at_position_1(goal: str) -> None:
    expected = solved_by_colours(goal)
    assert all(set(tiles) == TILES for tiles in expected)
    assert (len(expected), SOLVED[goal, "free"]) == (24, expected)
    two = {tiles for tiles in expected if tiles[0] == "rc"}
    assert (len(two), SOLVED[goal, "fixed"]) == (2, two)


def test_the_two_goals_differ_by_an_odd_permutation() -> None:
    for one, other in ARRANGEMENTS.values():
        order = [other.index(tile) for tile in one]
        inversions = sum(order[i] > order[j] for j in range(12) for i in range(j))
        assert inversions % 2 == 1


# The distances do not depend on `rotation`, for three reasons, which the next tests show. First, a
# rotation of the whole maps turns to turns and solved arrangements to solved ones, so all rotations
# of a state have the same distance. Second, each state has exactly one rotation with rc at position
# 1. Third, the result of a fixed turn is a rotation of the result of the free turn.


def test_the_twelve_rotations_map_position_1_to_each_position_once() -> None:
    assert sorted(rotation[0] for rotation in WHOLE) == list(POSITIONS)
    tiles = ARRANGEMENTS["points"][1]
    expected = {tuple(tiles[p - 1] for p in rotation) for rotation in WHOLE}
    assert rotations(tiles) == expected


def test_a_rotation_maps_turns_to_turns_and_solved_to_solved_arrangements() -> None:
    for moves in MOVES:
        turns = {free_turn(move) for move in moves}
        for rotation in WHOLE:
            back = next(r for r in WHOLE if compose(rotation, r) == IDENTITY)
            assert {compose(back, turn, rotation) for turn in turns} == turns
    for goal in ARRANGEMENTS:
        assert all(rotations(tiles) <= SOLVED[goal, "free"] for tiles in SOLVED[goal, "free"])


@pytest.mark.parametrize("move", ALL_MOVES)
def test_a_fixed_turn_is_a_free_turn_and_a_rotation(move: int) -> None:
    assert fixed_turn(move) in {compose(free_turn(move), rotation) for rotation in WHOLE}
    assert fixed_turn(move)[0] == 1


def layers(rotation: str, depth: int) -> Iterator[set[tuple[int, Tiles]]]:
    """Yield the states at distance 0, 1, … from the solved ones, by turns of the tetrahedron."""
    start = (t for t in solved_by_colours("faces") if rotation == "free" or t[0] == "rc")
    layer = {(flip, tiles) for tiles in start for flip in (0, 1)}
    seen = set(layer)
    sources = [[np.argsort(TURN[rotation](m)) for m in moves] for moves in MOVES]
    yield layer
    for _ in range(depth):
        after = {(flip, tuple(t[i] for i in s)) for flip, t in layer for s in sources[flip]}
        layer = (after | {(1 - flip, tiles) for flip, tiles in layer}) - seen
        seen |= layer
        yield layer


def test_distances_do_not_depend_on_rotation() -> None:
    for free, fixed in zip(layers("free", 4), layers("fixed", 4), strict=True):
        assert {(flip, tiles) for flip, tiles in free if tiles[0] == "rc"} == fixed
        assert len(free) == 12 * len(fixed)
        for flip, tiles in fixed:
            assert all((flip, seen) in free for seen in rotations(tiles))


@pytest.mark.parametrize("rotation", CYCLES)
def test_the_model_has_the_same_breadth_first_layers(rotation: str) -> None:
    twist = BrainTwist((0, ARRANGEMENTS["faces"][0]), "faces", rotation)
    layer = seen = set(twist.goals())
    for expected in layers(rotation, 3):
        assert layer == expected
        layer = {after for state in layer for after in twist.successors(state)} - seen
        seen = seen | layer


# The order of turns in turns.lp relies on the next properties of all sequences between two flips.


@pytest.mark.parametrize("rotation", CYCLES)
@pytest.mark.parametrize("moves", MOVES)
def test_ascending_turns_have_every_result_once_and_are_never_longer(
    rotation: str, moves: tuple[int, ...]
) -> None:
    turn = TURN[rotation]
    fewest = closure(turn(move) for move in moves)
    assert Counter(fewest.values()) == {0: 1, 1: 8, 2: 24, 3: 32, 4: 16}
    ways = [(0, move, -move) for move in moves if move > 0]
    ascending = {}
    for sequence in product(*ways):
        made = [turn(move) for move in sequence if move]
        ascending[compose(IDENTITY, *made)] = len(made)
    assert ascending == fewest
    assert len(ascending) == 3**4


@pytest.mark.parametrize("first", [1, -1, 5, -5])
def test_a_vertex_of_rc_may_always_turn_first(first: int) -> None:
    """V and then 1 is 1 and then another vertex, where 1 takes V; the two do not commute."""
    others = [m for moves in MOVES for m in moves if first in moves and abs(m) != abs(first)]
    swapped = {}
    for move in others:
        both = compose(fixed_turn(move), fixed_turn(first))
        [swapped[move]] = [m for m in others if compose(fixed_turn(first), fixed_turn(m)) == both]
    assert sorted(swapped.values()) == sorted(others)
    assert all(move != other for move, other in swapped.items())


@pytest.mark.parametrize("moves", MOVES)
def test_all_other_turns_of_a_side_commute(moves: tuple[int, ...]) -> None:
    for rotation, turn in TURN.items():
        some = [m for m in moves if rotation == "free" or abs(m) not in (1, 5)]
        for one, other in product(some, repeat=2):
            assert compose(turn(one), turn(other)) == compose(turn(other), turn(one))
