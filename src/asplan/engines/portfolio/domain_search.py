"""The methods that use a domain's own searches: for any plan, and for a plan of least cost.

The search for any plan does not prove its plan shortest, so it is used only with `--first`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

from asplan.catalog import find_encoding
from asplan.core.budget import OutOfBudget, Pace
from asplan.core.plan import Plan
from asplan.domains.base import Finder, Found, NamedFinder
from asplan.domains.model import DomainAction, DomainModel
from asplan.engines.options import EngineOptions
from asplan.engines.portfolio.methods import AnyRun, Method
from asplan.engines.portfolio.options import AutoOptions
from asplan.engines.run import Run
from asplan.engines.search import BestFirst, solve_by
from asplan.problem import Problem
from asplan.result import Evidence, Outcome, Refuter, Result

ANY_PLAN = "search for any plan"

_REPORT_EVERY = 0.25  # seconds


def can_search(problem: Problem) -> bool:
    """Return whether the domain's model in Python has the same plans as the problem's encoding."""
    return problem.model is not None and _uses_shipped_encoding(problem)


def _uses_shipped_encoding(problem: Problem) -> bool:
    """Return whether asplan ships the problem's encoding for its domain, and no constant is set.

    Only such an encoding is known to have the same plans as the domain's own searches.
    """
    domain = problem.domain
    encoding = problem.encoding
    if domain is None or encoding is None or problem.is_replayed or problem.user_constants:
        return False
    return find_encoding(encoding, domain.name).domain == domain.name


def proving(run: Run[AutoOptions]) -> Method | None:
    """Return A* as a method that proves a plan best by the objective of a run.

    Return None if the run has no objective, or the domain has no search that can prove plans best.
    """
    optimal = run.options.optimal
    domain = run.problem.domain
    if not optimal or domain is None or domain.prover is None or not can_search(run.problem):
        return None
    return Method("astar", partial(solve_by, "astar"), BestFirst(optimal=optimal))


def finding(run: Run[AutoOptions]) -> Method | None:
    """Return the domain's own search for any plan as a method.

    Return None if the domain has no such search, or if the user wants more than just any plan.
    """
    domain = run.problem.domain
    if domain is None or domain.finder is None or not can_search(run.problem):
        return None
    if not _wants_any_plan(run):
        return None
    return _method_of(NamedFinder(ANY_PLAN, domain.finder))


def finding_by_program(run: Run[AutoOptions]) -> Method | None:
    """Return a method that lets another planner, such as Fast Downward, search for any plan.

    Return None if no such planner is installed, or if the user wants more than just any plan.
    """
    domain = run.problem.domain
    return None if domain is None else _method_of_program(run, domain.finding_program)


def joining_by_program(run: Run[AutoOptions]) -> Method | None:
    """Return a method that lets a planner such as Kairos join the domain's own search.

    Return None if no such planner is installed, or if the user wants more than just any plan.
    """
    domain = run.problem.domain
    return None if domain is None else _method_of_program(run, domain.joining_program)


def _method_of_program(
    run: Run[AutoOptions],
    installed_program: Callable[[], NamedFinder | None] | None,
) -> Method | None:
    if installed_program is None or not _uses_shipped_encoding(run.problem):
        return None
    if not _wants_any_plan(run):
        return None
    program = installed_program()
    return None if program is None else _method_of(program)


def _wants_any_plan(run: Run[AutoOptions]) -> bool:
    """Return whether the user wants a single plan, which may have any number of steps."""
    is_limited = run.limits.min_horizon or run.limits.max_horizon is not None
    return bool(run.options.first) and run.options.models in (None, 1) and not is_limited


def _method_of(program: NamedFinder) -> Method:
    return Method(program.name, partial(_find, program.find), EngineOptions(), optional=True)


def _find(find: Finder, run: AnyRun) -> Result:
    model = run.problem.model
    pace = Pace(_REPORT_EVERY)

    def report(activity: str) -> None:
        if pace.is_due():
            run.announce(activity)

    run.evidence = Evidence((Refuter.MODEL,))
    run.announce("searching for any plan")
    try:
        outcome = find(model, run.budget, report)
    except OutOfBudget:
        return run.out_of_time(run.activity)
    except MemoryError:
        return run.out_of_memory(run.activity)
    if outcome.steps is None:
        return run.unsolvable(outcome.how)
    return _plan_found(run, model, outcome.steps, outcome)


def _plan_found(
    run: AnyRun,
    model: DomainModel | None,
    actions: Sequence[Sequence[DomainAction]],
    outcome: Found,
) -> Result:
    """Return the result with the plan that a domain's search has found.

    `actions` are the actions of each step; without a model they are terms. Only an empty plan is
    known to be optimal.
    """
    terms = (lambda action: (action,)) if model is None else model.terms
    steps = tuple(tuple(chain.from_iterable(map(terms, step))) for step in actions)
    cost = (_cost(model, actions),) if model is not None and model.has_costs else None
    others = "others may end earlier" if outcome.times else "shorter ones may exist"
    return run.result(
        outcome=Outcome.PLAN if steps else Outcome.OPTIMAL,
        reason=f"{outcome.how}; {others}" if steps else "the goal holds at the start",
        horizon=len(steps),
        cost=cost,
        plans=(Plan(steps, cost, times=outcome.times),),
    )


def _cost(
    model: DomainModel,
    actions: Sequence[Sequence[DomainAction]],
) -> int:
    """Return the cost of all actions of a plan, executed from the initial state."""
    state = model.initial
    cost = 0
    for action in chain.from_iterable(actions):
        cost += model.cost(state, action)
        state = model.apply(state, action)
    return cost
