"""The searches that a domain may have, beside methods that go from horizon to horizon.

One is for any plan. It says nothing of how long plans are, so a plan of it is an answer only where
any plan will do. The other one is A*, where what a plan costs is to be proven least.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from asplan.core.plan import Plan
from asplan.domains import Model
from asplan.engines.portfolio.methods import Method
from asplan.engines.run import EngineOptions, Run
from asplan.engines.search import BestFirst, solve_by
from asplan.problem import Problem
from asplan.problem.catalog import find_encoding
from asplan.result import Outcome, Result

NAME = "search for any plan"


def can_search(problem: Problem) -> bool:
    """Whether plans of the domain's model are those of the encoding."""
    domain, encoding = problem.domain, problem.encoding
    return (
        domain is not None
        and problem.model is not None
        and not (problem.is_replayed or problem.given)
        and encoding is not None
        and find_encoding(encoding, domain.name).domain == domain.name
    )


def proving(run: Run[Any]) -> Method | None:
    """A* for what is to be least; None where it cannot be, or nobody asks for it."""
    optimal, domain = run.options.optimal, run.problem.domain
    if not optimal or domain is None or domain.prover is None or not can_search(run.problem):
        return None
    return Method("astar", partial(solve_by, "astar"), BestFirst(optimal=optimal))


def finding(run: Run[Any]) -> Method | None:
    """The search for any plan; None where it cannot be, or plans are to have few steps or many."""
    limited = run.limits.min_horizon or run.limits.max_horizon is not None
    wanted = run.options.first and run.options.models in (None, 1) and not limited
    domain = run.problem.domain
    if not wanted or domain is None or domain.finder is None or not can_search(run.problem):
        return None
    return Method(NAME, _solve, EngineOptions(), optional=True)


def _solve(run: Run[Any]) -> Result:
    domain, model = run.problem.domain, run.problem.model
    assert domain is not None
    assert domain.finder is not None
    assert model is not None
    doing = "searching for any plan"
    run.tell(doing)

    def heed() -> None:
        if run.left < 0:
            raise _OutOfTime

    try:
        found = domain.finder(model, heed)
    except _OutOfTime:
        return run.out_of_time(doing)
    except MemoryError:
        return run.out_of_memory(doing)
    if found.actions is None:
        return run.result(outcome=Outcome.UNSOLVABLE, reason=f"no plan exists: {found.how}")
    how = f"{found.how}; shorter ones may exist" if found.actions else "the goal holds at the start"
    return run.result(reason=how, **_fields(model, found.actions))


class _OutOfTime(Exception):
    """The deadline has passed."""


def _fields(model: Model[Any, Any], actions: Any) -> Mapping[str, Any]:
    """A plan of one action a step, as fields of a result."""
    state, steps, cost = model.initial, [], 0
    for action in actions:
        steps.append(model.terms(action))
        cost += model.cost(state, action) if model.has_costs else 0
        state = model.apply(state, action)
    costs = (cost,) if model.has_costs else None
    plan = Plan(tuple(steps), costs)
    return {
        "outcome": Outcome.PLAN if len(plan) else Outcome.OPTIMAL,
        "horizon": len(plan),
        "cost": costs,
        "plans": (plan,),
    }
