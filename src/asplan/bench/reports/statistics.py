"""Statistics of methods over all instances of a benchmark; `DEFINITIONS` explains each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable

from asplan.bench.reports.values import PairedValues, import_library
from asplan.core.dataclass import dataclass

SEED = 1
"""The seed of the bootstrap; it is fixed, so that the same results give the same report."""

_BATCH = 1_000_000
"""The number of random numbers drawn at a time."""

DEFINITIONS = {
    "solved": "instances on which more than half of the repetitions have an answer: a plan, or a "
    "proof that there is none",
    "optimal": "instances on which more than half of the repetitions end with a proof: the plan is "
    "proven best, or it is proven that there is none",
    "PAR-2": "the mean over all trials, where one without an answer counts as twice the time limit",
    "median": "the median over all instances, each with the median of its repetitions; left out if "
    "half of the instances or more are not solved",
    "ratio": "the geometric mean, over the instances that both have solved, of the value divided "
    "by that of the baseline; below 1 is better. The interval holds the mean in 95 % of 9999 "
    "bootstrap samples of those instances (percentiles)",
    "area": "the area below the line that gives, for each value from 0 to the limit, the number of "
    "instances solved within it; in percent of the area of a method that solves all at once",
}
"""The definitions of the columns in the table of methods."""


@dataclass(frozen=True)
class Ratio:
    """The geometric mean of `over` ratios, with its 95 % interval if there are at least two."""

    mean: float
    low: float | None
    high: float | None
    over: int

    @property
    def is_within_noise(self) -> bool:
        """True if the interval contains 1, or if there is only one ratio and so no interval."""
        return self.low is None or self.high is None or self.low <= 1 <= self.high


@dataclass(frozen=True)
class MethodStatistics:
    """A row of the table of methods; a field is None if its figure is undefined.

    `DEFINITIONS` explains the fields.
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


def compute_statistics(values: PairedValues, baseline: str) -> tuple[MethodStatistics, ...]:
    """Return the statistics of each method, in the order of the suite; ratios refer
    to `baseline`.
    """
    return tuple(_compute_row(values, method, baseline) for method in values.methods)


def _compute_row(values: PairedValues, method: str, baseline: str) -> MethodStatistics:
    trials = values.trials[values.trials["method"] == method]
    medians = values.median[method]
    solved = values.finite_values(method)
    area = area_below(solved, values.limit) if solved else None
    full_area = values.limit * int(values.planned[method].sum())
    median = float(medians.median())  # ignores NaN, but counts infinite values
    return MethodStatistics(
        method,
        trials=len(trials),
        solved=int(values.solved[method].sum()),
        proven=int(values.proven[method].sum()),
        failed=int(trials["failed"].sum()),
        par2=par2(trials["value"], values.limit) if values.measure.is_time else None,
        median=median if math.isfinite(median) else None,
        ratio=None if method == baseline else mean_ratio(medians, values.median[baseline]),
        area=area,
        share=area / full_area if area is not None and full_area else None,
    )


def par2(times: Iterable[float], limit: float) -> float | None:
    """Return the penalized average runtime with factor 2 (PAR-2), in seconds.

    An infinite time counts as twice the limit, and NaN is ignored; None if nothing is left.

    >>> par2([1.0, 2.0, math.inf], 60.0)
    41.0
    """
    counted = [2 * limit if time == math.inf else time for time in times if not math.isnan(time)]
    return math.fsum(counted) / len(counted) if counted else None


def area_below(solved: Iterable[float], limit: float) -> float:
    """Return the area below the staircase that shows, for each value, how many instances are
    solved.

    The staircase goes from 0 to the limit; an instance solved at `t` adds `limit - t`. Cactus plots
    often show sums of times instead, but a sum cannot include unsolved instances.

    >>> area_below([1.0, 4.0], 10.0)
    15.0
    """
    return math.fsum(max(0.0, limit - value) for value in solved)


def mean_ratio(new: Iterable[float], old: Iterable[float]) -> Ratio | None:
    """Return the geometric mean of the ratios of new to old values.

    Only pairs of positive, finite values count; None if there is none. The 95 % interval is the
    percentile bootstrap of the mean logarithm, with 9999 samples.
    """
    pairs = zip(new, old, strict=True)
    logs = [math.log(a / b) for a, b in pairs if 0 < a < math.inf and 0 < b < math.inf]
    if not logs:
        return None
    mean = math.exp(math.fsum(logs) / len(logs))
    if len(logs) < 2:
        return Ratio(mean, None, None, len(logs))
    import numpy as np

    bootstrapped = import_library("scipy.stats").bootstrap(
        (logs,),
        np.mean,
        confidence_level=0.95,
        n_resamples=9999,
        method="percentile",
        batch=max(1, _BATCH // len(logs)),
        rng=np.random.default_rng(SEED),
    )
    interval = bootstrapped.confidence_interval
    return Ratio(mean, math.exp(interval.low), math.exp(interval.high), len(logs))
