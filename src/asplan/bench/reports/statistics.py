"""What the trials of a benchmark come to: values of methods on instances, and figures of them.

The value of a method on an instance is the median over the repetitions, where one without an answer
counts as infinite; so an instance is solved where more than half of them have one. Each figure is
defined once, here, and explained to the reader of a report in the same words.
"""

import importlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from asplan.bench.records import Results, Start
from asplan.core.errors import UsageError, nearest, needs_extra

Suite = TypeVar("Suite")

_MOST = 1e15  # no measure is as large, whatever a file says


@dataclass(frozen=True)
class Measure:
    """What methods are compared by: a field of a record; a difference below `least` is none."""

    name: str
    label: str
    unit: str
    digits: int
    least: float

    @property
    def is_time(self) -> bool:
        return self.unit == "s"

    @property
    def bracket(self) -> str:
        """The unit as it stands behind the name of a column or an axis."""
        return f" [{self.unit}]" if self.unit else ""

    def shown(self, value: float) -> str:
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

    `limit` is the time limit in seconds, if there is one (`is_limit`), else the largest value.
    `runs` is a data frame with a row for each trial. The others have instances as rows and methods
    as columns: whether the suite `has` such trials; whether most repetitions are `solved` or
    `proven`; and the `median`, infinite where the instance is not solved, NaN where nothing was
    measured.
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


def read_values(results: Results, by: str = "cpu") -> Values:
    """The values of all trials, by one of `MEASURES`; `UsageError` where there are none."""
    if by not in MEASURES:
        raise UsageError(f"no measure {by!r}", hint=nearest(by, MEASURES, noun="measures"))
    if not results.records:
        raise UsageError("no trial has ended, so there is nothing to report")
    starts, records = results.starts, results.records
    asked = [name for start in starts for name in start.instances]
    methods = [*dict.fromkeys([m for s in starts for m in s.methods] + [r.method for r in records])]
    instances = list(dict.fromkeys(asked + [record.instance for record in records]))
    runs = import_library("pandas").DataFrame(
        {
            "instance": record.instance,
            "method": record.method,
            "answered": record.answered,
            "proven": record.answered and record.proven,
            "failed": bool(record.error),
            "value": getattr(record, by) if record.answered else math.inf,
        }
        for record in records
    )
    values = runs["value"].astype(float)
    runs["value"] = values.where((values >= 0) & ((values < _MOST) | (values == math.inf)))
    trials = runs.groupby(["instance", "method"])

    def table(of: Any) -> Any:
        return of.unstack("method").reindex(index=instances, columns=methods)

    known, groups, has = methods_of(results.start), results.start.groups, {}
    for method in methods:  # one may be for some groups of instances only
        on = known.get(method, {}).get("on")
        only = on if isinstance(on, list) else []
        has[method] = [not only or groups.get(instance) in only for instance in instances]
    limit = _time_limit(results.start, by) if MEASURES[by].is_time else None
    finite = [value for value in runs["value"] if math.isfinite(value)]
    most = max(finite, default=0.0) if limit is None else limit
    solved, proven = (table(trials[name].mean()) > 0.5 for name in ("answered", "proven"))
    there = import_library("pandas").DataFrame(has, index=instances)
    tables = there, runs, solved, proven, table(trials["value"].median())
    return Values(MEASURES[by], tuple(methods), tuple(instances), most, limit is not None, *tables)


class _Suite(msgspec.Struct):
    methods: list[dict[str, Any]] = []
    limits: dict[str, Any] = {}


def suite_of(start: Start, kind: type[Suite]) -> Suite:
    """What the suite says, as plain data; nothing where that is of another shape."""
    try:
        return msgspec.json.decode(start.suite, type=kind)
    except (msgspec.MsgspecError, RecursionError):
        return kind()


def methods_of(start: Start) -> dict[str, dict[str, Any]]:
    return {str(entry.get("name")): entry for entry in suite_of(start, _Suite).methods}


def _time_limit(start: Start, by: str) -> float | None:
    limits = suite_of(start, _Suite).limits
    for key in ("cpu_seconds", "seconds") if by == "cpu" else ("seconds",):
        seconds = limits.get(key)
        if isinstance(seconds, int | float) and 0 < seconds < _MOST:
            return float(seconds)
    return None


def import_library(name: str) -> Any:
    """A module of the extra `bench`; raises `MissingExtra` if it is not installed."""
    with needs_extra("the statistics of benchmarks need {}, which is not installed", "bench"):
        return importlib.import_module(name)


SEED = 1  # of the bootstrap, so that a report of the same results is the same
BINS = 5  # the most groups of instances by the length of the shortest plan
_BATCH = 1_000_000  # numbers that are drawn at a time

DEFINITIONS = {
    "solved": "instances on which more than half of the repetitions have an answer: a plan, or a "
    "proof that there is none",
    "optimal": "instances on which more than half of the repetitions leave nothing open: the plan "
    "is proven best, or there is proven to be none",
    "PAR-2": "the mean over all trials, where one without an answer counts as twice the time limit",
    "median": "over all instances, each with the median of its repetitions; none is given where "
    "half of the instances or more are not solved",
    "ratio": "the geometric mean, over the instances that both have solved, of the value divided "
    "by that of the baseline; below 1 is better. The interval holds the mean in 95 % of 9999 "
    "bootstrap samples of those instances (percentiles)",
    "area": "below the staircase that gives, for each value from 0 to the limit, the number of "
    "instances solved within it; in percent of what a method has that solves all at once",
}
"""Of the columns of the table of methods."""


