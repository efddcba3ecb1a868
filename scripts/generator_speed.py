"""How long `asplan generate` takes for boards of Rush Hour.

    python scripts/generator_speed.py [--seed S] [--markdown]

Prints processor seconds of one core, attempts and the boards' slides for each wish. The boards do
not depend on the machine, the seconds do.
"""

from __future__ import annotations

import argparse
import resource
from dataclasses import dataclass

import asplan
from lib import tables
from lib.quick import add_quick

RESTS_ON = (
    "src/asplan/domains/rush_hour/generator.py",
    "src/asplan/puzzles.py",
)

WISHES: tuple[dict[str, str | int], ...] = (
    {"slides": "5..15", "count": 12},
    {"slides": "20..30", "count": 12},
)


@dataclass(frozen=True)
class Spent:
    seconds: float
    made: asplan.Generated


def spend(wish: dict[str, str | int], seed: int) -> Spent:
    """Make the boards of a wish in processes of their own, whose time is then known."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = asplan.generate("rush_hour", seed=seed, **wish)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, made)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    add_quick(parser, "all of it: it is short")
    tables.add_option(parser)
    options = parser.parse_args()
    rows = []
    for wish in WISHES:
        spent = spend(wish, options.seed)
        tables.progress(wish, f"{spent.seconds:.1f} s")
        slides = [one.puzzle.difficulty["slides"] for one in spent.made.puzzles]
        asked = f"{wish.get('count', 1)} of {wish['slides']} slides"
        rows.append(
            (
                asked + ", minimal" * ("minimal" in wish),
                f"{spent.seconds:.0f}",
                str(spent.made.attempts),
                " ".join(map(str, sorted(slides))),
            )
        )
    columns = ("boards", "seconds", "attempts", "their slides")
    tables.show(columns, rows, f"Seed {options.seed}.", markdown=options.markdown)


if __name__ == "__main__":
    main()
