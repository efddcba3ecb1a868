"""Figures for charts, by a library that takes long to import and is talkative."""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from asplan.measuring.comparison import Row
from asplan.text import printable


def new_figure(width: float, height: float) -> Any:
    """An empty `matplotlib.figure.Figure`; its size is in inches."""
    import_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def import_matplotlib() -> Any:
    """The module matplotlib, quiet.

    That it cannot keep its list of fonts on a full or read-only disk is of no concern to whoever
    wants a chart.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    return importlib.import_module("matplotlib")


# How charts look: colours, marks, and the few settings that all of them share.


# fmt: off
COLOURS = (
    "#332288", "#cc6677", "#44aa99", "#999933", "#66bbee",
    "#882255", "#117733", "#ddaa33", "#aa4499", "#222222",
)
# fmt: on
"""One for each method or encoding, in this order, then from the start again with other marks.

The `muted` scheme of Paul Tol (Colour Schemes, SRON technical note 2021), made for people with any
of the usual kinds of colour blindness, too; its sand and its cyan are a bit darker, for thin lines
on white, and nearly black is the tenth. The least distance of any two in OKLab, as for the colours
of `asplan.drawing.colours`, is that of the original nine, 0.051.
"""

MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
"""Beside the colour, so that a print in grey can be read."""

INK, GREY, FAINT = "#222222", "#777777", "#dddddd"

WIDE_RANGE = 30
"""From this ratio of the largest to the smallest value on, an axis is logarithmic."""

_SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "text.parse_math": False,  # a name with two dollars in it is no formula
}


def styles(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """A colour and a mark for each name; where colours come again, they have other marks."""
    count = len(COLOURS)
    return {
        name: (COLOURS[i % count], MARKS[(i + i // count) % len(MARKS)])
        for i, name in enumerate(names)
    }


@contextmanager
def settings(salt: str) -> Iterator[None]:
    """What is drawn within looks like all charts; the same chart is the same file.

    Parameters
    ----------
    salt
        The name of the chart, from which the names inside an SVG are made.
    """
    with (
        import_matplotlib().rc_context({**_SETTINGS, "svg.hashsalt": salt}),
        warnings.catch_warnings(),
    ):
        # A character that the font lacks is drawn as a box; that is no news.
        warnings.filterwarnings("ignore", message="Glyph")
        yield


# Charts of measurements.


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
