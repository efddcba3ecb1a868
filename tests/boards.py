"""Random small boards, for property tests."""

from __future__ import annotations

import itertools
from math import prod
from random import Random

from hypothesis import strategies as st

from oracle import Board


def random_board(
    random: Random,
    sides: tuple[int, int] = (2, 5),
    lengths: tuple[int, int] = (1, 3),
    most: int = 6,
) -> Board:
    """A board of some rows and columns with cars of some lengths, some walls, perhaps a goal."""
    rows, columns = random.randint(*sides), random.randint(*sides)
    taken: set[tuple[int, int]] = set()
    cars: list[tuple[str, int, str, int, int]] = []
    names = iter("rabcdefghijk")
    for _ in range(random.randint(1, 2 * most)):
        length, orientation = random.randint(*lengths), random.choice("hv")
        row, column = random.randint(1, rows), random.randint(1, columns)
        down, right = (0, 1) if orientation == "h" else (1, 0)
        cells = {(row + i * down, column + i * right) for i in range(length)}
        inside = all(r <= rows and c <= columns for r, c in cells)
        if inside and not cells & taken and len(cars) < most:
            taken |= cells
            cars.append((next(names), length, orientation, row, column))
    if not cars:
        cars = [("r", lengths[0], "h", 1, 1)]
        taken = {(1, column) for column in range(1, lengths[0] + 1)}
    free = sorted(set(itertools.product(range(1, rows + 1), range(1, columns + 1))) - taken)
    walls = frozenset(random.sample(free, min(len(free), random.choice([0, 0, 1, 2]))))
    return Board(rows, columns, tuple(cars), walls, _goal(random, rows, columns, cars[0]))


def any_board(random: Random, most_states: int = 20_000, shortest: int = 1) -> Board:
    """A random board: 3 to 7 rows and columns, cars of 1 to 4 cells, any direction of the red one.

    Where the cars could stand in more than `most_states` ways, if they went through each other,
    another board is drawn.
    """
    while True:
        board = random_board(random, (3, 7), (shortest, 4), 12)
        ways = (board.rows if way == "v" else board.columns for _, _, way, *_ in board.cars)
        lengths = (length for _, length, *_ in board.cars)
        if prod(line - n + 1 for line, n in zip(ways, lengths, strict=True)) <= most_states:
            return board


def _goal(
    random: Random, rows: int, columns: int, red: tuple[str, int, str, int, int]
) -> tuple[int, int] | None:
    if random.random() < 0.7:
        return None
    _, length, orientation, row, column = red
    if orientation == "h":
        return row, random.randint(1, columns - length + 1)
    return random.randint(1, rows - length + 1), column


def boards() -> st.SearchStrategy[Board]:
    """Random boards for hypothesis."""
    return st.integers(0, 10**9).map(lambda seed: random_board(Random(seed)))


def boards_of_all_shapes() -> st.SearchStrategy[Board]:
    """Random boards of all shapes for hypothesis."""
    return st.integers(0, 10**9).map(lambda seed: any_board(Random(seed), 3_000))
