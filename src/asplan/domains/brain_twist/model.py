"""Brain Twist: a tetrahedron whose vertices turn, and which can be turned inside out.

Twelve tiles lie on twelve positions, three at each vertex of one tetrahedron and, after a flip,
three at each vertex of another. A position is a face and one of its vertices. A turn moves the
tiles at a vertex by 120 degrees; where the tile at position 1 would move, all others turn the
other way instead, so position 1 always holds rc and the whole puzzle never rotates.

A state is the flip, 0 or 1, and the tiles at positions 1 to 12. Moves and colours follow the
talk "Brain Twist in ASP" (2016); a test derives the table of turns from the tetrahedron.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter

from clingo import Function, Number, Symbol, SymbolType

Tiles = tuple[str, ...]
State = tuple[int, Tiles]
Cycles = tuple[tuple[int, ...], ...]

POSITIONS = 12

CYCLES: Mapping[int, Cycles] = {
    1: ((4, 8, 6), (5, 9, 7), (10, 12, 11)),
    2: ((4, 9, 10),),
    3: ((5, 11, 6),),
    4: ((7, 12, 8),),
    5: ((2, 11, 9), (3, 6, 10), (7, 12, 8)),
    6: ((2, 6, 7),),
    7: ((3, 8, 9),),
    8: ((10, 12, 11),),
}
"""For each vertex its turn: the tile at the first position of a cycle goes to the second, and so
on. Vertices 1 to 4 turn while the puzzle is not flipped, 5 to 8 while it is."""

GOALS: Mapping[str, tuple[Tiles, Tiles]] = {
    "faces": (
        ("rc", "bc", "fc", "rg", "rv", "bv", "bs", "fs", "fg", "ag", "av", "as"),
        ("rc", "fc", "bc", "rv", "rg", "fg", "fs", "bs", "bv", "av", "ag", "as"),
    ),
    "points": (
        ("rc", "rg", "rv", "bc", "fc", "fg", "ag", "av", "bv", "bs", "fs", "as"),
        ("rc", "rv", "rg", "fc", "bc", "bv", "av", "ag", "fg", "fs", "bs", "as"),
    ),
}
"""The solved arrangements. The two of a goal differ by an odd permutation and every turn is an
even one, so each arrangement can reach exactly one of them."""

TILES = frozenset(GOALS["faces"][0])
FLIP = 0
"""The flip as a move; the others are 1 to 8, negative for the inverse turn."""


def _getter(move: int) -> Callable[[Tiles], Tiles]:
    """The function from the tiles before a turn to those after it."""
    source = list(range(POSITIONS))
    for cycle in CYCLES[abs(move)]:
        path = cycle if move > 0 else cycle[::-1]
        for come, go in zip(path, path[1:] + path[:1], strict=True):
            source[go - 1] = come - 1
    return itemgetter(*source)


MOVES = ((1, -1, 2, -2, 3, -3, 4, -4), (5, -5, 6, -6, 7, -7, 8, -8))
"""The turns while the puzzle is not flipped, and while it is."""

_GETTERS = {move: _getter(move) for moves in MOVES for move in moves}
_TURNS = tuple(tuple(_GETTERS[move] for move in moves) for moves in MOVES)


@dataclass(frozen=True)
class Move:
    """Turn a vertex, or turn the puzzle inside out."""

    number: int

    def __str__(self) -> str:
        return f"turn({self.number})" if self.number else "flip"


_ACTIONS = tuple(tuple(Move(move) for move in (*moves, FLIP)) for moves in MOVES)


@dataclass(frozen=True)
class BrainTwist:
    """One scrambled puzzle; `goal` is a name in `GOALS`."""

    initial: State
    goal: str = "faces"

    def actions(self, state: State) -> Iterable[Move]:
        """The eight turns, vertex by vertex, then the flip."""
        return _ACTIONS[state[0]]

    def apply(self, state: State, action: Move) -> State:
        """Turn a vertex or flip."""
        flip, tiles = state
        if action.number == FLIP:
            return 1 - flip, tiles
        return flip, _GETTERS[action.number](tiles)

    def successors(self, state: State) -> list[State]:
        """The states that follow, in the order of `actions`."""
        flip, tiles = state
        following = [(flip, turn(tiles)) for turn in _TURNS[flip]]
        following.append((1 - flip, tiles))
        return following

    def is_goal(self, state: State) -> bool:
        """Whether the tiles are as the goal wants them; the flip does not matter."""
        return state[1] in GOALS[self.goal]

    def goals(self) -> list[State]:
        """Two arrangements, flipped or not."""
        return [(flip, tiles) for tiles in GOALS[self.goal] for flip in (0, 1)]

    def parse_action(self, term: Symbol) -> Move:
        """Read `turn(V)` or `flip`; ValueError if the term is neither."""
        if term == Function("flip"):
            return Move(FLIP)
        if not term.match("turn", 1):
            raise ValueError(f"{term} is neither turn(V) nor flip")
        vertex = term.arguments[0]
        if vertex.type != SymbolType.Number or abs(vertex.number) not in CYCLES:
            raise ValueError(f"{term}: {vertex} is not a vertex, 1 to 8 or -1 to -8")
        return Move(vertex.number)

    def why_not(self, state: State, action: Move) -> str | None:
        """A vertex of the other side does not turn."""
        if action.number == FLIP or action.number in MOVES[state[0]]:
            return None
        first, last = MOVES[state[0]][0], MOVES[state[0]][-2]
        side = "flipped" if state[0] else "not flipped"
        return f"while the puzzle is {side}, vertices {first} to {last} turn"

    def fluents(self, state: State) -> Iterator[Symbol]:
        """`on(Tile,Position)` for every tile, and `flipped` if it is."""
        flip, tiles = state
        for position, tile in enumerate(tiles, 1):
            yield Function("on", [Function(tile), Number(position)])
        if flip:
            yield Function("flipped")

    def text(self, state: State) -> str:
        """The tiles by position, and the flip."""
        flip, tiles = state
        return " ".join(tiles) + (" (flipped)" if flip else "")
