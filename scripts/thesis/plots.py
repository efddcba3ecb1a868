"""Thesis, the figures: competition plots with their areas, box plots, scatter plots.

A competition plot shows the share of the boards that are solved over the seconds so far, the
boards in the order of the sample; the area is that under the curve, and a smaller one is read as
better. The box plot shows how far the times spread, the scatter plots compare two solvers board
by board, and seconds with nodes. Each comparison of the thesis has a picture of each kind: of
heuristics, ways to break ties, breadth-first search, the limits of Z3 and its optional constraint,
and A* with Z3, on Sample1 and on Sample2. Figures of Z3 need asplan[smt]; leave them out with
--no-smt.

Which number a figure has in the thesis is not known here, so the names say what is shown. Nor is
the order of Sample2, on which the areas rest: see `many_states_first`.

    python scripts/thesis/plots.py [DATABASE] -o FOLDER [--every N] [--no-smt] [--runs FILE]
                                     [--markdown]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from study import (
    MOST_MOVES,
    SAMPLE2_MOVES,
    Configuration,
    Measured,
    Rows,
    arguments,
    astar,
    chosen,
    measure,
    read_database,
    sample1,
    sample2,
    tables,
)

RESTS_ON = ("src/asplan/engines/smt.py", "src/asplan/domains/rush_hour/smt.py")

HEURISTICS = (
    "constant",
    "cars_between",
    "blocking_cars",
    "goal_distance",
    "movable_blocking_cars",
)
Z3: Mapping[str, Configuration] = {
    name: {"engine": name} for name in ("smt", "smt-alternating", "smt-cells")
}

SAMPLES: Mapping[str, Mapping[str, Configuration]] = {
    "Sample1": {
        **{name: astar(name) for name in HEURISTICS},
        "larger g": astar("cars_between", "larger-g"),
        "smaller g, then h": astar("cars_between", "smaller-g-then-h"),
        "bfs": {"engine": "bfs"},
        **Z3,
        "smt, static": {"engine": "smt", "move_limit": MOST_MOVES + 1},
    },
    "Sample2": {
        "cars_between": astar("cars_between"),
        "bfs": {"engine": "bfs"},
        "smt": {"engine": "smt"},
        "smt, static": {"engine": "smt", "move_limit": SAMPLE2_MOVES + 1},
    },
}
"""All that is run; `smt` is Z3 with a growing limit on the states."""


@dataclass(frozen=True)
class Comparison:
    """Solvers on a sample that stand side by side; the first two are set against each other."""

    name: str
    solvers: Sequence[str]
    sample: str = "Sample1"


COMPARISONS = (
    Comparison("heuristics", HEURISTICS),
    Comparison("tie_breaking", ("cars_between", "larger g", "smaller g, then h")),
    Comparison("bfs", ("cars_between", "bfs")),
    Comparison("z3_limits", ("smt", "smt, static")),
    Comparison("z3_option", ("smt", "smt-alternating", "smt-cells")),
    Comparison("astar_z3", ("cars_between", "smt", "smt, static")),
    Comparison("sample2", ("cars_between", "smt", "smt, static"), "Sample2"),
)

Solver = tuple[str, str]
"""A sample and the name of what runs on it."""

AREAS: Mapping[Solver, float] = {
    ("Sample1", "cars_between"): 323.97,
    ("Sample1", "constant"): 334.55,
    ("Sample1", "smt-alternating"): 237.64,
    ("Sample1", "smt"): 224.67,
    ("Sample2", "cars_between"): 817.71,
    ("Sample2", "smt"): 3608.58,
}
"""The published areas, in seconds."""

TOTALS: Mapping[Solver, float] = {
    ("Sample1", "cars_between"): 523.13,
    ("Sample1", "constant"): 581.12,
    ("Sample1", "smt"): 310.40,
    ("Sample2", "cars_between"): 3284.27,
}
"""The published seconds for all boards, where the area is known, too."""

PAIRS = (
    ("Sample1", "constant", "cars_between"),
    ("Sample1", "smt-alternating", "smt"),
    ("Sample1", "smt", "cars_between"),
    ("Sample2", "smt", "cars_between"),
)
"""Areas that the thesis compares: which, in relation to which."""

COMPARABLE = """\
The areas are seconds of two machines and two programs, on other boards and not equally many, so
they cannot be compared as they are. The ratio of two areas on one sample can be, as far as one
believes that the programs are alike. The share of the total can, too; it tells where in the order
of the sample the slow boards stand: 50 % where time and place have nothing to do with each other,
more where they come last, as in Sample1, less where they come first. Published for A* on Sample2 is
25 %. The order of that sample is not stated; ours are in the order of their states, most first.
"""


def area(measured: Sequence[Measured]) -> float:
    """The area under the curve of a competition plot, in seconds; the share goes from 0 to 1."""
    return sum(one.seconds * (index + 0.5) / len(measured) for index, one in enumerate(measured))


def many_states_first(rows: Rows) -> Rows:
    """Sample2 in the order that is inferred for it: by the states that `bfs` takes out.

    The published area of A* is 25 % of its total, so slow boards stand first. In the order of our
    database it would be about half, in this one it is close to what is published.
    """
    sizes = [one.nodes for one in rows["bfs"]]
    order = sorted(range(len(sizes)), key=lambda index: -sizes[index])
    return {name: [measured[index] for index in order] for name, measured in rows.items()}


def curve(measured: Sequence[Measured]) -> tuple[list[float], list[float]]:
    """The seconds so far, and the share of the boards that are solved by then."""
    seconds = list(accumulate((one.seconds for one in measured), initial=0.0))
    return seconds, [index / len(measured) for index in range(len(seconds))]


def competition(axes: Axes, rows: Rows) -> None:
    """The share solved over the seconds so far."""
    for name, measured in rows.items():
        seconds, shares = curve(measured)
        label = f"{name}, area {area(measured):.3g}"
        axes.plot(seconds, [100 * share for share in shares], label=label)
    axes.set(xlabel="seconds so far", ylabel="boards solved, %", ylim=(0, 100))
    axes.legend(frameon=False)


def boxes(axes: Axes, rows: Rows) -> None:
    """How far the times spread."""
    times = [[one.seconds for one in measured] for measured in rows.values()]
    axes.boxplot(times, showmeans=True)
    axes.set_xticks(range(1, len(rows) + 1), list(rows), rotation=20, ha="right")
    axes.set(ylabel="seconds for a board", yscale="log")


def against(axes: Axes, rows: Rows) -> None:
    """The first two board by board; below the line the second is the faster one."""
    left, right, *_ = rows
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


Draw = Callable[[Axes, Rows], None]

KINDS: Mapping[str, Draw] = {"competition": competition, "boxes": boxes, "against": against}
"""The kinds of picture that each comparison has; nodes count in searches alone."""


def draw(folder: Path, comparison: Comparison, rows: Rows) -> None:
    """All pictures of a comparison."""
    kinds = dict(KINDS)
    if not any("smt" in name for name in rows):
        kinds["nodes"] = nodes
    for kind, picture in kinds.items():
        save(folder / f"{comparison.name}_{kind}.png", partial(picture, rows=rows), comparison)


def save(file: Path, picture: Callable[[Axes], None], comparison: Comparison) -> None:
    """One picture in a file."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot(title=comparison.sample)
    picture(axes)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(file, dpi=150)
    tables.progress(f"wrote {file}")


