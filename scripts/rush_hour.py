"""Encodings of Rush Hour: side by side, their parts, asplan's choice, and the ladder of boards.

    python scripts/rush_hour.py encodings    all on some boards, next to the tests' search
    python scripts/rush_hour.py ablation     `offset` without one of its parts
    python scripts/rush_hour.py choice       where `frontier` ends and `offset` begins
    python scripts/rush_hour.py large        where `offset` grows too large for a board
    python scripts/rush_hour.py ladder       makes and proves the ladder of boards that ships

Each has `--quick`, and `--help` tells what else. scripts/lib/rush_hour has what they do.
"""

from __future__ import annotations

from lib.rush_hour import ablation, choice, encodings, ladder, large
from lib.studies import run_study

STUDIES = {
    "encodings": encodings,
    "ablation": ablation,
    "choice": choice,
    "large": large,
    "ladder": ladder,
}

if __name__ == "__main__":
    run_study(__doc__, STUDIES)
