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
from asplan.core.errors import MissingExtra, UsageError, nearest

_MOST = 1e15
"""No measure is as large, whatever a file says."""


@dataclass(frozen=True)
class Measure:
    """What methods are compared by: a field of a record, and how it is shown.

    A difference between two trials that is smaller than `least` is never reported as one.
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

    @property
    def bracket(self) -> str:
        """The unit as it stands behind the name of a column or an axis."""
        return f" [{self.unit}]" if self.unit else ""

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
    """The values of methods on instances, both in the order of the suite.

    `limit` is the time limit in seconds where the measure is a time and the suite has one
    (`is_limit`), else the largest value seen. `runs` is a data frame with a row for each trial:
    `instance`, `method`, `answered`, `proven`, `failed`, and `value`, infinite without an answer.
    The other data frames have instances as rows and methods as columns: whether the suite `has`
    such trials; whether more than half of the repetitions are `solved` or `proven`; and the
    `median`, infinite where the instance is not solved, NaN where nothing was measured.
    """

    measure: Measure
    methods: tuple[str, ...]
    instances: tuple[str, ...]
    limit: float
    is_limit: bool
    has: Any
    runs: Any
    solved: Any
    proven: Any
    median: Any

    def of(self, method: str) -> list[float]:
        """The finite values of a method, from the least on."""
        return sorted(v for v in self.median[method] if math.isfinite(v))

    def share_instances(self, one: str, other: str) -> bool:
        """Whether two methods are both to solve some instance, and each has solved any."""
        shared = bool((self.has[one] & self.has[other]).any())
        return shared and bool(self.of(one)) and bool(self.of(other))


def read_values(results: Results, by: str = "cpu") -> Values:
    """The values of all trials, by one of `MEASURES`.

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
    methods = dict.fromkeys(m for start in results.starts for m in start.methods)
    instances = dict.fromkeys(i for start in results.starts for i in start.instances)
    methods |= dict.fromkeys(record.method for record in results.records)
    instances |= dict.fromkeys(record.instance for record in results.records)
    rows = [
        {
            "instance": record.instance,
            "method": record.method,
            "answered": is_answered(record),
            "proven": is_answered(record) and record.proven,
            "failed": bool(record.error),
            "value": getattr(record, by) if is_answered(record) else math.inf,
        }
        for record in results.records
    ]
    pandas = import_library("pandas")
    runs = pandas.DataFrame(rows)
    values = runs["value"].astype(float)
    runs["value"] = values.where((values >= 0) & ((values < _MOST) | (values == math.inf)))
    trials = runs.groupby(["instance", "method"])

    def table(of: Any) -> Any:
        return of.unstack("method").reindex(index=list(instances), columns=list(methods))

    limit = time_limit(results.start, by) if MEASURES[by].is_time else None
    finite = [value for value in runs["value"] if math.isfinite(value)]
    return Values(
        MEASURES[by],
        tuple(methods),
        tuple(instances),
        max(finite, default=0.0) if limit is None else limit,
        limit is not None,
        _trials_of(results.start, list(methods), list(instances)),
        runs,
        table(trials["answered"].mean()) > 0.5,
        table(trials["proven"].mean()) > 0.5,
        table(trials["value"].median()),
    )


def _trials_of(start: Start, methods: Sequence[str], instances: Sequence[str]) -> Any:
    """Whether the suite has trials: a method may be for some groups of instances only."""
    entries, columns = methods_of(start), {}
    for method in methods:
        groups = entries.get(method, {}).get("on")
        only = groups if isinstance(groups, list) else []
        columns[method] = [not only or start.groups.get(i) in only for i in instances]
    return import_library("pandas").DataFrame(columns, index=instances)


def is_answered(record: Record) -> bool:
    """Whether a trial has an answer that was not refused."""
    return record.solved and not record.error and not record.invalid


def suite_of(start: Start) -> dict[str, Any]:
    """What the suite says, as plain data; nothing where that is no object of JSON."""
    try:
        suite = json.loads(start.suite)
    except (ValueError, RecursionError):
        return {}
    return suite if isinstance(suite, dict) else {}


def methods_of(start: Start) -> dict[str, dict[str, Any]]:
    """What the suite says of each method, by its name."""
    entries = suite_of(start).get("methods")
    if not isinstance(entries, list):
        return {}
    return {str(entry.get("name")): entry for entry in entries if isinstance(entry, dict)}


def time_limit(start: Start, by: str) -> float | None:
    """The seconds that a trial has, if the suite says so: those of the processor come first."""
    limits = suite_of(start).get("limits")
    if not isinstance(limits, dict):
        return None
    for key in ("cpu_seconds", "seconds") if by == "cpu" else ("seconds",):
        seconds = limits.get(key)
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
