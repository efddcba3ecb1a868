"""Breadth-first search for Rush Hour in plain Python, the yardstick of tests and benchmarks.

A state is a tuple of bit masks, one a car: the bits of the cells it covers. The board has a border
of blocked cells, so a move is a shift and the only test is that no covered cell is taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import lshift, rshift

State = tuple[int, ...]


@dataclass(frozen=True)
class Board:
    """A board; rows and columns count from 1, cars are (name, length, h|v, row, column)."""

    rows: int
    columns: int
    cars: tuple[tuple[str, int, str, int, int], ...]
    walls: frozenset[tuple[int, int]] = frozenset()
    goal: tuple[int, int] | None = None

    def bit(self, row: int, column: int) -> int:
        """The bit of a cell; row and column 0 and the ones past the end are the border."""
        return 1 << row * (self.columns + 1) + column

    def mask(self, length: int, orientation: str, row: int, column: int) -> int:
        """The bits of the cells that a car covers."""
        down, right = (0, 1) if orientation == "h" else (1, 0)
        return sum(self.bit(row + i * down, column + i * right) for i in range(length))

    def blocked(self) -> int:
        """The bits of the walls and of the border around the board."""
        border = {(row, column) for row in (0, self.rows + 1) for column in range(self.columns + 1)}
        border |= {(row, 0) for row in range(self.rows + 2)}
        return sum(self.bit(row, column) for row, column in border | self.walls)

    def target(self) -> tuple[int, int]:
        """The index of the red car and its mask where the goal holds."""
        index = [car[0] for car in self.cars].index("r")
        _, length, orientation, row, column = self.cars[index]
        far = (row, self.columns - length + 1)
        if orientation == "v":
            far = (self.rows - length + 1, column)
        return index, self.mask(length, orientation, *(self.goal or far))


def parse(text: str, columns: int = 6) -> Board:
    """A board from its cells row by row: o or . is empty, x a wall, A the red car."""
    cells: dict[str, list[int]] = {}
    for index, letter in enumerate(text):
        cells.setdefault(letter, []).append(index)
    cars = []
    for letter in sorted(cells.keys() - set("o.x")):
        first, second, *_ = cells[letter]
        name = "r" if letter == "A" else letter.lower()
        orientation = "h" if second == first + 1 else "v"
        row, column = divmod(first, columns)
        cars.append((name, len(cells[letter]), orientation, row + 1, column + 1))
    walls = frozenset((i // columns + 1, i % columns + 1) for i in cells.get("x", []))
    return Board(len(text) // columns, columns, tuple(cars), walls)


def layers(board: Board, metric: str = "step") -> Iterator[set[State]]:
    """The states first reached after 0, 1, 2, ... moves, one set each."""
    strides = [1 if car[2] == "h" else board.columns + 1 for car in board.cars]
    blocked = board.blocked()

    def successors(state: State) -> Iterator[State]:
        occupied = blocked + sum(state)
        for index, mask in enumerate(state):
            others = occupied - mask
            for move in (lshift, rshift):
                moved = move(mask, strides[index])
                while not moved & others:
                    yield (*state[:index], moved, *state[index + 1 :])
                    if metric == "step":
                        break
                    moved = move(moved, strides[index])

    layer = {tuple(board.mask(*car[1:]) for car in board.cars)}
    seen = set(layer)
    while layer:
        yield layer
        layer = {after for state in layer for after in successors(state)} - seen
        seen |= layer


def solve(board: Board, metric: str = "step") -> int | None:
    """The fewest moves to the goal, None if it cannot be reached."""
    red, target = board.target()
    for depth, layer in enumerate(layers(board, metric)):
        if any(state[red] == target for state in layer):
            return depth
    return None


def reachable(board: Board) -> int:
    """The number of states that can be reached from the start."""
    return sum(map(len, layers(board)))
