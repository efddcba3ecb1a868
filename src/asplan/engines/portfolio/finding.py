"""The searches that a domain may have, beside methods that go from horizon to horizon.

One is for any plan. It says nothing of how long plans are, so a plan of it is an answer only where
any plan will do. The other one is A*, where what a plan costs is to be proven least.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
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

_TELL_EVERY = 0.25
"""Seconds."""


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
    doing, told = "searching for any plan", 0.0
    run.tell(doing)

    def heed(what: str) -> None:
        nonlocal doing, told
        if run.left < 0:
            raise _OutOfTime
        if (now := time.monotonic()) - told > _TELL_EVERY:
            doing, told = what, now
            run.tell(doing)

    try:
        found = domain.finder(model, heed)
    except _OutOfTime:
        return run.out_of_time(doing)
    except MemoryError:
        return run.out_of_memory(doing)
    if found.steps is None:
        return run.result(outcome=Outcome.UNSOLVABLE, reason=f"no plan exists: {found.how}")
    how = f"{found.how}; shorter ones may exist" if found.steps else "the goal holds at the start"
    return run.result(reason=how, **_fields(model, found.steps))


class _OutOfTime(Exception):
    """The deadline has passed."""


def _fields(model: Model[Any, Any], found: Sequence[Sequence[Any]]) -> Mapping[str, Any]:
    """A plan as fields of a result."""
    costs = None
    if model.has_costs:
        state, cost = model.initial, 0
        for action in chain.from_iterable(found):
            cost += model.cost(state, action)
            state = model.apply(state, action)
        costs = (cost,)
    steps = [tuple(chain.from_iterable(map(model.terms, step))) for step in found]
    plan = Plan(tuple(steps), costs)
    return {
        "outcome": Outcome.PLAN if len(plan) else Outcome.OPTIMAL,
        "horizon": len(plan),
        "cost": costs,
        "plans": (plan,),
    }
