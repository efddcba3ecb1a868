"""The report of a folder of results: a page, Markdown, the raw rows, and charts."""

from __future__ import annotations

import base64
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec

from asplan.bench.records import Record, file_of, read_results
from asplan.bench.reports.charts import Chart, all_charts
from asplan.bench.reports.contents import Cell, Contents, ReportTable, make_contents, torn_line
from asplan.bench.reports.disagreements import Disagreement, disagreements, known_optima
from asplan.bench.reports.statistics import (
    coverage,
    import_library,
    method_statistics,
    read_values,
)
from asplan.core.errors import UsageError, nearest, system_error
from asplan.core.figures import COLOURS
from asplan.core.files import check_writable, whole_file
from asplan.core.page import page as whole_page
from asplan.core.page import safe
from asplan.core.text import amount, printable

CHARTS = "charts"
"""The folder of the charts."""

_RIGHT = "No disagreements, and no invalid plan."
_LONG = 20
"""From more rows on, a table of trials is shown when somebody opens it."""


@dataclass(frozen=True)
class WrittenReport:
    """The page, the Markdown and the rows, and what their reader should know at once."""

    files: tuple[Path, ...]
    disagreements: tuple[Disagreement, ...]
    warnings: tuple[str, ...]


def report(
    folder: str | os.PathLike[str],
    baseline: str | None = None,
    by: str = "cpu",
    pairs: Iterable[tuple[str, str]] = (),
    doing: Callable[[str], None] = lambda what: None,
) -> WrittenReport:
    """Write `report.html`, `report.md`, `runs.csv` and the charts into a folder of results.

    All of them are written, or none: each takes the place of an older one when all are complete.
    Ratios are given to the method `baseline`, without it the first of the suite, and scatter plots
    have it to the right; `pairs` are methods of more such plots. Methods are compared by one of
    `asplan.bench.reports.statistics.MEASURES`. `doing` is called with what is being done. Raises
    `InputError` where there are no results, `UsageError` where there is no such method or measure,
    no trial has ended, or a file cannot be written, and `MissingExtra` without pandas or scipy.
    """
    doing(f"reading {os.fspath(folder)}")
    results = read_results(folder)
    values = read_values(results, by)
    baseline = values.methods[0] if baseline is None else baseline
    pairs = list(pairs)
    for method in (baseline, *(method for pair in pairs for method in pair)):
        if method not in values.methods:
            hint = nearest(method, values.methods, noun="methods")
            raise UsageError(f"the results have no method {method!r}", hint=hint)
    plots = dict.fromkeys([*((baseline, m) for m in values.methods if m != baseline), *pairs])
    wrong = disagreements(results.start, results.records)
    doing("comparing the methods")
    statistics = method_statistics(values, baseline)
    optima = known_optima(results.start, results.records, baseline, {d.instance for d in wrong})
    doing("drawing the charts")
    charts = all_charts(values, statistics, coverage(values, optima), plots)
    contents = make_contents(results, values, statistics, wrong, baseline)
    texts = {
        "report.html": page(contents, charts),
        "report.md": markdown(contents, charts, CHARTS),
        "runs.csv": rows_as_csv(results.records, results.start.groups),
    }
    written = {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}
    for chart in charts:
        written[f"{CHARTS}/{chart.name}.png"] = chart.png
        written[f"{CHARTS}/{chart.name}.svg"] = chart.svg
    target = file_of(folder).parent
    _write(target, written)
    warnings = (torn_line(results),) if results.torn else ()
    return WrittenReport(tuple(target / name for name in texts), wrong, warnings)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        (folder / CHARTS).mkdir(exist_ok=True)
    except OSError as error:
        raise system_error(error) from None
    for name in files:
        check_writable(folder / name)
    with ExitStack() as stack:
        # Only when the last has been written does the first take its place.
        for name, data in files.items():
            file = stack.enter_context(whole_file(folder / name))
            file.write(data)
            file.flush()


def rows_as_csv(records: Iterable[Record], groups: Mapping[str, str]) -> str:
    """All records with all that is kept of them, as comma-separated values.

    The rows are raw: names stand as they were given, even one that begins with `=`, which a
    spreadsheet takes for a formula. Import the columns as text if you do not trust the names.
    """
    rows = []
    for record in records:
        row = {"group": groups.get(record.instance, ""), **msgspec.structs.asdict(record)}
        row["cost"] = None if record.cost is None else json.dumps(record.cost)
        rows.append(msgspec.to_builtins(row))
    text = io.StringIO()
    # Whole numbers stay whole beside rows that have none.
    frame = import_library("pandas").DataFrame(rows, dtype=object)
    frame.to_csv(text, index=False, lineterminator="\n")
    return text.getvalue()


# Markdown, with its charts as files in a folder beside it.


def markdown(contents: Contents, charts: Iterable[Chart], folder: str) -> str:
    """The report, as text; the folder is that of the charts, as seen from the report."""
    return "\n\n".join(_blocks(contents, charts, folder)) + "\n"


