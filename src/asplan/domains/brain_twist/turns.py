"""The turns of Brain Twist as permutations of positions, and its solved arrangements.

Twelve tiles lie on twelve positions, three at each vertex of a tetrahedron. After a flip, they lie
three at each vertex of another tetrahedron. A position is a face and one of its vertices. A turn
moves the tiles at a vertex by 120 degrees.

The constant `rotation` decides how rotations of the whole puzzle count. If it is fixed, position 1
always holds the tile rc: a turn that would move rc moves all other tiles the other way instead. So
each state stands for its twelve rotations. If `rotation` is free, the twelve rotations are twelve
states. The fewest moves are the same.

Turns and colours follow the talk "Brain Twist in ASP" (2016); a test derives the turns from the
geometry.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter

from asplan.core.graphs import closure

Tiles = tuple[str, ...]
"""The tiles at positions 1 to 12."""

Cycle = tuple[int, int, int]
"""Positions in a cycle: the tile at the first position goes to the second, and so on."""

Permutation = Callable[[Tiles], Tiles]
"""A function from the tiles before a move to the tiles after it."""

POSITIONS = 12

OWN_CYCLES: Mapping[int, Cycle] = {
    1: (1, 2, 3),
    2: (4, 9, 10),
    3: (5, 11, 6),
    4: (7, 12, 8),
    5: (1, 4, 5),
    6: (2, 6, 7),
    7: (3, 8, 9),
    8: (10, 12, 11),
}
"""The turn of each vertex. Vertices 1 to 4 turn while the puzzle is not flipped, 5 to 8 while it is
flipped.
"""

OPPOSITE_CYCLES: Mapping[int, tuple[Cycle, ...]] = {
    1: ((4, 8, 6), (5, 9, 7), (10, 12, 11)),
    5: ((2, 11, 9), (3, 6, 10), (7, 12, 8)),
}
"""For vertices 1 and 5, whose turns move position 1: the opposite turn of all other tiles, which
leaves rc in place.
"""

_FREE_CYCLES = {vertex: (own,) for vertex, own in OWN_CYCLES.items()}

CYCLES: Mapping[str, Mapping[int, tuple[Cycle, ...]]] = {
    "fixed": {**_FREE_CYCLES, **OPPOSITE_CYCLES},
    "free": _FREE_CYCLES,
}
"""For each value of `rotation`, the turn of each vertex."""

FLIP = 0
"""The number of the flip as a move. Moves 1 to 8 are the turns of vertices, -1 to -8 their
inverses.
"""

MOVES = (
    (1, -1, 2, -2, 3, -3, 4, -4),
    (5, -5, 6, -6, 7, -7, 8, -8),
)
"""The turns while the puzzle is not flipped, and the turns while it is flipped."""

ARRANGEMENTS: Mapping[str, tuple[Tiles, Tiles]] = {
    "faces": (
        ("rc", "bc", "fc", "rg", "rv", "bv", "bs", "fs", "fg", "ag", "av", "as"),
        ("rc", "fc", "bc", "rv", "rg", "fg", "fs", "bs", "bv", "av", "ag", "as"),
    ),
    "points": (
        ("rc", "rg", "rv", "bc", "fc", "fg", "ag", "av", "bv", "bs", "fs", "as"),
        ("rc", "rv", "rg", "fc", "bc", "bv", "av", "ag", "fg", "fs", "bs", "as"),
    ),
}
"""For each goal, the two solved arrangements with rc at position 1.

They differ by an odd permutation, while turns and rotations are even. So each state can reach
exactly one of the two, up to rotation.
"""

TILES = frozenset(ARRANGEMENTS["faces"][0])


def make_permutation(cycles: Iterable[Cycle]) -> Permutation:
    """Return the permutation of tiles that moves them along the given cycles of positions."""
    sources = list(range(POSITIONS))  # for each position, the position that its tile comes from
    for cycle in cycles:
        targets = cycle[1:] + cycle[:1]
        for source, target in zip(cycle, targets, strict=True):
            sources[target - 1] = source - 1
    return itemgetter(*sources)


def _inverse(cycles: Iterable[Cycle]) -> list[Cycle]:
    return [(third, second, first) for first, second, third in cycles]


def _make_turns(cycles: Mapping[int, tuple[Cycle, ...]]) -> dict[int, Permutation]:
    turns: dict[int, Permutation] = {}
    for vertex, turn in cycles.items():
        turns[vertex] = make_permutation(turn)
        turns[-vertex] = make_permutation(_inverse(turn))
    return turns


TURNS: Mapping[str, Mapping[int, Permutation]] = {
    rotation: _make_turns(cycles) for rotation, cycles in CYCLES.items()
}
"""For each value of `rotation`, the permutation of each move except the flip."""


def rotations(tiles: Tiles) -> frozenset[Tiles]:
    """Return the twelve arrangements that result from one by rotations of the whole puzzle.

    Two rotations generate all others. Each of the two turns a vertex that touches position 1, and
    turns all other tiles in the same direction, so that the whole puzzle rotates.
    """
    generators: list[Permutation] = []
    for vertex, opposite in OPPOSITE_CYCLES.items():
        cycles = [OWN_CYCLES[vertex], *_inverse(opposite)]
        generators.append(make_permutation(cycles))

    def rotate(arrangement: Tiles) -> list[Tiles]:
        return [generator(arrangement) for generator in generators]

    return frozenset(closure([tiles], rotate))


def _solved_arrangements() -> dict[tuple[str, str], frozenset[Tiles]]:
    solved: dict[tuple[str, str], frozenset[Tiles]] = {}
    for goal, (one, other) in ARRANGEMENTS.items():
        solved[goal, "fixed"] = frozenset({one, other})
        solved[goal, "free"] = rotations(one) | rotations(other)
    return solved


SOLVED: Mapping[tuple[str, str], frozenset[Tiles]] = _solved_arrangements()
"""For each goal and value of `rotation`, all solved arrangements: 2 if fixed, 24 if free."""
