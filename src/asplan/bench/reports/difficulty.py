"""How many instances a method solves, from the easy ones to the hard ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from asplan.bench.reports.values import Values, import_library

BINS = 5
"""The most groups of instances by the length of the shortest plan."""


@dataclass(frozen=True)
class Coverage:
    """The instances in groups, from the easiest on, and what is solved of each.

    Attributes
    ----------
    by
        What the groups are made by.
    bins
        Their names.
    sizes
        How many instances of each a method is to solve: all, unless it is for some groups only.
    solved
        How many of them it has solved.
    """

    by: str
    bins: tuple[str, ...]
    sizes: dict[str, tuple[int, ...]]
    solved: dict[str, tuple[int, ...]]


def coverage(values: Values, optima: Mapping[str, int]) -> Coverage:
    """Group the instances by their optimal horizon, if it is known of at least half of them.

    Else they are grouped by what the fastest method needs, by powers of ten.

    Parameters
    ----------
    optima
        The optimal horizon of the instances of which it is known.

    Raises
    ------
    MissingExtra
        pandas is not installed.
    """
    if 2 * len(optima) >= len(values.instances) and len(set(optima.values())) > 1:
        by, groups = "steps of the shortest plan", _by_horizon(values, optima)
    else:
        unit = f" in {values.measure.unit}" if values.measure.unit else ""
        by, groups = f"{values.measure.label} of the best method{unit}", _by_value(values)
    sizes, solved = (
        {m: tuple(int(table.loc[own, m].sum()) for own in groups.values()) for m in values.methods}
        for table in (values.asked, values.solved)
    )
    return Coverage(by, tuple(groups), sizes, solved)


def _by_horizon(values: Values, optima: Mapping[str, int]) -> dict[str, list[str]]:
    pandas = import_library("pandas")
    steps = pandas.Series({i: optima[i] for i in values.instances if i in optima})
    few = steps.nunique() <= BINS
    cut = steps if few else pandas.qcut(steps, BINS, duplicates="drop")
    groups = {
        _span(own.min(), own.max()): list(own.index)
        for _, own in steps.groupby(cut, observed=True, sort=True)
    }
    unknown = [name for name in values.instances if name not in optima]
    return groups | ({"not known": unknown} if unknown else {})


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


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
