"""Thesis, table 5.2: three ways to break ties in A* with `cars_between` on Sample1.

python scripts/thesis/table_5_2_tie_breaking.py [DATABASE] [--every N] [--markdown]
"""

from __future__ import annotations

from study import astar, run

PUBLISHED = {
    "none": (2.6443, 2835, 5.2313, 5349.47, 523.13, None),
    "larger-g": (2.6841, 2924, 5.3197, 5628.62, 531.97, None),
    "smaller-g-then-h": (2.8228, 3007, 5.5105, 5701.76, 551.05, None),
}

if __name__ == "__main__":
    run(__doc__, {name: astar("cars_between", name) for name in PUBLISHED}, PUBLISHED)
