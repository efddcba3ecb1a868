"""A report as one web page that needs nothing else: no script, and no request.

All text from results reaches the page escaped; the page's own rules (a content security policy)
allow its one style sheet and the charts that are written into it, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files

from asplan.bench.reports.charts import Chart
from asplan.bench.reports.contents import Cell, Contents, Table
from asplan.bench.reports.looks import COLOURS
from asplan.text import printable

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
    yield _table(contents.methods)
    terms = "".join(f"<dt>{_text(n)}</dt><dd>{_text(t)}.</dd>" for n, t in contents.definitions)
    yield f"<details><summary>How these are defined</summary><dl>{terms}</dl></details>"
    yield "<h2>Charts</h2>"
    yield "<div class=charts>" + "".join(map(_chart, charts)) + "</div>"
    yield "<h2>Instances</h2>"
    yield _table(contents.instances)
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


def _table(table: Table) -> str:
    head = "".join(_cell(Cell(name), n < table.words, "th") for n, name in enumerate(table.columns))
    rows = "".join(
        "<tr>" + "".join(_cell(cell, n < table.words) for n, cell in enumerate(row)) + "</tr>\n"
        for row in table.rows
    )
    return (
        "<div class=wide tabindex=0 role=region><table>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>"
    )


def _cell(cell: Cell, is_word: bool, tag: str = "td") -> str:
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
