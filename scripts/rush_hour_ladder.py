"""The ladder of Rush Hour boards: one for each number of slides, and some that are larger.

    python scripts/rush_hour_ladder.py FOLDER [--only NAME…]     make those that are not there
    python scripts/rush_hour_ladder.py --prove [--only NAME…]    prove those that ship

A board is what `asplan generate` makes for the wish in `RUNGS`; its header names the command.
`--prove` has breadth-first search and the frontier encoding say the fewest moves in both metrics,
and makes each board that `--again` allows anew from that command.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import asplan

FOLDER = Path(__file__).parents[1] / "instances" / "rush_hour" / "ladder"

RUNGS: dict[str, dict[str, Any]] = {
    **{
        f"slides{n:02}": {"slides": n, "cars": cars, "minimal": True, "seed": 1}
        for cars, numbers in (
            ("1..3", range(1, 4)),
            ("3..7", range(4, 12)),
            ("6..10", range(12, 18)),
            ("8..12", range(18, 27)),
            ("9..13", range(27, 50)),
        )
        for n in numbers
    },
    "board7x7": {"size": "7x7", "slides": "25..35", "seed": 1},
    "board8x8": {"size": "8x8", "slides": "25..35", "seed": 1},
    "board9x9": {"size": "9x9", "slides": "20..35", "seed": 1},
}
"""For each board its wish."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--only", nargs="+", default=list(RUNGS), choices=list(RUNGS))
    parser.add_argument("--prove", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    for name in options.only:
        file = options.folder / f"{name}.lp"
        if not file.exists():
            made = asplan.generate("rush_hour", tries=1000, **RUNGS[name])
            file.write_text(made.puzzles[0].text)
            print(name, made.puzzles[0].puzzle.title, made.attempts, flush=True)


if __name__ == "__main__":
    main()
