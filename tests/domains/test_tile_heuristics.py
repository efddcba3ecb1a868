"""Heuristics of sliding tiles: their properties over state spaces, and the states they save."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asplan
from asplan.core.search import best_first
from asplan.domains.heuristic import Followed
from asplan.domains.sliding_tiles import DOMAIN
from asplan.domains.sliding_tiles.heuristics import (
    Lines,
    linear_conflict,
    manhattan,
    walking_distance,
    walking_distances,
)
from asplan.domains.sliding_tiles.model import SlidingTiles, State
from asplan.domains.sliding_tiles.patterns import divide, mirror_of, pattern_databases
from asplan.domains.sliding_tiles.retrograde import Retrograde
from asplan.engines.model_run import run_on_model
from asplan.result import Outcome
from conftest import THOROUGH, examples, rows
from search_variants import Placements


def board(
    height: int, width: int, goal: Sequence[int | None], initial: Sequence[int] = ()
) -> SlidingTiles:
    """Return a board whose goal lists the tile of each cell; None leaves a cell open."""
    aims = sorted((tile, cell) for cell, tile in enumerate(goal) if tile)
    return SlidingTiles(height, width, tuple(initial or range(height * width)), tuple(aims))


def standard(height: int, width: int, initial: Sequence[int] = ()) -> SlidingTiles:
    """Return a board with the usual goal."""
    return board(height, width, [*range(1, height * width), 0], initial)


def distances(problem: SlidingTiles) -> dict[State, int]:
    """Compute the fewest moves to a goal, for all states that can reach one."""
    layer = problem.goals() or []
    found = dict.fromkeys(layer, 0)
    while layer:
        moves = found[layer[0]] + 1
        after = dict.fromkeys(state for before in layer for state in problem.successors(before))
        layer = [state for state in after if state not in found]
        found |= dict.fromkeys(layer, moves)
    return found


SPACES = {
    "eight": (3, 3, (1, 2, 3, 4, 5, 6, 7, 8, 0), 181_440),
    "eight, blank in another corner": (3, 3, (5, 2, 0, 7, 1, 3, 8, 6, 4), 181_440),
    "two rows": (2, 4, (1, 2, 3, 4, 5, 6, 7, 0), 20_160),
    "two columns": (4, 2, (0, 1, 2, 3, 4, 5, 6, 7), 20_160),
    "two rows, blank inside": (2, 4, (7, 6, 0, 4, 5, 2, 3, 1), 20_160),
    "one row": (1, 5, (2, 1, 0, 4, 3), 5),
    "two rows, three tiles without a goal": (2, 4, (None, 5, None, 1, 2, None, 7, None), 40_320),
    "one column, two tiles without a goal": (5, 1, (None, 1, None, 4, None), 30),
    "two cells": (1, 2, (0, 1), 2),
}


@pytest.mark.parametrize("space", SPACES)
def test_heuristics_are_admissible_and_consistent_over_state_spaces(space: str) -> None:
    """In a large space, check a sample of states with all their successors."""
    height, width, goal, count = SPACES[space]
    problem = board(height, width, goal)
    away = distances(problem)
    assert len(away) == count
    some = list(away) if THOROUGH else Random(1).sample(list(away), min(count, 20_000))
    after = {state: problem.successors(state) for state in some}
    goals = [state for state, moves in away.items() if not moves]
    for heuristic in DOMAIN.heuristics:
        estimate = heuristic.make(problem)
        value = {state: estimate(state) for state in {*some, *goals, *chain(*after.values())}}
        assert all(found <= away[state] for state, found in value.items()), heuristic.name
        assert all((found == 0) == (away[state] == 0) for state, found in value.items())
        for state, states in after.items():
            low = value[state] - 1
            assert all(low <= value[other] for other in states), heuristic.name


@st.composite
def boards(draw: st.DrawFn) -> SlidingTiles:
    """Draw a board of up to 12 cells, with goals for some of its tiles."""
    height, width = draw(st.sampled_from([(1, 6), (6, 1), (2, 4), (5, 2), (3, 3), (3, 4)]))
    cells = list(range(height * width))
    targets = draw(st.permutations(cells))
    aimed = draw(st.sets(st.sampled_from(cells[1:]), min_size=1))
    goal = [tile if tile in aimed else None for tile in targets]
    return board(height, width, goal, draw(st.permutations(cells)))


@settings(max_examples=examples(25), deadline=None)
@given(boards(), st.randoms(use_true_random=False))
def test_followed_estimates_equal_recomputed_ones(problem: SlidingTiles, random: Random) -> None:
    for make in (manhattan, walking_distance, pattern_databases):
        estimate = make(problem)
        assert isinstance(estimate, Followed)
        state, note = problem.initial, estimate.note(problem.initial)
        for _ in range(10):
            steps = list(estimate.successors(state, note))
            assert [after for after, _ in steps] == problem.successors(state)
            assert all(estimate.value(kept) == estimate(after) for after, kept in steps)
            state, note = random.choice(steps)


@settings(max_examples=examples(25), deadline=None)
@given(boards())
def test_walking_distance_and_pattern_databases_dominate_manhattan(problem: SlidingTiles) -> None:
    assert all(heuristic.unfit(problem) is None for heuristic in DOMAIN.heuristics)
    least = manhattan(problem)(problem.initial)
    assert walking_distance(problem)(problem.initial) >= least
    assert pattern_databases(problem)(problem.initial) >= least


def test_the_table_of_a_single_group_is_exact() -> None:
    problem = standard(2, 4)
    assert divide(tuple(range(7)), 8) == [(0, 1, 2, 3, 4, 5, 6)]
    estimate = pattern_databases(problem)
    assert all(estimate(state) == moves for state, moves in distances(problem).items())


@pytest.mark.parametrize(
    ("height", "width", "sizes"),
    [(3, 3, [4, 4]), (3, 4, [5, 6]), (4, 4, [5, 5, 5]), (5, 5, [4] * 6), (6, 6, [2] + [3] * 11)],
)
def test_groups_are_as_large_as_memory_allows(height: int, width: int, sizes: list[int]) -> None:
    cells = tuple(range(height * width - 1))
    groups = divide(cells, height * width)
    assert [len(group) for group in groups] == sizes
    assert tuple(cell for group in groups for cell in group) == cells


@pytest.mark.parametrize(
    ("height", "width", "blank", "image"),
    [
        (3, 3, 8, [0, 3, 6, 1, 4, 7, 2, 5, 8]),
        (3, 3, 0, [0, 3, 6, 1, 4, 7, 2, 5, 8]),
        (3, 3, 2, [8, 5, 2, 7, 4, 1, 6, 3, 0]),
        (3, 3, 1, None),
        (2, 3, 5, None),
    ],
)
def test_a_mirror_is_used_if_it_keeps_the_goal(
    height: int, width: int, blank: int, image: list[int] | None
) -> None:
    cells = tuple(cell for cell in range(height * width) if cell != blank)
    assert mirror_of(standard(height, width), cells) == image


def test_mirror_images_have_equal_estimates() -> None:
    problem = standard(4, 4)
    estimate = pattern_databases(problem)
    random = Random(1)
    image = [column * 4 + row for row in range(4) for column in range(4)]
    goal = dict(problem.goal)
    for _ in range(50):
        state = tuple(random.sample(range(16), 16))
        # The tile whose goal is the image of this one's, in the image of this one's cell.
        reflected = [0] * 16
        for cell, tile in enumerate(state):
            reflected[image[cell]] = image[goal[tile]] + 1 if tile else 0
        assert estimate(tuple(reflected)) == estimate(state)


# Lines, and the number of arrangements in their table: for the eight- and the fifteen-puzzle, and
# for boards that are small enough to count by hand.
TABLES = [
    (Lines(3, (3, 3, 2)), 105),
    (Lines(4, (4, 4, 4, 3)), 24_964),
    (Lines(4, (3, 4, 4, 4)), 24_964),
    (Lines(1, (1, 1, 0)), 3),
    (Lines(2, (2, 1)), 4),
]


@pytest.mark.parametrize(("lines", "entries"), TABLES)
def test_walking_distance_tables_hold_all_arrangements(lines: Lines, entries: int) -> None:
    assert len(walking_distances(lines)) == entries


def test_an_unreachable_goal_has_infinite_walking_distance() -> None:
    problem = standard(1, 4, (2, 1, 3, 0))
    assert walking_distance(problem)(problem.initial) == float("inf")
    result = run_on_model(DOMAIN, problem, "astar", heuristic="walking_distance")
    assert result.outcome == Outcome.UNSOLVABLE


def test_walking_distance_exceeds_manhattan_for_exchanged_tiles() -> None:
    problem = standard(3, 3, (4, 2, 3, 1, 5, 6, 7, 8, 0))
    assert manhattan(problem)(problem.initial) == 2
    assert walking_distance(problem)(problem.initial) > 2


LARGE = standard(9, 8, (*range(1, 71), 0, 71))


def test_a_board_that_is_too_large_for_tables_has_another_default() -> None:
    assert run_on_model(DOMAIN, LARGE, "astar").horizon == 1
    assert DOMAIN.heuristic(None, LARGE).name == "linear_conflict"


@pytest.mark.parametrize(
    ("problem", "name", "message"),
    [
        (
            LARGE,
            "pattern_databases",
            "heuristic pattern_databases: its tables are for boards of up to 64 cells\n"
            "  the default for this instance is linear_conflict",
        ),
        (
            standard(5, 5),
            "walking_distance",
            "heuristic walking_distance: the table for 5 lines of 5 cells would have more than "
            "400000 entries\n  the default for this instance is pattern_databases",
        ),
    ],
)
def test_unfit_heuristics_are_refused(problem: SlidingTiles, name: str, message: str) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        run_on_model(DOMAIN, problem, "idastar", heuristic=name)
    assert str(caught.value) == message


def korf(data: Path) -> list[tuple[int, SlidingTiles]]:
    """Return the boards of the table with their optimum, easy before hard."""
    found = []
    for row in rows(data / "sliding_tiles" / "korf.tsv"):
        tiles = tuple(map(int, row["tiles"].split()))
        found.append((int(row["moves"]), board(4, 4, range(16), tiles)))
    return sorted(found, key=lambda pair: pair[0])


def test_idastar_solves_the_easiest_boards_of_korf(data: Path) -> None:
    for moves, problem in korf(data)[:10]:
        result = run_on_model(DOMAIN, problem, "idastar", heuristic="pattern_databases")
        assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, moves)


def test_no_estimate_is_above_an_optimum_of_korf(data: Path) -> None:
    boards = korf(data)
    assert len(boards) == 50
    for heuristic in DOMAIN.heuristics:
        estimate = heuristic.make(boards[0][1])
        assert all(estimate(problem.initial) <= moves for moves, problem in boards)


def test_pattern_databases_generate_a_tenth_of_the_states_of_linear_conflict(data: Path) -> None:
    """This is one board; scripts/tiles.py korf shows more."""
    generated = dict.fromkeys(["linear_conflict", "walking_distance", "pattern_databases"], 0)
    for _, problem in korf(data)[2:3]:
        for name in generated:
            result = run_on_model(DOMAIN, problem, "idastar", heuristic=name)
            generated[name] += result.statistics.generated or 0
    assert 10 * generated["pattern_databases"] <= generated["linear_conflict"]
    assert generated["walking_distance"] <= 2 * generated["linear_conflict"]


def test_linear_conflict_exceeds_manhattan() -> None:
    problem = standard(3, 3, (3, 2, 1, 4, 5, 6, 7, 8, 0))
    assert manhattan(problem)(problem.initial) == 4
    assert linear_conflict(problem)(problem.initial) == 8


@pytest.mark.parametrize(("rows", "columns", "tiles"), [(2, 2, 2), (2, 3, 2), (2, 3, 3), (3, 3, 2)])
def test_tables_of_patterns_are_those_of_the_textbook(rows: int, columns: int, tiles: int) -> None:
    size = rows * columns
    group = tuple(range(tiles))
    blanks = [size - 1, size - 2] if tiles < size - 2 else [size - 1]
    table = Retrograde(rows, columns, tiles).table(group, blanks)
    tree = best_first(Placements(rows, columns, [(*group, b) for b in blanks]), lambda state: 0)
    for index, state in enumerate(product(range(size), repeat=tiles + 1)):
        if len(set(state)) == tiles + 1:
            assert table[index] == tree.costs.get(state, 255)
