"""Ever better plans: what a domain's `Improver` finds, checked and reported plan by plan."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from asplan.core.errors import UsageError
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.domains.base import Improver
from asplan.engines.run import Report
from asplan.problem import Problem
from asplan.result import LEAST, Improvement, Outcome, Result
from asplan.validation import check_result


def find_improver(problem: Problem) -> Improver:
    """What makes plans of a problem better; `UsageError` where nothing does."""
    domain = problem.domain
    if domain is None or domain.improver is None or problem.model is None or problem.is_replayed:
        raise UsageError(
            "--improve works for PDDL tasks without numbers, time, constraints and preferences, "
            "and this is none",
            hint="without --improve a shortest plan is looked for",
        )
    return domain.improver


def given_plan(problem: Problem, plan: Plan) -> Result:
    """A plan that is given, before it is checked, with its actions as they are listed."""
    return Result(
        outcome=Outcome.PLAN,
        reason="as it was given",
        plans=(_one_by_one(plan.actions),),
        files=problem.files,
        domain=problem.domain.name if problem.domain else None,
        warnings=problem.warnings,
    )


def improve(
    problem: Problem,
    improver: Improver,
    first: Result,
    seconds: float,
    start: float,
    deadline: float | None,
    report: Report,
) -> Result:
    """The best plan after so many seconds from now; each better one is checked and reported."""
    if first.plan is None:
        return first
    until = time.monotonic() + seconds
    ends = until if deadline is None else min(until, deadline)
    counts_cost = problem.model is not None and problem.model.has_costs

    def noted(found: Result) -> Result:
        assert found.plan is not None
        cost = found.plan.cost[0] if counts_cost and found.plan.cost else None
        made = Improvement(round(time.monotonic() - start, 3), len(found.plan.actions), cost)
        found = replace(found, improvements=(*found.improvements, made))
        report(replace(found, trajectory=None))  # which would be much to hand over
        return found

    optimized = "cost" if counts_cost else "actions"
    best = noted(
        replace(first, outcome=Outcome.PLAN, optimized=optimized, lower_bound=0, lower_cost=0)
    )
    for better in improver(problem.model, first.plan.actions, ends):
        plan = _one_by_one(better.actions)
        found = replace(
            best,
            outcome=Outcome.OPTIMAL if better.proven else Outcome.PLAN,
            reason=f"{LEAST[optimized]}: {better.how}" if better.proven else better.how,
            plans=(plan,),
            horizon=len(plan),
            cost=(better.cost,) if counts_cost else None,
            lower_bound=0 if counts_cost else better.least,
            lower_cost=better.least if counts_cost else 0,
        )
        found = check_result(problem, found, deadline)
        is_better = _worth(found, optimized) < _worth(best, optimized)
        best = noted(found) if is_better else found
    if best.outcome is Outcome.PLAN:
        many = len(best.improvements) - 1
        how = f"{many} better plans after the first" if many else "none better was found"
        best = replace(best, reason=f"{how} in {seconds:g} s")
        if ends < until:
            best = replace(best, stopped=Stop.TIME, reason=f"time limit reached; {how}")
    return best


def _one_by_one(actions: Iterable[str]) -> Plan:
    return Plan(tuple((action,) for action in actions))


def _worth(result: Result, optimized: str) -> int:
    plan = result.plan
    assert plan is not None
    return plan.cost[0] if optimized == "cost" and plan.cost else len(plan.actions)
