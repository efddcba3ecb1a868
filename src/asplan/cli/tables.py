"""Tables on a terminal or in a pipe that show every cell in full.

A table is at most as wide as the terminal; in a pipe, as the variable `COLUMNS` sets, or 80
characters. Long texts are folded. If the columns still do not fit, the rest of them is printed as a
further table below, beside a copy of the key column.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from asplan.core.text import plain_text, printable


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raise the present `BrokenPipeError` again, which the command handles at its end."""
        raise


def make_console(stderr: bool = False) -> Console:
    """Return a console of rich for standard output, or for standard error if `stderr`."""
    return _Console(
        highlight=False,
        stderr=stderr,
    )


PIPED = 80  # characters of a line without a terminal
NARROWEST = 24  # least characters of a folded column
_GAP = 3  # characters between two columns; the margins have two together


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Words (`is_words`) are aligned to the left, numbers to the right. The cells of a column that
    `folds` may be folded into several lines.
    """

    head: str
    cells: Sequence[str]
    is_words: bool = False
    folds: bool = False

    @property
    def width(self) -> int:
        """The width of the longest line of its head and cells, in characters of a terminal."""
        texts = [*self.head.splitlines(), *map(printable, self.cells)]
        return max(map(cell_len, texts), default=0)

    def least(self, room: int) -> int:
        """Return the least width of the column on a screen that has `room` characters in a line.

        A column that does not fit twice into a line is folded in any case.
        """
        most = max((room - _GAP - 2) // 2, 1)
        return min(NARROWEST if self.folds else self.width, self.width, most)


def print_columns(
    columns: Sequence[Column],
    title: str = "",
    key: int = 0,
) -> None:
    """Print a table, as several tables if it is too wide.

    `key` is the index of the column that all of these tables repeat.
    """
    console = make_console()
    room = console.width if console.is_terminal or "COLUMNS" in os.environ else PIPED
    for part in _parts(columns, key, room):
        widths = _widths(part, room)
        console.width = min(room, max(_total(widths), cell_len(title)))
        console.print(_table(part, widths, title))
        title = ""


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1) + 2


def _widths(
    columns: Sequence[Column],
    room: int,
) -> list[int]:
    """Return the widths of columns that share a line of `room` characters.

    Each gets its least width; spare room goes first to columns that are not folded.
    """
    widths = [column.least(room) for column in columns]
    for number, column in sorted(enumerate(columns), key=lambda one: one[1].folds):
        spare = max(room - _total(widths), 0)
        widths[number] += min(spare, column.width - widths[number])
    return widths


def _parts(
    columns: Sequence[Column],
    key: int,
    room: int,
) -> Iterator[Sequence[Column]]:
    """Yield groups of columns that fit into `room` characters, each with the key column."""

    def fits(some: Sequence[Column]) -> bool:
        return _total([column.least(room) for column in some]) <= room

    if fits(columns):
        yield columns
        return
    part = [columns[key]]
    for column in [*columns[:key], *columns[key + 1 :]]:
        if len(part) > 1 and not fits([*part, column]):
            yield part
            part = [columns[key]]
        part.append(column)
    yield part


def _table(
    columns: Sequence[Column],
    widths: Sequence[int],
    title: str,
) -> Table:
    shown = plain_text(title, style="bold") if title else None
    table = Table(
        title=shown,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for column, width in zip(columns, widths, strict=True):
        side: Literal["left", "right"] = "left" if column.is_words or column.folds else "right"
        table.add_column(
            column.head,
            justify=side,
            width=width,
            overflow="fold",
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(plain_text, cells))
    return table


_HEADS = {
    "choice_rules": "choices",
    "ground_seconds": "ground s",
    "memory_mb": "MB",
    "solve_seconds": "solve s",
    "choices": "decisions",
}
_WORDS = {"encoding", "predicate", "growth", "by step", "place", "rule", "outcome", "method"}


def print_table(
    title: str,
    names: Sequence[str],
    lines: Iterable[Sequence[str]],
) -> None:
    """Print a table from the names of its columns and its rows; see `named_columns`."""
    print_columns(named_columns(names, lines), title)


def named_columns(
    names: Sequence[str],
    lines: Iterable[Sequence[str]],
) -> list[Column]:
    """Return the columns of a table from their names and the rows, with readable heads.

    Columns whose names are in `_WORDS` have words, all others numbers.
    """
    rows = list(lines)
    columns: list[Column] = []
    for number, name in enumerate(names):
        head = _HEADS.get(name, name).replace("numeric_", "numeric\n").replace("_", " ")
        cells = [row[number] for row in rows]
        columns.append(
            Column(
                head,
                cells,
                is_words=name in _WORDS,
                folds=name == "rule",
            )
        )
    return columns
