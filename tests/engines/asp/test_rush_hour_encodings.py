"""Every encoding, mode and metric against known optima and against the oracle."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import asplan
import oracle
from asplan import Outcome, catalog
from boards import random_board
from conftest import METRICS, THOROUGH, crossed, examples, facts, optimum, rows, shipped, stem

ENCODINGS = ["origin", "origin_naive", "block_tuple", "independent_blocks", "order", "integers"]
QUICK = [
    p
    for p in shipped("rush_hour")
    if p.stem in {"two_cars", "solved", "walls", "seven_by_five", "sample01"}
]
LONG = {"walls", "seven_by_five"}
"""Those whose plans are long by steps; the random boards have walls and other sizes, too."""
BY_METRIC = [
    (path, encoding, metric)
    for n, path in enumerate(QUICK)
    for m, encoding in enumerate(ENCODINGS)
    for metric in METRICS
    if (metric == "slide" if path.stem in LONG else THOROUGH or metric == METRICS[(n + m) % 2])
    if path.stem not in LONG or (encoding != "independent_blocks" and (THOROUGH or n % 3 == m))
]
SLOW = [p for p in shipped("rush_hour") if p not in QUICK and p.stem != "unsolvable"]


@pytest.mark.parametrize(("path", "encoding", "metric"), BY_METRIC, ids=stem)
def test_three_modes_find_the_optimum(path: Path, encoding: str, metric: str) -> None:
    best = optimum(path, metric)
    assert best is not None
    found = asplan.solve(path, encoding=encoding, metric=metric)
    assert (found.outcome, found.horizon, found.validated) == (Outcome.OPTIMAL, best, "model")
    assert found.lower_bound == best
    least = asplan.solve(path, encoding=encoding, metric=metric, mode="minimize", horizon=best + 1)
    assert (least.outcome, least.horizon, least.lower_bound) == (Outcome.OPTIMAL, best, best)
    fixed = asplan.solve(path, encoding=encoding, metric=metric, mode="fixed", horizon=best + 1)
    assert fixed.outcome == Outcome.PLAN
    assert fixed.horizon in (best, best + 1)
    if best:
        below = asplan.solve(path, encoding=encoding, metric=metric, mode="fixed", horizon=best - 1)
        assert (below.outcome, below.lower_bound, below.plan) == (Outcome.UNKNOWN, best, None)


@pytest.mark.parametrize(("path", "encoding"), crossed(SLOW, ENCODINGS), ids=stem)
def test_a_limit_never_yields_a_wrong_claim(path: Path, encoding: str) -> None:
    best = optimum(path, "step")
    assert best is not None
    result = asplan.solve(path, encoding=encoding, time_limit=0.5)
    if result.outcome == Outcome.OPTIMAL:
        assert result.horizon == best
    else:
        assert (result.outcome, result.stopped) == (Outcome.UNKNOWN, "time")
        assert result.lower_bound <= best


def test_the_optimum_of_sample02_in_both_metrics() -> None:
    for metric, best in (("step", 39), ("slide", 16)):
        result = asplan.solve("sample02", encoding="origin", metric=metric)
        assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, best)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_random_boards_against_the_oracle(encoding: str, tmp_path: Path) -> None:
    random, limit, solved, unsolvable = Random(encoding), 9, 0, 0
    while solved + unsolvable < examples(80):
        board = random_board(random)
        metric = random.choice(METRICS)
        best = oracle.solve(board, metric)
        if best is not None and (best > limit or best == 0):
            continue
        path = tmp_path / "board.lp"
        path.write_text(facts(board))
        result = asplan.solve(path, encoding=encoding, metric=metric, max_horizon=limit)
        if best is None:
            unsolvable += 1
            assert result.outcome in (Outcome.UNSOLVABLE, Outcome.UNKNOWN)
            assert result.plan is None
            assert result.outcome == Outcome.UNSOLVABLE or result.lower_bound == limit + 1
        else:
            solved += 1
            assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, best), facts(board)
    assert solved > 4
    assert unsolvable


def test_all_shortest_plans_are_found() -> None:
    result = asplan.solve("two_cars", encoding="origin", models=0)
    # b goes down twice before r's second step: three ways to place r's first step.
    assert len(set(result.plans)) == len(result.plans) == 3
    assert {len(plan) for plan in result.plans} == {6}
    least = asplan.solve("two_cars", encoding="origin", models=0, mode="minimize", horizon=8)
    assert set(least.plans) == set(result.plans)
    assert len(asplan.solve("two_cars", encoding="origin", models=2).plans) == 2


@pytest.mark.parametrize("path", shipped("rush_hour"), ids=lambda p: p.stem)
@pytest.mark.parametrize("metric", METRICS)
def test_headers_state_the_lengths_of_the_oracle(path: Path, metric: str) -> None:
    from asplan.program.ground import read_facts

    known = read_facts([str(path)], {})
    cells = [tuple(a.number for a in fact.arguments) for fact in known.named("grid", 2)]
    shapes = {str(f.arguments[0]): f.arguments[1:] for f in known.named("car", 3)}
    cars = [
        (name, shapes[name][0].number, str(shapes[name][1]), row.number, column.number)
        for fact in known.named("position", 4)
        for name, row, column in [(str(fact.arguments[1]), *fact.arguments[2:])]
    ]
    walls = frozenset((f.arguments[0].number, f.arguments[1].number) for f in known.named("no", 2))
    board = oracle.Board(max(cells)[0], max(c for _, c in cells), tuple(cars), walls)
    assert oracle.solve(board, metric) == optimum(path, metric)


def test_slide_rules_leave_nothing_behind() -> None:
    from asplan.engines.asp.solver import PartsSolver
    from asplan.program.composition import read_program
    from asplan.program.incremental import base, check, step

    for encoding in ENCODINGS:
        files = [str(catalog.find_encoding(encoding, None).path), catalog.find_instance("sample02")]
        solver = PartsSolver(read_program(files, {}), {})
        solver.ground([base(), check(0)])
        solver.ground([step(1), check(1)])
        atoms = " ".join(str(atom.symbol) for atom in solver.control.symbolic_atoms)
        assert set(re.findall(r"move\(\w+,\w+,(\d+)\)", atoms)) == {"1"}


def test_the_quick_boards_of_the_ladder(data: Path, tmp_path: Path) -> None:
    tried, path = 0, tmp_path / "board.lp"
    for row in rows(data / "rush_hour" / "ladder.tsv"):
        if int(row["steps"]) <= 14:
            path.write_text(facts(oracle.parse(row["board"])))
            for metric, column in (("step", "steps"), ("slide", "slides")):
                result = asplan.solve(path, encoding="origin", metric=metric)
                assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, int(row[column]))
            tried += 1
    assert tried > 5
