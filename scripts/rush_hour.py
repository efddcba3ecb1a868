"""Encodings of Rush Hour: side by side, asplan's choice, and the ladder of boards.

    python scripts/rush_hour.py encodings    all on some boards, next to the tests' search
    python scripts/rush_hour.py structures   how a car is written down, and what that costs
    python scripts/rush_hour.py choice       where `frontier` ends and `order` begins
    python scripts/rush_hour.py ladder       makes and proves the ladder of boards that ships

Each has `--quick`, and `--help` tells what else. scripts/lib/rush_hour has what they do.
"""

from __future__ import annotations

from lib.rush_hour import choice, encodings, ladder, structures
from lib.studies import run_study

STUDIES = {
    "encodings": encodings,
    "structures": structures,
    "choice": choice,
    "ladder": ladder,
}

if __name__ == "__main__":
    run_study(__doc__, STUDIES)
