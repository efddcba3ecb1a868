"""The report of a folder of results: a page, Markdown, the raw rows, and charts."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec

from asplan.bench.records import Record, file_of, read_results
from asplan.bench.reports.charts import all_charts
from asplan.bench.reports.contents import make_contents, torn_line
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
from asplan.core.page import filled, page
from asplan.core.text import printable

_STYLE = "".join(f".c{n} {{ background: {colour}; }}\n" for n, colour in enumerate(COLOURS))


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
    contents |= {"charts": charts, "colours": len(COLOURS)}
    texts = {
        "report.html": page("bench/reports/report.html", _STYLE, **contents),
        "report.md": filled("bench/reports/report.md", plain, **contents).rstrip() + "\n",
        "runs.csv": _rows_as_csv(results.records, results.start.groups),
    }
    written = {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}
    for chart in charts:
        written |= {f"charts/{chart.name}.png": chart.png, f"charts/{chart.name}.svg": chart.svg}
    target = file_of(folder).parent
    _write(target, written)
    warnings = (torn_line(results),) if results.torn else ()
    return WrittenReport(tuple(target / name for name in texts), wrong, warnings)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        (folder / "charts").mkdir(exist_ok=True)
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


def _rows_as_csv(records: Iterable[Record], groups: Mapping[str, str]) -> str:
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


_STEERS = re.compile(r"[\\`*_\[\]|~$<>&@]|(?<=:)//|(?<=www)\.", re.IGNORECASE)
"""What Markdown, or a program that shows it, takes for more than itself."""


def plain(text: str) -> str:
    """Text from anywhere as Markdown, on one line, in which nothing steers.

    >>> print(plain("a|b <i>[x](y)"))
    a\\|b \\<i\\>\\[x\\](y)
    """
    text = " ".join(printable(text).split())
    return _STEERS.sub(lambda found: f"\\{found[0]}", text)
