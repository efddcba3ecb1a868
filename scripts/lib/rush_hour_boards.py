"""Boards of Rush Hour to measure on, by a word on the command line.

A shipped name, a file, `hardest` or `hardest_with_walls`, `card:N`, `random:N`, or cells row by row
with x for a wall and A for the red car. A card is a line of rush_hour/jams.tsv in the folder
ASPLAN_DATA. A random board has 6 to 8 rows and columns, and a sixth to a third
as many cars as cells.
"""

from __future__ import annotations

import re
import sys
from itertools import chain, count
from pathlib import Path
from random import Random

from clingo import Function

from asplan.catalog import find_instance
from asplan.domains.reading import entries
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.model import Car, RushHour
from asplan.domains.rush_hour.notation import instance_text, parse_board
from asplan.program.ground import read_facts
from lib.measuring import HARDEST, HARDEST_WITH_WALLS, data

sys.path.append(str(Path(__file__).parents[2] / "tests"))
import oracle

CARDS = "rush_hour/jams.tsv"
NAMED = {"hardest": HARDEST, "hardest_with_walls": HARDEST_WITH_WALLS}


def problem_of(board: str) -> RushHour:
    """The board that a word names."""
    board = NAMED.get(board, board)
    if board.startswith("card:"):
        number = int(board.removeprefix("card:"))
        return parse_board(card_strings()[number - 1])
    if board.startswith("random:"):
        return random_board(Random(int(board.removeprefix("random:"))))
    if re.fullmatch(r"[A-Zox.]{16,}", board):
        return parse_board(board)
    return read(read_facts([find_instance(board)], {}), {"metric": "step"})


def random_board(random: Random, side: int | None = None, density: float = 0) -> RushHour:
    """A board with the red car at the left, and others wherever there is room for them.

    With a side it is a square with so many other cars for each cell, as far as they fit.
    """
    rows, columns = side or random.randint(6, 8), side or random.randint(6, 8)
    row = random.randint(1, rows)
    red = Car(Function("r"), 2, "h", row), 1
    cars, taken = [red], {(row, 1), (row, 2)}
    names = chain("abcdefghijklmnopqstuvwxyz", (f"c{number}" for number in count()))
    cells = rows * columns
    most = int(density * cells) if side else random.randint(cells // 6, cells // 3)
    for _ in range(most):
        for _ in range(100):
            length, axis = random.choice([2, 2, 3]), random.choice("hv")
            line = random.randint(1, rows if axis == "h" else columns)
            offset = random.randint(1, (columns if axis == "h" else rows) - length + 1)
            covered = set(Car(Function("r"), length, axis, line).cells(offset))
            if not covered & taken and not (axis == "h" and line == row):
                taken |= covered
                cars.append((Car(Function(next(names)), length, axis, line), offset))
                break
    shapes, start = zip(*cars, strict=True)
    return RushHour(rows, columns, frozenset(), shapes, start, columns - 1)


def card_strings() -> list[str]:
    """The boards of the cards, in their order."""
    table = data(CARDS)
    with table.open(encoding="utf-8") as lines:
        return [entry.text for entry in entries(lines, table.name, "board")]


def oracle_board(problem: RushHour) -> oracle.Board:
    """The same board for the tests' search."""
    cars = [
        (name, car.length, car.axis, *car.cell(offset))
        for name, car, offset in zip(problem.names, problem.cars, problem.start, strict=True)
    ]
    goal = problem.cars[0].cell(problem.goal)
    return oracle.Board(problem.rows, problem.columns, tuple(cars), problem.walls, goal)


def shuffled(problem: RushHour, seed: int, into: Path) -> Path:
    """A file with the facts of a board in an order of its own."""
    into.write_text(instance_text(problem))
    facts = sorted(read_facts([str(into)], {}))
    Random(seed).shuffle(facts)
    into.write_text("".join(f"{fact}.\n" for fact in facts))
    return into
