"""Scrambled Brain Twist puzzles that take a given number of moves.

The tiles are put down at random. Of a shortest plan the last moves are as many as are asked for,
and the state before them takes just so many.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from asplan.core.text import amount
from asplan.domains.brain_twist.model import ARRANGEMENTS, BrainTwist, State
from asplan.domains.generator import Option, Puzzle, Range, Shortest, before_the_last, ranges

MOST = 16
"""No state takes more moves; docs/brain_twist.md tells how that was found."""

OPTIONS = (
    Option(
        "moves",
        "Make puzzles with this many fewest moves, such as 4..12.",
        ranges(1, MOST),
        "A..B",
        "8",
    ),
)


def make_wish(values: Mapping[str, Any]) -> Range:
    """The numbers of moves."""
    moves: Range = values["moves"]
    return moves


def attempt(moves: Range, random: Random, shortest: Shortest) -> Puzzle | None:
    """Try to make a puzzle; None where the random one takes fewer moves than are aimed at."""
    aim = random.randint(*moves)
    first, *rest = ARRANGEMENTS["faces"][0]
    tiles = [rest.pop(random.randrange(len(rest))) for _ in range(len(rest))]
    problem = BrainTwist((random.randint(0, 1), (first, *tiles)))
    state = before_the_last(aim, shortest(_facts(problem.initial), "bidirectional"), problem)
    if state is None:
        return None
    return Puzzle(
        title=f"Generated Brain Twist: shortest plan {amount(aim, 'move')} to goal faces.",
        facts=_facts(state),
        picture=problem.text(state),
        difficulty={"moves": aim},
    )


def _facts(state: State) -> str:
    flip, tiles = state
    facts = [f"on(0,{tile},{position})." for position, tile in enumerate(tiles, 1)]
    lines = ["  ".join(facts[start : start + 4]) for start in range(0, len(facts), 4)]
    return "\n".join([*lines, f"on(0,f,{flip})."]) + "\n"
