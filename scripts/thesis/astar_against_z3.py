"""Thesis, the question: is Z3 slower than A* on most boards, but steadier, and faster in all?

Published for Sample1: Z3 is slower on 63 % of the boards, spreads less and needs less in total,
with a growing limit on the states, which is `smt` here. Beside the thesis's two stand the heuristic
that saves most states, breadth-first search, and asplan's second model for Z3, `smt-cells`. The
published A* takes about a millisecond for a state; a row of its own has the states of our A* at
that pace. All run board by board; seconds are CPU seconds, and a board that reaches the time limit
counts with it. Needs asplan[smt].

    python scripts/thesis/astar_against_z3.py [DATABASE] [--every N] [--time-limit S] [--runs FILE]
                                              [--markdown]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean, quantiles, stdev

from study import arguments, astar, chosen, measure, read_database, sample1, tables

RESTS_ON = (
    "src/asplan/engines/search/*.py",
    "src/asplan/engines/smt.py",
    "src/asplan/domains/rush_hour/smt.py",
    "src/asplan/domains/rush_hour/heuristics.py",
    "src/asplan/domains/rush_hour/model.py",
)

ASTAR, Z3 = "A*, `cars_between`", "Z3, `smt`"
CONFIGURATIONS = {
    ASTAR: astar("cars_between"),
    "A*, `abstraction`": astar("abstraction", "larger-g"),
    "`bfs`": {"engine": "bfs"},
    Z3: {"engine": "smt"},
    "Z3, `smt-cells`": {"engine": "smt-cells"},
}

# Mean and total in seconds on Sample1, of A* and of iterative Z3; seconds for a state of A*.
PUBLISHED = {ASTAR: (5.2313, 523.13), Z3: (3.1040, 310.40)}
PACE, PACED = 5.2313 / 5349.47, "A*, at the published pace"


def figures(seconds: Sequence[float]) -> dict[str, float]:
    """What tells how long the boards take, and how far they spread."""
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


def slower(seconds: Sequence[float], than: Sequence[float]) -> str:
    """On how many boards the first needs more."""
    return f"{mean(one > other for one, other in zip(seconds, than, strict=True)):.0%}"


def rows(times: Mapping[str, Sequence[float]]) -> Iterator[tables.Row]:
    """A row for each figure, a cell for each solver."""
    by_name = {name: figures(seconds) for name, seconds in times.items()}
    for figure in by_name[ASTAR]:
        yield figure, *(f"{found[figure]:.3f}" for found in by_name.values())
    for index, figure in enumerate(("mean", "total")):
        known = (f"{PUBLISHED[name][index]:.2f}" if name in PUBLISHED else "" for name in times)
        yield f"{figure}, published", *known
    for other in (ASTAR, PACED):
        shares = (slower(times[name], times[other]) if name != other else "" for name in times)
        yield f"slower than {other}", *shares


def main() -> None:
    """Measure and print."""
    given = arguments(__doc__ or "")
    boards = chosen(sample1(read_database(given.database)), given.every)
    measured = measure(boards, CONFIGURATIONS, given.time_limit, kept=given.runs)
    times = {name: [one.seconds for one in found] for name, found in measured.items()}
    times[PACED] = [one.nodes * PACE for one in measured[ASTAR]]
    title = f"CPU seconds on {len(boards)} boards of Sample1"
    tables.show(("", *times), rows(times), title, markdown=given.markdown)
    for name, found in measured.items():
        if stopped := sum(one.horizon is None for one in found):
            tables.say(f"{name}: {stopped} boards reached the time limit.")


if __name__ == "__main__":
    main()