def _blocks(contents: Contents, charts: Iterable[Chart], folder: str) -> Iterator[str]:
    yield f"# {plain(contents.title)}"
    yield plain(contents.lead)
    if contents.wrong.rows:
        yield f"## Disagreements\n\n{_pipes(contents.wrong)}"
    else:
        yield _RIGHT
    if contents.remarks:
        yield "\n".join(f"- {plain(remark)}" for remark in contents.remarks)
    yield _pipes(contents.around)
    yield f"## Methods\n\n{_pipes(contents.methods)}"
    yield "\n".join(f"- *{name}*: {plain(text)}." for name, text in contents.definitions)
    yield "## Charts"
    for chart in charts:
        yield f"### {plain(chart.title)}"
        yield f"![{plain(chart.title)}]({folder}/{chart.name}.png)"
        yield plain(chart.note)
    yield f"## Instances\n\n{_pipes(contents.instances)}"
    if contents.ended.rows:
        yield f"## Trials without an answer\n\n{_pipes(contents.ended)}"
    if contents.files.rows:
        yield f"## Input files\n\n{_pipes(contents.files)}"


_STEERS = re.compile(r"[\\`*_\[\]|~$<>&@]|(?<=:)//|(?<=www)\.", re.IGNORECASE)
"""What Markdown, or a program that shows it, takes for more than itself."""


def plain(text: str) -> str:
    """Text from anywhere, on one line, in which nothing steers.

    >>> print(plain("a|b <i>[x](y)"))
    a\\|b \\<i\\>\\[x\\](y)
    """
    text = " ".join(printable(text).split())
    return _STEERS.sub(lambda found: f"\\{found[0]}", text)


def _pipes(table: ReportTable) -> str:
    rule = ["---"] * table.words + ["---:"] * (len(table.columns) - table.words)
    rows = [[f"**{plain(c.text)}**" if c.best else plain(c.text) for c in r] for r in table.rows]
    lines = [f"| {' | '.join(row)} |" for row in (map(plain, table.columns), *rows)]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


# The page.


def page(contents: Contents, charts: Iterable[Chart]) -> str:
    """The page, as text."""
    style = "".join(f".c{n} {{ background: {colour}; }}\n" for n, colour in enumerate(COLOURS))
    return whole_page(contents.title, _parts(contents, charts), style)


def _parts(contents: Contents, charts: Iterable[Chart]) -> Iterator[str]:
    yield f"<h1>{safe(contents.title)}</h1>\n<p class=lead>{safe(contents.lead)}</p>"
    if contents.wrong.rows:
        items = "".join(
            f"<li><b>{safe(instance.text)}</b>, {safe(what.text)}: {safe(answers.text)}</li>"
            for instance, what, answers in contents.wrong.rows
        )
        title = amount(len(contents.wrong.rows), "disagreement")
        yield f"<section class=wrong><h2>{title}</h2><ul>{items}</ul></section>"
    else:
        yield f"<p class=right>{_RIGHT}</p>"
    if contents.remarks:
        items = "".join(f"<li>{safe(remark)}</li>" for remark in contents.remarks)
        yield f"<ul class=remarks>{items}</ul>"
    terms = "".join(
        f"<div><dt>{safe(what.text)}</dt><dd>{safe(value.text)}</dd></div>"
        for what, value in contents.around.rows
    )
    yield f"<dl class=around>{terms}</dl>"
    yield f"<h2>Methods</h2>\n{_html(contents.methods)}"
    terms = "".join(f"<dt>{safe(n)}</dt><dd>{safe(t)}.</dd>" for n, t in contents.definitions)
    yield f"<details><summary>How these are defined</summary><dl>{terms}</dl></details>"
    yield f"<h2>Charts</h2>\n<div class=charts>{''.join(map(_figure, charts))}</div>"
    yield f"<h2>Instances</h2>\n{_html(contents.instances)}"
    folded = {"Trials without an answer": contents.ended, "Input files": contents.files}
    for title, table in folded.items():
        if number := len(table.rows):
            summary = f"<summary><h2>{title}</h2> <span>{number}</span></summary>"
            opened = "" if number > _LONG else " open"
            yield f"<details{opened}>{summary}{_html(table)}</details>"


def _figure(chart: Chart) -> str:
    size = re.search(rb'<svg [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"', chart.svg)
    assert size is not None
    width, height = (round(float(number) * 4 / 3) for number in size.groups())  # points to pixels
    data = base64.b64encode(chart.svg).decode()
    return (
        f"<figure><h3>{safe(chart.title)}</h3>"
        f'<img src="data:image/svg+xml;base64,{data}" alt="{safe(chart.title)}" '
        f'width="{width}" height="{height}">'
        f"<figcaption>{safe(chart.note)}</figcaption></figure>"
    )


def _html(table: ReportTable) -> str:
    def row(cells: Iterable[Cell], tag: str) -> str:
        return "".join(_html_cell(cell, n < table.words, tag) for n, cell in enumerate(cells))

    rows = "".join(f"<tr>{row(cells, 'td')}</tr>\n" for cells in table.rows)
    return (
        "<div class=wide tabindex=0 role=region><table>"
        f"<thead><tr>{row(map(Cell, table.columns), 'th')}</tr></thead>\n"
        f"<tbody>\n{rows}</tbody></table></div>"
    )


def _html_cell(cell: Cell, is_word: bool, tag: str) -> str:
    text = safe(cell.text)
    if cell.best:
        text = f"<b>{text}</b>"
    if cell.colour:
        text = f"<i class=c{COLOURS.index(cell.colour)}></i>{text}"
    return f"<{tag}{'' if is_word else ' class=n'}>{text}</{tag}>"
