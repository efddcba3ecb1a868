"""The report on a folder of results: as a page, as Markdown, as rows of data, and charts."""

import io
import json
import os
from collections.abc import (
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

import msgspec

from asplan.bench.records import (
    Record,
    Results,
    file_of,
    read_results,
)
from asplan.bench.reports.charts import Chart, draw_charts
from asplan.bench.reports.contents import escape_markdown, make_contents, torn_line
from asplan.bench.reports.coverage import compute_coverage
from asplan.bench.reports.disagreements import (
    Disagreement,
    find_disagreements,
    known_optima,
)
from asplan.bench.reports.ranks import draw_ranks
from asplan.bench.reports.statistics import compute_statistics
from asplan.bench.reports.values import PairedValues, import_library, read_values
from asplan.core.budget import Reporter, ignore_report
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError, nearest, system_error
from asplan.core.figures import COLOURS
from asplan.core.files import atomic_file, check_writable
from asplan.core.page import render_page, render_template

_STYLE = "".join(f".c{n} {{ background: {colour}; }}\n" for n, colour in enumerate(COLOURS))
"""CSS with a class for the colour of each method."""


@dataclass(frozen=True)
class WrittenReport:
    """The paths of the page, the Markdown and the rows of a report, with its most important
    findings.
    """

    files: tuple[Path, ...]
    disagreements: tuple[Disagreement, ...]
    warnings: tuple[str, ...]


def write_report(
    folder: str | os.PathLike[str],
    baseline: str | None = None,
    by: str = "cpu",
    pairs: Iterable[tuple[str, str]] = (),
    progress: Reporter[str] = ignore_report,
) -> WrittenReport:
    """Write `report.html`, `report.md`, `runs.csv` and charts into a folder of results.

    All files are written, or none.

    Parameters
    ----------
    baseline
        The method to which ratios refer; by default the first of the suite.
    by
        The name of the measure to compare by, one of `values.MEASURES`.
    pairs
        Pairs of methods for additional scatter plots.
    progress
        A function called with the current activity.

    Raises
    ------
    UsageError
        There is no such method or measure, or no trial.
    MissingExtra
        pandas or scipy is not installed.
    """
    progress(f"reading {os.fspath(folder)}")
    results = read_results(folder)
    values = read_values(results, by)
    baseline = values.methods[0] if baseline is None else baseline
    pairs = list(pairs)
    _check_methods(values, [baseline, *chain.from_iterable(pairs)])
    disagreements = find_disagreements(results.start, results.records)
    progress("comparing the methods")
    statistics = compute_statistics(values, baseline)
    disputed = {disagreement.instance for disagreement in disagreements}
    optima = known_optima(results.start, results.records, baseline, but=disputed)
    progress("drawing the charts")
    baseline_pairs = [(baseline, method) for method in values.methods if method != baseline]
    all_pairs = dict.fromkeys([*baseline_pairs, *pairs])
    coverage = compute_coverage(values, optima)
    charts = (*draw_charts(values, statistics, coverage, all_pairs), *draw_ranks(values))
    contents = {
        **make_contents(results, values, statistics, disagreements, baseline),
        "charts": charts,
        "colours": len(COLOURS),
    }
    texts = {
        "report.html": render_page("bench/reports/report.html", _STYLE, **contents),
        "report.md": _fill_markdown(contents),
        "runs.csv": _rows_as_csv(results.records, results.start.groups),
    }
    target = file_of(folder).parent
    _write_files(target, _encode(texts) | _chart_files(charts))
    return WrittenReport(
        tuple(target / name for name in texts), disagreements, warnings=_warnings_of(results)
    )


def _check_methods(values: PairedValues, methods: Iterable[str]) -> None:
    for method in methods:
        if method not in values.methods:
            hint = nearest(method, values.methods, noun="methods")
            raise UsageError(f"the results have no method {method!r}", hint=hint)


def _fill_markdown(contents: Mapping[str, object]) -> str:
    text = render_template("bench/reports/report.md", escape_markdown, **contents)
    return text.rstrip() + "\n"


def _encode(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}


def _chart_files(charts: Sequence[Chart]) -> dict[str, bytes]:
    files = {}
    for chart in charts:
        files[f"charts/{chart.name}.png"] = chart.png
        files[f"charts/{chart.name}.svg"] = chart.svg
    return files


def _warnings_of(results: Results) -> tuple[str, ...]:
    return (torn_line(results),) if results.torn else ()


def _write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files into a folder, or none if one of them cannot be written."""
    try:
        (folder / "charts").mkdir(exist_ok=True)
    except OSError as error:
        raise system_error(error) from None
    for name in files:
        check_writable(folder / name)
    with ExitStack() as stack:
        # Files replace the old ones only when all of them have been written.
        for name, data in files.items():
            file = stack.enter_context(atomic_file(folder / name))
            file.write(data)
            file.flush()


def _rows_as_csv(records: Iterable[Record], groups: Mapping[str, str]) -> str:
    """Return all records as comma-separated values; `groups` maps instances to their groups.

    Names are not changed, even if they begin with `=` as formulas of spreadsheets do.
    """
    rows = []
    for record in records:
        row = {"group": groups.get(record.instance, ""), **msgspec.structs.asdict(record)}
        row["cost"] = None if record.cost is None else json.dumps(record.cost)
        rows.append(msgspec.to_builtins(row))
    text = io.StringIO()
    # The type `object` keeps integers in columns with missing values.
    frame = import_library("pandas").DataFrame(rows, dtype=object)
    frame.to_csv(text, index=False, lineterminator="\n")
    return text.getvalue()
