"""How a cost grows from step to step.

>>> growth([7] * 20), growth(list(range(20))), growth([n * n for n in range(20)])
('constant', 'linear', 'worse')
>>> sparkline([1, 2, 3, 4])
'▂▄▆█'
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import linear_regression, mean

LEAST_STEPS = 8
"""With fewer steps than that nothing is said about growth."""

_BARS = "▁▂▃▄▅▆▇█"
_CONSTANT = 0.3
_LINEAR = 1.4


def growth(costs: Sequence[int]) -> str:
    """`constant`, `linear` or `worse`; empty where there are too few steps to tell.

    `costs` holds the cost of step 1, 2, … Decisive is the exponent k of t**k that fits the second
    half: most problems need some steps until all of their states are reachable.
    """
    if len(costs) < LEAST_STEPS:
        return ""
    k = _exponent(costs)
    return "constant" if k < _CONSTANT else "linear" if k < _LINEAR else "worse"


def _exponent(costs: Sequence[int]) -> float:
    """The elasticity (relative growth of the cost by relative growth of t) of the second half.

    A straight line is laid through it by least squares; its elasticity is taken in the middle.
    """
    times = range(len(costs) // 2 + 1, len(costs) + 1)
    values = costs[len(costs) // 2 :]
    mean_time, middle = mean(times), mean(values)
    return linear_regression(times, values).slope * mean_time / middle if middle else 0.0


def sparkline(costs: Sequence[int], width: int = 16) -> str:
    """The costs as a line of bars, averaged to at most `width` of them; the largest is full."""
    bins = min(width, len(costs))
    cuts = [round(i * len(costs) / bins) for i in range(bins + 1)] if bins else []
    means = [sum(costs[a:b]) / (b - a) for a, b in pairwise(cuts)]
    top = max(means, default=0) or 1
    return "".join(_BARS[max(0, round(mean / top * len(_BARS)) - 1)] for mean in means)
