"""The tables of the thesis: published figures and ours, on its Sample1 or Sample2.

    python scripts/thesis/tables.py TABLE [DATABASE] [--every N] [--markdown]

    5.1  A* with five heuristics on Sample1, and asplan's own beside them. One value is published of
         `movable_blocking_cars`; `movable_readings.py` measures what it may mean.
    5.2  three ways to break ties in A* with `cars_between` on Sample1
    5.3  breadth-first search on Sample1, beside A* with `cars_between`
    5.4  Z3 on Sample1, with a growing and with a fixed limit on the states; beside them the model
         with the optional constraint, and asplan's second model
    5.5  A* with `cars_between` and Z3 on Sample2, the boards of 26 moves. Published is static Z3;
         its limit there is 27 states, as many as are needed.

5.4 and 5.5 need asplan[smt]. All boards of 5.4 take some twenty minutes; --every 10 gives an
impression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from study import (
    MOST_MOVES,
    SAMPLE2_MOVES,
    Board,
    Configuration,
    arguments,
    astar,
    chosen,
    measure,
    read_database,
    sample1,
    sample2,
    show,
)


@dataclass(frozen=True)
class Table:
    """A table: what it compares, and the published figures by configuration."""

    title: str
    configurations: Mapping[str, Configuration]
    published: Mapping[str, Sequence[float | None]]
    unit: str = "nodes"
    sample: Callable[[Sequence[Board]], list[Board]] = sample1


HEURISTICS = {
    "constant": (2.5802, 2838, 5.8112, 6172.98, 581.12, 1.0),
    "cars_between": (2.6443, 2835, 5.2313, 5349.47, 523.13, 1.0),
    "blocking_cars": (2.4340, 2328, 4.8750, 4292.1, 487.50, 0.76),
    "goal_distance": (2.9411, 3037, 5.4765, 5765.12, 547.65, 0.39),
    "movable_blocking_cars": (2.7708, 2576, 5.5866, 4690.33, 558.66, 0.79),
}

TIE_BREAKING = {
    "none": (2.6443, 2835, 5.2313, 5349.47, 523.13, None),
    "larger-g": (2.6841, 2924, 5.3197, 5628.62, 531.97, None),
    "smaller-g-then-h": (2.8228, 3007, 5.5105, 5701.76, 551.05, None),
}

TABLES = {
    "5.1": Table(
        "A* with five heuristics on Sample1, and asplan's own beside them",
        {name: astar(name) for name in (*HEURISTICS, "blocking", "abstraction")},
        HEURISTICS,
    ),
    "5.2": Table(
        "three ways to break ties in A* with `cars_between` on Sample1",
        {name: astar("cars_between", name) for name in TIE_BREAKING},
        TIE_BREAKING,
    ),
    "5.3": Table(
        "breadth-first search on Sample1, beside A* with `cars_between`",
        {"bfs": {"engine": "bfs"}, "astar": astar("cars_between")},
        {
            "bfs": (2.7013, 3025, 7.3432, 7699.9, 734.32, None),
            "astar": (2.6443, 2835, 5.2313, 5349.47, 523.13, 1.0),
        },
    ),
    "5.4": Table(
        "Z3 on Sample1, with a growing and with a fixed limit on the states",
        {
            "iterative": {"engine": "smt"},
            "static": {"engine": "smt", "move_limit": MOST_MOVES + 1},
            "iterative, alternating": {"engine": "smt-alternating"},
            "cells": {"engine": "smt-cells"},
        },
        {
            "iterative": (0.0921, None, 3.1040, None, 310.40, None),
            "static": (0.0707, None, 5.3942, None, 539.42, None),
        },
        unit="conflicts",
    ),
    "5.5": Table(
        "A* with `cars_between` and Z3 on Sample2, the boards of 26 moves",
        {
            "astar": astar("cars_between"),
            "static": {"engine": "smt", "move_limit": SAMPLE2_MOVES + 1},
            "iterative": {"engine": "smt"},
            "cells": {"engine": "smt-cells"},
        },
        {
            "astar": (12.1371, None, 2.4825, None, 3284.27, None),
            "static": (2.6003, None, 1.9126, None, 2530.31, None),
        },
        sample=sample2,
    ),
}


def main() -> None:
    """Measure the boards of a table, and print it."""
    given = arguments(__doc__ or "", TABLES)
    table = TABLES[given.table]
    boards = chosen(table.sample(read_database(given.database)), given.every)
    rows = measure(boards, table.configurations, given.time_limit, kept=given.runs)
    title = f"Thesis, table {given.table}: {table.title} ({len(boards)} boards)"
    show(title, table.published, rows, table.unit, given.markdown)


if __name__ == "__main__":
    main()