@dataclass(frozen=True)
class Ratio:
    """A geometric mean of so many ratios, with its confidence interval where there are two."""

    mean: float
    low: float | None
    high: float | None
    over: int


@dataclass(frozen=True)
class MethodStatistics:
    """A row of the table of methods; see `DEFINITIONS`."""

    method: str
    trials: int
    solved: int
    proven: int
    failed: int
    par2: float | None
    median: float | None
    ratio: Ratio | None
    area: float | None
    share: float | None


def method_statistics(values: Values, baseline: str) -> tuple[MethodStatistics, ...]:
    """The figures of all methods, in the order of the suite; ratios are given to the baseline."""

    def row(method: str) -> MethodStatistics:
        runs, medians = values.runs[values.runs["method"] == method], values.median[method]
        solved = values.of(method)
        area = area_below(solved, values.limit) if solved else None
        full = values.limit * int(values.has[method].sum())
        median = float(medians.median())  # NaN is left out, infinite values are not
        return MethodStatistics(
            method,
            trials=len(runs),
            solved=int(values.solved[method].sum()),
            proven=int(values.proven[method].sum()),
            failed=int(runs["failed"].sum()),
            par2=par2(runs["value"], values.limit) if values.measure.is_time else None,
            median=median if math.isfinite(median) else None,
            ratio=None if method == baseline else mean_ratio(medians, values.median[baseline]),
            area=area,
            share=area / full if area is not None and full else None,
        )

    return tuple(map(row, values.methods))


def par2(times: Iterable[float], limit: float) -> float | None:
    """The mean of times in which an infinite one counts twice the limit; None where there is none.

    >>> par2([1.0, 2.0, math.inf], 60.0)
    41.0
    """
    counted = [2 * limit if time == math.inf else time for time in times if not math.isnan(time)]
    return math.fsum(counted) / len(counted) if counted else None


def area_below(solved: Iterable[float], limit: float) -> float:
    """The area below the staircase of solved instances from 0 to a limit.

    An instance that is solved at `t` counts from there on, so it adds `limit - t`. It is not the
    sum of times that are added up one after the other, as one that solves the instances in turn
    would need; that has no place for those that are not solved.

    >>> area_below([1.0, 4.0], 10.0)
    15.0
    """
    return math.fsum(max(0.0, limit - value) for value in solved)


def mean_ratio(new: Iterable[float], old: Iterable[float]) -> Ratio | None:
    """The geometric mean of new by old values above 0, with its interval by a bootstrap of logs."""
    pairs = zip(new, old, strict=True)
    logs = [math.log(a / b) for a, b in pairs if 0 < a < math.inf and 0 < b < math.inf]
    if not logs:
        return None
    mean = math.exp(math.fsum(logs) / len(logs))
    if len(logs) < 2:
        return Ratio(mean, None, None, len(logs))
    import numpy as np

    how = {"confidence_level": 0.95, "n_resamples": 9999, "method": "percentile"}
    how |= {"batch": max(1, _BATCH // len(logs)), "rng": np.random.default_rng(SEED)}
    interval = import_library("scipy.stats").bootstrap((logs,), np.mean, **how).confidence_interval
    return Ratio(mean, math.exp(interval.low), math.exp(interval.high), len(logs))


@dataclass(frozen=True)
class Coverage:
    """Instances in groups (`bins`), by what is said: how many each method is to solve, and has."""

    by: str
    bins: tuple[str, ...]
    sizes: dict[str, tuple[int, ...]]
    solved: dict[str, tuple[int, ...]]


def coverage(values: Values, optima: Mapping[str, int]) -> Coverage:
    """Group instances by optimal horizon, if half are known, else by the fastest method's value."""
    if 2 * len(optima) >= len(values.instances) and len(set(optima.values())) > 1:
        by, groups = "steps of the shortest plan", _by_horizon(values, optima)
    else:
        unit = f" in {values.measure.unit}" if values.measure.unit else ""
        by, groups = f"{values.measure.label} of the best method{unit}", _by_value(values)
    sizes, solved = (
        {m: tuple(int(table.loc[own, m].sum()) for own in groups.values()) for m in values.methods}
        for table in (values.has, values.solved)
    )
    return Coverage(by, tuple(groups), sizes, solved)


def _by_horizon(values: Values, optima: Mapping[str, int]) -> dict[str, list[str]]:
    pandas = import_library("pandas")
    steps = pandas.Series({i: optima[i] for i in values.instances if i in optima})
    few = steps.nunique() <= BINS
    cut = steps if few else pandas.qcut(steps, BINS, duplicates="drop")
    groups = {}
    for _, own in steps.groupby(cut, observed=True, sort=True):
        low, high = own.min(), own.max()
        groups[str(low) if low == high else f"{low}–{high}"] = list(own.index)
    unknown = [name for name in values.instances if name not in optima]
    return groups | ({"not known": unknown} if unknown else {})


def _by_value(values: Values) -> dict[str, list[str]]:
    groups: dict[float, list[str]] = {}
    for name, best in values.median.min(axis="columns").items():
        power = math.floor(math.log10(best)) if 0 < best < math.inf else best or -math.inf
        groups.setdefault(math.inf if math.isnan(power) else power, []).append(name)
    names = {-math.inf: "0", math.inf: "not solved"}
    return {
        names.get(power) or f"{10.0**power:g}–{10.0 ** (power + 1):g}": groups[power]
        for power in sorted(groups)
    }
