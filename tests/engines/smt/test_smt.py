"""The SMT engines against the oracle, on boards that are small."""

from __future__ import annotations

import sys
from dataclasses import replace
from random import Random

import pytest

import asplan
import oracle
from asplan.core.installing import pip_install
from asplan.core.limits import Limits, Stop
from asplan.domains import domains
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.notation import parse_board
from asplan.engines import find_engine
from asplan.engines.model_run import run_on_model
from asplan.engines.run import Run
from asplan.engines.smt.options import SmtOptions
from asplan.execution import goal_step
from asplan.problem.problem import DomainInstance
from asplan.program.ground import ground_facts
from asplan.program.reading.unit import unit_of_text
from asplan.result import Outcome, Result
from boards import random_board
from conftest import METRICS, facts

RUSH_HOUR = domains()["rush_hour"]
ENGINES = ("smt", "smt-alternating", "smt-cells")
HORIZON = 5


def solve(
    text: str, engine: str, metric: str = "slide", columns: int | None = None, **how: object
) -> Result:
    problem = parse_board(text, columns, metric=metric)
    return run_on_model(RUSH_HOUR, problem, engine, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(12))
def test_engines_agree_with_the_oracle(seed: int) -> None:
    pytest.importorskip("z3")
    board = random_board(Random(seed))
    for metric in METRICS:
        problem = replace(read(ground_facts([unit_of_text(facts(board))], {}), {}), metric=metric)
        expected = oracle.solve(board, metric)
        for engine in ENGINES:
            if (engine, metric) == ("smt-alternating", "step"):
                continue
            result = run_on_model(RUSH_HOUR, problem, engine, Limits(max_horizon=HORIZON))
            if expected is not None and expected <= HORIZON:
                assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, expected)
                assert result.plan is not None
                assert goal_step(problem, result.plan) == expected
            elif result.outcome == Outcome.UNSOLVABLE:
                assert expected is None
            else:
                assert (result.outcome, result.stopped) == (Outcome.UNKNOWN, Stop.HORIZON)
                assert result.lower_bound == HORIZON + 1


# A car steps aside, the one in the way goes down beside the wall, and the red car goes out.
LADDER = "BBBoooooDoooAADoooooxooooooooooooooo"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_board_of_the_ladder(engine: str) -> None:
    pytest.importorskip("z3")
    result = solve(LADDER, engine)
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, 3)


def test_the_move_limit_counts_states() -> None:
    pytest.importorskip("z3")
    enough = solve(LADDER, "smt", move_limit=4)
    assert (enough.outcome, enough.horizon) == (Outcome.OPTIMAL, 3)
    for engine in ENGINES:
        short = solve(LADDER, engine, move_limit=3)
        assert (short.outcome, short.lower_bound) == (Outcome.UNKNOWN, 3)
        assert short.reason == "move limit of 3 states reached"


def test_the_iterative_limit_is_five_and_then_ten_more() -> None:
    pytest.importorskip("z3")
    problem = parse_board("AAoooooo", 8, metric="step")
    said: list[str] = []
    run = Run(
        DomainInstance(domain=RUSH_HOUR, model=problem),
        SmtOptions(),
        report=lambda result: said.append(result.reason),
    )
    find_engine("smt").run(run)
    assert said == ["solving with 5 states", "solving with 15 states"]


def test_a_deadline_ends_the_search() -> None:
    pytest.importorskip("z3")
    for engine in ENGINES:
        result = solve(LADDER, engine, limits=Limits(seconds=0.0))
        assert (result.outcome, result.stopped) == (Outcome.UNKNOWN, Stop.TIME)


def test_a_wall_before_the_goal_is_a_proof() -> None:
    pytest.importorskip("z3")
    result = solve("AAxooo", "smt", columns=6)
    assert result.outcome == Outcome.UNSOLVABLE
    assert result.reason == "no plan exists: a wall stands between the red car and its goal"


def test_alternating_is_for_slides() -> None:
    pytest.importorskip("z3")
    with pytest.raises(asplan.UsageError) as caught:
        solve(LADDER, "smt-alternating", "step")
    assert str(caught.value) == "engine smt-alternating is for --metric slide"


def test_other_domains_are_refused() -> None:
    pytest.importorskip("z3")
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve("eight05", engine="smt")
    assert str(caught.value) == "the SMT engines support rush_hour only, not sliding_tiles"


def test_the_error_without_z3_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(asplan.MissingExtra) as caught:
        solve(LADDER, "smt")
    assert str(caught.value) == (
        f"the SMT engines need Z3, which is not installed\n  {pip_install('smt')}"
    )
