"""Files with one problem a line: plain lists, tables with named columns, whole databases.

They are read line by line, so their size does not matter. A line that makes no sense is reported
with its place, and the lines after it are read all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from asplan.errors import Location
from asplan.numbers import whole


@dataclass(frozen=True)
class Entry:
    """The text of one problem, its place, and the number of moves that stands beside it."""

    text: str
    at: Location
    moves: int | None = None


def entries(lines: Iterable[str], file: str, column: str, spaced: bool = False) -> Iterator[Entry]:
    """The problems in a file; empty lines and lines that begin with # are skipped.

    Parameters
    ----------
    column
        The name of the problem's column. A first line with that name is a header; in files
        without one the problem comes first, or second after a number of moves.
    spaced
        Whether the problem itself has spaces, so that only tabs part the columns.
    """
    header: list[str] | None = None
    first = True
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = _fields(line.rstrip("\r\n"), spaced)
        if first and column in fields:
            header = fields
        else:
            yield _entry(line, fields, header, Location(file, number, 1), column)
        first = False


def headed(facts: str, entry: Entry, shortest: str | None) -> str:
    """The facts of a problem under a comment that says where they come from."""
    heading = [f"{Path(entry.at.file).name}, line {entry.at.line}", shortest, entry.text]
    return f"% {': '.join(filter(None, heading))}\n\n{facts}"


def _fields(line: str, spaced: bool) -> list[str]:
    return line.strip("\n").split("\t") if spaced or "\t" in line else line.split()


def _entry(
    line: str, fields: list[str], header: list[str] | None, at: Location, column: str
) -> Entry:
    if header:
        index = header.index(column)
        moves = next((header.index(name) for name in ("slides", "moves") if name in header), None)
    else:
        index = 1 if len(fields) > 1 and whole(fields[0]) is not None else 0
        moves = 0 if index else None
    text = fields[index].strip() if index < len(fields) else ""
    place = line.find(text) + 1 if text else len(line.rstrip()) + 1
    return Entry(text, Location(at.file, at.line, place), _number(fields, moves))


def _number(fields: list[str], index: int | None) -> int | None:
    return None if index is None or index >= len(fields) else whole(fields[index])
