"""How charts look, and their figures: by a library that is slow to import, and talkative."""

import importlib
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

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

MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")  # so that a print in grey can be read
INK, GREY, FAINT = "#222222", "#777777", "#dddddd"
WIDE_RANGE = 30  # from this ratio of the largest to the smallest value on, an axis is logarithmic

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
    n = len(COLOURS)
    places = enumerate(names)
    return {name: (COLOURS[i % n], MARKS[(i + i // n) % len(MARKS)]) for i, name in places}


@contextmanager
def settings(salt: str) -> Iterator[None]:
    """What is drawn within looks like all charts; `salt` makes the names inside an SVG."""
    with (
        import_matplotlib().rc_context({**_SETTINGS, "svg.hashsalt": salt}),
        warnings.catch_warnings(),
    ):
        # A character that the font lacks is drawn as a box; that is no news.
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def new_figure(width: float, height: float) -> Any:
    """An empty `matplotlib.figure.Figure`; its size is in inches."""
    import_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def import_matplotlib() -> Any:
    """The module matplotlib, quiet: that it cannot keep its list of fonts is of no concern."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    return importlib.import_module("matplotlib")
