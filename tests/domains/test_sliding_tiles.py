"""Sliding tiles: the model, its parity argument and its encodings."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from clingo import parse_term
from hypothesis import given, settings
from hypothesis import strategies as st

import asplan
from asplan import Outcome
from asplan.catalog import find_encoding, instances
from asplan.domains import sliding_tiles
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, State
from asplan.engines.asp import AspOptions
from asplan.engines.asp.controller import incremental
from asplan.engines.run import Run
from asplan.problem import Inputs, load
from conftest import THOROUGH, crossed, examples, stem

SHIPPED = [entry.path for entry in instances() if entry.domain == "sliding_tiles"]
PARITY = "no plan exists: by parity"


def write(path: Path, board: SlidingTiles) -> Path:
    """Write a board as an instance."""
    lines = [f"grid(1..{board.rows},1..{board.columns}). tile(1..{len(board.initial) - 1})."]
    for index, tile in enumerate(board.initial):
        row, column = board.cell(index)
        if tile != BLANK:
            lines.append(f"position(0,{tile},{row},{column}).")
    for tile, index in board.goal:
        row, column = board.cell(index)
        lines.append(f"goal({tile},{row},{column}).")
    path.write_text("\n".join(lines))
    return path


def distances(board: SlidingTiles, start: list[State]) -> dict[State, int]:
    """Compute distances by plain breadth-first search, one move of the model at a time."""
    known = dict.fromkeys(start, 0)
    layer = start
    while layer:
        after = []
        for state in layer:
            for action in board.actions(state):
                assert board.why_not(state, action) is None
                following = board.apply(state, action)
                if following not in known:
                    known[following] = known[state] + 1
                    after.append(following)
        layer = after
    return known


@st.composite
def boards(draw: st.DrawFn) -> SlidingTiles:
    """Draw an arrangement of up to six cells, with a goal for some of the tiles."""
    rows, columns = draw(st.sampled_from([(1, 2), (1, 4), (3, 1), (2, 2), (2, 3), (3, 2)]))
    cells = list(range(rows * columns))
    initial = tuple(draw(st.permutations(cells)))
    targets = draw(st.permutations(cells))
    aimed = draw(st.sets(st.sampled_from(cells[1:]), min_size=1))
    return SlidingTiles(rows, columns, initial, tuple((n, targets[n]) for n in sorted(aimed)))


@cache
def optimum(board: SlidingTiles) -> int | None:
    known = distances(board, [board.initial])
    return min((d for state, d in known.items() if board.is_goal(state)), default=None)


@settings(max_examples=examples(40), deadline=None)
@given(boards())
def test_parity_is_right_and_decides_boards_of_two_rows(board: SlidingTiles) -> None:
    claimed = board.unsolvable() is not None
    solvable = optimum(board) is not None
    assert not (claimed and solvable)
    if min(board.rows, board.columns) > 1:
        assert claimed != solvable


@settings(max_examples=examples(15), deadline=None)
@given(board=boards())
@pytest.mark.parametrize("encoding", ["frontier", "moves"])
def test_encodings_find_the_optimum(
    board: SlidingTiles, encoding: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = write(tmp_path_factory.mktemp("board") / "board.lp", board)
    result = asplan.solve(file, encoding=encoding, max_horizon=40)
    if optimum(board) is not None:
        assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, optimum(board))
    elif board.unsolvable():
        assert result.outcome == Outcome.UNSOLVABLE
        assert result.reason.startswith(PARITY)
    elif encoding == "frontier":
        assert result.outcome == Outcome.UNSOLVABLE
    else:
        assert result.outcome in (Outcome.UNSOLVABLE, Outcome.UNKNOWN)


def test_frontier_proves_unsolvability_without_parity() -> None:
    [file] = [path for path in SHIPPED if path.stem == "five_odd"]
    encoding = find_encoding("frontier", "sliding_tiles").path
    result = incremental(Run(load(Inputs((str(file), str(encoding)))), AspOptions()))
    assert result.outcome == Outcome.UNSOLVABLE
    assert re.fullmatch(
        r"no plan exists: from step \d+ on nothing new can be reached", result.reason
    )


def moves_in_header(path: Path) -> int | None:
    """Return the optimum in the header of an instance; None for an unsolvable one."""
    header = path.read_text().partition("\n")[0]
    found = re.search(r"shortest plan (\d+) moves", header)
    assert found or "unsolvable" in header
    return int(found[1]) if found else None


@pytest.mark.parametrize(
    ("path", "how"), crossed(SHIPPED, [{"encoding": "frontier"}, {"engine": "astar"}]), ids=stem
)
def test_shipped_instances_take_the_moves_in_their_header(path: Path, how: dict[str, str]) -> None:
    result = asplan.solve(path, **how)
    assert result.horizon == moves_in_header(path)
    if result.horizon is None:
        assert (result.outcome, result.reason[: len(PARITY)]) == (Outcome.UNSOLVABLE, PARITY)
    else:
        assert (result.outcome, result.validated) == (Outcome.OPTIMAL, "model")


@pytest.mark.parametrize("path", [p for p in SHIPPED if (moves_in_header(p) or 99) <= 25], ids=str)
def test_encoding_moves_solves_the_easier_shipped_instances(path: Path) -> None:
    assert asplan.solve(path, encoding="moves").horizon == moves_in_header(path)


def test_all_methods_solve_the_board_of_the_article() -> None:
    ways = [{"encoding": "moves"}, {"engine": "idastar"}, {"engine": "bidirectional"}]
    ways += [{"engine": "astar", "heuristic": h.name} for h in sliding_tiles.DOMAIN.heuristics]
    found = [asplan.solve("fifteen34", **way) for way in ways]
    assert {(r.outcome, r.horizon) for r in found} == {(Outcome.OPTIMAL, 34)}


def test_both_encodings_have_the_same_shortest_plans() -> None:
    result = asplan.solve("eight20", encoding="frontier", models=0)
    other = asplan.solve("eight20", encoding="moves", models=0)
    assert len(result.plans) > 1
    assert set(result.plans) == set(other.plans)


def test_frontier_refuses_boards_that_are_too_large(tmp_path: Path) -> None:
    solved = (*range(1, 30), BLANK)
    board = SlidingTiles(5, 6, solved, ((29, 27),))
    file = write(tmp_path / "large.lp", board)
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file, encoding="frontier")
    assert str(caught.value) == (
        f"{file}:1:1: grid(5,6): the frontier encoding packs boards of up to 25 cells; use -e moves"
    )
    result = asplan.solve(file)
    assert (result.encoding, result.horizon) == (
        "moves",
        asplan.solve(file, engine="astar").horizon,
    )


def test_frontier_solves_a_board_of_five_by_five(tmp_path: Path) -> None:
    board = SlidingTiles(5, 5, (*range(1, 25), BLANK), tuple((n, n - 1) for n in range(1, 25)))
    state = board.initial
    for direction in ["down", "right", "down", "right", "up", "left", "up", "right"] * 4:
        ways = {action.direction: action for action in board.actions(state)}
        state = board.apply(state, ways.get(direction, next(iter(ways.values()))))
    file = write(tmp_path / "five.lp", SlidingTiles(5, 5, state, board.goal))
    found = asplan.solve(file, encoding="frontier")
    assert found.horizon == asplan.solve(file, engine="astar").horizon
    assert found.outcome == Outcome.OPTIMAL


BOARD = SlidingTiles(2, 3, (1, 2, 3, 4, 0, 5), ((1, 0),))

WHY_NOT = [
    ("move(6,up)", "there is no tile 6"),
    ("move(0,up)", "there is no tile 0"),
    ("move(1,up)", "tile 1 would leave the board at (0,1)"),
    ("move(3,left)", "tile 2 is at (1,2)"),
    ("move(4,right)", None),
    ("move(2,down)", None),
]


@pytest.mark.parametrize(("action", "why"), WHY_NOT)
def test_a_blocked_move_has_a_reason(action: str, why: str | None) -> None:
    assert BOARD.why_not(BOARD.initial, BOARD.parse_action(parse_term(action))) == why


@pytest.mark.parametrize(
    ("term", "why"),
    [
        ("slide(1)", "slide(1) is not a move(Tile,Dir)"),
        ("move(x,up)", "move(x,up): x is not a tile"),
        ("move(1,north)", "move(1,north): north is not left, right, up or down"),
    ],
)
def test_invalid_action_terms_are_refused(term: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        BOARD.parse_action(parse_term(term))


def test_text_and_fluents_show_the_tiles() -> None:
    assert BOARD.text(BOARD.initial) == "1 2 3\n4 _ 5"
    assert "position(5,2,3)" in map(str, BOARD.fluents(BOARD.initial))


def test_eight_puzzles_take_the_moves_of_the_table(data: Path, tmp_path: Path) -> None:
    goal = tuple((n, n - 1) for n in range(1, 9))
    lines = (data / "sliding_tiles" / "eight.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if line[0].isdigit()]
    assert len(rows) == 33
    for moves, tiles in rows[:: 1 if THOROUGH else 3]:
        board = SlidingTiles(3, 3, tuple(map(int, tiles.split())), goal)
        ways = [{"engine": "astar"}, {"engine": "idastar"}, {"encoding": "frontier"}]
        for how in ways if int(moves) <= 20 else ways[:2]:
            result = asplan.solve(write(tmp_path / "board.lp", board), **how)
            assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, int(moves))
