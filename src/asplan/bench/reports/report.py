"""The report of a folder of results: a page and Markdown, raw rows, and charts."""

import io
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from asplan.bench.records import FILE, Record, Results, Start, file_of, read_results
from asplan.bench.reports.charts import all_charts
from asplan.bench.reports.disagreements import (
    Disagreement,
    Wrong,
    disagreements,
    group_by,
    known_optima,
)
from asplan.bench.reports.statistics import (
    DEFINITIONS,
    MethodStatistics,
    Ratio,
    Values,
    coverage,
    import_library,
    method_statistics,
    methods_of,
    read_values,
)
from asplan.core.errors import UsageError, nearest, system_error
from asplan.core.figures import COLOURS
from asplan.core.files import check_writable, whole_file
from asplan.core.page import filled, page
from asplan.core.text import amount, printable, shortened
from asplan.engines import OLD_NAMES, engines
from asplan.version import __version__

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

    All of them are written, or none. Ratios are given to the method `baseline`, without it the
    first of the suite; `pairs` are methods of more scatter plots; `by` is one of `MEASURES`. Raises
    `UsageError` where there is no such method or measure, or no trial, and `MissingExtra` without
    pandas or scipy.
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
    """All records as comma-separated values; raw, so names may begin with `=` as formulas do."""
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


NONE = "–"  # what stands where there is no figure


class Best(str):
    """A value that is the least of its row."""

    best = True


class Table(NamedTuple):
    """A table; the first `words` columns hold words, the others figures."""

    columns: Iterable[str]
    rows: Collection[Iterable[object]]
    words: int = 1


def make_contents(
    results: Results,
    values: Values,
    statistics: Sequence[MethodStatistics],
    wrong: Iterable[Disagreement],
    baseline: str,
) -> dict[str, Any]:
    """All that the templates of a report show, by the names that they have for it."""
    lead = (
        f"{amount(len(values.methods), 'method')} on {amount(len(values.instances), 'instance')}, "
        f"{amount(len(results.records), 'trial')}; compared by {values.measure.label}"
    )
    if values.measure.is_time and values.is_limit:
        lead += f", with a limit of {values.limit:g} s for each trial"
    answers = [
        (d.instance, d.wrong, f"{d.methods[0]}: {d.text}" if d.wrong is Wrong.INVALID else d.text)
        for d in wrong
    ]
    return {
        "title": results.start.name or "Benchmark",
        "lead": f"{lead}.{_rewriting(results.start)}",
        "wrong": Table(("instance", "what", "answers"), answers, words=3),
        "remarks": list(_remarks(results, values)),
        "around": _around(results),
        "methods": _methods(values, statistics, baseline),
        "instances": _instances(results, values),
        "ended": _ended(results.records),
        "definitions": list(_definitions(values, baseline)),
        "files": Table(("file", "SHA-256"), results.start.files.items(), words=2),
    }


def _rewriting(start: Start) -> str:
    """For which methods asplan's rewriting was on, of those that ground programs."""
    names: dict[str, list[str]] = {"on": [], "off": []}
    for name, entry in methods_of(start).items():
        engine = str(entry.get("engine", "asp"))
        known = engines().get(OLD_NAMES.get(engine, engine))
        if known is not None and "no_rewrite" in known.options.forms():
            names["off" if entry.get("rewrite") is False else "on"].append(name)
    parts = [f"{how} for {shortened(', '.join(which))}" for how, which in names.items() if which]
    return f" asplan's rewriting of programs was {', '.join(parts)}." if parts else ""


def _remarks(results: Results, values: Values) -> Iterator[str]:
    if results.torn:
        yield torn_line(results)
    if len(results.starts) > 1:
        yield f"The work was taken up again {amount(len(results.starts) - 1, 'time')}."
    for what in ("machine", "versions", "files"):
        tables = [getattr(start, what) for start in results.starts]
        keys = dict.fromkeys(key for one in tables for key in one)
        if other := [key for key in keys if len({one.get(key) for one in tables}) > 1]:
            names = shortened(", ".join(other))
            yield f"Between two times of work this changed, so trials may not compare: {names}."
    tried = {(record.instance, record.method) for record in results.records}
    pairs = {(i, m) for m in values.methods for i in values.instances if values.has.loc[i, m]}
    if missing := len(pairs - tried):
        yield f"{amount(missing, 'pair')} of method and instance have no trial yet."


