"""The chart of a comparison: size, time and growth of each encoding on each instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
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

    Encodings that were measured on no instance are left out. `matches` adds a chart of growth for
    each instance: different instantiations by step.
    """
    measured = {row.encoding for row in rows if row.lines is not None}
    rows = [row for row in rows if row.encoding in measured]
    instances = {row.instance for row in rows}
    figure: Figure = new_figure(max(8.0, 3 + 1.5 * len(instances)), 4 + 2.8 * len(matches))
    grid = figure.add_gridspec(1 + len(matches), 2)
    left = figure.add_subplot(grid[0, 0])
    right = figure.add_subplot(grid[0, 1])
    _draw_bars(left, rows, [row.numeric_lines for row in rows])
    left.set_title("size: lines in the numeric format")
    _draw_bars(right, rows, [_seconds_of(row) for row in rows])
    colours = _colours_of(rows)
    is_solved = any(row.solve_seconds is not None for row in rows)
    right.set_title("seconds: grounding" + (" and solving" if is_solved else ""))
    for number, match in enumerate(matches, 1):
        _draw_growth(figure.add_subplot(grid[number, :]), match, colours)
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
    """Draw the numbers of different instantiations of two encodings by step."""
    figure: Figure = new_figure(8, 3)
    _draw_growth(figure.add_subplot(), match, dict(zip(match.encodings, COLOURS, strict=False)))
    return figure


def _draw_growth(axes: Axes, match: RuleComparison, colours: Mapping[str, str]) -> None:
    """Draw the numbers of different instantiations of both encodings by step.

    The name of an encoding is at the end of its line.
    """
    labels = short_names(match.encodings)
    ends = [steps[-1] if steps else 0 for steps in match.steps]
    upper = match.encodings[ends.index(max(ends))]
    for encoding, steps in zip(match.encodings, match.steps, strict=True):
        axes.plot(range(1, len(steps) + 1), steps, color=colours[encoding])
        if steps:
            axes.annotate(
                labels[encoding],
                (len(steps), steps[-1]),
                xytext=(6, 0),
                textcoords="offset points",
                verticalalignment="bottom" if encoding == upper else "top",
                annotation_clip=False,
            )
    axes.set_title(f"{printable(match.instance)}: different instantiations in each step")
    axes.set_xlabel("step")
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)


def short_names(encodings: Iterable[str]) -> dict[str, str]:
    """Map encodings to labels: a file is named without its folders unless two have that name."""
    names = {encoding: PurePath(encoding).name for encoding in encodings}
    counts = Counter(names.values())
    return {
        encoding: printable(name if counts[name] == 1 else encoding)
        for encoding, name in names.items()
    }


def _colours_of(rows: Sequence[Row]) -> dict[str, str]:
    encodings = list(dict.fromkeys(row.encoding for row in rows))
    return {encoding: COLOURS[i % len(COLOURS)] for i, encoding in enumerate(encodings)}


def _seconds_of(row: Row) -> float | None:
    if row.ground_seconds is None:
        return None
    return row.ground_seconds + (row.solve_seconds or 0.0)


def _draw_bars(axes: Axes, rows: Sequence[Row], values: Sequence[float | None]) -> None:
    """Draw a group of bars for each instance, with a bar for each encoding."""
    colours = _colours_of(rows)
    encodings = list(colours)
    labels = short_names(encodings)
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
            label=labels[encoding],
            color=colours[encoding],
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
