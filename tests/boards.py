"""Random small boards, for property tests."""

from __future__ import annotations

import itertools
from random import Random

from hypothesis import strategies as st

from oracle import Board


def random_board(random: Random) -> Board:
    """A board of 2 to 5 rows and columns with up to six cars, some walls, perhaps a goal."""
    rows, columns = random.randint(2, 5), random.randint(2, 5)
    taken: set[tuple[int, int]] = set()
    cars = []
    names = iter("rabcde")
    for _ in range(random.randint(1, 12)):
        length, orientation = random.randint(1, 3), random.choice("hv")
        row, column = random.randint(1, rows), random.randint(1, columns)
        down, right = (0, 1) if orientation == "h" else (1, 0)
        cells = {(row + i * down, column + i * right) for i in range(length)}
        inside = all(r <= rows and c <= columns for r, c in cells)
        if inside and not cells & taken and len(cars) < 6:
            taken |= cells
            cars.append((next(names), length, orientation, row, column))
    if not cars:
        cars = [("r", 1, "h", 1, 1)]
        taken = {(1, 1)}
    free = sorted(set(itertools.product(range(1, rows + 1), range(1, columns + 1))) - taken)
    walls = frozenset(random.sample(free, min(len(free), random.choice([0, 0, 1, 2]))))
    return Board(rows, columns, tuple(cars), walls, _goal(random, rows, columns, cars[0]))


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
