"""Boards whose difficulty is known, each the hardest start of its space.

`wish` says what can be asked for, `climbing` makes boards, `hardest` measures them, `space`
explores their states, `board` is what they are.
"""

from __future__ import annotations

from random import Random

from asplan.domains.generator import Puzzle, Shortest
from asplan.domains.rush_hour.generator.climbing import Climber
from asplan.domains.rush_hour.generator.hardest import Start, hardest, minimal
from asplan.domains.rush_hour.generator.wish import OPTIONS, Wish, make_wish
from asplan.domains.rush_hour.notations.facts import instance_text


def attempt(wish: Wish, random: Random, shortest: Shortest) -> Puzzle | None:
    """Try to make a board as it is wished for; no engine is asked, for its whole space is seen."""
    moves = wish.moves
    found = Climber(wish, random).climb(random.randint(*moves) if moves else 0)
    if found is not None and wish.minimal:
        found = minimal(found, wish.states.most)
    if found is None:
        return None
    start = hardest(found)
    return puzzle(start) if wish.grants(start) else None


def puzzle(start: Start) -> Puzzle:
    """A start as an instance."""
    problem = start.board.problem()
    moves = f"shortest plan {start.steps} steps, {start.slides} slides"
    cars = len(start.board.pieces)
    return Puzzle(
        title=f"Generated board: {moves}; {start.states} states, {cars} cars.",
        facts=instance_text(problem),
        picture=problem.text(problem.initial),
        difficulty={
            "steps": start.steps,
            "slides": start.slides,
            "states": start.states,
            "cars": cars,
        },
    )


__all__ = ["OPTIONS", "attempt", "make_wish", "puzzle"]
