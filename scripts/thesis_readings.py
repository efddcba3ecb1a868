"""Thesis: what it leaves open about A*, each reading beside the published figures.

    python scripts/thesis_readings.py search     what becomes of states that are reached again
    python scripts/thesis_readings.py penalty    how `movable_blocking_cars` counts a stuck car

Each has `--quick`, and `--help` tells what else. scripts/lib/thesis_readings has what they do.
"""

from __future__ import annotations

from lib.studies import run_study
from lib.thesis_readings import penalty, search

STUDIES = {"search": search, "penalty": penalty}

if __name__ == "__main__":
    run_study(__doc__, STUDIES)
