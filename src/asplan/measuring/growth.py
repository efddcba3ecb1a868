"""Growth of costs from step to step, as a class and as a line of bars."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import linear_regression, mean

_LEAST_STEPS = 8
"""Fewer steps have no clear growth."""

_MOST_CONSTANT = 0.3
_MOST_LINEAR = 1.4
"""Exponents up to which growth counts as constant, and as linear."""

_BARS = "▁▂▃▄▅▆▇█"


def classify_growth(costs: Sequence[int]) -> str:
    """Return `constant`, `linear` or `worse`; an empty text for too few steps.

    `costs` has the cost of step 1, 2, and so on. The class depends on the exponent k of t**k in the
    second half, because most problems need some steps until all of their states are reachable. The
    exponent is the elasticity of the regression line in its middle: the relative growth of the cost
    by the relative growth of t.

    >>> [classify_growth(costs) for costs in ([7] * 20, range(20), [n * n for n in range(20)])]
    ['constant', 'linear', 'worse']
    """
    if len(costs) < _LEAST_STEPS:
        return ""
    middle = len(costs) // 2
    times = range(middle + 1, len(costs) + 1)
    values = costs[middle:]
    mean_value = mean(values)
    slope = linear_regression(times, values).slope
    exponent = slope * mean(times) / mean_value if mean_value else 0.0
    if exponent < _MOST_CONSTANT:
        return "constant"
    return "linear" if exponent < _MOST_LINEAR else "worse"


def sparkline(costs: Sequence[int], width: int = 16) -> str:
    """Draw costs as a line of bars; the largest is a full bar.

    Neighbours are averaged if there are more than `width`.

    >>> sparkline([1, 2, 3, 4])
    '▂▄▆█'
    """
    if not costs:
        return ""
    count = min(width, len(costs))
    cuts = [round(i * len(costs) / count) for i in range(count + 1)]
    means = [mean(costs[begin:end]) for begin, end in pairwise(cuts)]
    largest = max(means) or 1
    heights = [round(value / largest * len(_BARS)) for value in means]
    return "".join(_BARS[max(0, height - 1)] for height in heights)
