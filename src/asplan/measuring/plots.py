"""Charts of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from asplan.figures import (
    COLOURS,
    WIDE_RANGE,
    new_figure,
)
from asplan.measuring.comparison import Row
from asplan.text import printable

_CROWDED = 6
"""From more instances on their names are slanted."""

Value = Callable[[Row], float | None]


def plot_comparison(file: BinaryIO, rows: Sequence[Row]) -> None:
    """Write the chart of some rows as PNG."""
    comparison_chart(rows).savefig(file, format="png", dpi=120)


def comparison_chart(rows: Sequence[Row]) -> Any:
    """The size and the time of some rows: a bar group an instance.

    What was not measured has no bar.
    """
    solved = any(row.solve_seconds is not None for row in rows)
    instances = list(dict.fromkeys(row.instance for row in rows))
    figure = new_figure(max(8.0, 3 + 1.5 * len(instances)), 4)
    left, right = figure.subplots(1, 2)
    _bars(left, rows, lambda row: row.lines)
    left.set_title("size: lines of the ground program")
    _bars(right, rows, _seconds)
    right.set_title("seconds: grounding" + (" and solving" if solved else ""))
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(f"horizon {max(row.horizon for row in rows)}", fontsize="medium")
    return figure


def _seconds(row: Row) -> float | None:
    if row.ground_seconds is None:
        return None
    return row.ground_seconds + (row.solve_seconds or 0.0)


def _bars(axes: Any, rows: Sequence[Row], value: Value) -> None:
    encodings = list(dict.fromkeys(row.encoding for row in rows))
    instances = list(dict.fromkeys(row.instance for row in rows))
    width = 0.8 / len(encodings)
    for i, encoding in enumerate(encodings):
        bars = [(instances.index(r.instance), value(r)) for r in rows if r.encoding == encoding]
        places = [group + width * (i - (len(encodings) - 1) / 2) for group, _ in bars]
        heights = [height or 0.0 for _, height in bars]
        colour = COLOURS[i % len(COLOURS)]
        axes.bar(places, heights, width * 0.92, label=printable(encoding), color=colour)
    slanted = len(instances) > _CROWDED
    names = list(map(printable, instances))
    axes.set_xticks(range(len(instances)), names, rotation=30 if slanted else 0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    heights = [height for row in rows if (height := value(row))]
    if heights and max(heights) > WIDE_RANGE * min(heights):
        axes.set_yscale("log")
