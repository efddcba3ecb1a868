"""What a method achieves on a suite, in a few figures that can be compared.

Each is defined once, here, and explained to the reader of a report in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from asplan.bench.reports.values import Values, import_library

CONFIDENCE = 0.95
RESAMPLES = 9999
SEED = 1
"""Of the bootstrap, so that a report of the same results is the same."""

BINS = 5
"""The most groups of instances by the length of the shortest plan."""

_BATCH = 1_000_000
"""Numbers that are drawn at a time."""

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
    """A row of the table of methods; see `DEFINITIONS`.

    `par2` is None where the measure is no time, `ratio` for the baseline and where no instance is
    solved by both. `area` is in instances times the unit of the measure, `share` that divided by
    what solving all instances at once would give.
    """

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
    rows = []
    for method in values.methods:
        runs, medians = values.runs[values.runs["method"] == method], values.median[method]
        solved = values.of(method)
        area = area_below(solved, values.limit) if solved else None
        full = values.limit * int(values.has[method].sum())
        median = float(medians.median())  # NaN is left out, infinite values are not
        row = MethodStatistics(
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
        rows.append(row)
    return tuple(rows)


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
    """The geometric mean of new values divided by old ones, pair by pair.

    Only pairs count in which both are finite and above 0. The interval is that of a bootstrap of
    the logarithms (percentiles; Efron and Tibshirani 1993). Raises `MissingExtra` without scipy.
    """
    pairs = zip(new, old, strict=True)
    logs = [math.log(a / b) for a, b in pairs if 0 < a < math.inf and 0 < b < math.inf]
    if not logs:
        return None
    mean = math.exp(math.fsum(logs) / len(logs))
    if len(logs) < 2:
        return Ratio(mean, None, None, len(logs))
    import numpy as np

    interval = (
        import_library("scipy.stats")
        .bootstrap(
            (logs,),
            np.mean,
            confidence_level=CONFIDENCE,
            n_resamples=RESAMPLES,
            method="percentile",
            batch=max(1, _BATCH // len(logs)),
            rng=np.random.default_rng(SEED),
        )
        .confidence_interval
    )
    return Ratio(mean, math.exp(interval.low), math.exp(interval.high), len(logs))


@dataclass(frozen=True)
class Coverage:
    """The instances in groups (`bins`), from the easiest on, and what is solved of each.

    `by` says what the groups are made by. For each method `sizes` has the instances of each group
    that it is to solve, and `solved` those that it has.
    """

    by: str
    bins: tuple[str, ...]
    sizes: dict[str, tuple[int, ...]]
    solved: dict[str, tuple[int, ...]]


def coverage(values: Values, optima: Mapping[str, int]) -> Coverage:
    """Group the instances by their optimal horizon, if it is known of at least half of them.

    Else they are grouped by what the fastest method needs, by powers of ten.
    """
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
    best = values.median.min(axis="columns")
    powers: dict[str, int | None] = {
        name: math.floor(math.log10(value)) if 0 < value < math.inf else None
        for name, value in best.items()
    }
    nothing = [name for name, value in best.items() if value == 0]
    groups: dict[str, list[str]] = {"0": nothing} if nothing else {}
    for power in sorted({power for power in powers.values() if power is not None}):
        label = f"{10.0**power:g}–{10.0 ** (power + 1):g}"
        groups[label] = [name for name, own in powers.items() if own == power]
    rest = [name for name in values.instances if not best[name] < math.inf]
    return groups | ({"not solved": rest} if rest else {})
