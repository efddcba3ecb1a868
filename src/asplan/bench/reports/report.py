"""A report as Markdown, with its charts as files beside it."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

import msgspec

from asplan.bench.records import Record, Results, file_of, read_results
from asplan.bench.reports.charts import Chart, all_charts
from asplan.bench.reports.contents import Cell, Contents, Table, make_contents, torn_line
from asplan.bench.reports.disagreements import Disagreement, disagreements, known_optima
from asplan.bench.reports.statistics import coverage, method_statistics
from asplan.bench.reports.values import Values, import_library, read_values
from asplan.errors import UsageError, nearest, system_error
from asplan.figures import COLOURS
from asplan.files import check_writable, whole_file
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


# A report as one web page that needs nothing else: no script, and no request.
#
# All text from results reaches the page escaped; the page's own rules (a content security policy)
# allow its one style sheet and the charts that are written into it, and nothing else.


_LONG = 20
"""From more rows on, a table of trials is shown when it is asked for."""


def page(contents: Contents, charts: Iterable[Chart]) -> str:
    """The page, as text."""
    style = (files("asplan.bench.reports") / "page.css").read_text(encoding="utf-8") + _swatches()
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(contents.title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(_parts(contents, charts))
        + "\n</main>\n</body>\n</html>\n"
    )


def _parts(contents: Contents, charts: Iterable[Chart]) -> Iterator[str]:
    yield f"<h1>{_text(contents.title)}</h1>\n<p class=lead>{_text(contents.lead)}</p>"
    yield _wrong(contents.wrong)
    if contents.remarks:
        items = "".join(f"<li>{_text(remark)}</li>" for remark in contents.remarks)
        yield f"<ul class=remarks>{items}</ul>"
    yield _around(contents.around)
    yield "<h2>Methods</h2>"
    yield _page_table(contents.methods)
    terms = "".join(f"<dt>{_text(n)}</dt><dd>{_text(t)}.</dd>" for n, t in contents.definitions)
    yield f"<details><summary>How these are defined</summary><dl>{terms}</dl></details>"
    yield "<h2>Charts</h2>"
    yield "<div class=charts>" + "".join(map(_chart, charts)) + "</div>"
    yield "<h2>Instances</h2>"
    yield _page_table(contents.instances)
    if contents.ended.rows:
        yield _folded("Trials without an answer", contents.ended)
    if contents.files.rows:
        yield _folded("Input files", contents.files)


def _wrong(table: Table) -> str:
    if not table.rows:
        return "<p class=right>No disagreements, and no invalid plan.</p>"
    number = len(table.rows)
    title = "1 disagreement" if number == 1 else f"{number} disagreements"
    items = "".join(
        f"<li><b>{_text(instance.text)}</b>, {_text(what.text)}: {_text(answers.text)}</li>"
        for instance, what, answers in table.rows
    )
    return f"<section class=wrong><h2>{title}</h2><ul>{items}</ul></section>"


def _around(table: Table) -> str:
    terms = "".join(
        f"<div><dt>{_text(what.text)}</dt><dd>{_text(value.text)}</dd></div>"
        for what, value in table.rows
    )
    return f"<dl class=around>{terms}</dl>"


def _folded(title: str, table: Table) -> str:
    opened = "" if len(table.rows) > _LONG else " open"
    summary = f"<summary><h2>{title}</h2> <span>{len(table.rows)}</span></summary>"
    return f"<details{opened}>{summary}{_table(table)}</details>"


def _chart(chart: Chart) -> str:
    data = base64.b64encode(chart.svg).decode()
    width, height = _size(chart.svg)
    return (
        f"<figure><h3>{_text(chart.title)}</h3>"
        f'<img src="data:image/svg+xml;base64,{data}" alt="{_text(chart.title)}" '
        f'width="{width}" height="{height}">'
        f"<figcaption>{_text(chart.note)}</figcaption></figure>"
    )


def _size(svg: bytes) -> tuple[int, int]:
    """Width and height in pixels."""
    found = re.search(rb'<svg [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None
    return round(float(found[1]) * 4 / 3), round(float(found[2]) * 4 / 3)


def _page_table(table: Table) -> str:
    head = "".join(
        _page_cell(Cell(name), n < table.words, "th") for n, name in enumerate(table.columns)
    )
    rows = "".join(
        "<tr>"
        + "".join(_page_cell(cell, n < table.words) for n, cell in enumerate(row))
        + "</tr>\n"
        for row in table.rows
    )
    return (
        "<div class=wide tabindex=0 role=region><table>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>"
    )


def _page_cell(cell: Cell, is_word: bool, tag: str = "td") -> str:
    text = _text(cell.text)
    if cell.best:
        text = f"<b>{text}</b>"
    if cell.colour:
        text = f"<i class=c{COLOURS.index(cell.colour)}></i>{text}"
    return f"<{tag}{'' if is_word else ' class=n'}>{text}</{tag}>"


def _swatches() -> str:
    return "".join(f".c{n} {{ background: {colour}; }}\n" for n, colour in enumerate(COLOURS))


def _text(text: str) -> str:
    return escape(printable(text))


# The report of a folder of results: a page, Markdown, the raw rows, and charts.


CHARTS = "charts"
"""The folder of the charts."""


@dataclass(frozen=True)
class Report:
    """What was written, and what its reader should know at once.

    Attributes
    ----------
    files
        The page, the Markdown and the rows; the charts are in the folder `charts` beside them.
    """

    files: tuple[Path, ...]
    disagreements: tuple[Disagreement, ...]
    warnings: tuple[str, ...]


def report(
    folder: str | os.PathLike[str],
    baseline: str | None = None,
    by: str = "cpu",
    pairs: Iterable[tuple[str, str]] = (),
    doing: Callable[[str], None] = lambda what: None,
) -> Report:
    """Write `report.html`, `report.md`, `runs.csv` and the charts into a folder of results.

    All of them are written, or none: each takes the place of an older one when all are complete.

    Parameters
    ----------
    baseline
        The method that ratios are given to, and that scatter plots have to the right; without it
        the first of the suite.
    by
        What methods are compared by, one of `asplan.bench.reports.values.MEASURES`.
    pairs
        The methods of scatter plots beside those with the baseline.
    doing
        Told what is being done.

    Raises
    ------
    InputError
        There are no results.
    UsageError
        There is no such method or measure, no trial has ended, or a file cannot be written.
    MissingExtra
        pandas or scipy is not installed.
    """
    doing(f"reading {os.fspath(folder)}")
    results = read_results(folder)
    values = read_values(results, by)
    baseline = _checked(values, values.methods[0] if baseline is None else baseline)
    chosen = [(_checked(values, a), _checked(values, b)) for a, b in pairs]
    chosen = [*((baseline, m) for m in values.methods if m != baseline), *chosen]
    wrong = disagreements(results.start, results.records)
    doing("comparing the methods")
    written = _files(results, values, baseline, wrong, tuple(dict.fromkeys(chosen)), doing)
    target = file_of(folder).parent
    _write(target, written)
    files = tuple(target / name for name in written if "/" not in name)
    return Report(files, wrong, (torn_line(results),) if results.torn else ())


def _checked(values: Values, method: str) -> str:
    """A method of the results; raises `UsageError` where there is none of that name."""
    if method not in values.methods:
        hint = nearest(method, values.methods, noun="methods")
        raise UsageError(f"the results have no method {method!r}", hint=hint)
    return method


def _files(
    results: Results,
    values: Values,
    baseline: str,
    wrong: tuple[Disagreement, ...],
    pairs: tuple[tuple[str, str], ...],
    doing: Callable[[str], None],
) -> dict[str, bytes]:
    """What is written, by its path in the folder."""
    found = method_statistics(values, baseline)
    optima = known_optima(results.start, results.records, baseline, {d.instance for d in wrong})
    doing("drawing the charts")
    charts = all_charts(values, found, coverage(values, optima), pairs)
    contents = make_contents(results, values, found, wrong, baseline)
    files = {
        "report.html": page(contents, charts).encode("utf-8", "backslashreplace"),
        "report.md": markdown(contents, charts, CHARTS).encode("utf-8", "backslashreplace"),
        "runs.csv": rows_as_csv(results.records, results.start.groups).encode(
            "utf-8", "backslashreplace"
        ),
    }
    for chart in charts:
        files[f"{CHARTS}/{chart.name}.png"] = chart.png
        files[f"{CHARTS}/{chart.name}.svg"] = chart.svg
    return files


def rows_as_csv(records: Iterable[Record], groups: Mapping[str, str]) -> str:
    """All records with all that is kept of them, as comma-separated values.

    The rows are raw: names stand as they were given, even one that begins with `=`, which a
    spreadsheet takes for a formula. Import the columns as text if you do not trust the names.
    """
    rows = []
    for record in records:
        row = {name: getattr(record, name) for name in record.__struct_fields__}
        row["cost"] = None if record.cost is None else json.dumps(record.cost)
        rows.append({"group": groups.get(record.instance, ""), **msgspec.to_builtins(row)})
    text = io.StringIO()
    # Whole numbers stay whole beside rows that have none.
    frame = import_library("pandas").DataFrame(rows, dtype=object)
    frame.to_csv(text, index=False, lineterminator="\n")
    return text.getvalue()


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    charts = folder / CHARTS
    try:
        charts.mkdir(exist_ok=True)
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
