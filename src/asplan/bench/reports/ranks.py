"""Mean ranks of methods, and a diagram of the significant differences between them.

Friedman's test decides whether there is any difference between the methods. Nemenyi's test then
decides which pairs of methods differ. The source of both is J. Demšar, Statistical Comparisons of
Classifiers over Multiple Data Sets, Journal of Machine Learning Research 7 (2006), 1-30.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from asplan.bench.reports.charts import WIDTH, Chart, make_chart, short_label
from asplan.bench.reports.values import PairedValues, import_library
from asplan.core.dataclass import dataclass
from asplan.core.figures import GREY, INK, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ALPHA = 0.05
"""The level of significance of both tests."""

_LEAST_METHODS = 3
_LEAST_INSTANCES = 10
"""The least numbers for a diagram. Both tests are asymptotic, so they need many instances."""


@dataclass(frozen=True)
class MeanRanks:
    """The mean ranks of methods over a number of instances, the best (least) rank first.

    Two methods differ significantly if two conditions hold: `p_value`, the result of Friedman's
    test, is below 0.05, and their mean ranks differ by more than `critical`.
    """

    ranks: dict[str, float]
    instances: int
    p_value: float
    critical: float

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """The maximal groups of two or more methods that do not differ significantly."""
        methods = list(self.ranks)
        if self.p_value >= _ALPHA:
            return [tuple(methods)]
        groups: list[tuple[str, ...]] = []
        covered = 0
        for start, method in enumerate(methods):
            most = self.ranks[method] + self.critical
            end = sum(rank <= most for rank in self.ranks.values())
            if end > max(covered, start + 1):
                groups.append(tuple(methods[start:end]))
                covered = end
        return groups


def compute_ranks(values: PairedValues) -> MeanRanks | None:
    """Return the mean ranks; None for fewer than 3 methods or 10 instances.

    An instance counts if all methods were run on it, and at least one has solved it. The methods
    that have not solved an instance share the last rank.
    """
    import numpy as np

    medians = values.median.dropna()
    medians = medians[(medians < math.inf).any(axis=1)]
    instances, methods = medians.shape
    if methods < _LEAST_METHODS or instances < _LEAST_INSTANCES:
        return None
    stats = import_library("scipy.stats")
    # Friedman's statistic is undefined if the values of all methods are equal on each instance.
    columns = [medians[method] for method in medians.columns]
    with np.errstate(invalid="ignore"):
        p_value = float(stats.friedmanchisquare(*columns).pvalue)
    means = medians.rank(axis=1).mean().sort_values(kind="stable")
    return MeanRanks(
        {str(method): float(mean) for method, mean in means.items()},
        instances,
        p_value=1.0 if math.isnan(p_value) else p_value,
        critical=critical_difference(methods, instances),
    )


def critical_difference(methods: int, instances: int) -> float:
    """Return the critical difference of two mean ranks in Nemenyi's test at 5 %.

    >>> round(critical_difference(4, 14), 2)  # Demšar, section 3.2.4: 2.569 * sqrt(4 * 5 / 84)
    1.25
    """
    distribution = import_library("scipy.stats").studentized_range
    quantile = float(distribution.ppf(1 - _ALPHA, methods, math.inf)) / math.sqrt(2)
    return quantile * math.sqrt(methods * (methods + 1) / (6 * instances))


def draw_ranks(values: PairedValues) -> tuple[Chart, ...]:
    """Return the critical-difference diagram, or nothing if there are too few values."""
    found = compute_ranks(values)
    if found is None:
        return ()
    meaning = "differ" if found.p_value < _ALPHA else "do not differ"
    note = (
        f"The mean ranks over {found.instances} instances; 1 is best, and unsolved instances share "
        f"the last rank. By Friedman's test the methods {meaning} significantly "
        f"(p = {found.p_value:.2g}). Methods that a thick line joins do not differ significantly: "
        f"their ranks are less than the critical difference (CD) of {found.critical:.2f} apart "
        "(Nemenyi's test at 5 %, as in Demšar, JMLR 7, 2006)."
    )
    height = 0.9 + 0.2 * math.ceil(len(found.ranks) / 2) + 0.12 * len(found.groups)
    draw = partial(_plot_ranks, found, values.methods)
    return (make_chart("ranks", "Mean ranks", note, (WIDTH, height), draw),)


def _plot_ranks(found: MeanRanks, methods: Sequence[str], figure: Figure) -> None:
    """Plot an axis of ranks, with a line from each method's rank down to its name."""
    axes = figure.subplots()
    count = len(found.ranks)
    least_y = -1.0 * math.ceil(count / 2) - 0.55 * len(found.groups) - 0.6
    axes.set_xlim(1 - 0.45 * (count - 1), count + 0.45 * (count - 1))
    axes.set_ylim(least_y, 1.6)
    axes.axis("off")
    axes.plot([1, count], [0, 0], color=INK, linewidth=0.9)
    for tick in range(1, count + 1):
        axes.plot([tick, tick], [0, 0.18], color=INK, linewidth=0.9)
        axes.text(tick, 0.28, str(tick), ha="center", va="bottom", fontsize=8)
    axes.plot([1, 1 + found.critical], [1.2, 1.2], color=INK, linewidth=1.2)
    axes.text(1 + found.critical + 0.05, 1.2, f"CD = {found.critical:.2f}", va="center", fontsize=8)
    first_y = -0.55 * len(found.groups) - 0.5
    colours = styles(methods)
    for place, (method, rank) in enumerate(found.ranks.items()):
        is_left = place < math.ceil(count / 2)
        row = place if is_left else count - 1 - place
        margin = 0.05 * (count - 1)
        side = 1 - margin if is_left else count + margin
        _plot_method(axes, (rank, side, first_y - row), method, colours[method][0], is_left)
    for level, group in enumerate(found.groups, 1):
        ends = [found.ranks[group[0]] - 0.04, found.ranks[group[-1]] + 0.04]
        axes.plot(ends, [-0.5 * level] * 2, color=GREY, linewidth=3, solid_capstyle="butt")


def _plot_method(
    axes: Axes,
    place: tuple[float, float, float],
    method: str,
    colour: str,
    is_left: bool,
) -> None:
    """Plot the line and the name of a method.

    `place` has three numbers: the rank of the method, and the x and y of the line's end.
    """
    rank, side, y = place
    axes.plot([rank, rank, side], [0, y, y], color=colour, linewidth=1.1)
    alignment = "right" if is_left else "left"
    gap = -0.04 if is_left else 0.04
    axes.text(side + gap, y, short_label(method), ha=alignment, va="center", fontsize=8)
