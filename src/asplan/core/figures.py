"""The style of charts drawn by matplotlib, which is imported late because that takes long."""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    Figure: TypeAlias = Any  # matplotlib's, whose types mypy ignores
    Matplotlib: TypeAlias = Any  # the module

# fmt: off
COLOURS = (
    "#332288", "#cc6677", "#44aa99", "#999933", "#66bbee",
    "#882255", "#117733", "#ddaa33", "#aa4499", "#222222",
)
# fmt: on
"""Colours of the methods or encodings in a chart; after ten, they repeat with other marks.

The `muted` scheme of Paul Tol (Colour Schemes, SRON technical note 2021), made for people with any
of the usual kinds of colour blindness. Its sand and cyan are darkened, for thin lines on white. The
tenth colour is nearly black. The least distance of two colours in OKLab, the measure of
`asplan.drawing.colours`, is 0.051, as in the original nine.
"""

MARKS = (
    "o",
    "s",
    "^",
    "D",
    "v",
    "P",
    "X",
    "<",
    ">",
    "*",
)  # distinct in a print in grey
INK, GREY, FAINT = "#222222", "#777777", "#dddddd"
WIDE_RANGE = 30  # ratio of the largest to the smallest value from which an axis is logarithmic

_SETTINGS: dict[str, object] = {
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
    """Return a colour and a mark for each name; names with the same colour get different marks."""
    chosen = {}
    for index, name in enumerate(names):
        rounds, colour = divmod(index, len(COLOURS))
        mark = (index + rounds) % len(MARKS)
        chosen[name] = (COLOURS[colour], MARKS[mark])
    return chosen


@contextmanager
def settings(salt: str) -> Iterator[None]:
    """Use asplan's style of charts in this block; `salt` makes the names in an SVG repeatable."""
    with (
        import_matplotlib().rc_context({**_SETTINGS, "svg.hashsalt": salt}),
        warnings.catch_warnings(),
    ):
        # A character that the font lacks is drawn as a box; a warning helps nobody.
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty `matplotlib.figure.Figure`; its size is in inches."""
    import_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def import_matplotlib() -> Matplotlib:
    """Return the module matplotlib, with its warnings switched off (such as about its cache)."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    return importlib.import_module("matplotlib")
