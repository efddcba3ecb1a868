"""The search for any plan beside clingo: its start and its answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan.core.limits import Limits
from asplan.engines import find_engine
from asplan.engines.asp import AspOptions
from asplan.engines.portfolio.domain_search import finding
from asplan.engines.portfolio.options import AutoOptions
from asplan.engines.run import Run
from asplan.problem import Inputs, load
from asplan.result import Outcome


def run_of(*files: str, limits: Limits | None = None, **words: Any) -> Run[Any]:
    options = {"first": words.pop("first", True), "models": words.pop("models", None)}
    return Run(load(Inputs(files, **words)), AutoOptions(**options), limits or Limits())


@pytest.mark.parametrize(
    ("files", "words", "takes_part"),
    [
        (("blocks-1",), {}, True),
        (("blocks-1",), {"encoding": "sequential"}, True),
        (("blocks-1",), {"first": None}, False),
        (("blocks-1",), {"models": 2}, False),
        (("blocks-1",), {"limits": Limits(max_horizon=9)}, False),
        (("blocks-1",), {"limits": Limits(min_horizon=1)}, False),
        (("sample01",), {}, False),
        (("courier-1",), {}, True),
        (("cellar-1",), {}, False),
    ],
)
def test_it_takes_part_where_any_plan_will_do(
    files: tuple[str, ...], words: dict[str, Any], takes_part: bool
) -> None:
    assert (finding(run_of(*files, **words)) is not None) == takes_part


def test_an_encoding_of_somebody_else_may_ask_for_more(tmp_path: Path) -> None:
    own = tmp_path / "own.lp"
    own.write_text(
        "asplan(monotone). #show occurs/2. holds(V,D,0) :- initially(V,D).\n"
        "#program step(t).\n"
        "{ happens(O,t) : operator(O,_) } 1. occurs(A,t) :- happens(O,t), operator(O,A).\n"
        ":- happens(O,t), precondition(O,V,D), not holds(V,D,t-1).\n"
        "caused(V,D,t) :- happens(O,t), effect(O,V,D). holds(V,D,t) :- caused(V,D,t).\n"
        "holds(V,D,t) :- holds(V,D,t-1), not caused(V,C,t) : value(V,C), C != D.\n"
        "#program check(t).\n"
        ":- query(t), goal(V,D), not holds(V,D,t).\n"
    )
    assert finding(run_of("blocks-1", encoding=str(own))) is None


@pytest.mark.parametrize("instance", ["blocks-1", "gripper-1", "crates-1"])
def test_its_plan_is_checked_and_claims_no_more_than_it_is(instance: str) -> None:
    method = finding(run := run_of(instance))
    assert method is not None
    found = method.solve(run)
    assert found.outcome == Outcome.PLAN
    assert "shorter ones may exist" in found.reason
    result = asplan.solve(instance, first=True)
    assert (result.validated, result.engine) == ("text", "asp")
    assert result.outcome in (Outcome.PLAN, Outcome.OPTIMAL)


@pytest.mark.parametrize("numbers", ["", "(:functions (n))"])
def test_a_goal_that_holds_at_the_start_needs_no_step(numbers: str, tmp_path: Path) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    effect = "(and (on) (increase (n) 1))" if numbers else "(on)"
    domain.write_text(
        f"(define (domain d) (:requirements :strips) (:predicates (on)) {numbers}\n"
        f"(:action press :parameters () :effect {effect}))"
    )
    start = "(on) (= (n) 0)" if numbers else "(on)"
    problem.write_text(f"(define (problem p) (:domain d) (:init {start}) (:goal (on)))")
    result = asplan.solve(domain, problem, first=True)
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, 0)
    assert result.reason.startswith("the goal holds at the start")


@pytest.mark.parametrize(("options", "races"), [({}, True), ({"no_rewrite": True}, False)])
def test_clingo_itself_lets_the_search_race_if_no_option_is_in_the_way(
    options: dict[str, Any], races: bool
) -> None:
    run = Run(load(Inputs(("blocks-1",))), AspOptions(first=True, **options))
    found = find_engine("asp").run(run)
    assert found.outcome in (Outcome.PLAN, Outcome.OPTIMAL)
    assert (" was first" in found.reason) == races
