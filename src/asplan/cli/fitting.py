"""Tables of which nothing is cut off.

In a pipe a table is as wide as it needs to be. In a terminal that is narrower, long texts are
folded, and columns that still have no room follow below, beside the one that names the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from asplan.cli.console import make_console
from asplan.plain import plain
from asplan.text import printable

NARROWEST = 24
"""Characters that a column of texts keeps at least when it is folded."""

_ANY_WIDTH = 1_000_000


@dataclass(frozen=True)
class Column:
    """A column: its head, its cells, and whether they are words, or texts that may be folded."""

    head: str
    cells: Sequence[str]
    is_words: bool = False
    folds: bool = False

    @property
    def width(self) -> int:
        """Characters that its longest line takes in a terminal."""
        texts = [*self.head.splitlines(), *map(printable, self.cells)]
        return max(map(cell_len, texts), default=0)


def print_columns(columns: Sequence[Column], title: str = "", key: int = 0) -> None:
    """Print a table, in several parts where it has no room; `key` is the column in all of them."""
    console = make_console()
    room = console.width if console.is_terminal else _ANY_WIDTH
    for part in _parts(columns, key, lambda some: _width(console, _table(some)).minimum <= room):
        table = _table(part, title)
        width = _width(console, table)
        console.width = max(min(room, width.maximum), width.minimum, len(title))
        console.print(table)
        title = ""


def _parts(
    columns: Sequence[Column], key: int, fits: Callable[[Sequence[Column]], bool]
) -> Iterator[Sequence[Column]]:
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


def _table(columns: Sequence[Column], title: str = "") -> Table:
    table = Table(
        title=plain(title, style="bold") if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for column in columns:
        table.add_column(
            column.head,
            justify="left" if column.is_words or column.folds else "right",
            no_wrap=not column.folds,
            overflow="fold",
            min_width=min(NARROWEST, column.width) if column.folds else column.width,
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(plain, cells))
    return table


def _width(console: Console, table: Table) -> Measurement:
    options = console.options.update(width=_ANY_WIDTH)
    return Measurement.get(console, options, table)
