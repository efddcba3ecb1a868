"""A report as Markdown, with its charts as files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from asplan.bench.reports.charts import Chart
from asplan.bench.reports.contents import Cell, Contents, Table
from asplan.text import printable

_STEERS = re.compile(r"[\\`*_\[\]|~$<>&@]|(?<=:)//|(?<=www)\.", re.IGNORECASE)
"""What Markdown, or a program that shows it, takes for more than itself."""


def markdown(contents: Contents, charts: Iterable[Chart], folder: str) -> str:
    """The report, as text.

    Parameters
    ----------
    folder
        Where the charts are, as seen from the report.
    """
    return "\n\n".join(_blocks(contents, charts, folder)) + "\n"


def _blocks(contents: Contents, charts: Iterable[Chart], folder: str) -> Iterator[str]:
    yield f"# {plain(contents.title)}"
    yield plain(contents.lead)
    if contents.wrong.rows:
        yield "## Disagreements"
        yield _table(contents.wrong)
    else:
        yield "No disagreements, and no invalid plan."
    if contents.remarks:
        yield "\n".join(f"- {plain(remark)}" for remark in contents.remarks)
    yield _table(contents.around)
    yield "## Methods"
    yield _table(contents.methods)
    yield "\n".join(f"- *{name}*: {plain(text)}." for name, text in contents.definitions)
    yield "## Charts"
    for chart in charts:
        yield f"### {plain(chart.title)}"
        yield f"![{plain(chart.title)}]({folder}/{chart.name}.png)"
        yield plain(chart.note)
    yield "## Instances"
    yield _table(contents.instances)
    if contents.ended.rows:
        yield "## Trials without an answer"
        yield _table(contents.ended)
    if contents.files.rows:
        yield "## Input files"
        yield _table(contents.files)


def plain(text: str) -> str:
    """Text from anywhere, on one line, in which nothing steers.

    >>> print(plain("a|b <i>[x](y)"))
    a\\|b \\<i\\>\\[x\\](y)
    """
    text = " ".join(printable(text).split())
    return _STEERS.sub(lambda found: f"\\{found[0]}", text)


def _table(table: Table) -> str:
    lines = [_line(map(plain, table.columns)), _rule(table)]
    lines += [_line(map(_cell, row)) for row in table.rows]
    return "\n".join(lines)


def _rule(table: Table) -> str:
    figures = len(table.columns) - table.words
    return "|" + "|".join(["---"] * table.words + ["---:"] * figures) + "|"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    return f"**{plain(cell.text)}**" if cell.best else plain(cell.text)
