"""Boards for the tests of search: random small ones, and the classic cards."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import oracle
import pytest
from hypothesis import strategies as st

from asplan.domains import DOMAINS
from asplan.domains.rush_hour import RushHour
from asplan.formats.boards import parse_board
from asplan.limits import Limits
from asplan.result import Result
from asplan.search.algorithms import ALGORITHMS
from asplan.search.run import engine
from asplan.task import Options, Task
from asplan.validation import validate_plan


def run(problem: RushHour, name: str, metric: str, **given: Any) -> Result:
    """The answer of an engine, its plan checked."""
    problem = replace(problem, metric=metric)
    limits = Limits(max_horizon=given.pop("max_horizon", None))
    algorithm, _, _ = ALGORITHMS[name]
    task = Task(
        (),
        domain=DOMAINS["rush_hour"],
        problem=problem,
        options=Options(**given),
        limits=limits,
    )
    result = engine(algorithm)(task, lambda partial: None)
    if result.plan is not None:
        assert validate_plan(problem, result.plan) == result.horizon == len(result.plan)
    return result


@st.composite
def small_boards(draw: st.DrawFn) -> tuple[RushHour, oracle.Board]:
    """Boards of 3 to 5 rows and columns with a red car, up to four others and some walls."""
    rows, columns = draw(st.integers(3, 4)), draw(st.integers(3, 5))
    cells = ["o"] * (rows * columns)
    _place(draw, cells, columns, "A", [(2, 1)])
    for letter in "BCDE"[: draw(st.integers(0, 4))]:
        _place(draw, cells, columns, letter, [(2, 1), (2, columns), (3, columns)])
    if draw(st.booleans()):
        _place(draw, cells, columns, "x", [(1, 1)])
    text = "".join(cells)
    return parse_board(text, columns), oracle.parse(text, columns)


def _place(
    draw: st.DrawFn, cells: list[str], columns: int, mark: str, shapes: list[tuple[int, int]]
) -> None:
    length, stride = draw(st.sampled_from(shapes))
    places = [
        covered
        for first in range(len(cells))
        for covered in [[first + i * stride for i in range(length)]]
        if covered[-1] < len(cells)
        and (stride > 1 or first // columns == covered[-1] // columns)
        and all(cells[index] == "o" for index in covered)
    ]
    if places:
        for index in draw(st.sampled_from(places)):
            cells[index] = mark


@cache
def table(name: str) -> list[list[str]]:
    """The rows of a table of boards; skips the test where the data is missing."""
    folder = os.environ.get("ASPLAN_DATA")
    if not folder:
        pytest.skip("needs the boards in ASPLAN_DATA")
    lines = (Path(folder) / "rush_hour" / name).read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and line[0].isdigit()]


@cache
def card_boards(metric: str) -> dict[int, RushHour]:
    """The classic cards by number."""
    return {int(card): parse_board(board, metric=metric) for card, board, *_ in table("jams.tsv")}
