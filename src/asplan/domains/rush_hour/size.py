"""How many states a board has, without a search: which encoding will be the faster one.

A stretch is a run of cells without a wall in one line, with the cars that are on it. Taken alone, k
cars that leave s of its cells free have C(s+k, k) arrangements. Where a row's stretch crosses a
column's, not both may cover the cell; the estimate takes all cells of a stretch to be covered
equally often and the crossings to be independent, so it is a product over stretches and crossings.
"""

from __future__ import annotations

from collections import Counter
from math import comb, prod

from asplan.domains.rush_hour.lines import Cell
from asplan.domains.rush_hour.model import Car, RushHour

WORDS = 64
"""Open cells that fit into the two words a side of `encodings/rush_hour/frontier.lp`."""

MANY = 3_000_000
"""Estimated states from which `offset` is taken; see docs/rush_hour.md for the measurement."""

MOST_PAIRS = 20_000
"""Pairs of places from which `origin` is taken instead; `scripts/large_boards.py` measures it."""


def default_encoding(problem: RushHour) -> str:
    """`frontier` where the states fit, else `offset` where its pairs do, else `origin`."""
    fits = problem.rows * problem.columns - len(problem.walls) <= WORDS
    if fits and estimated_states(problem) <= MANY:
        return "frontier"
    return "offset" if pairs_of_places(problem) <= MOST_PAIRS else "origin"


def estimated_states(problem: RushHour) -> float:
    """The estimated number of legal states; those that can be reached are a part of them."""
    stretches = Counter[tuple[str, tuple[Cell, ...]]]()
    cars = Counter[tuple[str, tuple[Cell, ...]]]()
    for car, offset in zip(problem.cars, problem.start, strict=True):
        key = car.axis, _stretch(problem, car, offset)
        stretches[key] += car.length
        cars[key] += 1
    ways = prod(
        comb(len(cells) - stretches[axis, cells] + k, k) for (axis, cells), k in cars.items()
    )
    chance: dict[str, dict[Cell, float]] = {"h": {}, "v": {}}
    for (axis, cells), covered in stretches.items():
        chance[axis].update(dict.fromkeys(cells, covered / len(cells)))
    across = chance["v"]
    return ways * prod(1 - p * across.get(cell, 0.0) for cell, p in chance["h"].items())


def pairs_of_places(problem: RushHour) -> int:
    """How many pairs of places there are, a car and one of its places being the half of a pair.

    `offset` knows of all of them whether they can be reached, so it grows with their number.
    """
    places = (
        len(_stretch(problem, car, offset)) - car.length + 1
        for car, offset in zip(problem.cars, problem.start, strict=True)
    )
    return sum(places) ** 2


def _stretch(problem: RushHour, car: Car, offset: int) -> tuple[Cell, ...]:
    """The cells without a wall around a car on its line."""
    first = last = offset
    while problem.is_open(car.cell(first - 1)):
        first -= 1
    while problem.is_open(car.cell(last + 1)):
        last += 1
    return tuple(car.cell(place) for place in range(first, last + 1))
