"""Plans of a domain whose steps may have several actions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from clingo import Function, Symbol

import asplan
from asplan.catalog import find_instance
from asplan.core.errors import InvalidPlan
from asplan.core.plan import Plan
from asplan.domains import Domain
from asplan.domains.model import Model
from asplan.problem import Inputs, load
from asplan.problem.kinds import ProgramWithFacts
from asplan.problem.problem import DomainInstance
from asplan.result import Outcome, Result
from asplan.validation import check, check_result


@dataclass(frozen=True)
class Staircase(Model[int, object]):
    """Climb to stair `top`: action `climb(N)` leads from stair N to the next one."""

    top: int = 3
    initial: int = 0

    def actions(self, state: int) -> list[str]:
        return [f"climb({state})"]

    def apply(self, state: int, action: str) -> int:
        return state + 1

    def is_goal(self, state: int) -> bool:
        return state == self.top

    def parse_action(self, term: Symbol) -> str:
        return str(term)

    def why_not(self, state: int, action: str) -> str | None:
        return None if action in self.actions(state) else f"it stands on {state}"

    def fluents(self, state: int) -> Iterator[Symbol]:
        yield Function("at", [Function(f"stair{state}")])

    def text(self, state: int) -> str:
        return f"stair {state}"


DOMAIN = Domain("stairs", frozenset(), lambda facts, constants: Staircase(), parallel=True)
PROBLEM = DomainInstance(domain=DOMAIN, model=Staircase())
MIXED = Plan((("climb(1)", "climb(0)"), ("climb(2)",)))


def test_the_actions_of_an_engine_are_put_in_order() -> None:
    result = Result(outcome=Outcome.OPTIMAL, horizon=2, plans=(MIXED,))
    found = check_result(PROBLEM, result)
    assert found.plan is not None
    assert found.plan.steps == (("climb(0)", "climb(1)"), ("climb(2)",))
    assert found.trajectory is not None
    assert tuple(found.trajectory.states) == (("at(stair0)",), ("at(stair2)",), ("at(stair3)",))
    assert found.trajectory.boards == ("stair 0", "stair 3")


def test_the_actions_of_a_stored_plan_keep_their_order() -> None:
    with pytest.raises(InvalidPlan) as caught:
        check(PROBLEM, MIXED)
    assert str(caught.value) == "step 1: climb(1) does not apply: it stands on 0"
    assert check(PROBLEM, Plan((("climb(0)", "climb(1)"), ("climb(2)",)))).how == "model"


def test_actions_without_an_order_are_refused() -> None:
    result = Result(outcome=Outcome.PLAN, horizon=1, plans=(Plan((("climb(0)", "climb(2)"),)),))
    with pytest.raises(InvalidPlan) as caught:
        check_result(PROBLEM, result)
    assert str(caught.value) == (
        "step 1: climb(0), climb(2): these cannot be executed one after the other in any order"
    )


@pytest.mark.parametrize(
    ("lower_bound", "outcome", "reason"),
    [(2, Outcome.OPTIMAL, "shortest: 1 step refuted, 2 found"), (1, Outcome.PLAN, "found")],
)
def test_a_plan_that_ends_early_may_be_proven(
    lower_bound: int, outcome: Outcome, reason: str
) -> None:
    idle = Plan((*MIXED.steps, (), ()))
    result = Result(Outcome.PLAN, "found", horizon=4, lower_bound=lower_bound, plans=(idle,))
    found = check_result(PROBLEM, result)
    assert (found.outcome, found.horizon, found.reason) == (outcome, 2, reason)


STATES = [("two_cars", "origin"), ("sample02", "origin"), ("sample01", "origin_naive")]


@pytest.mark.parametrize(("instance", "encoding"), STATES)
def test_replayed_states_are_those_of_the_model(instance: str, encoding: str) -> None:
    """The oracle is the model in Python, which shares no code with the ASP side."""
    problem = load(Inputs((find_instance(instance),), encoding=encoding))
    plan = asplan.solve(find_instance(instance), encoding=encoding).plan
    assert plan is not None
    program = ProgramWithFacts(
        files=problem.files,
        units=problem.units,
        encoding=problem.encoding,
        path=problem.path,
        instance_facts=problem.instance_facts,
    )
    replayed = check(program, plan)
    found = [set(state) for state in replayed.trajectory.states]
    assert len(found) == len(plan) + 1
    if problem.model is not None:
        expected = [set(state) for state in check(problem, plan).trajectory.states]
        names = {fluent.partition("(")[0] for fluent in expected[0]}
        assert [{f for f in state if f.partition("(")[0] in names} for state in found] == expected
