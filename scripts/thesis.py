"""Thesis: the tables and figures of chapter 5, A* against Z3 on Rush Hour, published and ours.

    python scripts/thesis.py [WHAT…] [--quick] [--database FILE] [--runs FILE] [-o FOLDER]
                             [--markdown]

WHAT is a table (`table-5.1` … `table-5.5`, all: `tables`), a figure (`figure-5.1` … `figure-5.11`,
all: `figures`), `spread`: quartiles of all methods, `order`: the areas on Sample2 if the boards
come in the reverse order, or `question`: is Z3 slower than A* on most boards, but steadier, and
faster in all? Without one it is all of them. Each figure gives a row of areas, where it is a
competition plot, and with -o a picture in FOLDER.

A competition plot shows the share of the boards that are solved over the seconds so far, in the
order of the sample; a smaller area under the curve is read as better. Sample2 is in falling order
of the states to visit. The figures are those of the thesis's list of figures. 5.8 and 5.9 are
scatter plots: a board is a point, its seconds by A* and by Z3, and the diagonal is where both are
equal; 5.9 shows the first two seconds.

All runs stand in the file of --runs, so an interrupted study goes on where it was. The whole takes
about an hour of a processor, nearly all of it Z3's; --quick runs five boards of each sample.
Published figures come from other hardware: compare ratios and counts, not seconds. Z3 needs
asplan[smt].
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from statistics import mean, quantiles, stdev

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib import tables
from lib.quick import add_quick
from lib.thesis import (
    MOST_MOVES,
    SAMPLE2_MOVES,
    Board,
    Configuration,
    Database,
    Measured,
    Rows,
    astar,
    chosen,
    database,
    measure,
    of_26_moves,
    sample1,
    sample2,
)

RESTS_ON = (
    "src/asplan/engines/search/*.py",
    "src/asplan/engines/smt/*.py",
    "src/asplan/domains/rush_hour/smt.py",
)

SAMPLE1, SAMPLE2 = "Sample1", "Sample2"

ASTAR, BFS = "cars_between", "breadth first"
ITERATIVE, STATIC, OPTION = "Z3 iterative", "Z3 static", "Z3 with the option"
LARGER, SMALLER = "two-stage: larger g", "three-stage: smaller g, then h"
CELLS, PACED = "Z3, `smt-cells`", "A* at the published pace"
HEURISTICS = (
    "constant",
    ASTAR,
    "blocking_cars",
    "goal_distance",
    "movable_blocking_cars",
)

WAYS: Mapping[str, Mapping[str, Configuration]] = {
    SAMPLE1: {
        **{name: astar(name) for name in HEURISTICS},
        LARGER: astar(ASTAR, "larger-g"),
        SMALLER: astar(ASTAR, "smaller-g-then-h"),
        BFS: {"engine": "bfs"},
        ITERATIVE: {"engine": "smt"},
        STATIC: {"engine": "smt", "move_limit": MOST_MOVES + 1},
        OPTION: {"engine": "smt-alternating"},
        CELLS: {"engine": "smt-cells"},
    },
    SAMPLE2: {
        ASTAR: astar(ASTAR),
        BFS: {"engine": "bfs"},
        ITERATIVE: {"engine": "smt"},
        STATIC: {"engine": "smt", "move_limit": SAMPLE2_MOVES + 1},
    },
}
"""What is run on each sample; a way of Z3 is told by its engine."""

Published = Sequence[float | None]
"""Of the hardest board seconds and nodes, mean seconds and nodes, the total, the optimal share."""


@dataclass(frozen=True)
class Table:
    """A table of the thesis: what it compares, and what it says."""

    title: str
    published: Mapping[str, Published]
    sample: str = SAMPLE1


@dataclass(frozen=True)
class Picture:
    """A figure of the thesis: its title, its kind, and what it compares."""

    title: str
    ways: Sequence[str]
    sample: str = SAMPLE1
    kind: str = "competition"


NONE = (2.6443, 2835, 5.2313, 5349.47, 523.13, 1.0)
"""A* with `cars_between`, nothing deciding among equals."""

TABLES: Mapping[str, Table] = {
    "table-5.1": Table(
        "A* with five heuristics",
        {
            "constant": (2.5802, 2838, 5.8112, 6172.98, 581.12, 1.0),
            ASTAR: NONE,
            "blocking_cars": (2.4340, 2328, 4.8750, 4292.1, 487.50, 0.76),
            "goal_distance": (2.9411, 3037, 5.4765, 5765.12, 547.65, 0.39),
            "movable_blocking_cars": (2.7708, 2576, 5.5866, 4690.33, 558.66, 0.79),
        },
    ),
    "table-5.2": Table(
        "ways to break ties in A* with `cars_between`",
        {
            ASTAR: NONE,
            LARGER: (2.6841, 2924, 5.3197, 5628.62, 531.97, None),
            SMALLER: (2.8228, 3007, 5.5105, 5701.76, 551.05, None),
        },
    ),
    "table-5.3": Table(
        "breadth-first search beside A*",
        {BFS: (2.7013, 3025, 7.3432, 7699.9, 734.32, None), ASTAR: NONE},
    ),
    "table-5.4": Table(
        "Z3 with a growing and with a fixed limit",
        {
            ITERATIVE: (0.0921, None, 3.1040, None, 310.40, None),
            STATIC: (0.0707, None, 5.3942, None, 539.42, None),
        },
    ),
    "table-5.5": Table(
        "A* and Z3 on boards of one difficulty",
        {
            ASTAR: (12.1371, None, 2.4825, None, 3284.27, None),
            STATIC: (2.6003, None, 1.9126, None, 2530.31, None),
        },
        SAMPLE2,
    ),
}

FIGURES: Mapping[str, Picture] = {
    "figure-5.1": Picture("consistent heuristics", ("constant", ASTAR)),
    "figure-5.2": Picture("A* and breadth-first search", (ASTAR, BFS)),
    "figure-5.3": Picture("Z3 with and without the option", (OPTION, ITERATIVE)),
    "figure-5.4": Picture("raising move_limit step by step", (STATIC, ITERATIVE)),
    "figure-5.5": Picture(
        "static and iterative at constant difficulty", (STATIC, ITERATIVE), SAMPLE2
    ),
    "figure-5.6": Picture("A* and Z3", (ASTAR, ITERATIVE)),
    "figure-5.7": Picture("spread of A* and Z3", (ASTAR, ITERATIVE), kind="boxes"),
    "figure-5.8": Picture("times of A* and Z3", (ASTAR, ITERATIVE), kind="scatter"),
    "figure-5.9": Picture("times in detail", (ASTAR, ITERATIVE), kind="detail"),
    "figure-5.10": Picture("A* and iterative Z3, difficulty known", (ASTAR, ITERATIVE), SAMPLE2),
    "figure-5.11": Picture("A* and static Z3, difficulty known", (ASTAR, STATIC), SAMPLE2),
}

QUESTION = (ASTAR, ITERATIVE, CELLS)

AREAS: Mapping[tuple[str, str], float] = {
    (SAMPLE1, ASTAR): 323.97,
    (SAMPLE1, "constant"): 334.55,
    (SAMPLE1, OPTION): 237.64,
    (SAMPLE1, ITERATIVE): 224.67,
    (SAMPLE2, ASTAR): 817.71,
    (SAMPLE2, ITERATIVE): 3608.58,
}
"""The published areas, in seconds."""

SMALLER_BY: Mapping[str, str] = {
    "figure-5.1": "3.16%",
    "figure-5.3": "5.46%",
    "figure-5.4": "28.28%",
    "figure-5.6": "about 44%",
}
"""By how much the second area is smaller, as the thesis prints it; 44% are of the smaller area."""

# Mean and total seconds on Sample1.
MEANS: Mapping[str, tuple[float, float]] = {ASTAR: (5.2313, 523.13), ITERATIVE: (3.1040, 310.40)}
PACE = 5.2313 / 5349.47
"""Published seconds for a state of A*."""


def is_smt(way: str) -> bool:
    """Return whether Z3 is the method, which takes most of the time."""
    return way.startswith("Z3")


class Study:
    """The boards, and the runs on them that have been asked for so far."""

    def __init__(self, base: Database, given: argparse.Namespace) -> None:
        self.base, self.given = base, given

    def boards(self, sample: str, ways: Sequence[str]) -> list[Board]:
        """The boards that all of some ways run on: fewer, if Z3 is among them."""
        if sample == SAMPLE1:
            boards = sample1(self.base.boards)
        else:
            boards = of_26_moves(self.base.boards)
            states = [one.nodes for one in self.run(sample, boards, [BFS])[BFS]]
            boards = sample2(boards, states)
        if not any(map(is_smt, ways)):
            return boards
        if sample == SAMPLE1:
            return chosen(boards, self.given.every)
        return boards[:: min(self.given.every_second, max(1, len(boards) // LEAST_BOARDS))]

    def run(self, sample: str, boards: Sequence[Board], ways: Sequence[str]) -> Rows:
        """Return the results of some methods on some boards."""
        used = {name: WAYS[sample][name] for name in ways}
        return measure(boards, used, self.given.time_limit, kept=self.given.runs)

    def rows(self, sample: str, ways: Sequence[str]) -> tuple[str, Rows]:
        """Return the results of methods on the boards of a sample, and a title."""
        boards = self.boards(sample, ways)
        return self.base.told(boards, sample), self.run(sample, boards, ways)


LEAST_AREA = 1.0
"""Seconds below which an area divides no other."""

LEAST_BOARDS = 5
"""Of Sample2, whatever part of it is asked for; the generated one is small."""


def area(measured: Sequence[Measured]) -> float:
    """The area under the curve of a competition plot, in seconds; the share goes from 0 to 1."""
    return area_of([one.seconds for one in measured])


def area_of(seconds: Sequence[float]) -> float:
    """Return the area under the curve of boards that take so many seconds."""
    return sum(one * (index + 0.5) / len(seconds) for index, one in enumerate(seconds))


def curve(measured: Sequence[Measured]) -> tuple[list[float], list[float]]:
    """The seconds so far, and the share of the boards that are solved by then."""
    seconds = list(accumulate((one.seconds for one in measured), initial=0.0))
    return seconds, [index / len(measured) for index in range(len(seconds))]


def competition(axes: Axes, rows: Rows) -> None:
    """The share solved over the seconds so far."""
    longest = max(sum(one.seconds for one in found) for found in rows.values())
    shortest = min(sum(one.seconds for one in found) for found in rows.values())
    is_logarithmic = longest > 20 * shortest
    for name, measured in rows.items():
        seconds, shares = curve(measured)
        if is_logarithmic:  # no line leads to 0 seconds
            seconds[0] = seconds[1]
        label = f"{name}, ours {area(measured):.3g} s"
        axes.plot(seconds, [100 * share for share in shares], label=label)
    if is_logarithmic:
        axes.set_xscale("log")
    axes.set(xlabel="CPU seconds so far", ylabel="boards solved, %", ylim=(0, 100))
    put_legend(axes)


def put_legend(axes: Axes) -> None:
    """Put the legend below the plot, where it hides nothing."""
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=1)


def boxes(axes: Axes, rows: Rows) -> None:
    """Draw the spread of the times."""
    axes.boxplot([[one.seconds for one in found] for found in rows.values()], showmeans=True)
    axes.set_xticks(range(1, len(rows) + 1), list(rows))
    axes.set(ylabel="CPU seconds for a board", yscale="log")


DETAIL = 2.0
"""The seconds that the detail shows, as in the thesis."""


def scatter(axes: Axes, rows: Rows) -> None:
    """The seconds of each board by both ways, and the diagonal on which they are equal."""
    points = pair_seconds(rows)
    both = [seconds for pair in points.values() for column in pair for seconds in column]
    least, most = min(both) / 1.5, max(both) * 1.5
    plot_pairs(axes, points, (least, most))
    axes.set(xscale="log", yscale="log")


def detail(axes: Axes, rows: Rows) -> None:
    """The same on a plain scale, the first two seconds."""
    plot_pairs(axes, pair_seconds(rows), (0, DETAIL))


Pair = tuple[Sequence[float], Sequence[float]]
"""The seconds of the boards by A* and by Z3."""


def pair_seconds(rows: Rows) -> dict[str, Pair]:
    """The pairs of seconds, with our A* and with A* at the published pace."""
    first, second = rows.values()
    ours = [one.seconds for one in first]
    paced = [one.nodes * PACE for one in first]
    others = [one.seconds for one in second]
    return {"our A*": (ours, others), PACED: (paced, others)}


def plot_pairs(axes: Axes, points: Mapping[str, Pair], limits: tuple[float, float]) -> None:
    """Draw points and the diagonal within limits of both axes."""
    axes.plot(limits, limits, color="grey", linewidth=1, label="equal")
    for label, (across, up) in points.items():
        axes.scatter(across, up, s=18, label=label)
    axes.set(xlabel="A*, CPU seconds", ylabel="Z3, CPU seconds", xlim=limits, ylim=limits)
    put_legend(axes)


KINDS: Mapping[str, Callable[[Axes, Rows], None]] = {
    "competition": competition,
    "boxes": boxes,
    "scatter": scatter,
    "detail": detail,
}


def draw(folder: Path, name: str, told: str, rows: Rows) -> None:
    """The picture of a figure in a file."""
    picture = FIGURES[name]
    figure = Figure(figsize=(7, 4.8), layout="constrained")
    number = name.removeprefix("figure-")
    axes = figure.add_subplot(title=f"Figure {number}: {picture.title}\n{told}")
    if picture.kind == "competition":
        known = {way: AREAS.get((picture.sample, way)) for way in rows}
        rows = {
            f"{way}, published area {known[way] or 'not printed'}": found
            for way, found in rows.items()
        }
    KINDS[picture.kind](axes, rows)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"figure_{number.replace('.', '_')}.png", dpi=110)
    tables.progress(f"drew {name}")


def table_rows(table: Table, rows: Rows) -> Iterator[tables.Row]:
    """Published and our own figures: the hardest board, means, the total, the optimal share."""
    hardest = -1 if table.sample == SAMPLE1 else 0
    for name, found in rows.items():
        *figures, share = table.published[name]
        cells = ["" if figure is None else f"{figure:g}" for figure in figures]
        yield name, "published", *cells, "" if share is None else f"{share:.0%}"
        seconds, counts = [one.seconds for one in found], [one.nodes for one in found]
        nodes = ["", ""] if is_smt(name) else [str(counts[hardest]), f"{mean(counts):.2f}"]
        last, middle, total = (
            f"{seconds[hardest]:.4f}",
            f"{mean(seconds):.4f}",
            f"{sum(seconds):.2f}",
        )
        share = f"{mean(one.optimal for one in found):.0%}"
        yield name, "ours", last, nodes[0], middle, nodes[1], total, share


def area_rows(name: str, boards: str, rows: Rows) -> Iterator[tables.Row]:
    """The areas of a figure, and by how much the second one is smaller.

    Our share is left open where the first is below a second: the ratio would tell of noise.
    """
    sample = FIGURES[name].sample
    known = [AREAS.get((sample, way)) for way in rows]
    ours = [area(found) for found in rows.values()]
    yield (
        name.removeprefix("figure-"),
        f"{' / '.join(rows)}, {boards}",
        " / ".join("?" if one is None else f"{one:.2f}" for one in known),
        " / ".join(f"{one:.3g}" for one in ours),
        SMALLER_BY.get(name, ""),
        difference(*ours) if ours[0] >= LEAST_AREA else "",
    )


def difference(first: float, second: float) -> str:
    """Return by how much the second is smaller, or how many times as large if more than twice."""
    if second > 2 * first:
        return f"{second / first:.3g} times"
    return f"{1 - second / first:.1%}"


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Return figures about the times of the boards and their spread."""
    low, middle, high = quantiles(seconds, n=4, method="inclusive")
    return {
        "lower quartile": low,
        "median": middle,
        "upper quartile": high,
        "largest": max(seconds),
        "standard deviation": stdev(seconds),
        "mean": mean(seconds),
        "total": sum(seconds),
    }


