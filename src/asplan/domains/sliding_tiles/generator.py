"""Boards of sliding tiles that take a wished number of moves.

Of a small board all states are looked at, and one of those at the distance is drawn. On a larger
one the blank walks at random; of a shortest plan from where it came to the last moves are as many
as are wished for, and the state before them takes just so many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from asplan.domains.generator import (
    Option,
    Puzzle,
    Range,
    Shortest,
    Size,
    before_the_last,
    ranges,
    sizes,
)
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, State, swapped
from asplan.domains.sliding_tiles.notation import tiles_facts
from asplan.errors import UsageError
from asplan.text import amount

OPTIONS = (
    Option("moves", "Fewest moves, such as 10..40.", ranges(1), "A..B", "20"),
    Option("size", "Rows and columns.", sizes(1, 8), "RxC", "3x3"),
)

SMALL = 9
"""Cells of a board whose states are all looked at: 181,440 of the eight-puzzle."""

LONGEST = 2
"""The walk takes up to so many times the moves that are aimed at."""


@dataclass(frozen=True)
class Wish:
    """What a board is to be like."""

    size: Size
    moves: Range


def make_wish(said: Mapping[str, Any]) -> Wish:
    """The wish that the options make; raises `UsageError` where nothing can slide."""
    size: Size = said["size"]
    if size.rows * size.columns < 2:
        raise UsageError(f"on a board of {size} no tile can slide", hint="it needs two cells")
    return Wish(size, said["moves"])


def attempt(wish: Wish, random: Random, shortest: Shortest) -> Puzzle | None:
    """Try to make a board; None where the walk did not lead far enough."""
    aim = random.randint(*wish.moves)
    rows, columns = wish.size
    if rows * columns <= SMALL:
        known = _by_distance(wish.size)
        state = random.choice(known[aim]) if aim < len(known) else None
    else:
        far = _walked(wish.size, random, random.randint(aim, LONGEST * aim))
        problem = _problem(wish.size, far)
        plan = shortest(tiles_facts(far, columns), "idastar")
        state = before_the_last(aim, plan, problem)
    return None if state is None else _puzzle(wish.size, _canonical(wish.size, state), aim)


def _puzzle(size: Size, state: State, moves: int) -> Puzzle:
    return Puzzle(
        title=f"Generated {size} sliding tiles: shortest plan {amount(moves, 'move')}.",
        facts=tiles_facts(state, size.columns),
        picture=_problem(size, state).text(state),
        difficulty={"moves": moves},
    )


def _problem(size: Size, state: State) -> SlidingTiles:
    goal = tuple((tile, tile - 1) for tile in range(1, size.rows * size.columns))
    return SlidingTiles(size.rows, size.columns, state, goal)


def _solved(size: Size) -> State:
    return (*range(1, size.rows * size.columns), BLANK)


@lru_cache(maxsize=1)
def _by_distance(size: Size) -> list[list[State]]:
    """For each number of moves the states that take so many, in order."""
    problem = _problem(size, _solved(size))
    before, layer = set[State](), {problem.initial}
    layers = []
    while layer:
        layers.append(sorted(layer))
        after = {following for state in layer for following in problem.successors(state)}
        before, layer = layer, after - layer - before
    return layers


def _walked(size: Size, random: Random, moves: int) -> State:
    """Where so many random moves lead from the solved board; none undoes the one before it."""
    problem = _problem(size, _solved(size))
    state, last = problem.initial, -1
    for _ in range(moves):
        blank = state.index(BLANK)
        ways = [source for _, source in problem.sources[blank] if source != last]
        if not ways:  # the end of a board of one line
            break
        state, last = swapped(state, random.choice(ways), blank), blank
    return state


def _canonical(size: Size, state: State) -> State:
    """Of a square board and its image in the diagonal, where the goal is the same, the lesser."""
    if size.rows != size.columns:
        return state
    turned = [index % size.rows * size.rows + index // size.rows for index in range(len(state))]
    image = tuple(state[source] and turned[state[source] - 1] + 1 for source in turned)
    return min(state, image)
