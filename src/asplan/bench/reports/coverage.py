"""Coverage: the numbers of solved instances in groups of similar difficulty."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from asplan.bench.reports.values import PairedValues, import_library
from asplan.core.dataclass import dataclass

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_BINS = 5
"""The greatest number of groups by plan length."""


@dataclass(frozen=True)
class Coverage:
    """The numbers of instances and of solved instances, by method and group.

    `by` describes the criterion of the groups, and `bins` has the label of each group. `sizes` and
    `solved` have a number for each group.
    """

    by: str
    bins: tuple[str, ...]
    sizes: dict[str, tuple[int, ...]]
    solved: dict[str, tuple[int, ...]]

    def shares(self, method: str) -> list[float]:
        """Return the share of solved instances in each group; 0 for an empty group."""
        pairs = zip(self.solved[method], self.sizes[method], strict=True)
        return [solved / size if size else 0.0 for solved, size in pairs]


def compute_coverage(values: PairedValues, optima: Mapping[str, int]) -> Coverage:
    """Count instances in groups by optimal plan length, or else by the value of the best method.

    Parameters
    ----------
    optima
        The proven lengths of shortest plans; they are used if at least half of the instances
        have one.
    """
    if 2 * len(optima) >= len(values.instances) and len(set(optima.values())) > 1:
        by = "steps of the shortest plan"
        groups = _group_by_length(values, optima)
    else:
        unit = f" in {values.measure.unit}" if values.measure.unit else ""
        by = f"{values.measure.label} of the best method{unit}"
        groups = _group_by_value(values)
    return Coverage(
        by,
        tuple(groups),
        sizes=_count_in_groups(values.planned, groups),
        solved=_count_in_groups(values.solved, groups),
    )


def _count_in_groups(
    table: DataFrame, groups: Mapping[str, list[str]]
) -> dict[str, tuple[int, ...]]:
    """Count, for each method, the instances of each group that are marked true in a table.

    The table has a row for each instance and a column for each method.
    """
    counts: dict[str, tuple[int, ...]] = {}
    for method in table.columns:
        column = table[method]
        counts[method] = tuple(int(column[instances].sum()) for instances in groups.values())
    return counts


def _group_by_length(values: PairedValues, optima: Mapping[str, int]) -> dict[str, list[str]]:
    """Group instances by plan length: a group for each length, or quantiles if there are many
    lengths.
    """
    pandas = import_library("pandas")
    known = {name: optima[name] for name in values.instances if name in optima}
    lengths = pandas.Series(known)
    if lengths.nunique() <= MOST_BINS:
        bins = lengths
    else:
        bins = pandas.qcut(lengths, MOST_BINS, duplicates="drop")
    groups = {}
    for _, members in lengths.groupby(bins, observed=True, sort=True):
        low = members.min()
        high = members.max()
        label = str(low) if low == high else f"{low}–{high}"
        groups[label] = list(members.index)
    unknown = [name for name in values.instances if name not in optima]
    if unknown:
        groups["not known"] = unknown
    return groups


def _group_by_value(values: PairedValues) -> dict[str, list[str]]:
    """Group instances by their difficulty: the power of ten of the least value of any method."""
    members: dict[float, list[str]] = {}
    for name, value in values.median.min(axis="columns").items():
        members.setdefault(_power_of_ten(value), []).append(name)
    return {_power_label(power): members[power] for power in sorted(members)}


def _power_of_ten(value: float) -> float:
    """Return the exponent of the greatest power of ten up to a value; minus infinity for 0.

    Infinity for an infinite value or NaN: the instance was not solved.
    """
    if math.isnan(value) or value == math.inf:
        return math.inf
    if value <= 0:
        return -math.inf
    return math.floor(math.log10(value))


def _power_label(power: float) -> str:
    if power == -math.inf:
        return "0"
    if power == math.inf:
        return "not solved"
    return f"{10.0**power:g}–{10.0 ** (power + 1):g}"
