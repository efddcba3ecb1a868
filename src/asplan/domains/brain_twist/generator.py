"""A generator of scrambled Brain Twist puzzles that take a given number of moves.

The tiles are placed at random, and a shortest plan is found. A state on this plan with n moves left
takes exactly n moves.
"""

from random import Random

from asplan.core.text import amount
from asplan.domains.brain_twist.model import BrainTwist, State
from asplan.domains.brain_twist.turns import ARRANGEMENTS
from asplan.domains.generator import (
    Generator,
    Option,
    OptionValues,
    Puzzle,
    Range,
    Shortest,
    before_the_last,
    ranges,
)

MOST_MOVES = 16
"""The most moves that any state needs to a goal; docs/brain_twist.md describes the proof."""

OPTIONS = (
    Option(
        "moves",
        "Make puzzles with this many moves, such as 4..12.",
        ranges(1, MOST_MOVES),
        "A..B",
        "8",
    ),
)


def make_wish(values: OptionValues) -> Range:
    """Return the range of moves from the values of the options."""
    moves: Range = values["moves"]
    return moves


def attempt(
    moves: Range,
    random: Random,
    shortest: Shortest,
) -> Puzzle | None:
    """Try to make a puzzle that takes a number of moves drawn from `moves`.

    `shortest` finds a shortest plan of a random state. Return None if this plan has fewer moves
    than the number drawn.
    """
    aim = random.randint(*moves)
    problem = BrainTwist(_random_state(random))
    plan = shortest(_state_facts(problem.initial), "bidirectional")
    state = before_the_last(aim, plan, problem)
    if state is None:
        return None
    return Puzzle(
        title=f"Generated Brain Twist: shortest plan {amount(aim, 'move')} to goal faces.",
        facts=_state_facts(state),
        picture=problem.text(state),
        difficulty={"moves": aim},
    )


def _random_state(random: Random) -> State:
    """Return a random state with the tile `rc` at position 1."""
    first, *others = ARRANGEMENTS["faces"][0]
    tiles = [first]
    while others:
        index = random.randrange(len(others))
        tiles.append(others.pop(index))
    flip = random.randint(0, 1)
    return flip, tuple(tiles)


def _state_facts(state: State) -> str:
    """Return the facts of a state as text, four tiles a line."""
    flip, tiles = state
    facts = [f"on(0,{tile},{position})." for position, tile in enumerate(tiles, 1)]
    lines: list[str] = []
    for start in range(0, len(facts), 4):
        facts_of_line = facts[start : start + 4]
        lines.append("  ".join(facts_of_line))
    lines.append(f"on(0,f,{flip}).")
    return "\n".join(lines) + "\n"


GENERATOR = Generator("scrambled puzzles with a given number of moves", OPTIONS, make_wish, attempt)
