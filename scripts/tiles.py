"""Sliding tiles: the article's fifteen-puzzle, Korf's boards, and all engines on two boards.

    python scripts/tiles.py article    the article's board by four Prolog systems and by asplan
    python scripts/tiles.py story      the article's searches, from depth first to A*, in states
    python scripts/tiles.py korf       random fifteen-puzzles of Korf by IDA*, board by board
    python scripts/tiles.py engines    boards that ship by ASP and by search

Each has `--quick`, and `--help` tells what else. scripts/lib/tiles has what they do.
"""

from __future__ import annotations

from lib.studies import run_study
from lib.tiles import article, engines, korf, story

STUDIES = {"article": article, "story": story, "korf": korf, "engines": engines}

if __name__ == "__main__":
    run_study(__doc__, STUDIES)
