"""Thesis, table 5.1: A* with five heuristics on Sample1, and asplan's own beside them.

Of `movable_blocking_cars` one value is published; `movable_readings.py` has what it may mean.

    python scripts/thesis/table_5_1_heuristics.py [DATABASE] [--every N] [--markdown]
"""

from __future__ import annotations

from study import astar, run

PUBLISHED = {
    "constant": (2.5802, 2838, 5.8112, 6172.98, 581.12, 1.0),
    "cars_between": (2.6443, 2835, 5.2313, 5349.47, 523.13, 1.0),
    "blocking_cars": (2.4340, 2328, 4.8750, 4292.1, 487.50, 0.76),
    "goal_distance": (2.9411, 3037, 5.4765, 5765.12, 547.65, 0.39),
    "movable_blocking_cars": (2.7708, 2576, 5.5866, 4690.33, 558.66, 0.79),
}

if __name__ == "__main__":
    names = [*PUBLISHED, "blocking", "abstraction"]
    run(__doc__, {name: astar(name) for name in names}, PUBLISHED)