def spread_rows(sample: str, rows: Rows) -> Iterator[tables.Row]:
    """Yield a row for each method: what it solved, and its seconds; ratios are to `ASTAR`."""
    published = {name: known[4] for name, known in published_of(sample).items()}
    by_name = {name: spread([one.seconds for one in found]) for name, found in rows.items()}
    first, known = by_name[ASTAR], published[ASTAR]
    for name, found in rows.items():
        figures = by_name[name]
        total, ratio = published.get(name), ""
        if total is not None and known:
            ratio = f"{total / known:.2f}"
        yield (
            name,
            f"{sum(one.horizon is not None for one in found)}",
            f"{sum(one.optimal for one in found)}",
            f"{figures['total'] / first['total']:.3g}",
            ratio,
            f"{figures['median'] / first['median']:.3g}",
            *(f"{figures[one]:.4f}" for one in SPREAD_SHOWN),
        )


SPREAD_SHOWN = ("lower quartile", "median", "upper quartile", "mean", "largest")
"""The seconds of a row of spread."""


def published_of(sample: str) -> dict[str, Published]:
    """Return the published figures on a sample, by method."""
    found: dict[str, Published] = {}
    for table in TABLES.values():
        if table.sample == sample:
            found.update(table.published)
    return found


def question_rows(times: Mapping[str, Sequence[float]]) -> Iterator[tables.Row]:
    """A row for each figure, a cell for each solver."""
    by_name = {name: spread(seconds) for name, seconds in times.items()}
    for figure in by_name[ASTAR]:
        yield figure, *(f"{found[figure]:.3f}" for found in by_name.values())
    for index, figure in enumerate(("mean", "total")):
        known = (f"{MEANS[name][index]:.2f}" if name in MEANS else "" for name in times)
        yield f"{figure}, published", *known
    for other in (ASTAR, PACED):
        shares = (slower(times[name], times[other]) if name != other else "" for name in times)
        yield f"slower than {other}", *shares
    yield "slower than A*, published", "", "63%", *[""] * (len(times) - 2)


