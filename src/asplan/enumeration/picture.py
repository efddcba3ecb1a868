"""The picture of all shortest plans, from the start at the top to the goal at the bottom.

A dot is a state; its colour shows the number of steps left. A line is a step with its actions; the
more plans take the step, the wider the line.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from asplan.core.figures import INK, import_matplotlib, new_figure
from asplan.core.files import atomic_file
from asplan.core.text import amount, printable, shortened
from asplan.enumeration.summary import Braid, Strand

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = tuple[float, float]

_LINE = "#8b95a1"
_START = "#ffbb11"
_COLUMN = 2.2  # inches from a state to the next in a layer
_ROW = 0.5  # inches from a layer to the next
_LONGEST = 28  # characters of a label
_SWEEPS = 8  # sorts of the layers, each down and up
_MOST_NAMED = 8  # a step with more lines has no labels
_METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def draw_braid(
    braid: Braid,
    path: Path,
    title: str,
    write: Callable[[str], str] = str,
) -> None:
    """Draw a braid, the graph of all shortest plans, into a .png, .svg or .pdf file.

    `write` returns an action as users write it.
    """
    places = place_nodes(braid)
    widest = max(map(len, braid.layers))
    # Without a date and with fixed names, the same braid makes the same file.
    with import_matplotlib().rc_context({"svg.hashsalt": "braid"}), atomic_file(path) as file:
        figure = new_figure(max(4.0, _COLUMN * (widest + 0.6)), 1.0 + _ROW * len(braid.layers))
        axes = figure.add_subplot()
        axes.axis("off")
        axes.set_xlim(-(widest + 0.6) / 2, (widest + 0.6) / 2)
        axes.set_ylim(len(braid.layers) - 0.5, -0.7)
        _draw_strands(axes, braid, places, write)
        _draw_nodes(axes, braid, places)
        plans = amount(braid.plans, "shortest plan")
        axes.set_title(printable(f"{title}: {plans} of {amount(len(braid.layers) - 1, 'step')}"))
        kind = path.suffix.lower().lstrip(".")
        figure.savefig(
            file,
            format=kind,
            dpi=150,
            metadata=_METADATA.get(kind),
        )


def place_nodes(braid: Braid) -> dict[int, Place]:
    """Return the coordinates of each node of a braid.

    Each node is in one layer only, because all plans are shortest ones. Sort each layer by the mean
    positions of the neighbours of its nodes, repeatedly down and up (Sugiyama and others, Methods
    for visual understanding of hierarchical system structures, 1981).
    """
    layers = [list(layer) for layer in braid.layers]
    above: dict[int, list[int]] = defaultdict(list)
    below: dict[int, list[int]] = defaultdict(list)
    for strand in braid.strands:
        above[strand.target].append(strand.source)
        below[strand.source].append(strand.target)
    for _ in range(_SWEEPS):
        _sort_layers(layers, above)
        _sort_layers(layers[::-1], below)
    return {
        node: (x, float(time)) for time, layer in enumerate(layers) for node, x in _across(layer)
    }


def _sort_layers(layers: Sequence[list[int]], neighbours: Mapping[int, list[int]]) -> None:
    """Sort each layer after the first by the mean positions of neighbours in the layer before."""
    for before, layer in pairwise(layers):
        places = dict(_across(before))
        layer.sort(key=lambda node: fmean(places[other] for other in neighbours[node]))


def _across(layer: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Yield the nodes of a layer with their horizontal coordinates; the middle is 0."""
    for index, node in enumerate(layer):
        yield node, index - (len(layer) - 1) / 2


def _draw_strands(
    axes: Axes,
    braid: Braid,
    places: Mapping[int, Place],
    write: Callable[[str], str],
) -> None:
    """Draw the steps as lines with their actions; steps between the same states are one line."""
    bundles: dict[tuple[int, int], list[Strand]] = defaultdict(list)
    for strand in braid.strands:
        bundles[strand.source, strand.target].append(strand)
    lines_at = Counter(places[source][1] for source, _ in bundles)
    for (source, target), strands in bundles.items():
        x, y = places[source]
        after, below = places[target]
        share = sum(strand.plans for strand in strands) / braid.plans
        axes.plot(
            [x, after],
            [y, below],
            color=_LINE,
            lw=0.8 + 5 * share,
            zorder=1,
            alpha=0.7,
        )
        if lines_at[y] > _MOST_NAMED:
            continue
        names = (", ".join(map(write, strand.actions)) for strand in strands)
        text = shortened(printable(" or ".join(names)), _LONGEST)
        # Lines that cross have labels at different heights.
        at = 0.35 if after < x else 0.5 if after == x else 0.65
        axes.text(
            x + at * (after - x) + 0.04,
            y + at * (below - y),
            text,
            fontsize=6.5,
            color=INK,
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6},
            zorder=2,
        )


def _draw_nodes(
    axes: Axes,
    braid: Braid,
    places: Mapping[int, Place],
) -> None:
    """Draw the states as dots: the start as a star, the goals with a ring."""
    most = len(braid.layers) - 1
    left = [most - places[node][1] for node in places]
    across = [x for x, _ in places.values()]
    down = [y for _, y in places.values()]
    axes.scatter(
        across, down, s=45, linewidths=0, zorder=3, c=left, cmap="viridis_r", vmin=0, vmax=most or 1
    )
    across = [places[goal][0] for goal in braid.layers[-1]]
    down = [places[goal][1] for goal in braid.layers[-1]]
    axes.scatter(
        across, down, s=90, facecolors="none", edgecolors=INK, linewidths=1, zorder=4, label="goal"
    )
    x, y = places[braid.layers[0][0]]
    axes.scatter(
        x, y, s=170, marker="*", c=_START, edgecolors=INK, zorder=5, label="start", linewidths=0.8
    )
    axes.legend(
        frameon=False,
        loc="upper left",
        fontsize=8,
    )
