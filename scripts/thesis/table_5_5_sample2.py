"""Thesis, table 5.5: A* with `cars_between` and Z3 on Sample2, the boards of 26 moves.

Needs asplan[smt]. Published is static Z3; its limit there is 27 states, as many as are needed.

    python scripts/thesis/table_5_5_sample2.py [DATABASE] [--every N] [--markdown]
"""

from __future__ import annotations

from study import SAMPLE2_MOVES, astar, run, sample2

PUBLISHED = {
    "astar": (12.1371, None, 2.4825, None, 3284.27, None),
    "static": (2.6003, None, 1.9126, None, 2530.31, None),
}

CONFIGURATIONS = {
    "astar": astar("cars_between"),
    "static": {"engine": "smt", "move_limit": SAMPLE2_MOVES + 1},
    "iterative": {"engine": "smt"},
    "cells": {"engine": "smt-cells"},
}

if __name__ == "__main__":
    run(__doc__, CONFIGURATIONS, PUBLISHED, unit="nodes", sample=sample2)
