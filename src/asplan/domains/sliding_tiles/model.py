"""Sliding tiles: the 8-, 15- and 24-puzzle, and every other rectangle with one blank.

A state is a tuple of tiles, cell by cell in row order; 0 is the blank.

>>> board = SlidingTiles(2, 2, initial=(1, 2, 0, 3), goal=((1, 0), (2, 1), (3, 2)))
>>> [str(move) for move in board.actions(board.initial)]
['move(1,down)', 'move(3,left)']
>>> board.is_goal(board.apply(board.initial, Move(3, "left")))
True
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, permutations
from typing import NamedTuple

from asplan.clingo import Function, Number, Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.domains.model import Model
from asplan.domains.reading import Cell, cell_at, index_of, is_on_grid

State = tuple[int, ...]

BLANK = 0
DIRECTIONS = {
    "up": (-1, 0),
    "down": (1, 0),
    "left": (0, -1),
    "right": (0, 1),
}
"""The changes of row and column in each direction."""

MOST_FREE = 5
"""The most tiles without a goal, the blank included, for which all goal states are listed."""


class Move(NamedTuple):
    """A move of a tile into the blank's cell; `direction` is the direction of the tile."""

    tile: int
    direction: str

    def __str__(self) -> str:
        return f"move({self.tile},{self.direction})"


