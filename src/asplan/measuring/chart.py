"""The chart of a comparison: size, time and growth of each encoding on each instance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from asplan.core.figures import COLOURS, WIDE_RANGE, new_figure
from asplan.core.text import printable
from asplan.measuring.comparison import Row
from asplan.measuring.matching import RuleComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_LEVEL_NAMES = 6
"""The most instances whose names are written horizontally in the chart."""


def comparison_chart(rows: Sequence[Row], matches: Sequence[RuleComparison] = ()) -> Figure:
    """Draw sizes and times as bars, grouped by instance, with a bar for each encoding.

    `matches` adds a chart of growth for each instance: different instantiations by step.
    """
    instances = {row.instance for row in rows}
    figure: Figure = new_figure(max(8.0, 3 + 1.5 * len(instances)), 4 + 2.8 * len(matches))
    grid = figure.add_gridspec(1 + len(matches), 2)
    left = figure.add_subplot(grid[0, 0])
    right = figure.add_subplot(grid[0, 1])
    _draw_bars(left, rows, [row.numeric_lines for row in rows])
    left.set_title("size: lines in the numeric format")
    _draw_bars(right, rows, [_seconds_of(row) for row in rows])
    is_solved = any(row.solve_seconds is not None for row in rows)
    right.set_title("seconds: grounding" + (" and solving" if is_solved else ""))
    for number, match in enumerate(matches, 1):
        _draw_growth(figure.add_subplot(grid[number, :]), match)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=4,
        frameon=False,
    )
    figure.suptitle(f"horizon {max(row.horizon for row in rows)}", fontsize="medium")
    return figure


def growth_chart(match: RuleComparison) -> Figure:
    """Draw the numbers of different instantiations of two encodings by step, with a legend."""
    figure: Figure = new_figure(8, 3)
    _draw_growth(figure.add_subplot(), match)
    labels = list(map(printable, match.encodings))
    figure.legend(labels, loc="outside right upper", frameon=False)
    return figure


def _draw_growth(axes: Axes, match: RuleComparison) -> None:
    """Draw the numbers of different instantiations of both encodings by step."""
    for colour, steps in zip(COLOURS, match.steps, strict=False):
        axes.plot(range(1, len(steps) + 1), steps, color=colour)
    axes.set_title(f"{printable(match.instance)}: different instantiations in each step")
    axes.set_xlabel("step")
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)


def _seconds_of(row: Row) -> float | None:
    if row.ground_seconds is None:
        return None
    return row.ground_seconds + (row.solve_seconds or 0.0)


def _draw_bars(axes: Axes, rows: Sequence[Row], values: Sequence[float | None]) -> None:
    """Draw a group of bars for each instance, with a bar for each encoding."""
    encodings = list(dict.fromkeys(row.encoding for row in rows))
    instances = list(dict.fromkeys(row.instance for row in rows))
    width = 0.8 / len(encodings)
    for i, encoding in enumerate(encodings):
        offset = width * (i - (len(encodings) - 1) / 2)
        positions = []
        heights = []
        for row, value in zip(rows, values, strict=True):
            if row.encoding == encoding:
                positions.append(instances.index(row.instance) + offset)
                heights.append(value or 0.0)
        axes.bar(
            positions,
            heights,
            width * 0.92,
            label=printable(encoding),
            color=COLOURS[i % len(COLOURS)],
        )
    _label_groups(axes, instances)
    positive = [value for value in values if value]
    if positive and max(positive) > WIDE_RANGE * min(positive):
        axes.set_yscale("log")


def _label_groups(axes: Axes, instances: Sequence[str]) -> None:
    is_crowded = len(instances) > _MOST_LEVEL_NAMES
    names = [printable(instance) for instance in instances]
    axes.set_xticks(range(len(instances)), names, rotation=30 if is_crowded else 0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
