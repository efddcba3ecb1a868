"""The programs of the report and of the talk as published, against the shipped encodings."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest
from clingo import Control

import asplan
import oracle
from asplan import Outcome, catalog
from boards import random_board
from conftest import THOROUGH, crossed, examples, facts, optimum

REPORT = ["origin_published", "origin_published:inertia=anonymous", "block_tuple_published"]
SINGLE_SHOT = ["origin_published", "origin_naive_published", "block_tuple_published"]
SINGLE_SHOT_IN = {"rush_hour": "origin_published", "brain_twist": "turns_published"}
BOARDS = ["two_cars", "solved", "sample01", *["vertical"] * THOROUGH]


def single_shot(domain: str, name: str) -> Path:
    """The program that has all times in one."""
    home = catalog.find_encoding(SINGLE_SHOT_IN[domain], domain).path.parent
    return home / "single_shot" / f"{name}.lp"


def clingo(files: list[Path | str], **constants: object) -> list[int] | None:
    """Solve a single-shot program: its costs at the optimum, or None where it has no model."""
    words = [word for n, v in constants.items() for word in ("-c", f"{n}={v}")]
    control = Control(words, logger=lambda code, text: None)
    for file in files:
        control.load(str(file))
    control.ground()
    cost: list[list[int]] = []
    control.solve(on_model=lambda model: cost.append(model.cost))
    return cost[-1] if cost else None


def best_of(name: str) -> int:
    """Return the length of a shortest plan in steps, from the header of the file."""
    best = optimum(Path(catalog.find_instance(name)), "step")
    assert best is not None
    return best


@pytest.mark.parametrize(("board", "encoding"), crossed(BOARDS, REPORT))
def test_three_modes_find_the_optimum(board: str, encoding: str) -> None:
    best = best_of(board)
    found = asplan.solve(board, encoding=encoding)
    assert (found.outcome, found.horizon, found.validated) == (Outcome.OPTIMAL, best, "model")
    least = asplan.solve(board, encoding=encoding, mode="minimize", horizon=best + 1)
    assert (least.outcome, least.horizon) == (Outcome.OPTIMAL, best)
    fixed = asplan.solve(board, encoding=encoding, mode="fixed", horizon=best + 1)
    assert (fixed.outcome, fixed.validated) == (Outcome.PLAN, "model")


@pytest.mark.parametrize("encoding", REPORT)
def test_random_boards_against_the_oracle(encoding: str, tmp_path: Path) -> None:
    random, limit, tried = Random(encoding), 9, 0
    while tried < examples(20):
        board = random_board(random)
        best = oracle.solve(board, "step")
        if best is None or not 0 < best <= limit or any(n not in (2, 3) for _, n, *_ in board.cars):
            continue
        path = tmp_path / "board.lp"
        path.write_text(facts(board))
        result = asplan.solve(path, encoding=encoding, max_horizon=limit)
        assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, best), facts(board)
        tried += 1


@pytest.mark.parametrize("encoding", REPORT)
def test_all_shortest_plans_are_found(encoding: str) -> None:
    plans = {plan.actions for plan in asplan.solve("two_cars", encoding="origin", models=0).plans}
    found = asplan.solve("two_cars", encoding=encoding, models=0).plans
    assert len(found) == len(plans)
    assert {plan.actions for plan in found} == plans


@pytest.mark.parametrize(("board", "name"), crossed(["two_cars", "sample01"], SINGLE_SHOT))
def test_a_given_limit_and_minimize(board: str, name: str) -> None:
    best = best_of(board)
    files: list[Path | str] = [single_shot("rush_hour", name), catalog.find_instance(board)]
    # All times of version 1 are below its limit.
    least = best if name == "block_tuple_published" else best + 1
    assert clingo(files, l=least - 1) is None
    assert clingo(files, l=least) == []
    assert clingo(files, l=best + 3, run="minimize") == [best]


@pytest.mark.parametrize("board", ["two_cars", "sample01"])
def test_version_2_reads_its_own_facts(board: str, tmp_path: Path) -> None:
    own = tmp_path / "own.lp"
    own.write_text(asplan.convert(board, "tuples"))
    files: list[Path | str] = [single_shot("rush_hour", "block_tuple_published"), own]
    assert clingo(files, l=best_of(board) + 1, run="minimize") == [best_of(board)]


@pytest.mark.parametrize("encoding", ["origin_published", "block_tuple_published"])
def test_unknown_methods_are_refused(encoding: str, tmp_path: Path) -> None:
    usual = encoding.removesuffix("_published")
    with pytest.raises(asplan.AsplanError) as caught:
        asplan.solve("two_cars", encoding=encoding, metric="slide")
    said = f"slide: the report's moves go one cell: metric=step; -e {usual} has both"
    assert str(caught.value) == said
    board = tmp_path / "board.lp"
    board.write_text("grid(1..6,1..6). car(r,4,h). position(0,r,3,1).")
    with pytest.raises(asplan.AsplanError) as caught:
        asplan.solve(board, encoding=encoding)
    said = f"the report's cars have 2 or 3 cells; -e {usual} has all"
    assert str(caught.value).endswith(said)


TALK = [f"turns_published:one={a}:eight={b}:nine={c}" for a, b, c in product((0, 1), repeat=3)]


@pytest.mark.parametrize(("encoding", "number"), crossed(TALK, [1, 4, 6]))
def test_the_extra_constraints_change_no_answer(encoding: str, number: int) -> None:
    result = asplan.solve(f"twist{number:02}", encoding=encoding)
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, number)
    assert result.validated == "model"


def test_the_talk_has_as_many_shortest_plans_as_its_order_in_turns() -> None:
    talk = asplan.solve("twist05", encoding="turns_published", models=0)
    ours = asplan.solve("twist05", encoding="turns:order=talk", models=0)
    assert {p.actions for p in talk.plans} == {p.actions for p in ours.plans}
    assert len(talk.plans) == len(ours.plans)


def test_the_other_goal_of_the_talk(tmp_path: Path) -> None:
    tiles = ["rc", "rg", "rv", "fc", "av", "as", "bv", "bc", "fs", "fg", "ag", "bs"]
    lying = [f"on(0,{tile},{place})." for place, tile in enumerate(tiles, 1)]
    (tmp_path / "points.lp").write_text("\n".join([*lying, "on(0,f,0)."]))
    for encoding in ("turns_published", "turns"):
        given = {"encoding": encoding, "constants": {"goal": "points"}}
        found = asplan.solve(tmp_path / "points.lp", **given)
        assert (found.horizon, found.validated) == (3, "model")


@pytest.mark.parametrize("number", [1, 4, 6])
def test_the_talk_with_its_number_of_moves(number: int) -> None:
    files: list[Path | str] = [single_shot("brain_twist", "turns_published")]
    files.append(catalog.find_instance(f"twist{number:02}"))
    assert clingo(files, n=number) == []
    for less in range(1, number):
        assert clingo(files, n=less) is None


def test_the_talk_in_one_program_has_a_plan_of_its_moves() -> None:
    found = asplan.solve(single_shot("brain_twist", "turns_published"), "twist03")
    assert (found.outcome, found.horizon, found.validated) == (Outcome.OPTIMAL, 3, "replay")
    assert found.plan is not None
    assert all(action.startswith("chosen(") for action in found.plan.actions)
