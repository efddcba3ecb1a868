"""The contents of a report: its tables and remarks, as the templates need them."""

import math
import re
from collections import Counter
from collections.abc import (
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import NamedTuple

from asplan.bench.records import (
    FILE,
    Record,
    Results,
    RunStart,
    unique,
)
from asplan.bench.reports.disagreements import Disagreement, FaultKind, group_by
from asplan.bench.reports.statistics import DEFINITIONS, MethodStatistics, Ratio
from asplan.bench.reports.stored_suite import methods_of
from asplan.bench.reports.values import PairedValues
from asplan.core.text import amount, printable, shortened
from asplan.engines import OLD_NAMES, engines
from asplan.version import __version__

NONE = "–"
"""The text of a table cell without a figure."""

_MARKDOWN_SIGNS = re.compile(r"[\\`*_\[\]|~$<>&@]|(?<=:)//|(?<=www)\.", re.IGNORECASE)
"""Characters that have a meaning in Markdown, or for programs that show it."""


def escape_markdown(text: str) -> str:
    r"""Return a line of Markdown that is shown as the given text.

    >>> print(escape_markdown("a|b <i>[x](y)"))
    a\|b \<i\>\[x\](y)
    """
    line = " ".join(printable(text).split())
    return _MARKDOWN_SIGNS.sub(lambda match: f"\\{match[0]}", line)


class Best(str):
    """The text of a cell with the least value of its row; templates emphasize it."""

    best = True


class ReportTable(NamedTuple):
    """A table; its first `words` columns contain words, the others figures."""

    columns: Iterable[str]
    rows: Collection[Iterable[object]]
    words: int = 1


def make_contents(
    results: Results,
    values: PairedValues,
    statistics: Sequence[MethodStatistics],
    disagreements: Iterable[Disagreement],
    baseline: str,
) -> dict[str, object]:
    """Return the variables of the report's templates by name."""
    return {
        "title": results.start.name or "Benchmark",
        "lead": _describe_benchmark(results, values) + _describe_rewriting(results.start),
        "wrong": _tabulate_disagreements(disagreements),
        "remarks": list(_find_remarks(results, values)),
        "around": _tabulate_circumstances(results),
        "methods": _tabulate_methods(values, statistics, baseline),
        "instances": _tabulate_instances(results, values),
        "ended": _tabulate_failures(results.records),
        "definitions": list(_define_columns(values, baseline)),
        "files": ReportTable(("file", "SHA-256"), results.start.files.items(), words=2),
    }


def _describe_benchmark(results: Results, values: PairedValues) -> str:
    """Return the first sentence of a report, with the numbers of methods, instances and trials."""
    methods = amount(len(values.methods), "method")
    instances = amount(len(values.instances), "instance")
    trials = amount(len(results.records), "trial")
    sentence = f"{methods} on {instances}, {trials}; compared by {values.measure.label}"
    if values.measure.is_time and values.is_limit:
        sentence += f", with a limit of {values.limit:g} s for each trial"
    return f"{sentence}."


def _describe_rewriting(start: RunStart) -> str:
    """Return a sentence that lists the methods with and without asplan's rewriting of programs.

    Empty if no method has an engine that can rewrite programs.
    """
    names: dict[str, list[str]] = {"on": [], "off": []}
    for name, entry in methods_of(start).items():
        if _grounds_programs(str(entry.get("engine", "asp"))):
            state = "off" if entry.get("rewrite") is False else "on"
            names[state].append(name)
    parts = [
        f"{state} for {shortened(', '.join(methods))}"
        for state, methods in names.items()
        if methods
    ]
    return f" asplan's rewriting of programs was {', '.join(parts)}." if parts else ""


def _grounds_programs(name: str) -> bool:
    """Return whether the engine with this name is known and has an option for rewriting."""
    engine = engines().get(OLD_NAMES.get(name, name))
    return engine is not None and "no_rewrite" in engine.options.forms()


def _tabulate_disagreements(disagreements: Iterable[Disagreement]) -> ReportTable:
    rows = []
    for disagreement in disagreements:
        text = disagreement.text
        if disagreement.fault is FaultKind.INVALID:
            text = f"{disagreement.methods[0]}: {text}"
        rows.append((disagreement.instance, disagreement.fault, text))
    return ReportTable(("instance", "what", "answers"), rows, words=3)


def _find_remarks(results: Results, values: PairedValues) -> Iterator[str]:
    if results.torn:
        yield torn_line(results)
    continuations = len(results.starts) - 1
    if continuations:
        yield f"The run was continued {amount(continuations, 'time')}."
    for changed in (
        _changed_keys([start.machine for start in results.starts]),
        _changed_keys([start.versions for start in results.starts]),
        _changed_keys([start.files for start in results.starts]),
    ):
        if changed:
            names = shortened(", ".join(changed))
            yield f"Before the run was continued, this changed: {names}. Trials may not compare."
    missing = _planned_pairs(values) - {(one.instance, one.method) for one in results.records}
    if missing:
        yield f"{amount(len(missing), 'pair')} of method and instance have no trial yet."


def _changed_keys(tables: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the keys whose values are not the same in all tables."""
    changed = []
    for key in unique(*tables):
        values = {table.get(key) for table in tables}
        if len(values) > 1:
            changed.append(key)
    return changed


def _planned_pairs(values: PairedValues) -> set[tuple[str, str]]:
    """Return the pairs of instance and method for which the suite has trials."""
    planned: set[tuple[str, str]] = set()
    for method in values.methods:
        column = values.planned[method]
        planned |= {(instance, method) for instance in values.instances if column[instance]}
    return planned


def torn_line(results: Results) -> str:
    """Return a remark that the last line of the results was not written completely."""
    return f"The last line of {FILE} was cut off and is left out: {shortened(results.torn, 60)}"


def _tabulate_circumstances(results: Results) -> ReportTable:
    start = results.start
    hosts = dict.fromkeys(record.host for record in results.records if record.host)
    rows = [
        *start.machine.items(),
        *start.versions.items(),
        # A single host is shown with the machine already.
        ("hosts", shortened(", ".join(hosts)) if len(hosts) > 1 else ""),
        ("begun", start.begun.replace("T", " ", 1)),
        ("report by", f"asplan {__version__}"),
    ]
    return ReportTable(("what", "value"), [row for row in rows if row[1]], words=2)


def _tabulate_methods(
    values: PairedValues, statistics: Sequence[MethodStatistics], baseline: str
) -> ReportTable:
    measure = values.measure
    columns = ["method", "trials", "failed", "solved", "optimal"]
    if measure.is_time:
        columns.append(f"PAR-2{measure.unit_suffix}")
    columns += [f"median{measure.unit_suffix}", "ratio", "95 % interval", "area"]
    rows = []
    for method in statistics:
        cells: list[object] = [
            method.method,
            method.trials,
            method.failed,
            method.solved,
            method.proven,
        ]
        if measure.is_time:
            cells.append(_format(values, method.par2))
        cells.append(_format(values, method.median))
        cells += ("1", "baseline") if method.method == baseline else ratio_cells(method.ratio)
        cells.append(NONE if method.share is None else f"{100 * method.share:.1f} %")
        rows.append(cells)
    return ReportTable(columns, rows)


def _format(values: PairedValues, value: float | None) -> str:
    return NONE if value is None else values.measure.format(value)


def ratio_cells(ratio: Ratio | None) -> tuple[str, str]:
    """Return two texts: a ratio, and its interval with the number of instances.

    For None, return two texts that stand for a missing figure.
    """
    if ratio is None:
        return NONE, NONE
    interval = NONE
    if ratio.low is not None and ratio.high is not None:
        interval = f"{_format_factor(ratio.low)} to {_format_factor(ratio.high)}"
    return _format_factor(ratio.mean), f"{interval} (n = {ratio.over})"


def _format_factor(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def _define_columns(values: PairedValues, baseline: str) -> Iterator[tuple[str, str]]:
    for name, text in DEFINITIONS.items():
        if name == "PAR-2" and not values.measure.is_time:
            continue
        if name == "PAR-2" and not values.is_limit:
            text += "; the suite has none, so the largest time seen stands for it"
        yield name, text.replace("the baseline", f"the baseline {baseline}")


def _tabulate_instances(results: Results, values: PairedValues) -> ReportTable:
    """Return a table with the value of each method on each instance, or its most common failure."""
    groups = results.start.groups
    trials = group_by(results.records, lambda record: (record.instance, record.method))
    rows = []
    for instance in values.instances:
        texts = _format_values(values, instance)
        cells = [
            texts.get(method) or _common_failure(trials.get((instance, method), ()))
            for method in values.methods
        ]
        group = [groups.get(instance, "")] if groups else []
        rows.append([instance, *group, *cells])
    heads = ("instance", "group") if groups else ("instance",)
    return ReportTable((*heads, *values.methods), rows, words=len(heads))


def _format_values(values: PairedValues, instance: str) -> dict[str, str]:
    """Map methods to their formatted values on an instance; the least values are
    marked as `Best`.
    """
    medians = {method: float(values.median.loc[instance, method]) for method in values.methods}
    texts = {
        method: values.measure.format(value)
        for method, value in medians.items()
        if value < math.inf
    }
    if not texts or len(medians) < 2:
        return texts
    best = texts[min(texts, key=lambda method: medians[method])]
    return {method: Best(text) if text == best else text for method, text in texts.items()}


def _common_failure(records: Iterable[Record]) -> str:
    failures = Counter(_failure_of(record) for record in records if not record.answered)
    if not failures:
        return NONE
    [(failure, _)] = failures.most_common(1)
    return failure


def _failure_of(record: Record) -> str:
    if record.invalid:
        return "invalid"
    if record.error:
        return "error"
    return str(record.stopped) if record.stopped else "open"


def _tabulate_failures(records: Iterable[Record]) -> ReportTable:
    """Return a table of the trials without an answer.

    Trials of a method on an instance share a row if they ended with the same error, or at limits of
    the same kind.
    """
    failed = (record for record in records if not record.answered)
    alike = group_by(failed, lambda one: (one.instance, one.method, _cause_of(one)))
    rows = [
        (instance, method, _describe_failures(trials), len(trials))
        for (instance, method, _), trials in alike.items()
    ]
    return ReportTable(("instance", "method", "what ended it", "trials"), rows, words=3)


def _cause_of(record: Record) -> str:
    """Return the error, the kind of limit, or the reason that ended a trial."""
    return record.error or record.stopped or record.reason


def _describe_failures(records: Sequence[Record]) -> str:
    """Return the error or the reason of trials; for several reasons, their common beginning."""
    first = records[0]
    if first.error:
        return shortened(first.error)
    reason = _common_beginning([record.reason for record in records])
    if first.stopped:  # the reason names the limit
        return shortened(reason) or f"{first.stopped} limit"
    return f"no answer: {shortened(reason)}" if reason else "no answer"


def _common_beginning(texts: Sequence[str]) -> str:
    """Return the words with which all texts begin, and an ellipsis if a text goes on.

    >>> _common_beginning(["10 s reached at horizon 3", "10 s reached at horizon 4"])
    '10 s reached at horizon …'
    """
    if len(set(texts)) == 1:
        return texts[0]
    shared = []
    for words in zip(*(text.split() for text in texts), strict=False):
        if len(set(words)) > 1:
            break
        shared.append(words[0])
    return " ".join([*shared, "…"]) if shared else ""
