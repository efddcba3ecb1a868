"""Thesis, table 5.3: breadth-first search on Sample1, beside A* with `cars_between`.

python scripts/thesis/table_5_3_bfs.py [DATABASE] [--every N] [--markdown]
"""

from __future__ import annotations

from study import astar, run

PUBLISHED = {
    "bfs": (2.7013, 3025, 7.3432, 7699.9, 734.32, None),
    "astar": (2.6443, 2835, 5.2313, 5349.47, 523.13, 1.0),
}

if __name__ == "__main__":
    run(__doc__, {"bfs": {"engine": "bfs"}, "astar": astar("cars_between")}, PUBLISHED)
