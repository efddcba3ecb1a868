"""Values of methods on instances, as tables.

The value of a method on an instance is the median of a measure over its repetitions. A repetition
without an answer counts as infinite. So an instance is solved if more than half of its repetitions
are.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from asplan.bench.records import Record, Results, RunStart
from asplan.bench.reports.stored_suite import groups_of, limits_of, methods_of
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError, nearest, needs_extra

if TYPE_CHECKING:
    from pandas import DataFrame, Series

_LARGEST = 1e15
"""The least value that cannot have been measured, though a file of results may contain it."""


@dataclass(frozen=True)
class Measure:
    """A field of a record by which methods are compared.

    `digits` is the number of decimals to print. Differences below `least` count as noise.
    """

    name: str
    label: str
    unit: str
    digits: int
    least: float

    @property
    def is_time(self) -> bool:
        """True for a measure in seconds."""
        return self.unit == "s"

    @property
    def is_noisy(self) -> bool:
        """True for a measure that differs from run to run: time and memory, but not counts."""
        return bool(self.unit)

    @property
    def unit_suffix(self) -> str:
        """The unit in brackets, to append to the label of a column or an axis; empty without a
        unit.
        """
        return f" [{self.unit}]" if self.unit else ""

    def format(self, value: float) -> str:
        """Return a value with `digits` decimals.

        For a positive value that would be rounded to zero, return a text such as `<0.01`.
        """
        least = 10.0**-self.digits
        if 0 < value < least / 2:
            return f"<{least:.{self.digits}f}"
        return f"{value:.{self.digits}f}"


_ALL_MEASURES = (
    Measure("cpu", "CPU time", "s", 2, 0.05),
    Measure("wall", "wall-clock time", "s", 2, 0.05),
    Measure("memory", "memory", "MB", 1, 5.0),
    Measure("conflicts", "conflicts", "", 0, 10),
    Measure("expanded", "expanded states", "", 0, 10),
)

MEASURES = {measure.name: measure for measure in _ALL_MEASURES}
"""The measures by name; the first is the default."""


@dataclass(frozen=True)
class PairedValues:
    """The values of methods on instances, both in the order of the suite.

    All tables except `trials` have instances as rows and methods as columns.

    Attributes
    ----------
    limit
        The end of the axes in charts: the time limit in seconds if the suite has one and the
        measure is a time, else the largest value that was measured.
    is_limit
        True if `limit` is the time limit.
    planned
        Booleans: whether the suite runs the method on the instance.
    trials
        A row for each trial: `instance`, `method`, `answered`, `proven`, `failed`, `value`.
    solved, proven
        Booleans: whether more than half of the repetitions are solved, or proven.
    median
        Infinite if the instance is not solved, NaN if nothing was measured.
    """

    measure: Measure
    methods: tuple[str, ...]
    instances: tuple[str, ...]
    limit: float
    is_limit: bool
    planned: DataFrame
    trials: DataFrame
    solved: DataFrame
    proven: DataFrame
    median: DataFrame

    def finite_values(self, method: str) -> list[float]:
        """Return the finite values of a method, sorted."""
        return sorted(value for value in self.median[method] if math.isfinite(value))


def read_values(results: Results, by: str = "cpu") -> PairedValues:
    """Arrange the values of all trials as tables.

    Parameters
    ----------
    by
        The name of the measure, one of `MEASURES`.

    Raises
    ------
    UsageError
        There is no such measure, or no trial.
    """
    if by not in MEASURES:
        raise UsageError(f"no measure {by!r}", hint=nearest(by, MEASURES, noun="measures"))
    if not results.records:
        raise UsageError("no trial has ended, so there is nothing to report")
    measure = MEASURES[by]
    methods = results.methods
    instances = results.instances
    trials = _tabulate_trials(results.records, by)
    groups = trials.groupby(["instance", "method"])

    def pivot(column: Series) -> DataFrame:
        return column.unstack("method").reindex(index=list(instances), columns=list(methods))

    limit = _time_limit(results.start, by) if measure.is_time else None
    finite = [value for value in trials["value"] if math.isfinite(value)]
    largest = max(finite, default=0.0)
    return PairedValues(
        measure=measure,
        methods=methods,
        instances=instances,
        limit=largest if limit is None else limit,
        is_limit=limit is not None,
        planned=_tabulate_plan(results.start, methods, instances),
        trials=trials,
        solved=pivot(groups["answered"].mean()) > 0.5,
        proven=pivot(groups["proven"].mean()) > 0.5,
        median=pivot(groups["value"].median()),
    )


def _tabulate_trials(records: Iterable[Record], by: str) -> DataFrame:
    """Return a row for each trial, with the value of the measure that is named `by`.

    The value is infinite for a trial without an answer. A negative value, or one of `_LARGEST` or
    more, cannot have been measured, and becomes NaN.
    """
    rows = [
        {
            "instance": record.instance,
            "method": record.method,
            "answered": record.answered,
            "proven": record.answered and record.proven,
            "failed": bool(record.error),
            "value": getattr(record, by) if record.answered else math.inf,
        }
        for record in records
    ]
    trials = import_library("pandas").DataFrame(rows)
    values = trials["value"].astype(float)
    is_possible = (values >= 0) & ((values < _LARGEST) | (values == math.inf))
    trials["value"] = values.where(is_possible)
    return trials


def _tabulate_plan(start: RunStart, methods: Sequence[str], instances: Sequence[str]) -> DataFrame:
    """Return a table of booleans: whether a method (column) runs on an instance (row)."""
    entries = methods_of(start)
    planned: dict[str, list[bool]] = {}
    for method in methods:
        on = groups_of(entries.get(method, {}))
        planned[method] = [not on or start.groups.get(instance) in on for instance in instances]
    return import_library("pandas").DataFrame(planned, index=list(instances))


def _time_limit(start: RunStart, by: str) -> float | None:
    """Return the suite's limit on the time of a measure, in seconds; None if there is none.

    `by` is the name of the measure. A limit of processor time is preferred for `cpu`.
    """
    limits = limits_of(start)
    keys = ("cpu_seconds", "seconds") if by == "cpu" else ("seconds",)
    for key in keys:
        seconds = limits.get(key)
        if isinstance(seconds, int | float) and 0 < seconds < _LARGEST:
            return float(seconds)
    return None


def import_library(name: str) -> ModuleType:
    """Import a module of the extra `bench`; raise `MissingExtra` if it is not installed."""
    with needs_extra("the statistics of benchmarks need {}, which is not installed", "bench"):
        return importlib.import_module(name)
