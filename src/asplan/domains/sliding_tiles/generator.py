"""A generator of boards of sliding tiles that take a given number of moves.

On a small board all states are explored, and one at the given distance is drawn. On a larger board
the blank walks at random from the solved board, and a shortest plan back is found. A state on this
plan with n moves left takes exactly n moves.
"""

from functools import lru_cache
from random import Random
from typing import NamedTuple

from asplan.core.errors import UsageError
from asplan.core.search import breadth_first
from asplan.core.text import amount
from asplan.domains.generator import (
    Generator,
    Option,
    OptionValues,
    Puzzle,
    Range,
    Shortest,
    Size,
    before_the_last,
    ranges,
    sizes,
)
from asplan.domains.sliding_tiles.model import (
    BLANK,
    SlidingTiles,
    State,
    swap,
    transposed_cells,
)
from asplan.domains.sliding_tiles.notation import tiles_facts

OPTIONS = (
    Option("moves", "Make puzzles with this many moves, such as 10..40.", ranges(1), "A..B", "20"),
    Option("size", "Make boards of this size.", sizes(1, 8), "RxC", "3x3"),
)

SMALL = 9
"""The most cells of a board of which all states are explored: 181,440 for the eight-puzzle."""

LONGEST = 2
"""The longest random walk, as a multiple of the number of moves that the puzzle must take."""


class Wish(NamedTuple):
    """The size and the number of moves that a board to be generated must have."""

    size: Size
    moves: Range


def make_wish(values: OptionValues) -> Wish:
    """Return the wished size and moves from the options; raise `UsageError` for a board of one
    cell.
    """
    size: Size = values["size"]
    if size.rows * size.columns < 2:
        raise UsageError(f"on a board of {size} no tile can slide", hint="it needs two cells")
    return Wish(size, values["moves"])


def attempt(
    wish: Wish,
    random: Random,
    shortest: Shortest,
) -> Puzzle | None:
    """Try to make a board that takes a number of moves within the wish; None if it fails.

    `shortest` finds a shortest plan of a board.
    """
    size = wish.size
    aim = random.randint(*wish.moves)
    if size.rows * size.columns <= SMALL:
        state = _draw_state(size, aim, random)
    else:
        state = _walk_and_return(size, aim, random, shortest)
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
    """Return the model of a board with the usual goal.

    `state` is the initial state; by default the solved one.
    """
    last = size.rows * size.columns - 1
    goal = tuple((tile, tile - 1) for tile in range(1, last + 1))
    solved = (*range(1, last + 1), BLANK)
    return SlidingTiles(size.rows, size.columns, state or solved, goal)


def _draw_state(
    size: Size,
    distance: int,
    random: Random,
) -> State | None:
    by_distance = _states_by_distance(size)
    if distance >= len(by_distance):
        return None
    return random.choice(by_distance[distance])


@lru_cache(maxsize=1)
def _states_by_distance(size: Size) -> list[list[State]]:
    """Return the states at distance 0, 1, … from the solved board, each list sorted."""
    problem = board(size)
    start = [problem.initial]
    layers = breadth_first(start, lambda layer: set(problem.expand(layer)), reversible=True)
    return list(map(sorted, layers))


def _walk_and_return(
    size: Size,
    moves: int,
    random: Random,
    shortest: Shortest,
) -> State | None:
    steps = random.randint(moves, LONGEST * moves)
    start = _random_walk(size, random, steps)
    facts = tiles_facts(start, size.columns)
    plan = shortest(facts, "idastar")
    return before_the_last(moves, plan, board(size, start))


def _random_walk(size: Size, random: Random, moves: int) -> State:
    """Return the state after random moves from the solved board; no move undoes the one before."""
    problem = board(size)
    state = problem.initial
    last_blank = -1
    for _ in range(moves):
        blank = state.index(BLANK)
        sources = [source for _, source in problem.sources[blank] if source != last_blank]
        if not sources:  # the blank is at the end of a board of one line
            break
        state = swap(state, random.choice(sources), blank)
        last_blank = blank
    return state


def canonical(size: Size, state: State) -> State:
    """Return the lesser of a state and its mirror image in the main diagonal of a square board.

    Both are equally far from the goal, because the goal is its own mirror image. On any other board
    the state is returned unchanged.
    """
    side = size.rows
    if side != size.columns:
        return state
    transposed = transposed_cells(side)
    image: list[int] = []
    for cell in transposed:
        tile = state[cell]
        # The goal of tile t is cell t - 1.
        image.append(BLANK if tile == BLANK else transposed[tile - 1] + 1)
    return min(state, tuple(image))


GENERATOR = Generator("boards with a given number of moves", OPTIONS, make_wish, attempt)
