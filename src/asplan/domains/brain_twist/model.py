"""Brain Twist as states and moves.

A state is the flip, 0 or 1, and the tiles at positions 1 to 12; `tetrahedron` says what a move
makes of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clingo import Function, Number, Symbol, SymbolType

from asplan.domains.brain_twist.tetrahedron import (
    FLIP,
    MOVES,
    OWN,
    SOLVED,
    TURNS,
    Tiles,
)

State = tuple[int, Tiles]

_IN_ORDER = {
    rotation: tuple(tuple(turns[move] for move in moves) for moves in MOVES)
    for rotation, turns in TURNS.items()
}


@dataclass(frozen=True)
class Move:
    """Turn a vertex, or turn the puzzle inside out."""

    number: int

    def __str__(self) -> str:
        return f"turn({self.number})" if self.number else "flip"


_ACTIONS = tuple(tuple(Move(move) for move in (*moves, FLIP)) for moves in MOVES)


@dataclass(frozen=True)
class BrainTwist:
    """One scrambled puzzle; `goal` and `rotation` are a key of `SOLVED`."""

    initial: State
    goal: str = "faces"
    rotation: str = "fixed"

    def actions(self, state: State) -> Iterable[Move]:
        """The eight turns, vertex by vertex, then the flip."""
        return _ACTIONS[state[0]]

    def apply(self, state: State, action: Move) -> State:
        """Turn a vertex or flip."""
        flip, tiles = state
        if action.number == FLIP:
            return 1 - flip, tiles
        return flip, TURNS[self.rotation][action.number](tiles)

    def successors(self, state: State) -> list[State]:
        """The states that follow, in the order of `actions`."""
        flip, tiles = state
        following = [(flip, turn(tiles)) for turn in _IN_ORDER[self.rotation][flip]]
        following.append((1 - flip, tiles))
        return following

    def is_goal(self, state: State) -> bool:
        """Whether the tiles are as the goal wants them; the flip does not matter."""
        return state[1] in SOLVED[self.goal, self.rotation]

    def goals(self) -> list[State]:
        """The solved arrangements, flipped or not."""
        solved = sorted(SOLVED[self.goal, self.rotation])
        return [(flip, tiles) for tiles in solved for flip in (0, 1)]

    def parse_action(self, term: Symbol) -> Move:
        """Read `turn(V)` or `flip`; ValueError if the term is neither."""
        if term == Function("flip"):
            return Move(FLIP)
        if not term.match("turn", 1):
            raise ValueError(f"{term} is neither turn(V) nor flip")
        vertex = term.arguments[0]
        if vertex.type != SymbolType.Number or abs(vertex.number) not in OWN:
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
