"""Thesis, the figures: competition plots with their areas, box plot, scatter plots.

A competition plot shows the share of the boards that are solved over the seconds so far, the
boards in the order of the sample; the area is that under the curve, and a smaller one is read as
better. The box plot shows how far the times spread, the scatter plots compare two solvers board
by board, and seconds with nodes. Figures of Z3 need asplan[smt]; leave them out with --no-smt.

    python scripts/thesis/figures.py [DATABASE] -o FOLDER [--every N] [--no-smt] [--markdown]
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from study import Measured, Rows, arguments, astar, chosen, measure, read_database, sample1, tables

# The published areas on Sample1.
AREAS = {
    "cars_between": 323.97,
    "constant": 334.55,
    "smt-alternating": 237.64,
    "smt": 224.67,
}

ASTAR = {
    name: astar(name) for name in ("constant", "cars_between", "blocking_cars", "goal_distance")
}
SMT = {name: {"engine": name} for name in ("smt", "smt-alternating", "smt-cells")}


def area(measured: list[Measured]) -> float:
    """The area under the curve of a competition plot."""
    return sum(one.seconds * (index + 0.5) / len(measured) for index, one in enumerate(measured))


def competition(axes: Axes, rows: Rows) -> None:
    """The share solved over the seconds so far."""
    for name, measured in rows.items():
        seconds = list(accumulate((one.seconds for one in measured), initial=0.0))
        shares = [100 * index / len(measured) for index in range(len(seconds))]
        axes.plot(seconds, shares, label=f"{name}, area {area(measured):.2f}")
    axes.set(xlabel="seconds so far", ylabel="boards solved, %", ylim=(0, 100))
    axes.legend(frameon=False)


def boxes(axes: Axes, rows: Rows) -> None:
    """How far the times spread."""
    times = [[one.seconds for one in measured] for measured in rows.values()]
    axes.boxplot(times, showmeans=True)
    axes.set_xticks(range(1, len(rows) + 1), list(rows), rotation=20, ha="right")
    axes.set(ylabel="seconds for a board", yscale="log")


def against(axes: Axes, rows: Rows, left: str, right: str) -> None:
    """Two solvers board by board; below the line the second is the faster one."""
    xs, ys = ([one.seconds for one in rows[name]] for name in (left, right))
    axes.scatter(xs, ys, s=14, alpha=0.7)
    ends = [min(xs + ys), max(xs + ys)]
    axes.plot(ends, ends, color="grey", linewidth=0.8)
    axes.set(xlabel=f"{left}, seconds", ylabel=f"{right}, seconds", xscale="log", yscale="log")


def nodes(axes: Axes, rows: Rows) -> None:
    """Seconds over nodes."""
    for name, measured in rows.items():
        seconds = [one.seconds for one in measured]
        axes.scatter([one.nodes for one in measured], seconds, s=14, alpha=0.6, label=name)
    axes.set(xlabel="nodes", ylabel="seconds")
    axes.legend(frameon=False)


def save(folder: Path, name: str, draw: object, *given: object) -> None:
    """One figure in a file."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    draw(axes, *given)  # type: ignore[operator]
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(folder / f"{name}.png", dpi=150)
    tables.progress(f"wrote {folder / name}.png")


def main() -> None:
    """Measure and draw."""
    given = arguments(__doc__ or "")
    smt = not given.no_smt
    given.output.mkdir(parents=True, exist_ok=True)
    boards = chosen(sample1(read_database(given.database)), given.every)
    searches = measure(boards, ASTAR, given.time_limit)
    rows = searches | (measure(boards, SMT, given.time_limit) if smt else {})
    save(given.output, "competition_astar", competition, searches)
    save(given.output, "boxes", boxes, rows)
    save(given.output, "nodes", nodes, searches)
    save(given.output, "constant_cars_between", against, rows, "constant", "cars_between")
    if smt:
        save(given.output, "competition_smt", competition, {name: rows[name] for name in SMT})
        save(given.output, "astar_smt", against, rows, "cars_between", "smt")
    areas = [(name, str(AREAS.get(name, "")), f"{area(rows[name]):.2f}") for name in rows]
    columns = ("area of the competition plot", "published", "ours")
    tables.show(columns, areas, markdown=given.markdown)
    if smt:
        slower = sum(
            z3.seconds > a.seconds for z3, a in zip(rows["smt"], rows["cars_between"], strict=True)
        )
        share = f"{slower / len(boards):.0%}"
        tables.say(f"Z3 is slower than A* on {share} of the boards (published: 63%).")


if __name__ == "__main__":
    main()
