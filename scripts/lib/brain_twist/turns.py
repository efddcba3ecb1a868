"""The talk's table of turns and its solved arrangements of Brain Twist, beside those of asplan.

The tile at the first position of a cycle goes to the second, and so on; position 1 is held by rc.
The talk calls the vertices 1 to 8, as asplan does. Of the turns it prints the cycle of vertex 2;
the others were derived from the solid, by others than us.

    python scripts/brain_twist.py turns [--markdown]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

from asplan.domains.brain_twist.turns import ARRANGEMENTS, CYCLES
from lib import tables
from lib.quick import add_quick

RESTS_ON = ("src/asplan/domains/brain_twist/turns.py",)

TURNS: Mapping[int, str] = {
    1: "(4 8 6)(5 9 7)(10 12 11)",
    2: "(4 9 10)",
    3: "(5 11 6)",
    4: "(7 12 8)",
    5: "(2 11 9)(3 6 10)(7 12 8)",
    6: "(2 6 7)",
    7: "(3 8 9)",
    8: "(10 12 11)",
}
"""The table of turns. The talk prints one row of it."""

PRINTED = 2
"""The vertex of that row."""

SOLVED: Mapping[str, tuple[str, str]] = {
    "faces": ("rc bc fc rg rv bv bs fs fg ag av as", "rc fc bc rv rg fg fs bs bv av ag as"),
    "points": ("rc rg rv bc fc fg ag av bv bs fs as", "rc rv rg fc bc bv av ag fg fs bs as"),
}
"""The published arrangements, the tiles of positions 1 to 12."""


def rows() -> Iterator[tables.Row]:
    """Return rows with the published value, asplan's value, and whether they are equal."""
    for vertex, known in TURNS.items():
        cycles = CYCLES["fixed"][vertex]
        ours = "".join(f"({' '.join(map(str, cycle))})" for cycle in cycles)
        whose = "printed" if vertex == PRINTED else "derived"
        yield f"turn {vertex}", whose, known, ours, same(known, ours)
    for goal, arrangements in SOLVED.items():
        for known, tiles in zip(arrangements, ARRANGEMENTS[goal], strict=True):
            ours = " ".join(tiles)
            yield f"solved by {goal}", "printed", known, ours, same(known, ours)


def same(known: str, ours: str) -> str:
    """A word on two cells."""
    return "the same" if known == ours else "differs"


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    add_quick(parser, "all of it: it is short")


def study(given: argparse.Namespace) -> None:
    """Print the table."""
    tables.show(("", "in the talk", "talk", "ours", ""), rows(), markdown=given.markdown)
