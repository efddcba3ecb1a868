"""What a report says, in tables and sentences; a page and Markdown show the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from asplan.bench.records import FILE, Record, Results
from asplan.bench.reports.disagreements import Disagreement, Wrong
from asplan.bench.reports.statistics import DEFINITIONS, MethodStatistics, Ratio
from asplan.bench.reports.values import Values, answered
from asplan.figures import styles
from asplan.text import shortened
from asplan.version import __version__

NONE = "–"
"""What stands where there is no figure."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    best
        Whether it is the best of its row.
    colour
        Of the method that it names, in the charts.
    """

    text: str
    best: bool = False
    colour: str = ""


@dataclass(frozen=True)
class Table:
    """A table; the first `words` columns hold words, the others figures."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    words: int = 1


@dataclass(frozen=True)
class Contents:
    """All of a report but its charts.

    Attributes
    ----------
    lead
        What was measured, in one line.
    wrong
        The disagreements; they come first.
    remarks
        What to know before the figures are compared.
    ended
        The trials without an answer.
    around
        Machine, versions and suite.
    files
        The input files.
    definitions
        Of the columns of the table of methods.
    """

    title: str
    lead: str
    wrong: Table
    remarks: tuple[str, ...]
    around: Table
    methods: Table
    instances: Table
    ended: Table
    definitions: tuple[tuple[str, str], ...]
    files: Table


def make_contents(
    results: Results,
    values: Values,
    found: Sequence[MethodStatistics],
    wrong: Sequence[Disagreement],
    baseline: str,
) -> Contents:
    """What a report says of results."""
    methods, instances = len(values.methods), len(values.instances)
    done = len(results.records)
    lead = (
        f"{_count(methods, 'method')} on {_count(instances, 'instance')}, "
        f"{_count(done, 'trial')}; compared by {values.measure.label}"
    )
    if values.measure.is_time and values.is_limit:
        lead += f", with a limit of {values.limit:g} s for each trial"
    return Contents(
        title=results.start.name or "Benchmark",
        lead=f"{lead}.",
        wrong=_wrong(wrong),
        remarks=tuple(_remarks(results, values)),
        around=_around(results),
        methods=_methods(values, found, baseline),
        instances=_instances(results, values),
        ended=_ended(results.records),
        definitions=tuple(_definitions(values, baseline)),
        files=_table(("file", "SHA-256"), results.start.files.items(), words=2),
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _table(columns: Sequence[str], rows: Iterable[Iterable[str]], words: int = 1) -> Table:
    return Table(tuple(columns), tuple(tuple(map(Cell, row)) for row in rows), words)


def _wrong(wrong: Iterable[Disagreement]) -> Table:
    rows = (
        (d.instance, d.wrong, f"{d.methods[0]}: {d.text}" if d.wrong is Wrong.INVALID else d.text)
        for d in wrong
    )
    return _table(("instance", "what", "answers"), rows, words=3)


def _remarks(results: Results, values: Values) -> Iterator[str]:
    if results.torn:
        yield torn_line(results)
    if len(results.starts) > 1:
        yield f"The work was taken up again {_count(len(results.starts) - 1, 'time')}."
    for what in ("machine", "versions", "files"):
        said = [getattr(start, what) for start in results.starts]
        keys = dict.fromkeys(key for one in said for key in one)
        if other := [key for key in keys if len({one.get(key) for one in said}) > 1]:
            names = shortened(", ".join(other))
            yield f"Between two times of work this changed, so trials may not compare: {names}."
    pairs = {(record.instance, record.method) for record in results.records}
    asked = ((i, m) for m in values.methods for i in values.instances if values.asked.loc[i, m])
    if missing := len(set(asked) - pairs):
        yield f"{_count(missing, 'pair')} of method and instance have no trial yet."


def torn_line(results: Results) -> str:
    """What to say of a last line that was cut off."""
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
    return _table(("what", "value"), [row for row in rows if row[1]], words=2)


# The methods


def _methods(values: Values, found: Sequence[MethodStatistics], baseline: str) -> Table:
    unit = f" [{values.measure.unit}]" if values.measure.unit else ""
    columns = ["method", "trials", "failed", "solved", "optimal"]
    columns += [f"PAR-2{unit}"] if values.measure.is_time else []
    columns += [f"median{unit}", "ratio", "95 % interval", "area"]
    look = styles(values.methods)
    rows = tuple(
        tuple(_method(values, one, look[one.method][0], one.method == baseline)) for one in found
    )
    return Table(tuple(columns), rows)


def _method(
    values: Values, found: MethodStatistics, colour: str, is_baseline: bool
) -> Iterator[Cell]:
    def shown(value: float | None) -> Cell:
        return Cell(NONE if value is None else values.measure.shown(value))

    yield Cell(found.method, colour=colour)
    for number in (found.trials, found.failed, found.solved, found.proven):
        yield Cell(str(number))
    if values.measure.is_time:
        yield shown(found.par2)
    yield shown(found.median)
    yield from ([Cell("1"), Cell("baseline")] if is_baseline else map(Cell, ratio(found.ratio)))
    yield Cell(NONE if found.share is None else f"{found.share:.1%}".replace("%", " %"))


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


# The instances


def _instances(results: Results, values: Values) -> Table:
    groups = results.start.groups
    by_trial: dict[tuple[str, str], list[Record]] = {}
    for record in results.records:
        by_trial.setdefault((record.instance, record.method), []).append(record)
    rows = []
    for instance in values.instances:
        own = {m: float(values.median.loc[instance, m]) for m in values.methods}
        texts = {m: values.measure.shown(v) for m, v in own.items() if v < math.inf}
        best = texts.get(min(texts, key=lambda m: own[m], default=""), "")
        cells = (
            Cell(texts[m], best=texts[m] == best and len(own) > 1)
            if m in texts
            else Cell(_unsolved(by_trial.get((instance, m), ())))
            for m in values.methods
        )
        group = [Cell(groups.get(instance, ""))] if groups else []
        rows.append((Cell(instance), *group, *cells))
    heads = ("instance", "group") if groups else ("instance",)
    return Table((*heads, *values.methods), tuple(rows), words=len(heads))


def _unsolved(records: Iterable[Record]) -> str:
    """Why there is no value: what ended most of the trials without an answer."""
    ways = Counter(
        "invalid" if r.invalid else "error" if r.error else r.stopped or "open"
        for r in records
        if not answered(r)
    )
    return str(ways.most_common(1)[0][0]) if ways else NONE


def _ended(records: Iterable[Record]) -> Table:
    """Instance by instance what ended trials without an answer, and how many of them."""
    ends = Counter(
        (r.instance, r.method, _end(r)) for r in records if r.error or not r.solved or r.invalid
    )
    rows = ((*what, str(number)) for what, number in ends.items())
    return _table(("instance", "method", "what ended it", "trials"), rows, words=3)


def _end(record: Record) -> str:
    if record.error:
        return shortened(record.error)
    stopped = f"{record.stopped} limit" if record.stopped else "no answer"
    return f"{stopped}: {shortened(record.reason)}" if record.reason else stopped
