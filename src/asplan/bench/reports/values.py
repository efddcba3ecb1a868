"""What the trials of a benchmark come to: a value for each instance and method.

A trial has an answer (a plan, or a proof that there is none) or has none. The value of a method on
an instance is the median over the repetitions, where one without an answer counts as infinite; so
an instance counts as solved where more than half of the repetitions have an answer, and what a
single repetition does wrong spoils nothing.
"""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from asplan.bench.records import Record, Results, Start
from asplan.errors import MissingExtra, UsageError, nearest

_MOST = 1e15
"""No measure is as large, whatever a file says."""


@dataclass(frozen=True)
class Measure:
    """What methods are compared by.

    Attributes
    ----------
    name
        The field of a record.
    label, unit
        In words, and as it stands behind a number.
    digits
        Decimal places that are shown.
    least
        A smaller difference between two trials is never told as one.
    """

    name: str
    label: str
    unit: str = ""
    digits: int = 0
    least: float = 0.0

    @property
    def is_time(self) -> bool:
        """Whether the time limit of the suite bounds it."""
        return self.unit == "s"

    def shown(self, value: float) -> str:
        """A value as a table shows it."""
        least = 10.0**-self.digits
        return f"<{least:.{self.digits}f}" if 0 < value < least / 2 else f"{value:.{self.digits}f}"


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("cpu", "CPU time", "s", 2, 0.05),
        Measure("wall", "wall-clock time", "s", 2, 0.05),
        Measure("memory", "memory", "MB", 1, 5.0),
        Measure("conflicts", "conflicts", "", 0, 10),
        Measure("expanded", "expanded states", "", 0, 10),
    )
}
"""By name; the first is the default."""


@dataclass(frozen=True)
class Values:
    """The values of methods on instances.

    Attributes
    ----------
    methods, instances
        In the order of the suite.
    limit
        The time limit in seconds where the measure is a time and the suite has one; else the
        largest value seen.
    is_limit
        Whether it is the time limit.
    asked
        A data frame of instances (rows) by methods (columns): whether the suite has such trials; a
        method may be for some groups of instances only.
    runs
        A data frame with a row for each trial: `instance`, `method`, `answered`,
        `proven`, `failed`, and `value`, infinite where there is no answer.
    solved, proven, median
        Data frames of the same shape: whether more than half of the
        repetitions have an answer, or a proof; and the median value, infinite where the instance
        is not solved, NaN where nothing was measured or there is no trial.
    """

    measure: Measure
    methods: tuple[str, ...]
    instances: tuple[str, ...]
    limit: float
    is_limit: bool
    asked: Any
    runs: Any
    solved: Any
    proven: Any
    median: Any

    def of(self, method: str) -> list[float]:
        """The finite values of a method, from the least on."""
        return sorted(v for v in self.median[method] if math.isfinite(v))

    def share_instances(self, one: str, other: str) -> bool:
        """Whether two methods are both to solve some instance, and each has solved any."""
        shared = bool((self.asked[one] & self.asked[other]).any())
        return shared and bool(self.of(one)) and bool(self.of(other))


def read_values(results: Results, by: str = "cpu") -> Values:
    """The values of all trials.

    Parameters
    ----------
    by
        One of `MEASURES`.

    Raises
    ------
    UsageError
        There is no such measure, or no trial has ended.
    MissingExtra
        pandas is not installed.
    """
    if by not in MEASURES:
        raise UsageError(f"no measure {by!r}", hint=nearest(by, MEASURES, noun="measures"))
    if not results.records:
        raise UsageError("no trial has ended, so there is nothing to report")
    measure = MEASURES[by]
    methods, instances = names_of(results)
    runs = _runs(results, by)
    trials = runs.groupby(["instance", "method"])

    def table(of: Any) -> Any:
        return of.unstack("method").reindex(index=instances, columns=methods)

    limit = time_limit(results.start, by) if measure.is_time else None
    finite = [value for value in runs["value"] if math.isfinite(value)]
    return Values(
        measure,
        methods,
        instances,
        max(finite, default=0.0) if limit is None else limit,
        limit is not None,
        _asked(results.start, methods, instances),
        runs,
        table(trials["answered"].mean()) > 0.5,
        table(trials["proven"].mean()) > 0.5,
        table(trials["value"].median()),
    )


def _asked(start: Start, methods: Sequence[str], instances: Sequence[str]) -> Any:
    entries = methods_of(start)
    only = {method: entries.get(method, {}).get("on") for method in methods}
    columns = {
        method: [not groups or start.groups.get(instance) in groups for instance in instances]
        for method, groups in ((m, g if isinstance(g, list) else None) for m, g in only.items())
    }
    return import_library("pandas").DataFrame(columns, index=list(instances))


def _runs(results: Results, by: str) -> Any:
    rows = [
        {
            "instance": record.instance,
            "method": record.method,
            "answered": answered(record),
            "proven": answered(record) and record.proven,
            "failed": bool(record.error),
            "value": _value(record, by),
        }
        for record in results.records
    ]
    return import_library("pandas").DataFrame(rows)


def answered(record: Record) -> bool:
    """Whether a trial has an answer that was not refused."""
    return record.solved and not record.error and not record.invalid


def _value(record: Record, by: str) -> float:
    if not answered(record):
        return math.inf
    value = getattr(record, by)
    return float(value) if value is not None and 0 <= value < _MOST else math.nan


def names_of(results: Results) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The methods and the instances, in the order of the suite."""
    methods = [name for start in results.starts for name in start.methods]
    instances = [name for start in results.starts for name in start.instances]
    methods += [record.method for record in results.records]
    instances += [record.instance for record in results.records]
    return tuple(dict.fromkeys(methods)), tuple(dict.fromkeys(instances))


def suite_of(start: Start) -> dict[str, Any]:
    """What the suite says, as plain data; nothing where that is no object of JSON."""
    try:
        suite = json.loads(start.suite)
    except (ValueError, RecursionError):
        return {}
    return suite if isinstance(suite, dict) else {}


def methods_of(start: Start) -> dict[str, dict[str, Any]]:
    """What the suite says of each method, by its name."""
    found = suite_of(start).get("methods")
    entries = found if isinstance(found, list) else []
    return {str(entry.get("name")): entry for entry in entries if isinstance(entry, dict)}


def time_limit(start: Start, by: str) -> float | None:
    """The seconds that a trial has, if the suite says so: those of the processor come first."""
    limits = suite_of(start).get("limits")
    if not isinstance(limits, dict):
        return None
    given = [limits.get("cpu_seconds")] if by == "cpu" else []
    for seconds in (*given, limits.get("seconds")):
        if isinstance(seconds, int | float) and 0 < seconds < _MOST:
            return float(seconds)
    return None


def import_library(name: str) -> Any:
    """A module of the extra `bench`; raises `MissingExtra` if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise MissingExtra(
            f"the statistics of benchmarks need {package}, which is not installed",
            hint="pip install 'asplan[bench]'",
        ) from None
