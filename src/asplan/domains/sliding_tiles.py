"""Sliding tiles: the 8-, 15- and 24-puzzle, and every other rectangle with one blank.

A state is a tuple of tiles, cell by cell in row order; 0 is the blank.

>>> board = SlidingTiles(2, 2, initial=(1, 2, 0, 3), goal=((1, 0), (2, 1), (3, 2)))
>>> [str(move) for move in board.actions(board.initial)]
['move(1,down)', 'move(3,left)']
>>> board.is_goal(board.apply(board.initial, Move(3, "left")))
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import NamedTuple

from clingo import Function, Number, Symbol, SymbolType

from asplan.domains.base import Domain, Heuristic
from asplan.domains.reading import (
    Cell,
    at_start,
    by_object,
    read_cell,
    read_grid,
    read_number,
)
from asplan.facts import Facts

State = tuple[int, ...]

BLANK = 0
DIRECTIONS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class Move(NamedTuple):
    """Slide a tile onto the blank; the direction is the way the tile goes."""

    tile: int
    direction: str

    def __str__(self) -> str:
        return f"move({self.tile},{self.direction})"


@dataclass(frozen=True)
class SlidingTiles:
    """One board. `goal` holds pairs (tile, cell); a tile without one may end up anywhere."""

    rows: int
    columns: int
    initial: State
    goal: tuple[tuple[int, int], ...]

    def actions(self, state: State) -> Iterator[Move]:
        """At most four, in the order of `DIRECTIONS`."""
        for direction, source in self._sources[state.index(BLANK)]:
            yield Move(state[source], direction)

    def apply(self, state: State, action: Move) -> State:
        """Swap the tile and the blank."""
        return _swapped(state, state.index(action.tile), state.index(BLANK))

    def successors(self, state: State) -> list[State]:
        """The states that follow, in the order of `actions`."""
        blank = state.index(BLANK)
        return [_swapped(state, source, blank) for _, source in self._sources[blank]]

    def is_goal(self, state: State) -> bool:
        """Whether every tile that has a goal is there."""
        return all(state[cell] == tile for tile, cell in self.goal)

    def goals(self) -> list[State] | None:
        """All goal states; None where many tiles have no goal."""
        taken = {cell: tile for tile, cell in self.goal}
        free = [cell for cell in range(len(self.initial)) if cell not in taken]
        loose = sorted(set(self.initial) - set(taken.values()))
        if len(loose) > 5:
            return None
        states = []
        for order in permutations(loose):
            filled = taken | dict(zip(free, order, strict=True))
            states.append(tuple(filled[cell] for cell in range(len(self.initial))))
        return states

    def unsolvable(self) -> str | None:
        """The parity argument of Johnson and Story (1879), where it decides.

        Each move swaps the blank with a tile, which changes the parity of the arrangement, and
        takes the blank one cell further, which changes the parity of its way.
        """
        goals = self.goals()
        if goals is None or any(self._same_parity(goal) for goal in goals):
            return None
        return (
            "by parity. A move swaps the blank with a tile and takes it one cell "
            "further, so the parity of the arrangement and that of the blank's way change "
            "together; here only one of the two would have to change"
        )

    def parse_action(self, term: Symbol) -> Move:
        """Read `move(Tile,Dir)`; ValueError if the term is none."""
        if not term.match("move", 2):
            raise ValueError(f"{term} is no move(Tile,Dir)")
        tile, direction = term.arguments
        if tile.type != SymbolType.Number:
            raise ValueError(f"{term}: {tile} is no tile")
        if str(direction) not in DIRECTIONS:
            raise ValueError(f"{term}: {direction} is not left, right, up or down")
        return Move(tile.number, str(direction))

    def why_not(self, state: State, action: Move) -> str | None:
        """What is where the tile is to go."""
        if action.tile == BLANK or action.tile not in state:
            return f"there is no tile {action.tile}"
        row, column = self.cell(state.index(action.tile))
        down, right = DIRECTIONS[action.direction]
        row, column = row + down, column + right
        if not (1 <= row <= self.rows and 1 <= column <= self.columns):
            return f"tile {action.tile} would leave the board at ({row},{column})"
        other = state[self.index((row, column))]
        return None if other == BLANK else f"tile {other} is at ({row},{column})"

    def fluents(self, state: State) -> Iterator[Symbol]:
        """`position(Tile,Row,Column)` for every tile, in row order."""
        for index, tile in enumerate(state):
            if tile != BLANK:
                row, column = self.cell(index)
                yield Function("position", [Number(tile), Number(row), Number(column)])

    def text(self, state: State) -> str:
        """The board row by row, `_` for the blank."""
        width = len(str(max(state)))
        marks = [("_" if tile == BLANK else str(tile)).rjust(width) for tile in state]
        lines = (marks[i : i + self.columns] for i in range(0, len(marks), self.columns))
        return "\n".join(" ".join(line) for line in lines)

    def cell(self, index: int) -> Cell:
        """Row and column, from 1, of a place in the state."""
        row, column = divmod(index, self.columns)
        return row + 1, column + 1

    def index(self, cell: Cell) -> int:
        """The place of a cell in the state."""
        return (cell[0] - 1) * self.columns + cell[1] - 1

    def distance(self, one: int, other: int) -> int:
        """The Manhattan distance of two places in the state."""
        (row, column), (to_row, to_column) = self.cell(one), self.cell(other)
        return abs(row - to_row) + abs(column - to_column)

    @cached_property
    def _sources(self) -> list[list[tuple[str, int]]]:
        """For each place of the blank: the ways a tile may come, and from which place."""
        found = []
        for blank in range(self.rows * self.columns):
            row, column = self.cell(blank)
            near = [(way, (row - down, column - right)) for way, (down, right) in WAYS]
            found.append([(way, self.index(cell)) for way, cell in near if self._has(cell)])
        return found

    def _has(self, cell: Cell) -> bool:
        return 1 <= cell[0] <= self.rows and 1 <= cell[1] <= self.columns

    def _same_parity(self, goal: State) -> bool:
        order = [goal.index(tile) for tile in self.initial]
        inversions = sum(a > b for a, b in combinations(order, 2))
        way = self.distance(self.initial.index(BLANK), goal.index(BLANK))
        return inversions % 2 == way % 2


WAYS = tuple(DIRECTIONS.items())


def _swapped(state: State, one: int, other: int) -> State:
    cells = list(state)
    cells[one], cells[other] = cells[other], cells[one]
    return tuple(cells)


def read(facts: Facts, constants: Mapping[str, str]) -> SlidingTiles:
    """The problem that the facts of an instance describe.

    Raises
    ------
    InputError
        The facts make no sense; the message names the first that does not.
    """
    rows, columns = read_grid(
        facts,
        example="grid(1..4,1..4).",
        mend="a grid is a full rectangle, and its blank a cell without a tile",
    )
    board = SlidingTiles(rows, columns, (), ())
    tiles = _read_tiles(facts, rows * columns - 1)
    places = _read_places(facts, board, at_start(facts, "position", 4, "positions"), 1)
    for tile in tiles:
        if tile not in places:
            raise facts.error(f"tile {tile} has no position", tiles[tile])
    cells = {index: tile for tile, index in places.items()}
    goal = _read_places(facts, board, facts.named("goal", 3), 0)
    return SlidingTiles(
        rows,
        columns,
        initial=tuple(cells.get(index, BLANK) for index in range(rows * columns)),
        goal=tuple(sorted((goal or {tile: tile - 1 for tile in tiles}).items())),
    )


def _read_tiles(facts: Facts, last: int) -> dict[int, Symbol]:
    tiles = {read_number(facts, f, f.arguments[0]): f for f in facts.named("tile", 1)}
    if last < 1:
        raise facts.error("has a grid of one cell, so no tile can slide")
    for tile, fact in tiles.items():
        if not 1 <= tile <= last:
            raise facts.error(f"the tiles of this board are 1 to {last}", fact)
    for tile in range(1, last + 1):
        if tile not in tiles:
            raise facts.error(
                f"has no tile {tile}: a board of {last + 1} cells has {last} tiles and one blank",
                mend=f"write tile(1..{last}). and a position for each",
            )
    return tiles


def _read_places(
    facts: Facts, board: SlidingTiles, found: list[Symbol], argument: int
) -> dict[int, int]:
    """For each tile its place; every tile and every cell at most once."""
    places: dict[int, int] = {}
    cells: dict[int, Symbol] = {}
    for name, fact in by_object(facts, found, argument, "tile").items():
        if Function("tile", [name]) not in facts.places:
            raise facts.error(f"there is no tile {name}", fact)
        cell = read_cell(facts, fact)
        if not board._has(cell):
            raise facts.error("this cell is not on the board", fact)
        index = board.index(cell)
        if index in cells:
            raise facts.error(f"this cell is taken by {cells[index]}", fact)
        cells[index] = fact
        places[name.number] = index
    return places


def manhattan(problem: SlidingTiles) -> Callable[[State], int]:
    """The sum over all tiles of the rows and columns between a tile and its goal."""
    table = [[0] * len(problem.initial) for _ in problem.initial]
    for tile, goal in problem.goal:
        for index, row in enumerate(table):
            row[tile] = problem.distance(index, goal)
    return lambda state: sum(map(list.__getitem__, table, state))


def linear_conflict(problem: SlidingTiles) -> Callable[[State], int]:
    """Manhattan distance and 2 for each tile that must leave its goal line to let others pass.

    In a line, tiles that are at home in it but in another order stand in each other's way; all
    but a longest row of them in the right order must step aside. Hansson, Mayer and Yung (1992).
    """
    base = manhattan(problem)
    size = len(problem.initial)
    goal = dict(problem.goal)
    columns = problem.columns
    lines = [range(start, start + columns) for start in range(0, size, columns)]
    lines += [range(start, size, columns) for start in range(columns)]
    known: list[dict[State, int]] = [{} for _ in lines]
    slices = [slice(line.start, line.stop, line.step) for line in lines]

    def estimate(state: State) -> int:
        total = base(state)
        for line, part, penalties in zip(lines, slices, known, strict=True):
            tiles = state[part]
            penalty = penalties.get(tiles)
            if penalty is None:
                penalty = penalties[tiles] = _aside(tiles, goal, line)
            total += penalty
        return total

    return estimate


def _aside(tiles: State, goal: Mapping[int, int], line: range) -> int:
    """Twice the number of tiles that must step aside in a line."""
    home = [goal[tile] for tile in tiles if goal.get(tile, -1) in line]
    longest: list[int] = []
    for i, place in enumerate(home):
        longest.append(1 + max((longest[j] for j in range(i) if home[j] < place), default=0))
    return 2 * (len(home) - max(longest, default=0))


def default_encoding(problem: SlidingTiles) -> str:
    """The frontier encoding packs boards of up to 25 cells."""
    return "frontier" if len(problem.initial) <= 25 else "moves"


DOMAIN = Domain(
    name="sliding_tiles",
    signatures=frozenset({("grid", 2), ("tile", 1), ("position", 4)}),
    constants={},
    problem=read,
    default_encoding=default_encoding,
    heuristics=(
        Heuristic(
            "linear_conflict",
            linear_conflict,
            "Manhattan distance and 2 for each tile that must let others pass in its goal line",
        ),
        Heuristic("manhattan", manhattan, "rows and columns between each tile and its goal"),
    ),
    reversible=True,
)
