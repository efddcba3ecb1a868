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
from asplan.domains import sliding_tiles
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, State
from asplan.engines.asp import AspOptions
from asplan.engines.asp.controller import incremental
from asplan.engines.run import Run
from asplan.problem import Inputs, load
from asplan.problem.catalog import find_encoding, instances
from conftest import THOROUGH, crossed, examples, stem

SHIPPED = [entry.path for entry in instances() if entry.domain == "sliding_tiles"]
PARITY = "no plan exists: by parity"


def write(path: Path, board: SlidingTiles) -> Path:
    """The board as an instance."""
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
    """Plain breadth-first search, by the model's moves one at a time."""
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
    """Any arrangement of up to six cells, with any goal for some of the tiles."""
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


def test_frontier_proves_by_itself_what_parity_proves_at_once() -> None:
    [file] = [path for path in SHIPPED if path.stem == "five_odd"]
    encoding = find_encoding("frontier", "sliding_tiles").path
    result = incremental(Run(load(Inputs((str(file), str(encoding)))), AspOptions()))
    assert result.outcome == Outcome.UNSOLVABLE
    assert re.fullmatch(
        r"no plan exists: from step \d+ on nothing new can be reached", result.reason
    )


def stated(path: Path) -> int | None:
    """The optimum in the header of an instance; None for an unsolvable one."""
    header = path.read_text().partition("\n")[0]
    found = re.search(r"shortest plan (\d+) moves", header)
    assert found or "unsolvable" in header
    return int(found[1]) if found else None


@pytest.mark.parametrize(
    ("path", "how"), crossed(SHIPPED, [{"encoding": "frontier"}, {"engine": "astar"}]), ids=stem
)
def test_shipped_instances(path: Path, how: dict[str, str]) -> None:
    result = asplan.solve(path, **how)
    assert result.horizon == stated(path)
    if result.horizon is None:
        assert (result.outcome, result.reason[: len(PARITY)]) == (Outcome.UNSOLVABLE, PARITY)
    else:
        assert (result.outcome, result.validated) == (Outcome.OPTIMAL, "model")


@pytest.mark.parametrize("path", [p for p in SHIPPED if (stated(p) or 99) <= 25], ids=str)
def test_shipped_instances_move_by_move(path: Path) -> None:
    assert asplan.solve(path, encoding="moves").horizon == stated(path)


def test_the_board_of_the_article_by_all() -> None:
    ways = [{"encoding": "moves"}, {"engine": "idastar"}, {"engine": "bidirectional"}]
    ways += [{"engine": "astar", "heuristic": h.name} for h in sliding_tiles.DOMAIN.heuristics]
    found = [asplan.solve("fifteen34", **way) for way in ways]
    assert {(r.outcome, r.horizon) for r in found} == {(Outcome.OPTIMAL, 34)}


def test_all_shortest_plans_are_plans() -> None:
    result = asplan.solve("eight20", encoding="frontier", models=0)
    other = asplan.solve("eight20", encoding="moves", models=0)
    assert len(result.plans) > 1
    assert set(result.plans) == set(other.plans)


def test_frontier_refuses_what_it_cannot_pack(tmp_path: Path) -> None:
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


def test_five_by_five(tmp_path: Path) -> None:
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
def test_why_not(action: str, why: str | None) -> None:
    assert BOARD.why_not(BOARD.initial, BOARD.parse_action(parse_term(action))) == why


@pytest.mark.parametrize(
    ("term", "why"),
    [
        ("slide(1)", "slide(1) is no move(Tile,Dir)"),
        ("move(x,up)", "move(x,up): x is no tile"),
        ("move(1,north)", "move(1,north): north is not left, right, up or down"),
    ],
)
def test_terms_that_are_no_actions(term: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        BOARD.parse_action(parse_term(term))


def test_text_and_fluents() -> None:
    assert BOARD.text(BOARD.initial) == "1 2 3\n4 _ 5"
    assert "position(5,2,3)" in map(str, BOARD.fluents(BOARD.initial))


def test_every_eight_puzzle_of_the_table(data: Path, tmp_path: Path) -> None:
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
