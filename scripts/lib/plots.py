"""Pictures that several studies draw beside their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median


def draw_bars(
    file: Path,
    groups: Sequence[str],
    bars: Mapping[str, Sequence[Sequence[float]]],
    unit: str,
    late: Mapping[str, Sequence[bool]] | None = None,
    per: float = 1,
    digits: int = 1,
) -> None:
    """Draw groups of bars, at the medians of the values, with a line from the least to the most.

    Each bar has its height, divided by `per`, written above it. If `late` says which ones reached
    the limit, these are hatched, and the axis is logarithmic.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = file.stem
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.add_subplot(ylabel=unit)
    width = 0.84 / len(bars)
    for index, (label, column) in enumerate(bars.items()):
        told = [(g, [value / per for value in values]) for g, values in enumerate(column) if values]
        places = [g + width * (index - (len(bars) - 1) / 2) for g, _ in told]
        heights = [median(values) for _, values in told]
        hatches = ["///" if late and late[label][g] else "" for g, _ in told]
        axes.bar(places, heights, width * 0.94, label=label, hatch=hatches)
        for place, height, (_, values) in zip(places, heights, told, strict=True):
            if len(values) > 1:
                axes.plot([place, place], [min(values), max(values)], color="#333333")
            if late is None:
                where = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center"}
                top = (place, max(values))
                axes.annotate(f"{height:.{digits}f}", top, color="#333333", fontsize=8, **where)
    if late is not None:
        axes.set_yscale("log")
    axes.set_xticks(range(len(groups)), groups)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=len(bars), loc="lower left", bbox_to_anchor=(0, 1), fontsize=9)
    figure.savefig(file, metadata={"Date": None})


def draw_diagonal(
    file: Path,
    points: Mapping[str, Sequence[tuple[float, float]]],
    across: str,
    up: str,
) -> None:
    """Draw points of two measured values, with the diagonal on which both are equal.

    `points` has the points of each label. Both axes are logarithmic and have the same range.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = file.stem
    figure = Figure(figsize=(5.2, 5.2), layout="constrained")
    axes = figure.add_subplot(xlabel=across, ylabel=up, xscale="log", yscale="log", aspect="equal")
    for (label, pairs), marker in zip(points.items(), "os^D", strict=False):
        axes.scatter(*zip(*pairs, strict=True), s=22, marker=marker, label=label)
    values = [value for pairs in points.values() for pair in pairs for value in pair]
    ends = (min(values) / 1.3, max(values) * 1.3)
    axes.plot(ends, ends, color="#888888", linewidth=1)
    axes.set(xlim=ends, ylim=ends)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")
    figure.savefig(file, metadata={"Date": None})
