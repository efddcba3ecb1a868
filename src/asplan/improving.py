"""The improvement of a plan by a domain's `Improver`, better plan by better plan.

Each better plan is checked before it is reported.
"""

import time
from collections.abc import Iterable
from dataclasses import replace

from asplan.core.budget import Budget, Reporter
from asplan.core.choices import Objective
from asplan.core.errors import UsageError
from asplan.core.limits import Limits, Stop
from asplan.core.plan import Plan
from asplan.domains.base import Better, Improver
from asplan.engines import find_engine
from asplan.engines.options import EngineOptions
from asplan.problem import Problem
from asplan.result import LEAST, Evidence, Improvement, Outcome, Refuter, Reliance, Result
from asplan.validation import check_result


def find_improver(problem: Problem) -> Improver:
    """Return the function that improves plans of a problem's domain.

    Raise `UsageError` if there is none.
    """
    domain = problem.domain
    if domain is None or domain.improver is None or problem.model is None or problem.is_replayed:
        raise UsageError(
            "--improve works only for PDDL tasks without numbers, time, constraints and "
            "preferences",
            hint="leave out --improve to find a shortest plan",
        )
    return domain.improver


def result_of(
    problem: Problem,
    plan: Plan,
) -> Result:
    """Return an unchecked result with the actions of a plan, one in each step."""
    return Result(
        outcome=Outcome.PLAN,
        reason="the given plan",
        plans=(_one_by_one(plan.actions),),
        files=problem.files,
        domain=problem.domain.name if problem.domain else None,
        warnings=problem.warnings,
    )


def first_options(
    seconds: float,
    engine: str,
    options: EngineOptions,
    limits: Limits,
) -> EngineOptions:
    """Return the options to find a first plan as fast as possible: any plan will do.

    Raise `UsageError` if the options or limits do not allow to improve a plan.
    """
    if not 0 <= seconds < float("inf"):
        raise UsageError(f"--improve {seconds:g}: pass a number of seconds, at least 0")
    aim = options.aim
    for name, value in (("optimal", aim.objective), ("models", aim.models)):
        if value:
            raise UsageError(f"--improve does not work with --{name}: it improves one plan")
    if limits.min_horizon or limits.max_horizon is not None:
        raise UsageError("--improve does not work with bounds on the horizon")
    if find_engine(engine).from_text:
        why = f"--improve does not work with engine {engine}, which plans from the text"
        raise UsageError(why, hint="pass the plan of another planner with --from PLAN")
    options = options.for_any_plan()
    options.check(limits)
    return options


def improve(
    problem: Problem,
    improver: Improver,
    first: Result,
    seconds: float,
    start: float,
    budget: Budget,
    report: Reporter[Result],
) -> Result:
    """Improve the first plan of a result for `seconds` from now; check and report each better plan.

    `start` is the start of the run by `time.monotonic()`, and `budget` its budget, which may end
    earlier. Return the last result, with a list of all improvements.
    """
    if first.plan is None:
        return first
    own = budget.within(seconds)
    is_cut = budget.remaining < seconds
    counts_cost = problem.model is not None and problem.model.has_costs
    optimized = Objective.COST if counts_cost else Objective.ACTIONS

    def record(result: Result) -> Result:
        """Return the result with its plan added to the improvements, and report it."""
        improvement = _measure(result.plans[0], counts_cost, time.monotonic() - start)
        result = replace(result, improvements=(*result.improvements, improvement))
        report(replace(result, trajectory=None))  # the states may be many
        return result

    first = replace(
        first,
        outcome=Outcome.PLAN,
        optimized=optimized,
        lower_bound=0,
        lower_cost=0,
    )
    best = record(first)
    for better in improver(problem.model, first.plans[0].actions, own):
        improved = _improved(best, better, counts_cost, problem.assumptions)
        result = check_result(problem, improved, budget)
        is_better = _value(result.plans[0], counts_cost) < _value(best.plans[0], counts_cost)
        best = record(result) if is_better else result
    if best.outcome is not Outcome.PLAN:
        return best
    number = len(best.improvements) - 1
    found = f"{number} better plans after the first" if number else "no better plan was found"
    if is_cut:
        return replace(
            best,
            stopped=Stop.TIME,
            reason=f"time limit reached; {found}",
        )
    return replace(best, reason=f"{found} in {seconds:g} s")


def _improved(
    best: Result,
    better: Better,
    counts_cost: bool,
    assumptions: tuple[Reliance, ...],
) -> Result:
    """Return the result for a better plan, before it is checked.

    `counts_cost` means that the objective is the cost of actions rather than their number. A proof
    about the problem relies on `assumptions`.
    """
    plan = _one_by_one(better.actions)
    objective = LEAST[Objective.COST if counts_cost else Objective.ACTIONS]
    return replace(
        best,
        outcome=Outcome.OPTIMAL if better.proven else Outcome.PLAN,
        reason=f"{objective}: {better.how}" if better.proven else better.how,
        plans=(plan,),
        horizon=len(plan),
        cost=(better.cost,) if counts_cost else None,
        lower_bound=0 if counts_cost else better.least,
        lower_cost=better.least if counts_cost else 0,
        evidence=Evidence((Refuter.STATES,), assumptions),
    )


def _measure(
    plan: Plan,
    counts_cost: bool,
    seconds: float,
) -> Improvement:
    cost = plan.cost[0] if counts_cost and plan.cost else None
    return Improvement(round(seconds, 3), len(plan.actions), cost)


def _value(
    plan: Plan,
    counts_cost: bool,
) -> int:
    """Return the value to minimize: a plan's cost if `counts_cost`, else its number of actions."""
    return plan.cost[0] if counts_cost and plan.cost else len(plan.actions)


def _one_by_one(actions: Iterable[str]) -> Plan:
    return Plan(tuple((action,) for action in actions))
