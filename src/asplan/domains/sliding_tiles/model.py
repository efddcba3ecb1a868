"""Sliding tiles: the 8-, 15- and 24-puzzle, and every other rectangle with one blank.

A state is a tuple of tiles, cell by cell in row order; 0 is the blank.

>>> board = SlidingTiles(2, 2, initial=(1, 2, 0, 3), goal=((1, 0), (2, 1), (3, 2)))
>>> [str(move) for move in board.actions(board.initial)]
['move(1,down)', 'move(3,left)']
>>> board.is_goal(board.apply(board.initial, Move(3, "left")))
True
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import isqrt
from operator import getitem
from typing import NamedTuple

from clingo import Function, Number, Symbol, SymbolType

from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.core.text import whole
from asplan.domains import reading
from asplan.domains.base import Converted, Shape
from asplan.domains.model import Model
from asplan.domains.reading import Cell

State = tuple[int, ...]

BLANK = 0
DIRECTIONS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class Move(NamedTuple):
    """Slide a tile onto the blank; the direction is where the tile goes."""

    tile: int
    direction: str

    def __str__(self) -> str:
        return f"move({self.tile},{self.direction})"


@dataclass(frozen=True)
class SlidingTiles(Model[State, Move]):
    """One board. `goal` holds pairs (tile, cell); a tile without one may end up anywhere."""

    rows: int
    columns: int
    initial: State
    goal: tuple[tuple[int, int], ...]

    def actions(self, state: State) -> Iterator[Move]:
        """At most four, in the order of `DIRECTIONS`."""
        for direction, source in self.sources[state.index(BLANK)]:
            yield Move(state[source], direction)

    def apply(self, state: State, action: Move) -> State:
        return swap(state, state.index(action.tile), state.index(BLANK))

    def successors(self, state: State) -> list[State]:
        blank = state.index(BLANK)
        return [swap(state, source, blank) for _, source in self.sources[blank]]

    def is_goal(self, state: State) -> bool:
        return all(state[cell] == tile for tile, cell in self.goal)

    def goals(self) -> list[State] | None:
        taken = {cell: tile for tile, cell in self.goal}
        free = [cell for cell in range(len(self.initial)) if cell not in taken]
        loose = sorted(set(self.initial) - set(taken.values()))
        if len(loose) > 5:
            return None
        cells = range(len(self.initial))
        filled = (taken | dict(zip(free, order, strict=True)) for order in permutations(loose))
        return [tuple(tiles[cell] for cell in cells) for tiles in filled]

    def unsolvable(self) -> str | None:
        """The parity argument of Johnson and Story (1879), where it decides."""
        goals = self.goals()
        if goals is None or any(self._same_parity(goal) for goal in goals):
            return None
        return (
            "by parity. A move swaps the blank with a tile and takes it one cell "
            "further, so the parity of the arrangement and that of the blank's way change "
            "together; here only one of the two would have to change"
        )

    def _same_parity(self, goal: State) -> bool:
        order = [goal.index(tile) for tile in self.initial]
        inversions = sum(a > b for a, b in combinations(order, 2))
        distance = self.distance(self.initial.index(BLANK), goal.index(BLANK))
        return inversions % 2 == distance % 2

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
        if not self.is_on_board((row, column)):
            return f"tile {action.tile} would leave the board at ({row},{column})"
        other = state[self.index((row, column))]
        return None if other == BLANK else f"tile {other} is at ({row},{column})"

    def why_not_goal(self, state: State) -> str | None:
        """The first tile that is not where it should be."""
        for tile, place in self.goal:
            if state[place] != tile:
                (row, column), (to_row, to_column) = map(self.cell, (state.index(tile), place))
                return f"tile {tile} is at ({row},{column}) and not at ({to_row},{to_column})"
        return None

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
        row, column = divmod(index, self.columns)
        return row + 1, column + 1

    def index(self, cell: Cell) -> int:
        return (cell[0] - 1) * self.columns + cell[1] - 1

    def distance(self, one: int, other: int) -> int:
        (row, column), (to_row, to_column) = self.cell(one), self.cell(other)
        return abs(row - to_row) + abs(column - to_column)

    @cached_property
    def sources(self) -> list[list[tuple[str, int]]]:
        """For each place of the blank: the directions of the tiles beside it, and their places."""
        found, ways = [], DIRECTIONS.items()
        for row, column in map(self.cell, range(self.rows * self.columns)):
            near = [(name, (row - down, column - right)) for name, (down, right) in ways]
            found.append([(name, self.index(c)) for name, c in near if self.is_on_board(c)])
        return found

    def is_on_board(self, cell: Cell) -> bool:
        return 1 <= cell[0] <= self.rows and 1 <= cell[1] <= self.columns


def swap(state: State, one: int, other: int) -> State:
    cells = list(state)
    cells[one], cells[other] = cells[other], cells[one]
    return tuple(cells)


@dataclass(frozen=True)
class TileSum:
    """An estimate that is the value of a sum: each tile, and the blank, adds what it weighs there.

    A move changes it in one place. The weights may be shifted against each other, so that the sum
    holds several counters or table indices side by side.
    """

    problem: SlidingTiles
    weights: Sequence[list[int]]  # by cell and tile
    value: Callable[[int], float]  # from the sum to the estimate

    def __call__(self, state: State) -> float:
        return self.value(self.note(state))

    def note(self, state: State) -> int:
        return sum(map(getitem, self.weights, state))

    def successors(self, state: State, note: int) -> list[tuple[State, int]]:
        blank = state.index(BLANK)
        return [
            (swap(state, source, blank), note + change[state[source]])
            for source, change in self._changes[blank]
        ]

    @cached_property
    def _changes(self) -> list[list[tuple[int, list[int]]]]:
        """For each place of the blank: whence a tile may come, and what that adds, by tile."""

        def change(old: list[int], new: list[int]) -> list[int]:
            pairs = zip(old, new, strict=True)
            return [after - before + old[BLANK] - new[BLANK] for before, after in pairs]

        return [
            [(source, change(self.weights[source], self.weights[blank])) for _, source in sources]
            for blank, sources in enumerate(self.problem.sources)
        ]


def read(facts: Facts, constants: Mapping[str, str]) -> SlidingTiles:
    rows, columns = reading.read_grid(
        facts,
        example="grid(1..4,1..4).",
        hint="a grid is a full rectangle, and its blank a cell without a tile",
    )
    board = SlidingTiles(rows, columns, (), ())
    tiles = _read_tiles(facts, rows * columns - 1)
    places = _read_places(facts, board, reading.at_start(facts, "position", 4, "positions"), 1)
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
    tiles = {reading.read_number(facts, f, f.arguments[0]): f for f in facts.named("tile", 1)}
    if last < 1:
        raise facts.error("has a grid of one cell, so no tile can slide")
    for tile, fact in tiles.items():
        if not 1 <= tile <= last:
            raise facts.error(f"the tiles of this board are 1 to {last}", fact)
    for tile in range(1, last + 1):
        if tile not in tiles:
            what = f"has no tile {tile}: a board of {last + 1} cells has {last} tiles and one blank"
            raise facts.error(what, hint=f"write tile(1..{last}). and a position for each")
    return tiles


def _read_places(
    facts: Facts, board: SlidingTiles, found: list[Symbol], argument: int
) -> dict[int, int]:
    """For each tile its place; every tile and every cell at most once."""
    places: dict[int, int] = {}
    cells: dict[int, Symbol] = {}
    for name, fact in reading.by_object(facts, found, argument, "tile").items():
        if Function("tile", [name]) not in facts:
            raise facts.error(f"there is no tile {name}", fact)
        cell = reading.read_cell(facts, fact)
        if not board.is_on_board(cell):
            raise facts.error("this cell is not on the board", fact)
        index = board.index(cell)
        if index in cells:
            raise facts.error(f"this cell is taken by {cells[index]}", fact)
        cells[index] = fact
        places[name.number] = index
    return places


Cells = tuple[int, ...]


def parse_tiles(text: str, columns: int | None = None, at: Location | None = None) -> Cells:
    """The tiles row by row; without a width the board is a square."""
    words = text.replace(",", " ").split()
    numbers = [whole(word) for word in words]
    if None in numbers:
        raise InputError(f"{words[numbers.index(None)]!r} is no tile", at=at)
    cells = tuple(number for number in numbers if number is not None)
    if sorted(cells) != list(range(len(cells))) or len(cells) < 2:
        raise InputError(f"{len(cells)} tiles are not 0 to {len(cells) - 1}, each once", at=at)
    width = columns or isqrt(len(cells))
    if len(cells) % width or (columns is None and width * width != len(cells)):
        shape = f"rows of {columns}" if columns else "a square"
        raise InputError(f"{len(cells)} tiles are not {shape}", at=at, hint="use --columns N")
    return cells


def tiles_facts(cells: Cells, columns: int | None = None, blank_first: bool = False) -> str:
    """The facts of a row of tiles; `blank_first` has the goal 0 1 2 … instead of 1 2 … 0."""
    columns = columns or isqrt(len(cells))
    rows, last = len(cells) // columns, len(cells) - 1
    lines = [f"grid(1..{rows},1..{columns}).", f"tile(1..{last})."]
    lines += _placed("position(0,{},{},{}).", cells, columns)
    if blank_first:
        lines += _placed("goal({},{},{}).", range(len(cells)), columns)
    return "\n".join(lines) + "\n"


def tiles_text(facts: Facts) -> str:
    """The row of tiles that an instance places, as a line; the goal is not part of it."""
    return " ".join(map(str, read(facts, {}).initial)) + "\n"


def _placed(form: str, cells: Iterable[int], columns: int) -> list[str]:
    """A fact for each tile, a row of the board a line."""
    lines: dict[int, list[str]] = {}
    for index, tile in enumerate(cells):
        row, column = index // columns + 1, index % columns + 1
        if tile:
            lines.setdefault(row, []).append(form.format(tile, row, column))
    return [" ".join(line) for line in lines.values()]


def read_rows(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    """The instances in a file with a row of tiles a line."""

    def facts_of(entry: reading.Entry) -> str:
        cells = parse_tiles(entry.text, shape.columns, entry.at)
        return tiles_facts(cells, shape.columns, shape.blank_first)

    return reading.converted(reading.entries(lines, file, "tiles", spaced=True), facts_of, "move")
