"""Thesis, table 5.4: Z3 on Sample1, with a growing and with a fixed limit on the states.

Beside them the model with the optional constraint, and asplan's second model. Needs asplan[smt].
With all boards it takes some twenty minutes; --every 10 gives an impression.

    python scripts/thesis/table_5_4_smt.py [DATABASE] [--every N] [--markdown]
"""

from __future__ import annotations

from study import MOST_MOVES, run

PUBLISHED = {
    "iterative": (0.0921, None, 3.1040, None, 310.40, None),
    "static": (0.0707, None, 5.3942, None, 539.42, None),
}

CONFIGURATIONS = {
    "iterative": {"engine": "smt"},
    "static": {"engine": "smt", "move_limit": MOST_MOVES + 1},
    "iterative, alternating": {"engine": "smt-alternating"},
    "cells": {"engine": "smt-cells"},
}

if __name__ == "__main__":
    run(__doc__, CONFIGURATIONS, PUBLISHED, unit="conflicts")
