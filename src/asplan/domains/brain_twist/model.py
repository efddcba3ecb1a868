"""A Brain Twist puzzle as a transition system: a state is the flip and the arrangement of tiles."""

from collections.abc import Iterable, Iterator, Mapping

from asplan.clingo import Function, Number, Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.domains.brain_twist.turns import (
    FLIP,
    MOVES,
    OWN_CYCLES,
    SOLVED,
    TURNS,
    Permutation,
    Tiles,
)
from asplan.domains.model import Model

State = tuple[int, Tiles]
"""The flip (0 or 1), and the tiles at positions 1 to 12."""


@dataclass(frozen=True)
class Move:
    """A turn of a vertex, or the flip, which turns the puzzle inside out."""

    number: int

    def __str__(self) -> str:
        return "flip" if self.number == FLIP else f"turn({self.number})"


def _make_actions(numbers: Iterable[int]) -> tuple[Move, ...]:
    return tuple(Move(number) for number in (*numbers, FLIP))


_ACTIONS = tuple(map(_make_actions, MOVES))
"""The actions while the puzzle is not flipped, and the actions while it is flipped."""


def _in_order(turns: Mapping[int, Permutation]) -> tuple[list[Permutation], list[Permutation]]:
    unflipped, flipped = MOVES
    return [turns[number] for number in unflipped], [turns[number] for number in flipped]


_TURNS_IN_ORDER = {rotation: _in_order(turns) for rotation, turns in TURNS.items()}
"""For each value of `rotation`, the permutations of the moves in `MOVES`, in the same order."""


@dataclass(frozen=True)
class BrainTwist(Model[State, Move]):
    """A scrambled puzzle; `goal` and `rotation` are the constants that choose the variant."""

    initial: State
    goal: str = "faces"
    rotation: str = "fixed"

    def actions(self, state: State) -> Iterable[Move]:
        """Return the applicable moves: the turns of four vertices, and the flip.

        Other vertices turn while the puzzle is flipped.
        """
        return _ACTIONS[state[0]]

    def apply(self, state: State, action: Move) -> State:
        """Return the state after a move; the move must be applicable."""
        flip, tiles = state
        if action.number == FLIP:
            return 1 - flip, tiles
        turn = TURNS[self.rotation][action.number]
        return flip, turn(tiles)

    def successors(self, state: State) -> list[State]:
        """Return the successors of a state, in the order of `actions`."""
        flip, tiles = state
        turns = _TURNS_IN_ORDER[self.rotation][flip]
        successors = [(flip, turn(tiles)) for turn in turns]
        successors.append((1 - flip, tiles))
        return successors

    def is_goal(self, state: State) -> bool:
        """Return whether the arrangement of the tiles is solved; the puzzle may be
        flipped or not.
        """
        return state[1] in SOLVED[self.goal, self.rotation]

    def goals(self) -> list[State]:
        """Return all goal states: each solved arrangement, not flipped and flipped."""
        goals: list[State] = []
        for tiles in sorted(SOLVED[self.goal, self.rotation]):
            goals += [(0, tiles), (1, tiles)]
        return goals

    def parse_action(self, term: Symbol) -> Move:
        """Read a term `turn(V)` or `flip`; raise `ValueError` for any other term."""
        if term == Function("flip"):
            return Move(FLIP)
        if not term.match("turn", 1):
            raise ValueError(f"{term} is neither turn(V) nor flip")
        vertex = term.arguments[0]
        if vertex.type != SymbolType.Number or abs(vertex.number) not in OWN_CYCLES:
            raise ValueError(f"{term}: {vertex} is not a vertex, 1 to 8 or -1 to -8")
        return Move(vertex.number)

    def why_not(self, state: State, action: Move) -> str | None:
        """Return the reason why a move is not applicable: the range of the vertices that can turn.

        None if the move is applicable.
        """
        flip, _ = state
        if action.number == FLIP or action.number in MOVES[flip]:
            return None
        vertices = sorted({abs(number) for number in MOVES[flip]})
        side = "flipped" if flip else "not flipped"
        return f"while the puzzle is {side}, vertices {vertices[0]} to {vertices[-1]} turn"

    def fluents(self, state: State) -> Iterator[Symbol]:
        """Yield `on(Tile,Position)` for each tile, and `flipped` if the puzzle is flipped."""
        flip, tiles = state
        for position, tile in enumerate(tiles, 1):
            yield Function("on", [Function(tile), Number(position)])
        if flip:
            yield Function("flipped")

    def text(self, state: State) -> str:
        """Return the tiles by position, and whether the puzzle is flipped."""
        flip, tiles = state
        return " ".join(tiles) + (" (flipped)" if flip else "")