def torn_line(results: Results) -> str:
    return f"The last line of {FILE} was cut off and is left out: {shortened(results.torn, 60)}"


def _around(results: Results) -> Table:
    start = results.start
    hosts = dict.fromkeys(record.host for record in results.records if record.host)
    rows = [
        *start.machine.items(),
        *start.versions.items(),
        ("hosts", shortened(", ".join(hosts)) if len(hosts) > 1 else ""),
        ("begun", start.begun.replace("T", " ", 1)),
        ("report by", f"asplan {__version__}"),
    ]
    return Table(("what", "value"), [row for row in rows if row[1]], words=2)


def _methods(values: Values, statistics: Sequence[MethodStatistics], baseline: str) -> Table:
    measure = values.measure
    columns = ["method", "trials", "failed", "solved", "optimal"]
    columns += [f"PAR-2{measure.bracket}"] if measure.is_time else []
    columns += [f"median{measure.bracket}", "ratio", "95 % interval", "area"]
    rows = []
    for one in statistics:
        figures = [one.par2, one.median] if measure.is_time else [one.median]
        cells = [
            *(one.method, one.trials, one.failed, one.solved, one.proven),
            *(NONE if value is None else measure.shown(value) for value in figures),
            *(("1", "baseline") if one.method == baseline else ratio(one.ratio)),
            NONE if one.share is None else f"{one.share:.1%}".replace("%", " %"),
        ]
        rows.append(cells)
    return Table(columns, rows)


def ratio(found: Ratio | None) -> tuple[str, str]:
    """A ratio, and its interval with the number of instances."""
    if found is None:
        return NONE, NONE
    span = NONE
    if found.low is not None and found.high is not None:
        span = f"{_factor(found.low)} to {_factor(found.high)}"
    return _factor(found.mean), f"{span} (n = {found.over})"


def _factor(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def _definitions(values: Values, baseline: str) -> Iterator[tuple[str, str]]:
    for name, text in DEFINITIONS.items():
        if name == "PAR-2" and not values.measure.is_time:
            continue
        if name == "PAR-2" and not values.is_limit:
            text += "; the suite has none, so the largest time seen stands for it"
        yield name, text.replace("the baseline", f"the baseline {baseline}")


def _instances(results: Results, values: Values) -> Table:
    groups = results.start.groups
    by_trial = group_by(results.records, lambda record: (record.instance, record.method))
    rows = []
    for instance in values.instances:
        own = {m: float(values.median.loc[instance, m]) for m in values.methods}
        texts = {m: values.measure.shown(v) for m, v in own.items() if v < math.inf}
        best = texts.get(min(texts, key=lambda m: own[m], default=""), "")
        if best and len(own) > 1:
            texts = {m: Best(text) if text == best else text for m, text in texts.items()}
        cells = [texts.get(m) or _unsolved(by_trial.get((instance, m), ())) for m in own]
        rows.append([instance, *([groups.get(instance, "")] if groups else []), *cells])
    heads = ("instance", "group") if groups else ("instance",)
    return Table((*heads, *values.methods), rows, words=len(heads))


def _unsolved(records: Iterable[Record]) -> str:
    ends = Counter(
        "invalid" if r.invalid else "error" if r.error else r.stopped or "open"
        for r in records
        if not r.answered
    )
    return str(ends.most_common(1)[0][0]) if ends else NONE


def _ended(records: Iterable[Record]) -> Table:
    ends: Counter[tuple[str, str, str]] = Counter()
    for record in records:
        if not record.answered:
            end = f"{record.stopped} limit" if record.stopped else "no answer"
            end += f": {shortened(record.reason)}" if record.reason else ""
            end = shortened(record.error) if record.error else end
            ends[record.instance, record.method, end] += 1
    rows = [(*what, number) for what, number in ends.items()]
    return Table(("instance", "method", "what ended it", "trials"), rows, words=3)
