"""One way to print figures, for all scripts: a table for the eye, or Markdown for docs/.

A script adds the option to its parser and hands over cells of text:

    tables.add_option(parser)
    tables.show(("board", "seconds"), [("sample02", "0.21")], markdown=given.markdown)

What goes on meanwhile belongs on standard error: standard output is what docs/ takes over.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

Row = Sequence[str] | None
"""The cells of a row; None parts what stands above from what stands below."""

NUMBER = re.compile(r"[<>≤≥~?]?\s?-?\d")


def add_option(parser: ArgumentParser) -> None:
    """Let a script take `--markdown`."""
    parser.add_argument("--markdown", action="store_true", help="print Markdown, as docs/ has it")


def show(columns: Sequence[str], rows: Iterable[Row], title: str = "", *, markdown: bool) -> None:
    """Print a table; columns of numbers are flush right."""
    rows = list(rows)
    cells = [row for row in rows if row is not None]
    right = [_is_numeric(row[index] for row in cells) for index in range(len(columns))]
    if markdown:
        print("\n".join(_markdown(columns, cells, title, right)), end="\n\n")
        return
    table = Table(title=title or None)
    for column, flush in zip(columns, right, strict=True):
        table.add_column(column, justify="right" if flush else "left")
    for row in rows:
        table.add_section() if row is None else table.add_row(*map(escape, row))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def say(text: str) -> None:
    """Print a paragraph below a table."""
    print(text, end="\n\n")


def progress(*words: object) -> None:
    """Tell what was done just now, on standard error."""
    print(*words, file=sys.stderr, flush=True)


def _markdown(
    columns: Sequence[str], rows: Iterable[Sequence[str]], title: str, right: Sequence[bool]
) -> Iterable[str]:
    if title:
        yield f"{title[0].upper()}{title[1:]}:\n"
    yield _line(columns)
    yield _line(["---:" if flush else "---" for flush in right]).replace(" ", "")
    yield from map(_line, rows)


def _line(cells: Iterable[str]) -> str:
    safe = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(safe)} |"


def _is_numeric(cells: Iterable[str]) -> bool:
    filled = [cell for cell in cells if cell.strip()]
    return bool(filled) and all(NUMBER.match(cell) for cell in filled)
