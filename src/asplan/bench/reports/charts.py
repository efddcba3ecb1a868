"""The charts of a report, each as PNG and as SVG."""

import math
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from asplan.bench.reports.statistics import Coverage, MethodStatistics, Values
from asplan.core.figures import FAINT, GREY, INK, WIDE_RANGE, new_figure, settings, styles
from asplan.core.text import printable, shortened

WIDTH = 4.6  # inches; such a chart is readable at half of a page, and on a phone
DPI = 160
_LONGEST_NAME = 24
_BEYOND = 1.6  # times the limit is where the line lies on which unsolved instances stand


@dataclass(frozen=True)
class Chart:
    """A chart in pixels of a page, under the name of its files; `note` helps to read it."""

    name: str
    title: str
    note: str
    width: int
    height: int
    png: bytes
    svg: bytes

    @property
    def data(self) -> str:
        return b64encode(self.svg).decode()


def all_charts(
    values: Values,
    statistics: Sequence[MethodStatistics],
    covered: Coverage,
    pairs: Iterable[tuple[str, str]],
) -> tuple[Chart, ...]:
    """All charts of which there is something to draw; of a pair the first goes to the right."""
    some, has = [method for method in values.methods if values.of(method)], values.has
    charts = [_cactus(values, statistics, some), _boxes(values, some)] if some else []
    charts.append(_coverage(covered, values.methods))
    drawn = (p for p in pairs if {*p} <= {*some} and (has[p[0]] & has[p[1]]).any())
    charts += [_scatter(values, *pair) for pair in drawn]
    return tuple(charts)


def _chart(
    name: str, title: str, note: str, size: tuple[float, float], draw: Callable[[Any], None]
) -> Chart:
    with settings(name):
        figure = new_figure(*size)
        draw(figure)
        png, svg = BytesIO(), BytesIO()
        figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
        figure.set_layout_engine("none")  # all has its place now
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(svg, format="svg", metadata=nothing)
    width, height = (round(inches * 96) for inches in size)
    return Chart(name, title, note, width, height, png.getvalue(), svg.getvalue())


def _name(method: str) -> str:
    """A method as a legend shows it, on one line, and never taken as a name to be hidden."""
    text = " ".join(shortened(printable(method), _LONGEST_NAME).split())
    return f"\u200b{text}" if text.startswith("_") else text


def _is_wide(values: Iterable[float]) -> bool:
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) > WIDE_RANGE * min(positive)


def _make_log(*axes: Any) -> None:
    for axis in axes:
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        axis.set_major_formatter(lambda value, place: f"{value:g}")
        axis.set_minor_formatter(lambda value, place: "")


def _cactus(values: Values, statistics: Sequence[MethodStatistics], some: Sequence[str]) -> Chart:
    note = (
        "Instances solved within a value; the more to the left and the higher, the better. "
        "In the legend the area below each line, in percent of the best possible (on an axis "
        "that is not logarithmic)."
    )
    shares = {one.method: one.share for one in statistics}

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        least = min((v for m in some for v in values.of(m) if v > 0), default=0.0)
        wide = _is_wide([least, values.limit])
        left = least / 1.5 if wide else 0.0
        lines, labels = [], []
        for method, (colour, mark) in styles(values.methods).items():
            if method not in some:
                continue
            own = [max(v, left) for v in values.of(method)]
            xs, ys = [left, *own, max(values.limit, own[-1])], [*range(len(own) + 1), len(own)]
            look = {"color": colour, "linewidth": 1.5, "marker": mark, "markersize": 4.5}
            every = len(own) // 12 + 1, max(1, len(own) // 6)
            lines += axes.step(xs, ys, where="post", markeredgewidth=0, markevery=every, **look)
            share = shares[method]
            labels.append(_name(method) + ("" if share is None else f" ({share:.0%})"))
        if wide:
            _make_log(axes.xaxis)
        label = values.measure.label + values.measure.bracket
        axes.set(xlabel=label, ylabel="instances solved")
        axes.set_xlim(left=left)
        axes.set_ylim(0, len(values.instances) * 1.04)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.axhline(len(values.instances), color=GREY, linewidth=0.8, linestyle=":")
        axes.grid()
        columns = 2 if max(map(len, labels)) > 16 or len(labels) == 2 else 3
        figure.legend(lines, labels, loc="outside lower center", ncols=columns, fontsize=8)

    height = 3.1 + 0.16 * math.ceil(len(some) / 2)
    return _chart("cactus", "Instances solved", note, (WIDTH, height), draw)