@dataclass(frozen=True)
class SlidingTiles(Model[State, Move]):
    """A board with its tiles at time 0, as a transition system.

    Cells are given by their index, from 0 in row order. `goal` holds pairs (tile, cell); a tile
    that is in no pair may end up anywhere.
    """

    rows: int
    columns: int
    initial: State
    goal: tuple[tuple[int, int], ...]

    def actions(self, state: State) -> Iterator[Move]:
        """Yield the moves of a state, at most four, in the order of `DIRECTIONS`."""
        blank = state.index(BLANK)
        for direction, source in self.sources[blank]:
            yield Move(state[source], direction)

    def apply(self, state: State, action: Move) -> State:
        """Return the state after a move; the move must be applicable."""
        source = state.index(action.tile)
        blank = state.index(BLANK)
        return swap(state, source, blank)

    def successors(self, state: State) -> list[State]:
        """Return the successors of a state, in the order of `actions`."""
        blank = state.index(BLANK)
        return [swap(state, source, blank) for _, source in self.sources[blank]]

    def is_goal(self, state: State) -> bool:
        """Return whether each tile that has a goal is at its goal."""
        return all(state[cell] == tile for tile, cell in self.goal)

    def goals(self) -> list[State] | None:
        """Return all goal states; None if more than `MOST_FREE` tiles have no goal."""
        cells = range(len(self.initial))
        goal_tiles = {cell: tile for tile, cell in self.goal}
        free_cells = [cell for cell in cells if cell not in goal_tiles]
        free_tiles = sorted(set(self.initial).difference(goal_tiles.values()))
        if len(free_tiles) > MOST_FREE:
            return None
        goals: list[State] = []
        for order in permutations(free_tiles):
            tile_at = goal_tiles | dict(zip(free_cells, order, strict=True))
            goals.append(tuple(tile_at[cell] for cell in cells))
        return goals

    def unsolvable(self) -> str | None:
        """Return the parity argument of Johnson and Story (1879) if it shows that no goal can be
        reached.

        None if the argument does not apply.
        """
        goals = self.goals()
        if goals is None or any(map(self._same_parity, goals)):
            return None
        return (
            "by parity. A move swaps the blank with a tile and takes it one cell "
            "further, so the parity of the arrangement and that of the blank's way change "
            "together; here only one of the two would have to change"
        )

    def _same_parity(self, goal: State) -> bool:
        """Return whether parity allows a path from the initial state to a goal state.

        The parities of the permutation of the tiles and of the blank's Manhattan distance must be
        equal. Otherwise there is no path.
        """
        order = [goal.index(tile) for tile in self.initial]
        pairs = combinations(order, 2)
        inversions = sum(first > second for first, second in pairs)
        blank = self.initial.index(BLANK)
        blank_goal = goal.index(BLANK)
        distance = self.distance(blank, blank_goal)
        return inversions % 2 == distance % 2

    def parse_action(self, term: Symbol) -> Move:
        """Read a term `move(Tile,Dir)`; raise `ValueError` for any other term."""
        if not term.match("move", 2):
            raise ValueError(f"{term} is not a move(Tile,Dir)")
        tile, direction = term.arguments
        if tile.type != SymbolType.Number:
            raise ValueError(f"{term}: {tile} is not a tile")
        if str(direction) not in DIRECTIONS:
            raise ValueError(f"{term}: {direction} is not left, right, up or down")
        return Move(tile.number, str(direction))

    def why_not(self, state: State, action: Move) -> str | None:
        """Return the reason why a tile cannot move, such as another tile in its way; None if it can
        move.
        """
        if action.tile == BLANK or action.tile not in state:
            return f"there is no tile {action.tile}"
        row, column = self.cell(state.index(action.tile))
        down, right = DIRECTIONS[action.direction]
        target = (row + down, column + right)
        target_text = f"({target[0]},{target[1]})"
        if not is_on_grid(target, self.rows, self.columns):
            return f"tile {action.tile} would leave the board at {target_text}"
        other = state[self.index(target)]
        return None if other == BLANK else f"tile {other} is at {target_text}"

    def why_not_goal(self, state: State) -> str | None:
        """Return the reason why a state is no goal: the cells of a misplaced tile and of its goal.

        None if all tiles are at their goals.
        """
        for tile, goal in self.goal:
            if state[goal] != tile:
                row, column = self.cell(state.index(tile))
                goal_row, goal_column = self.cell(goal)
                return f"tile {tile} is at ({row},{column}) and not at ({goal_row},{goal_column})"
        return None

    def fluents(self, state: State) -> Iterator[Symbol]:
        """Yield `position(Tile,Row,Column)` for each tile, in row order."""
        for index, tile in enumerate(state):
            if tile != BLANK:
                row, column = self.cell(index)
                numbers = (tile, row, column)
                yield Function("position", [Number(number) for number in numbers])

    def text(self, state: State) -> str:
        """Return the board row by row, with `_` for the blank."""
        width = len(str(max(state)))
        marks = ["_" if tile == BLANK else str(tile) for tile in state]
        rows: list[str] = []
        for start in range(0, len(marks), self.columns):
            row = marks[start : start + self.columns]
            words = [mark.rjust(width) for mark in row]
            rows.append(" ".join(words))
        return "\n".join(rows)

    def cell(self, index: int) -> Cell:
        """Return the row and column of a cell, from its index."""
        return cell_at(index, self.columns)

    def index(self, cell: Cell) -> int:
        """Return the index of a cell, from its row and column."""
        return index_of(cell, self.columns)

    def distance(self, one: int, other: int) -> int:
        """Return the Manhattan distance between two cells, given by their indices."""
        row, column = self.cell(one)
        other_row, other_column = self.cell(other)
        return abs(row - other_row) + abs(column - other_column)

    @cached_property
    def sources(self) -> list[list[tuple[str, int]]]:
        """For each place of the blank, the cells from which a tile can move there.

        Each cell comes with the direction of the tile's move.
        """
        sources: list[list[tuple[str, int]]] = []
        for blank in range(self.rows * self.columns):
            row, column = self.cell(blank)
            neighbours: list[tuple[str, int]] = []
            for direction, (down, right) in DIRECTIONS.items():
                source = (row - down, column - right)
                if is_on_grid(source, self.rows, self.columns):
                    neighbours.append((direction, self.index(source)))
            sources.append(neighbours)
        return sources


def transposed_cells(side: int) -> list[int]:
    """Return for each cell of a square board its mirror image in the main diagonal."""
    images: list[int] = []
    for cell in range(side * side):
        row, column = divmod(cell, side)
        images.append(column * side + row)
    return images


def swap(state: State, one: int, other: int) -> State:
    """Return a state with the tiles of two cells exchanged."""
    tiles = list(state)
    tiles[one], tiles[other] = tiles[other], tiles[one]
    return tuple(tiles)
