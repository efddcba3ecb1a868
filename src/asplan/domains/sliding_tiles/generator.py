"""Boards of sliding tiles that take a given number of moves.

Of a small board all states are looked at, and one of those at the distance is drawn. On a larger
one the blank walks at random; of a shortest plan from where it came to the last moves are as many
as are asked for, and the state before them takes just so many.
"""

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from asplan.core.errors import UsageError
from asplan.core.text import amount
from asplan.domains import generator
from asplan.domains.generator import Generator, Option, Puzzle, Range, Shortest, Size
from asplan.domains.model import layers
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, State, swap, tiles_facts

OPTIONS = (
    Option("moves", "Ask for so many moves, such as 10..40.", generator.ranges(1), "A..B", "20"),
    Option("size", "Make boards of this size.", generator.sizes(1, 8), "RxC", "3x3"),
)

SMALL = 9  # cells of a board whose states are all looked at: 181,440 of the eight-puzzle
LONGEST = 2  # the walk takes up to so many times the moves that are aimed at


class Wish(NamedTuple):
    size: Size
    moves: Range


def make_wish(values: Mapping[str, Any]) -> Wish:
    """What the options ask for; raises `UsageError` where nothing can slide."""
    size: Size = values["size"]
    if size.rows * size.columns < 2:
        raise UsageError(f"on a board of {size} no tile can slide", hint="it needs two cells")
    return Wish(size, values["moves"])


def attempt(wish: Wish, random: Random, shortest: Shortest) -> Puzzle | None:
    size, aim = wish.size, random.randint(*wish.moves)
    if size.rows * size.columns <= SMALL:
        known = _by_distance(size)
        state = random.choice(known[aim]) if aim < len(known) else None
    else:
        start = _walk(size, random, random.randint(aim, LONGEST * aim))
        plan = shortest(tiles_facts(start, size.columns), "idastar")
        state = generator.before_the_last(aim, plan, board(size, start))
    if state is None:
        return None
    state = canonical(size, state)
    return Puzzle(
        title=f"Generated {size} sliding tiles: shortest plan {amount(aim, 'move')}.",
        facts=tiles_facts(state, size.columns),
        picture=board(size, state).text(state),
        difficulty={"moves": aim},
    )


def board(size: Size, state: State | None = None) -> SlidingTiles:
    tiles = range(1, size.rows * size.columns)
    goal = tuple((tile, tile - 1) for tile in tiles)
    return SlidingTiles(size.rows, size.columns, state or (*tiles, BLANK), goal)


@lru_cache(maxsize=1)
def _by_distance(size: Size) -> list[list[State]]:
    """For each number of moves the states that take so many, in order."""
    problem = board(size)
    return [sorted(layer) for layer in layers(problem, [problem.initial])]


def _walk(size: Size, random: Random, moves: int) -> State:
    """Where so many random moves lead from the solved board; none undoes the one before it."""
    problem = board(size)
    state, last = problem.initial, -1
    for _ in range(moves):
        blank = state.index(BLANK)
        sources = [source for _, source in problem.sources[blank] if source != last]
        if not sources:  # the end of a board of one line
            break
        state, last = swap(state, random.choice(sources), blank), blank
    return state


def canonical(size: Size, state: State) -> State:
    """Of a square board and its image in the diagonal, where the goal is the same, the lesser."""
    if size.rows != size.columns:
        return state
    turned = [index % size.rows * size.rows + index // size.rows for index in range(len(state))]
    image = tuple(state[source] and turned[state[source] - 1] + 1 for source in turned)
    return min(state, image)


GENERATOR = Generator("boards that take a number of moves", OPTIONS, make_wish, attempt)
