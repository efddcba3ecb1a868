"""Growth of costs from step to step: its class, and a line of bars."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import linear_regression, mean

_LEAST_STEPS = 8
"""The least number of steps for which a growth is determined."""

_MOST_CONSTANT = 0.3
_MOST_LINEAR = 1.4
"""The greatest exponents for which growth counts as constant, and as linear."""

_BARS = "▁▂▃▄▅▆▇█"


def classify_growth(costs: Sequence[int]) -> str:
    """Return the class of growth: `constant`, `linear` or `worse`; an empty text for too few steps.

    `costs` has the costs of step 1, 2, and so on. If the costs of the second half grow like t**k,
    the exponent k determines the class. The first half is ignored, because most problems need some
    steps until all of their states are reachable. The exponent is estimated as the elasticity in
    the middle of the regression line: the relative growth of the cost divided by the relative
    growth of t.

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


def sparkline(costs: Sequence[int], width: int = 16, full: float = 0) -> str:
    """Return costs as a line of bars.

    The cost `full` is a full bar; if it is 0, the largest cost. More than `width` costs are
    averaged in groups of neighbours.

    >>> sparkline([1, 2, 3, 4])
    '▂▄▆█'
    """
    if not costs:
        return ""
    count = min(width, len(costs))
    cuts = [round(i * len(costs) / count) for i in range(count + 1)]
    means = [mean(costs[begin:end]) for begin, end in pairwise(cuts)]
    largest = full or max(means) or 1
    heights = [round(value / largest * len(_BARS)) for value in means]
    return "".join(_BARS[max(0, height - 1)] for height in heights)