def area_rows(measured: Mapping[str, Rows]) -> Iterator[tables.Row]:
    """For each solver on each sample the area, and its share of the total."""
    for sample, rows in measured.items():
        for name, runs in rows.items():
            total = sum(one.seconds for one in runs)
            known, known_total = AREAS.get((sample, name)), TOTALS.get((sample, name))
            share = f"{known / known_total:.0%}" if known and known_total else ""
            found = area(runs)
            cells = (f"{known:.2f}" if known else "", f"{found:.3g}", share, f"{found / total:.0%}")
            yield sample, str(len(runs)), name, *cells


def pair_rows(measured: Mapping[str, Rows]) -> Iterator[tables.Row]:
    """The published ratios of areas, and ours."""
    for sample, one, other in PAIRS:
        if one in measured[sample]:
            published = AREAS[sample, one] / AREAS[sample, other]
            ours = area(measured[sample][one]) / area(measured[sample][other])
            yield sample, one, other, f"{published:.3f}", f"{ours:.3f}"


def main() -> None:
    """Measure and draw."""
    given = arguments(__doc__ or "")
    given.output.mkdir(parents=True, exist_ok=True)
    database = read_database(given.database)
    boards = {"Sample1": sample1(database), "Sample2": sample2(database)}
    measured: dict[str, Rows] = {}
    for sample, solvers in SAMPLES.items():
        used = {n: how for n, how in solvers.items() if not (given.no_smt and "smt" in n)}
        some = chosen(boards[sample], given.every)
        measured[sample] = measure(some, used, given.time_limit, kept=given.runs)
    measured["Sample2"] = many_states_first(measured["Sample2"])
    for comparison in COMPARISONS:
        rows = measured[comparison.sample]
        if all(name in rows for name in comparison.solvers):
            draw(given.output, comparison, {name: rows[name] for name in comparison.solvers})
    columns = ("sample", "boards", "", "area, published", "ours", "of total, published", "ours")
    tables.show(columns, area_rows(measured), "competition plots", markdown=given.markdown)
    columns = ("sample", "area of", "to that of", "published", "ours")
    tables.show(columns, pair_rows(measured), "ratios of areas", markdown=given.markdown)
    tables.say(COMPARABLE.replace("\n", " ").strip())
    if not given.no_smt:
        z3, a = (measured["Sample1"][name] for name in ("smt", "cars_between"))
        share = sum(one.seconds > other.seconds for one, other in zip(z3, a, strict=True)) / len(a)
        tables.say(f"Z3 is slower than A* on {share:.0%} of the boards (published: 63%).")


if __name__ == "__main__":
    main()
