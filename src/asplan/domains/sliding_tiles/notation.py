"""Sliding tiles as rows of numbers: `1 2 3 4 5 0 7 8 6`, row by row, 0 for the blank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isqrt

from asplan.domains.base import Converted, Shape
from asplan.domains.reading import entries, headed
from asplan.domains.sliding_tiles.facts import read
from asplan.errors import InputError, Location
from asplan.facts import Facts
from asplan.text import amount, whole

Cells = tuple[int, ...]


def parse_tiles(text: str, columns: int | None = None, at: Location | None = None) -> Cells:
    """The tiles row by row; without a width the board is a square.

    Raises
    ------
    InputError
        The words are not 0 to n, each once, or fill no rectangle.
    """
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
    lines += _facts("position(0,{},{},{}).", cells, columns)
    if blank_first:
        lines += _facts("goal({},{},{}).", range(len(cells)), columns)
    return "\n".join(lines) + "\n"


def tiles_text(facts: Facts) -> str:
    """The row of tiles that an instance places, as a line; the goal is not part of it."""
    return " ".join(map(str, read(facts, {}).initial)) + "\n"


def _facts(form: str, cells: Iterable[int], columns: int) -> list[str]:
    """A fact for each tile, a row of the board a line."""
    lines: dict[int, list[str]] = {}
    for index, tile in enumerate(cells):
        row, column = index // columns + 1, index % columns + 1
        line = lines.setdefault(row, [])
        if tile:
            line.append(form.format(tile, row, column))
    return [" ".join(line) for line in lines.values() if line]


def read_rows(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    """The instances in a file with a row of tiles a line."""
    for entry in entries(lines, file, "tiles", spaced=True):
        try:
            cells = parse_tiles(entry.text, shape.columns, entry.at)
        except InputError as error:
            yield error
        else:
            facts = tiles_facts(cells, shape.columns, shape.blank_first)
            shortest = (
                None if entry.moves is None else f"shortest plan {amount(entry.moves, 'move')}"
            )
            yield Converted(entry.at.line, headed(facts, entry, shortest))