def slower(seconds: Sequence[float], than: Sequence[float]) -> str:
    """On how many boards the first needs more."""
    return f"{mean(one > other for one, other in zip(seconds, than, strict=True)):.0%}"


def say_stopped(rows: Rows) -> None:
    """Name what reached the time limit; a board counts with that."""
    for name, found in rows.items():
        if count := sum(one.horizon is None for one in found):
            tables.say(f"{name}: {count} boards reached the time limit.")


def show_table(name: str, study: Study) -> None:
    """Print a table."""
    table = TABLES[name]
    told, rows = study.rows(table.sample, list(table.published))
    title = f"table {name.removeprefix('table-')}: {table.title} ({told})"
    columns = ("", "", "hardest, s", "nodes", "mean, s", "mean nodes", "total, s", "optimal")
    tables.show(columns, table_rows(table, rows), title, markdown=study.given.markdown)
    say_stopped(rows)


def show_figures(names: Sequence[str], study: Study) -> None:
    """Draw figures, and print the areas of those that are competition plots."""
    areas: list[tables.Row] = []
    for name in names:
        picture = FIGURES[name]
        told, rows = study.rows(picture.sample, picture.ways)
        if study.given.output:
            draw(study.given.output, name, told, rows)
        if picture.kind == "competition":
            areas += area_rows(name, told, rows)
    columns = ("figure", "areas of", "published, s", "ours, s", "smaller by, published", "ours")
    if areas:
        tables.show(columns, areas, "areas, in seconds", markdown=study.given.markdown)


