"""The report of a folder of results: a page, Markdown, the raw rows, and charts."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec

from asplan.bench.records import Record, Results, file_of, read_results
from asplan.bench.reports.charts import all_charts
from asplan.bench.reports.contents import make_contents, torn_line
from asplan.bench.reports.difficulty import coverage
from asplan.bench.reports.disagreements import Disagreement, disagreements, known_optima
from asplan.bench.reports.markdown import markdown
from asplan.bench.reports.page import page
from asplan.bench.reports.statistics import method_statistics
from asplan.bench.reports.values import Values, import_library, read_values
from asplan.errors import UsageError, nearest, system_error
from asplan.files import check_writable, whole_file

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
        mend = nearest(method, values.methods, noun="methods")
        raise UsageError(f"the results have no method {method!r}", mend=mend)
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
