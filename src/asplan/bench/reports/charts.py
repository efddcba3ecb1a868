"""Draws the charts of a report, each as PNG and as SVG."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING

from asplan.bench.reports.coverage import Coverage
from asplan.bench.reports.statistics import MethodStatistics
from asplan.bench.reports.values import PairedValues
from asplan.core.dataclass import dataclass
from asplan.core.figures import (
    FAINT,
    GREY,
    INK,
    WIDE_RANGE,
    import_matplotlib,
    new_figure,
    settings,
    styles,
)
from asplan.core.text import printable, shortened

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

WIDTH = 4.6
"""The width of a chart in inches; it is readable at half of a page, and on a phone."""

DPI = 160
_CSS_DPI = 96
_LONGEST_NAME = 24
_BEYOND_LIMIT = 1.6
"""The place of the line for unsolved instances in a scatter plot, as a factor of the limit."""

_FEW_DECADES = 200
"""The ratio of the ends of an axis below which 2 and 5 are labelled, as well as powers of ten."""


@dataclass(frozen=True)
class Chart:
    """A chart with its size in CSS pixels; `note` explains how to read it.

    `name` is the name of its files without the suffix.
    """

    name: str
    title: str
    note: str
    width: int
    height: int
    png: bytes
    svg: bytes

    @property
    def data(self) -> str:
        """The SVG in base64, for a data URL."""
        return b64encode(self.svg).decode()


def draw_charts(
    values: PairedValues,
    statistics: Sequence[MethodStatistics],
    coverage: Coverage,
    pairs: Iterable[tuple[str, str]],
) -> tuple[Chart, ...]:
    """Return all charts that have something to show.

    Parameters
    ----------
    pairs
        The methods of each scatter plot: the first on the horizontal axis, the second on the
        vertical one.
    """
    solvers = [method for method in values.methods if values.finite_values(method)]
    charts = []
    if solvers:
        charts.append(_draw_cactus(values, statistics, solvers))
        charts.append(_draw_boxes(values, solvers))
    charts.append(_draw_coverage(coverage, values.methods))
    for right, up in pairs:
        both_planned = values.planned[right] & values.planned[up]
        if right in solvers and up in solvers and both_planned.any():
            charts.append(_draw_scatter(values, right, up))
    return tuple(charts)


def make_chart(
    name: str,
    title: str,
    note: str,
    size: tuple[float, float],
    draw: Callable[[Figure], None],
) -> Chart:
    """Draw a figure, whose size is given in inches, and save it as PNG and as SVG.

    The files contain no metadata, so that the same results give the same files.
    """
    png = BytesIO()
    svg = BytesIO()
    with settings(name):
        figure = new_figure(*size)
        draw(figure)
        figure.savefig(
            png,
            format="png",
            dpi=DPI,
            metadata={"Software": None},
        )
        figure.set_layout_engine("none")  # the layout is done
        no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(svg, format="svg", metadata=no_metadata)
    return Chart(
        name,
        title,
        note,
        width=round(size[0] * _CSS_DPI),
        height=round(size[1] * _CSS_DPI),
        png=png.getvalue(),
        svg=svg.getvalue(),
    )


def short_label(method: str) -> str:
    """Return the name of a method as a label of one line.

    matplotlib hides labels that begin with `_`, so an invisible space is put before such a label.
    """
    text = " ".join(shortened(printable(method), _LONGEST_NAME).split())
    return f"\u200b{text}" if text.startswith("_") else text


def _needs_log(values: Iterable[float]) -> bool:
    positive = _positive(values)
    return bool(positive) and max(positive) > WIDE_RANGE * min(positive)


def _label_plainly(axis: Axis) -> None:
    """Label only the powers of ten on a logarithmic axis, with their numbers in full."""
    axis.set_major_formatter(lambda value, position: f"{value:g}")
    axis.set_minor_formatter(lambda value, position: "")


def _draw_cactus(
    values: PairedValues, statistics: Sequence[MethodStatistics], methods: Sequence[str]
) -> Chart:
    note = (
        "Instances solved within each value: lines further to the left and higher are better. "
        "The legend gives the area below each line, in percent of the best possible area (on a "
        "linear axis)."
    )
    shares = {row.method: row.share for row in statistics}
    height = 3.1 + 0.16 * math.ceil(len(methods) / 2)
    draw = partial(_plot_cactus, values, shares, methods)
    return make_chart("cactus", "Instances solved", note, (WIDTH, height), draw)


def _plot_cactus(
    values: PairedValues,
    shares: dict[str, float | None],
    methods: Sequence[str],
    figure: Figure,
) -> None:
    axes = figure.subplots()
    finite = chain.from_iterable(values.finite_values(method) for method in methods)
    least = min((value for value in finite if value > 0), default=0.0)
    is_log = _needs_log([least, values.limit])
    left = least / 1.5 if is_log else 0.0
    looks = styles(values.methods)
    lines: list[Artist] = []
    labels: list[str] = []
    for method in methods:
        lines += _plot_staircase(axes, values, method, left, looks[method])
        share = shares[method]
        labels.append(short_label(method) + ("" if share is None else f" ({share:.0%})"))
    if is_log:
        axes.set_xscale("log")
        _label_plainly(axes.xaxis)
    axes.set(
        xlabel=values.measure.label + values.measure.unit_suffix,
        ylabel="instances solved",
    )
    axes.set_xlim(left=left)
    axes.set_ylim(0, len(values.instances) * 1.04)
    axes.locator_params(axis="y", integer=True)
    axes.axhline(
        len(values.instances),
        color=GREY,
        linewidth=0.8,
        linestyle=":",
    )
    axes.grid()
    has_two_columns = max(map(len, labels)) > 16 or len(labels) == 2
    columns = 2 if has_two_columns else 3
    figure.legend(
        lines,
        labels,
        loc="outside lower center",
        ncols=columns,
        fontsize=8,
    )


def _plot_staircase(
    axes: Axes,
    values: PairedValues,
    method: str,
    left: float,
    look: tuple[str, str],
) -> Sequence[Artist]:
    """Plot the number of instances that a method solves within each value, as a staircase.

    The values go from `left` to the limit. `look` is the colour and the marker of the method.
    """
    colour, marker = look
    solved = [max(value, left) for value in values.finite_values(method)]
    count = len(solved)
    right = max(values.limit, solved[-1])
    # Lines of different lengths have markers at different places, so that fewer of these overlap.
    first_marker = count // 12 + 1
    marker_distance = max(1, count // 6)
    staircase: Sequence[Artist] = axes.step(
        [left, *solved, right],
        [*range(count + 1), count],
        where="post",
        color=colour,
        linewidth=1.5,
        marker=marker,
        markersize=4.5,
        markeredgewidth=0,
        markevery=(first_marker, marker_distance),
    )
    return staircase


def _draw_boxes(values: PairedValues, methods: Sequence[str]) -> Chart:
    note = (
        "The values of the solved instances: the box holds the middle half, the line in it is the "
        "median, the whiskers reach the last value within 1.5 times the box's length, each dot is "
        "an instance. A method that solves only easy instances looks good here; n says how many "
        "it has solved."
    )
    label = values.measure.label
    title = f"{label[0].upper()}{label[1:]} of solved instances"
    size = (WIDTH, 1.0 + 0.42 * len(methods))
    return make_chart("box", title, note, size, partial(_plot_boxes, values, methods))


def _plot_boxes(values: PairedValues, methods: Sequence[str], figure: Figure) -> None:
    import numpy as np

    axes = figure.subplots()
    samples = [values.finite_values(method) for method in methods]
    is_log = _needs_log(chain.from_iterable(samples))
    if is_log:
        samples = [_positive(sample) for sample in samples]
    looks = styles(values.methods)
    # The first method is at the top.
    heights = list(range(len(methods), 0, -1))
    plot = axes.boxplot(
        samples,
        positions=heights,
        orientation="horizontal",
        widths=0.55,
        showfliers=False,
        patch_artist=True,
        medianprops={"color": INK, "linewidth": 1.6},
        whiskerprops={"color": GREY},
        capprops={"color": GREY},
    )
    random = np.random.default_rng(1)
    for box, height, method, sample in zip(plot["boxes"], heights, methods, samples, strict=True):
        colour, _ = looks[method]
        box.set(facecolor=(colour, 0.25), edgecolor=colour)
        scattered = height + random.uniform(-0.18, 0.18, len(sample))
        axes.scatter(
            sample,
            scattered,
            s=9,
            color=colour,
            alpha=0.8,
            linewidths=0,
            zorder=3,
        )
    if is_log:
        axes.set_xscale("log")
        _label_plainly(axes.xaxis)
    labels = [
        f"{short_label(method)}\nn = {len(values.finite_values(method))}" for method in methods
    ]
    axes.set_yticks(heights, labels, fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(0.4, len(methods) + 0.6)
    axes.set_xlabel(values.measure.label + values.measure.unit_suffix)
    axes.grid(axis="x")


def _positive(values: Iterable[float]) -> list[float]:
    return [value for value in values if value > 0]


def _draw_scatter(values: PairedValues, right: str, up: str) -> Chart:
    note = (
        f"Each dot is an instance; below the diagonal {up} is better. The thin lines are factors "
        "of 10. Instances that one of the two has not solved lie on a dashed line."
    )
    numbers = [str(values.methods.index(method) + 1) for method in (right, up)]
    name = f"scatter-{'-'.join(numbers)}"
    draw = partial(_plot_scatter, values, right, up)
    return make_chart(name, f"{up} beside {right}", note, (3.8, 3.6), draw)


def _plot_scatter(
    values: PairedValues,
    right: str,
    up: str,
    figure: Figure,
) -> None:
    axes = figure.subplots()
    points = _points_of(values, right, up)
    numbers = list(chain.from_iterable(points))
    finite = _positive(value for value in numbers if value < math.inf)
    # Without an unsolved instance the limit is not drawn, and the axes end with the data.
    has_unsolved = math.inf in numbers
    most = max([*finite, values.limit] if has_unsolved else finite, default=1.0) or 1.0
    least = min([*finite, most]) / 1.5
    unsolved = most * _BEYOND_LIMIT
    end = unsolved * 1.25 if has_unsolved else most * 1.5
    xs = [min(max(x, least), unsolved) for x, _ in points]
    ys = [min(max(y, least), unsolved) for _, y in points]
    for factor in (0.1, 1.0, 10.0):
        colour = GREY if factor == 1 else FAINT
        ends = [least * factor, end * factor]
        axes.plot(
            [least, end],
            ends,
            color=colour,
            linewidth=0.9,
            zorder=1,
        )
    for draw_line in (axes.axhline, axes.axvline) if has_unsolved else ():
        draw_line(
            unsolved,
            color=GREY,
            linewidth=0.8,
            linestyle="--",
            zorder=1,
        )
    colour, marker = styles(values.methods)[up]
    axes.scatter(
        xs,
        ys,
        s=24,
        marker=marker,
        color=colour,
        alpha=0.85,
        linewidths=0,
        zorder=3,
        clip_on=False,
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        if end < _FEW_DECADES * least:
            axis.set_major_locator(import_matplotlib().ticker.LogLocator(subs=(1, 2, 5)))
        _label_plainly(axis)
    axes.set(
        xlim=(least, end),
        ylim=(least, end),
        box_aspect=1,
        xlabel=short_label(right) + values.measure.unit_suffix,
        ylabel=short_label(up) + values.measure.unit_suffix,
    )


def _points_of(values: PairedValues, right: str, up: str) -> list[tuple[float, float]]:
    """Return the points of a scatter plot: the medians of two methods on each instance.

    `right` is the method of the horizontal axis, and `up` that of the vertical one. Instances that
    neither of them has solved are left out.
    """
    points = []
    for x, y in zip(values.median[right], values.median[up], strict=True):
        is_measured = not math.isnan(x) and not math.isnan(y)
        if is_measured and min(x, y) < math.inf:
            points.append((x, y))
    return points


def _draw_coverage(coverage: Coverage, methods: Sequence[str]) -> Chart:
    note = f"Solved instances of all in a group; groups by {coverage.by}."
    size = (WIDTH, 1.1 + 0.34 * len(methods))
    draw = partial(_plot_coverage, coverage, methods)
    return make_chart("coverage", "Coverage by difficulty", note, size, draw)


def _plot_coverage(coverage: Coverage, methods: Sequence[str], figure: Figure) -> None:
    """Plot a heat map with a row for each method and a column for each group."""
    axes = figure.subplots()
    shares = [coverage.shares(method) for method in methods]
    axes.imshow(
        shares,
        cmap="Blues",
        vmin=0,
        vmax=1.35,
        aspect="auto",
    )
    for y, method in enumerate(methods):
        for x, share in enumerate(shares[y]):
            size = coverage.sizes[method][x]
            text = f"{coverage.solved[method][x]}/{size}" if size else ""
            colour = "white" if share > 0.8 else INK
            axes.text(
                x,
                y,
                text,
                ha="center",
                va="center",
                color=colour,
                fontsize=8,
            )
    axes.set_xticks(range(len(coverage.bins)), coverage.bins, fontsize=8)
    axes.set_yticks(range(len(methods)), [short_label(method) for method in methods], fontsize=8)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    _separate_cells(axes, len(coverage.bins), len(methods))
    axes.set_xlabel(coverage.by)


def _separate_cells(axes: Axes, columns: int, rows: int) -> None:
    """Draw white lines between the cells of a heat map."""
    axes.set_xticks([n - 0.5 for n in range(1, columns)], minor=True)
    axes.set_yticks([n - 0.5 for n in range(1, rows)], minor=True)
    axes.grid(
        which="minor",
        color="white",
        linewidth=2,
    )
    axes.tick_params(which="minor", length=0)