def show_spread(study: Study) -> None:
    """Print quartiles of all methods on both samples."""
    columns = (
        *("", "solved", "shortest", "total, to A*", "published", "median, to A*"),
        *(f"{name}, s" for name in SPREAD_SHOWN),
    )
    for sample, ways in WAYS.items():
        told, rows = study.rows(sample, list(ways))
        title = f"all methods ({told})"
        tables.show(columns, spread_rows(sample, rows), title, markdown=study.given.markdown)
        say_stopped(rows)


def order_rows(times: Mapping[str, Sequence[float]]) -> Iterator[tables.Row]:
    """Yield a row for each method: its total, and its area in both orders of the boards."""
    for name, seconds in times.items():
        first, last = area_of(seconds), area_of(seconds[::-1])
        yield name, f"{sum(seconds):.4g}", f"{first:.4g}", f"{last:.4g}", f"{last / first:.2f}"


def show_order(study: Study) -> None:
    """Print what the order of the boards does to the areas of Sample2."""
    told, rows = study.rows(SAMPLE2, (ASTAR, ITERATIVE, STATIC))
    times = {name: [one.seconds for one in found] for name, found in rows.items()}
    times[PACED] = [one.nodes * PACE for one in rows[ASTAR]]
    columns = ("", "total, s", "area, most states first, s", "fewest states first, s", "ratio")
    title = f"the order of the boards ({told})"
    tables.show(columns, order_rows(times), title, markdown=study.given.markdown)


