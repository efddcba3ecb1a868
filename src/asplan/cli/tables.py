"""The terminal, and tables of which nothing is cut off.

In a pipe a table is as wide as it needs to be. In a terminal that is narrower, long texts are
folded, and columns that still have no room follow below, beside the one that names the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from asplan.core.text import plain, printable


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave the error to whoever decides how a command ends."""
        raise


def make_console(**settings: Any) -> Console:
    """A console for standard output, or for standard error."""
    return _Console(highlight=False, **settings)


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

    def measure(table: Table) -> Measurement:
        return Measurement.get(console, console.options.update(width=_ANY_WIDTH), table)

    for part in _parts(columns, key, lambda some: measure(_table(some)).minimum <= room):
        table = _table(part, title)
        width = measure(table)
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


_HEADS = {
    "choice_rules": "choices",
    "ground_seconds": "ground s",
    "memory_mb": "MB",
    "solve_seconds": "solve s",
    "choices": "decisions",
}
_WORDS = {"encoding", "predicate", "growth", "by step", "place", "rule", "outcome", "method"}


def print_table(title: str, names: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """Print a table; its columns hold figures, but for those that `_WORDS` names."""
    print_columns(named_columns(names, lines), title)


def named_columns(names: Sequence[str], lines: Iterable[Sequence[str]]) -> list[Column]:
    """The columns of a table, under headings that people read."""
    rows = list(lines)
    return [
        Column(
            _HEADS.get(name, name).replace("numeric_", "numeric\n").replace("_", " "),
            [row[number] for row in rows],
            is_words=name in _WORDS,
            folds=name == "rule",
        )
        for number, name in enumerate(names)
    ]