def _boxes(values: Values, some: Sequence[str]) -> Chart:
    note = (
        "The values of the solved instances: the box holds the middle half, the line in it is the "
        "median, the whiskers reach the last value within 1.5 times the box's length, each dot is "
        "an instance. A method that solves only easy instances looks good here; n says how many "
        "it has solved."
    )

    def draw(figure: Any) -> None:
        import numpy as np

        axes = figure.subplots()
        data = [values.of(method) for method in some]
        if wide := _is_wide(v for own in data for v in own):
            data = [[v for v in own if v > 0] for own in data]
        look = styles(values.methods)
        places = list(range(len(some), 0, -1))
        grey, middle = {"color": GREY}, {"color": INK, "linewidth": 1.6}
        lines = {"medianprops": middle, "whiskerprops": grey, "capprops": grey}
        how = {"orientation": "horizontal", "widths": 0.55, "patch_artist": True, **lines}
        drawn = axes.boxplot(data, positions=places, showfliers=False, **how)
        random = np.random.default_rng(1)
        for box, place, method, own in zip(drawn["boxes"], places, some, data, strict=True):
            colour = look[method][0]
            box.set(facecolor=(colour, 0.25), edgecolor=colour)
            heights = place + random.uniform(-0.18, 0.18, len(own))
            axes.scatter(own, heights, s=5, color=colour, alpha=0.6, linewidths=0, zorder=3)
        if wide:
            _make_log(axes.xaxis)
        labels = [f"{_name(m)}\nn = {len(values.of(m))}" for m in some]
        axes.set_yticks(places, labels, fontsize=8)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(0.4, len(some) + 0.6)
        axes.set_xlabel(values.measure.label + values.measure.bracket)
        axes.grid(axis="x")

    title = f"{values.measure.label[0].upper()}{values.measure.label[1:]} of solved instances"
    return _chart("box", title, note, (WIDTH, 1.0 + 0.42 * len(some)), draw)


def _scatter(values: Values, right: str, up: str) -> Chart:
    note = (
        f"Each dot is an instance; below the diagonal {up} is better. The thin lines are factors "
        "of 10; what one of the two has not solved stands on the dashed line."
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        pairs = zip(values.median[right], values.median[up], strict=True)
        known = [(x, y) for x, y in pairs if not math.isnan(x) and not math.isnan(y)]
        finite = [v for pair in known for v in pair if 0 < v < math.inf]
        most = max([*finite, values.limit]) or 1.0
        least = min([*finite, most]) / 1.5
        edge = most * _BEYOND
        end = edge * 1.25
        drawn = [(x, y) for x, y in known if x < math.inf or y < math.inf]
        xs, ys = ([min(max(pair[n], least), edge) for pair in drawn] for n in (0, 1))
        colour, mark = styles(values.methods)[up]
        for factor in (0.1, 1.0, 10.0):
            shade = GREY if factor == 1 else FAINT
            ends = [least * factor, end * factor]
            axes.plot([least, end], ends, color=shade, linewidth=0.9, zorder=1)
        for line in (axes.axhline, axes.axvline):
            line(edge, color=GREY, linewidth=0.8, linestyle="--", zorder=1)
        look = {"s": 18, "marker": mark, "color": colour, "alpha": 0.75, "linewidths": 0}
        axes.scatter(xs, ys, **look, zorder=3, clip_on=False)
        _make_log(axes.xaxis, axes.yaxis)
        axes.set(xlim=(least, end), ylim=(least, end), box_aspect=1)
        unit = values.measure.bracket
        axes.set(xlabel=_name(right) + unit, ylabel=_name(up) + unit)

    numbers = "-".join(str(values.methods.index(method) + 1) for method in (right, up))
    return _chart(f"scatter-{numbers}", f"{up} beside {right}", note, (3.8, 3.6), draw)


def _coverage(covered: Coverage, methods: Sequence[str]) -> Chart:
    note = f"Solved instances of all in a group; groups by {covered.by}."
    cells = [list(zip(covered.solved[m], covered.sizes[m], strict=True)) for m in methods]
    shares = [[done / size if size else 0 for done, size in row] for row in cells]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1.35, aspect="auto")
        for y, row in enumerate(cells):
            for x, (done, size) in enumerate(row):
                text = f"{done}/{size}" if size else ""
                ink = "white" if shares[y][x] > 0.8 else INK
                axes.text(x, y, text, ha="center", va="center", color=ink, fontsize=8)
        axes.set_xticks(range(len(covered.bins)), covered.bins, fontsize=8)
        axes.set_yticks(range(len(methods)), [_name(m) for m in methods], fontsize=8)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xticks([n - 0.5 for n in range(1, len(covered.bins))], minor=True)
        axes.set_yticks([n - 0.5 for n in range(1, len(methods))], minor=True)
        axes.grid(which="minor", color="white", linewidth=2)
        axes.tick_params(which="minor", length=0)
        axes.set_xlabel(covered.by)

    size = (WIDTH, 1.1 + 0.34 * len(methods))
    return _chart("coverage", "Coverage by difficulty", note, size, draw)