def show_question(study: Study) -> None:
    """Print how A* and Z3 compare, board by board and in all."""
    told, rows = study.rows(SAMPLE1, QUESTION)
    times = {name: [one.seconds for one in found] for name, found in rows.items()}
    times[PACED] = [one.nodes * PACE for one in rows[ASTAR]]
    title = f"A* or Z3, CPU seconds ({told})"
    tables.show(("", *times), question_rows(times), title, markdown=study.given.markdown)
    say_stopped(rows)


OTHERS: Mapping[str, Callable[[Study], None]] = {
    "spread": show_spread,
    "order": show_order,
    "question": show_question,
}
"""What else is printed, beside tables and figures."""


def main() -> None:
    """Measure, draw and print."""
    everything = [*TABLES, *FIGURES, *OTHERS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"of {', '.join(everything)}")
    parser.add_argument("--database", type=Path, help="default: in ASPLAN_DATA, or generated")
    parser.add_argument("--every", type=int, default=1, help="every Nth board of Sample1, for Z3")
    parser.add_argument("--every-second", type=int, default=1, help="the same for Sample2")
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds for each board")
    parser.add_argument("--runs", type=Path, help="take runs from this file, add what is missing")
    parser.add_argument("-o", "--output", type=Path, help="folder for pictures")
    add_quick(parser, "five boards of each sample for Z3", every=20, every_second=42)
    tables.add_option(parser)
    given = parser.parse_args()
    groups = {"tables": list(TABLES), "figures": list(FIGURES)}
    what = [one for word in given.what for one in groups.get(word, [word])] or everything
    if unknown := set(what) - set(everything):
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(everything)}")
    study = Study(database(given.database), given)
    for name in what:
        if name in TABLES:
            show_table(name, study)
    show_figures([name for name in what if name in FIGURES], study)
    for name, show in OTHERS.items():
        if name in what:
            show(study)


if __name__ == "__main__":
    main()
