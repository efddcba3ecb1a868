"""Tables that show every cell in full: as text, Markdown, LaTeX, or comma-separated values.

As text, a table is at most as wide as the terminal; in a pipe, as the variable `COLUMNS` sets, or
80 characters. Long texts are folded. If the columns still do not fit, the rest of them is printed
as a further table below, beside a copy of the key column.
"""

import csv
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import wraps
from typing import Literal

import click
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from asplan.cli.options import Function, Value, output_option
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.text import plain_text, printable


class TableForm(StrEnum):
    """The form in which tables are printed."""

    TEXT = "text"
    CSV = "csv"
    MARKDOWN = "markdown"
    LATEX = "latex"


_FORMS = {
    TableForm.CSV: "Print comma-separated values.",
    TableForm.MARKDOWN: "Print the tables as Markdown.",
    TableForm.LATEX: "Print the tables for LaTeX, with booktabs.",
}
"""The forms that have an option, with its help."""


def form_options(function: Function) -> Function:
    """Add `--csv`, `--markdown` and `--latex`; the function gets a `TableForm` as `form`.

    The options exclude each other, and `--json` if the command has it.
    """

    @wraps(function)
    def with_form(*args: Value, **given: Value) -> Value:
        forms = [form for form in _FORMS if given.pop(f"as_{form}")]
        names = [*forms, *(["json"] if given.get("as_json") else [])]
        if len(names) > 1:
            raise UsageError(f"pass --{names[0]} or --{names[1]}, not both")
        return function(*args, form=forms[0] if forms else TableForm.TEXT, **given)

    decorated = with_form
    for form, text in reversed(_FORMS.items()):
        is_rare = form is not TableForm.CSV
        decorate = output_option(f"--{form}", f"as_{form}", is_flag=True, expert=is_rare, help=text)
        decorated = decorate(decorated)
    return decorated


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
    `folds` hold code; they may be folded into several lines of at least `narrowest` characters. A
    column of bars (`is_chart`) is printed only as text.
    """

    head: str
    cells: Sequence[str]
    is_words: bool = False
    folds: bool = False
    narrowest: int = NARROWEST
    is_chart: bool = False

    @property
    def label(self) -> str:
        """The head in one line."""
        return " ".join(self.head.split())

    @property
    def is_left(self) -> bool:
        """True if the cells are aligned to the left."""
        return self.is_words or self.folds

    @property
    def width(self) -> int:
        """The width of the longest line of its head and cells, in characters of a terminal."""
        texts = [*self.head.splitlines(), *map(printable, self.cells)]
        return max(map(cell_len, texts), default=0)

    def least(self, room: int) -> int:
        """Return the least width of the column on a screen that has `room` characters in a line.

        The least width is at most about half of `room`, so that two columns fit into a line.
        """
        most = max((room - _GAP - 2) // 2, 1)
        return min(self.narrowest if self.folds else self.width, self.width, most)


def print_columns(
    columns: Sequence[Column],
    title: str = "",
    key: int = 0,
    form: TableForm = TableForm.TEXT,
) -> None:
    """Print a table; as text it becomes several tables if it is too wide.

    `key` is the index of the column that all of these tables repeat.
    """
    if form is TableForm.TEXT:
        _print_as_text(columns, title, key)
        return
    plain = [column for column in columns if not column.is_chart]
    if form is TableForm.CSV:
        print_values([column.label for column in plain], _rows_of(plain))
        return
    write = _markdown_lines if form is TableForm.MARKDOWN else _latex_lines
    click.echo("\n".join([*write(plain, title), ""]))


def print_note(text: str, form: TableForm, style: str = "") -> None:
    """Print a remark below a table: as a comment in LaTeX, and not at all for CSV."""
    if form is TableForm.TEXT:
        make_console().print(plain_text(text, style=style), soft_wrap=True)
    elif form is TableForm.MARKDOWN:
        click.echo(f"{_markdown_cell(text)}\n")
    elif form is TableForm.LATEX:
        click.echo(f"% {' '.join(text.split())}")


def print_values(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print comma-separated values, with a line of names."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _rows_of(columns: Sequence[Column]) -> Iterator[tuple[str, ...]]:
    return zip(*(column.cells for column in columns), strict=True)


def _markdown_lines(columns: Sequence[Column], title: str) -> Iterator[str]:
    """Yield the lines of a table in the Markdown of GitHub."""
    if title:
        yield f"**{_markdown_cell(title)}**\n"
    yield _markdown_row(column.label for column in columns)
    yield _markdown_row("---" if column.is_left else "---:" for column in columns)
    for cells in _rows_of(columns):
        yield _markdown_row(
            _markdown_code(cell) if column.folds else _markdown_cell(cell)
            for column, cell in zip(columns, cells, strict=True)
        )


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(text: str) -> str:
    """Return a text in one line that Markdown shows as it is."""
    line = " ".join(printable(text).split())
    return re.sub(r"[\\`*<>|]|(?<!\w)_|_(?!\w)", r"\\\g<0>", line)


def _markdown_code(text: str) -> str:
    """Return a text as code; bars are escaped, because they part the cells of a table."""
    line = " ".join(printable(text).split()).replace("|", "\\|")
    if "`" in line:
        return f"`` {line} ``"
    return f"`{line}`" if line else ""


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "×": r"\texttimes{}",
    "−": "--",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
"""What LaTeX writes for each character with a meaning of its own."""


def _latex_lines(columns: Sequence[Column], title: str) -> Iterator[str]:
    """Yield the lines of a table for LaTeX, with the rules of the package booktabs."""
    sides = "".join(_latex_side(column) for column in columns)
    if title:
        yield f"% {' '.join(printable(title).split())}"
    yield rf"\begin{{tabular}}{{{sides}}}  % \usepackage{{booktabs}}"
    yield r"\toprule"
    yield _latex_row(_latex_text(column.label) for column in columns)
    yield r"\midrule"
    for cells in _rows_of(columns):
        yield _latex_row(
            rf"\texttt{{{_latex_text(cell)}}}" if column.folds else _latex_text(cell)
            for column, cell in zip(columns, cells, strict=True)
        )
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _latex_side(column: Column) -> str:
    if column.folds and column.width > column.narrowest:
        return r"p{0.5\linewidth}"
    return "l" if column.is_left else "r"


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_text(text: str) -> str:
    line = " ".join(printable(text).split())
    return "".join(_LATEX.get(character, character) for character in line)


def _print_as_text(columns: Sequence[Column], title: str, key: int) -> None:
    console = make_console()
    room = console.width if console.is_terminal or "COLUMNS" in os.environ else PIPED
    console.width = room
    if title:
        console.print(plain_text(title, style="bold"), overflow="fold")
    for part in _parts(columns, key, room):
        widths = _widths(part, room)
        console.width = min(room, _total(widths))
        console.print(_table(part, widths))


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
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        side: Literal["left", "right"] = "left" if column.is_left else "right"
        table.add_column(
            plain_text(column.head),
            justify=side,
            width=width,
            overflow="fold",
        )
    for cells in _rows_of(columns):
        table.add_row(*map(plain_text, cells))
    return table


_WORDS = {
    "change",
    "difference",
    "encoding",
    "growth",
    "instance",
    "method",
    "outcome",
    "place",
    "predicate",
    "quantity",
    "remark",
    "rule",
}
_CHARTS = {"by step"}


def print_table(
    title: str,
    names: Sequence[str],
    lines: Iterable[Sequence[str]],
    form: TableForm = TableForm.TEXT,
) -> None:
    """Print a table from the names of its columns and its rows; see `named_columns`."""
    print_columns(named_columns(names, lines), title, form=form)


def named_columns(
    names: Sequence[str],
    lines: Iterable[Sequence[str]],
) -> list[Column]:
    """Return the columns of a table from their names and the rows.

    Columns whose names are in `_WORDS` have words, in `_CHARTS` bars, all others numbers.
    """
    rows = list(lines)
    columns: list[Column] = []
    for number, name in enumerate(names):
        head = name.replace("_", " ")
        cells = [row[number] for row in rows]
        columns.append(
            Column(
                head,
                cells,
                is_words=name in _WORDS | _CHARTS,
                folds=name == "rule",
                is_chart=name in _CHARTS,
            )
        )
    return columns
