"""Generated boards against the oracle: difficulty, equality, superfluous cars."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import asplan
import oracle
from asplan.domains.generator import Range, Size
from asplan.domains.rush_hour.generator import (
    Board,
    Climber,
    Farthest,
    Piece,
    Wish,
    board_of,
    drop_needless_cars,
    fewest_moves,
    find_farthest,
    hardest_start,
    layers_from,
    make_wish,
    possible_pieces,
    reachable_states,
)
from asplan.domains.rush_hour.model import METRICS
from conftest import examples

SMALL = Wish(
    size=Size(4, 4),
    row=2,
    starting_cars=Range(3, 6),
    cars=Range(1, 6),
    lengths=Range(2, 3),
    walls=Range(0, 2),
    states=Range(1, 3000),
)
WISHES = [
    SMALL,
    replace(SMALL, size=Size(5, 4), row=3),
    replace(SMALL, size=Size(3, 6), row=2, lengths=Range(1, 4), starting_cars=Range(2, 5)),
]


def boards() -> st.SearchStrategy[Board]:
    """Random boards that have a goal in their space."""
    drawn = st.tuples(st.sampled_from(WISHES), st.integers(0, 10**6))
    made = drawn.map(lambda it: Climber(it[0], Random(it[1])).climb(0))
    return made.filter(lambda found: found is not None).map(lambda found: found.board)


def asked(board: Board) -> oracle.Board:
    """The same board for the oracle."""
    names = ["r", *(f"c{index}" for index in range(len(board.others)))]
    cars = tuple(
        (name, piece.length, piece.axis, *piece.cells[0])
        for name, piece in zip(names, board.pieces, strict=True)
    )
    return oracle.Board(board.rows, board.columns, cars, frozenset(board.walls))


def measured(board: Board, metric: str = "slide") -> Farthest:
    found = find_farthest(board, metric, 100_000)
    assert found is not None
    return found


@given(boards())
def test_the_fewest_moves_and_the_states_are_those_of_the_oracle(board: Board) -> None:
    for metric in METRICS:
        known = list(oracle.layers(asked(board), metric))
        problem = board.problem(metric)
        ours = list(layers_from(problem, [problem.initial]))
        assert [len(layer) for layer in ours] == [len(layer) for layer in known]
        assert fewest_moves(board, metric, 100_000) == oracle.solve(asked(board), metric)
        assert reachable_states(board, sum(map(len, known))) == set().union(*ours)
        assert reachable_states(board, sum(map(len, known)) - 1) is None


@given(boards())
def test_the_hardest_start_is_the_farthest_in_one_metric_then_in_the_other(board: Board) -> None:
    problem, states = board.problem(), reachable_states(board, 100_000) or set()
    starts = [asked(board_of(problem, state)) for state in states]
    all_of = {metric: [oracle.solve(start, metric) for start in starts] for metric in METRICS}
    for metric, other in (METRICS, METRICS[::-1]):
        start = hardest_start(measured(board, metric))
        moves = {"step": start.steps, "slide": start.slides}
        pairs = list(zip(all_of[metric], all_of[other], strict=True))
        assert (moves[metric], moves[other]) == max(pairs)
        assert start.states == len(states)
        assert start == hardest_start(measured(board_of(problem, max(states)), metric))


@given(boards())
def test_a_mirror_image_is_the_same_puzzle(board: Board) -> None:
    image = board.mirror()
    assert image.mirror() == board
    for metric in METRICS:
        assert oracle.solve(asked(image), metric) == oracle.solve(asked(board), metric)
    one, other = (hardest_start(measured(it)) for it in (board, image))
    assert (one.slides, one.steps, one.states) == (other.slides, other.steps, other.states)
    if 2 * board.red.line == board.rows + 1:
        assert one == other


@given(boards())
def test_of_a_minimal_board_no_car_can_be_left_out(board: Board) -> None:
    found = drop_needless_cars(measured(board), 100_000)
    assert found is not None
    start = hardest_start(found)
    assert oracle.solve(asked(start.board), "slide") == start.slides
    for car in start.board.others:
        assert (oracle.solve(asked(start.board.without(car)), "slide") or 0) < start.slides


def test_the_instance_is_the_board() -> None:
    board = Board(3, 4, Piece("h", 2, 1, 2), (Piece("h", 3, 1, 2), Piece("v", 3, 1, 2)), ((3, 4),))
    assert board.problem().text(board.problem().initial) == ". . b .\nr r b .\nc c . #"
    many = Board(
        9,
        9,
        Piece("h", 9, 1, 2),
        tuple(Piece("v", c, r, 1) for c in range(1, 4) for r in range(1, 9)),
    )
    assert many.problem().names[-1] == "z"
    assert replace(
        many, others=(*many.others, Piece("v", 9, 1, 2), Piece("v", 8, 1, 2))
    ).problem().names[1:3] == ("c1", "c2")


def test_no_other_car_stands_in_the_row_of_the_red_one() -> None:
    assert {(piece.axis, piece.line) for piece in possible_pieces(SMALL)} == {
        *(("h", row) for row in (1, 3, 4)),
        *(("v", column) for column in range(1, 5)),
    }


@pytest.mark.parametrize(
    "wish",
    [
        {"slides": "3..6", "size": "4x5", "cars": "4..6", "walls": "1..2", "count": 3},
        {"slides": "4..8", "size": "5x5", "minimal": True, "count": 2, "seed": 9},
        {"steps": "5..9", "size": "4x4", "cars": "3..5", "states": "20..200", "count": 2},
        {"size": "3x5", "row": 1, "lengths": "2..4", "cars": "3..4", "count": 2},
    ],
    ids=str,
)
def test_boards_are_as_they_were_wished_and_proven_by_the_frontier(
    wish: dict[str, object], tmp_path: Path
) -> None:
    made = asplan.generate("rush_hour", **wish)
    assert (len(made.puzzles), made.reason) == (wish["count"], "")
    assert len({one.puzzle.facts for one in made.puzzles}) == wish["count"]
    for one in made.puzzles:
        known = one.puzzle.difficulty
        for metric in METRICS:
            proven = asplan.solve(text=one.text, encoding="frontier", metric=metric)
            assert (proven.outcome, proven.horizon) == ("optimal", known[f"{metric}s"])
        file = tmp_path / one.name
        file.write_text(one.text)
        analysis = asplan.analyse(file, metric="step" if "steps" in wish else "slide")
        assert (analysis.states, analysis.is_hardest) == (known["states"], True)
        if "minimal" in wish:
            assert not any(role.is_superfluous for role in analysis.roles)
        for name in ("slides", "steps", "cars", "states"):
            least, _, most = str(wish.get(name, "0..99999")).partition("..")
            assert int(least) <= known[name] <= int(most or least)


def test_a_wish_is_read() -> None:
    said = dict.fromkeys(("slides", "steps", "row", "cars"))
    said |= {"size": Size(6, 6), "lengths": Range(2, 3), "walls": Range(0, 0)}
    wish = make_wish(said | {"states": Range(1, 9), "minimal": False})
    assert (wish.row, wish.starting_cars, wish.metric, wish.moves) == (
        3,
        Range(9, 13),
        "slide",
        None,
    )
    only = make_wish(said | {"states": Range(1, 9), "minimal": False, "steps": Range(5, 6)})
    assert (only.metric, only.moves) == ("step", Range(5, 6))


@given(st.integers(0, 10**6), st.sampled_from(WISHES))
def test_changes_keep_a_board_a_board(seed: int, wish: Wish) -> None:
    climber = Climber(wish, Random(seed))
    board = climber.random_board()
    for _ in range(examples(10)):
        if board is None:
            return
        cells = [cell for piece in board.pieces for cell in piece.cells] + list(board.walls)
        assert len(set(cells)) == len(cells)
        assert all(1 <= r <= wish.size.rows and 1 <= c <= wish.size.columns for r, c in cells)
        assert wish.starting_cars.has(len(board.pieces))
        assert wish.walls.has(len(board.walls))
        assert list(board.others) == sorted(board.others)
        board = climber.change(board)
