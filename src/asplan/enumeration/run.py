"""A run that lists plans: the choice of their source, and the result with all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from asplan.core.budget import Pace, Reporter, ignore_report
from asplan.core.choices import Objective
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, InputError, UsageError
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.domains.base import Domain
from asplan.domains.model import require_costs
from asplan.engines import find_engine
from asplan.engines.run import Run
from asplan.enumeration.by_solving import find_by_solving
from asplan.enumeration.by_states import KSTAR, find_by_states, make_estimate, prove_end
from asplan.enumeration.landmarks import find_landmarks
from asplan.enumeration.listing import PlanLister
from asplan.enumeration.source import Complete, Source
from asplan.enumeration.wanted import Wanted
from asplan.planner import Request, answer_problem, complete_result, load_problem
from asplan.problem import Problem
from asplan.problem.problem import Grounding
from asplan.result import LEAST, Outcome, Refuter, Result
from asplan.statespace.space import AnyModel, state_space
from asplan.validation import Checked

_REPORTS = 0.2  # least seconds between two reports of the plans so far
_GROWTH = 1.1
"""The least growth of the list between two reports.

A report has all plans so far, so reports at a fixed pace would take quadratic time.
"""

_MOST_STATES = 20_000
"""The most states to search for a proof that all longer plans are impossible."""

_ONE_PLAN = ("models", "first", "mode", "schedule")
"""Options of engines that do not work with lists of plans."""


@dataclass(frozen=True)
class PlanFinder:
    """The finder of the plans of a request; it is called with the loaded problem."""

    wanted: Wanted

    def __call__(
        self,
        problem: Problem,
        request: Request,
        start: float,
        report: Reporter[Result],
    ) -> Result:
        """Find the plans that are wanted, and check them."""
        run = make_run(problem, request, start, report)
        lister, base = self.open(run, request)
        return base if lister is None else _list_plans(run, lister, base)

    def open(self, run: Run[Any], request: Request) -> tuple[PlanLister | None, Result]:
        """Return the lister of the plans, and the result before it finds any.

        If clingo has found no plan, the lister is None, and the result has the reason.
        """
        self.check(run.problem, request)
        if self._uses_states(run.problem, request):
            base = complete_result(run.problem, request, Result())
            return self._from_states(run), replace(base, encoding=None, engine=KSTAR)
        first = answer_problem(run.problem, request, run.start, run.report)
        return (self._by_solving(run, first) if first.plans else None), first

    def check(self, problem: Problem, request: Request) -> None:
        """Raise `UsageError` for an option or a problem that does not work with lists of plans."""
        self.wanted.check()
        _refuse_options(request)
        if problem.has_durations:
            raise UsageError("actions with durations have no list of plans")
        objective = request.options.aim.objective
        if objective is not None and (
            objective != Objective.COST or not self._uses_states(problem, request)
        ):
            hint = "--optimal cost orders the plans of a domain's instance or a PDDL task"
            raise UsageError(f"--optimal {objective} does not order a list of plans", hint=hint)

    def _uses_states(self, problem: Problem, request: Request) -> bool:
        """Return whether the plans come from a state space; landmarks always need one."""
        return self.wanted.by_landmarks or uses_states(problem, request)

    def _from_states(self, run: Run[Any]) -> PlanLister:
        """Return the lister of the plans from the state space of a problem.

        The states are those of the domain's model, or without a model those of the program.
        """
        problem = run.problem
        by_cost = run.options.aim.objective == Objective.COST
        domain, model = self._open_states(run)
        hopeless = model.unsolvable()
        if hopeless:
            source: Source = iter([Complete(None, hopeless)])
            return PlanLister(problem, self.wanted, source, run.budget, by_cost)
        why = model.unexplored()
        if why:
            hint = "name an encoding with -e"
            raise InputError(f"the states cannot be searched: {why}", hint=hint)
        if by_cost:
            require_costs(model)
        landmarks = find_landmarks(model, run.budget) if self.wanted.by_landmarks else None
        source = find_by_states(
            model,
            by_cost,
            loopless=self.wanted.loopless or self.wanted.minimal,  # loops can be removed
            wants_all=self.wanted.has_bound and self.wanted.number is None,
            most=run.limits.max_horizon,
            budget=run.budget,
            estimate=None if problem.space.of_program else make_estimate(domain, model, by_cost),
            landmarks=landmarks,
        )
        return PlanLister(problem, self.wanted, source, run.budget, by_cost)

    def _open_states(self, run: Run[Any]) -> tuple[Domain, AnyModel]:
        """Return the domain and the model of a problem.

        Raise `UsageError` if the problem has no states, but its plans are compared by landmarks.
        """
        if not self.wanted.by_landmarks:
            return state_space(run.problem, run.budget)
        try:
            return state_space(run.problem, run.budget)
        except InputError as error:
            why = f"--same landmarks needs the states of the program, but {error.message}"
            hint = "--same set compares plans by their actions, without order"
            raise UsageError(why, at=error.at, hint=hint) from error

    def _by_solving(self, run: Run[Any], first: Result) -> PlanLister:
        """Return the lister of the plans that clingo finds; `first` is the result with one plan.

        A program without parts is grounded anew for each horizon.
        """
        prover = _end_prover(run)
        problem = run.problem
        if problem.grounding is Grounding.CONVERTED:
            problem = problem.without_conversion("all of its plans are wanted")
            run = replace(run, problem=problem)
        is_proven = first.outcome is Outcome.OPTIMAL and first.optimized == Objective.STEPS
        least = first.horizon or 0 if is_proven else run.limits.min_horizon
        source = find_by_solving(run, least)
        return PlanLister(problem, self.wanted, source, run.budget, prove_end=prover)


def open_plans(
    request: Request, wanted: Wanted, report: Reporter[Result] = ignore_report
) -> tuple[PlanLister | None, Result]:
    """Load the problem of a request; return the lister of its plans, and the result so far.

    If clingo has found no plan, the lister is None, and the result has the reason.
    """
    start = time.monotonic()
    request.limits.check()
    problem = load_problem(request)
    run = make_run(problem, request, start, report)
    return PlanFinder(wanted).open(run, request)


def _refuse_options(request: Request) -> None:
    """Raise `UsageError` for options that find one plan, and for engines that cannot list plans."""
    if request.improve is not None:
        raise UsageError("--improve does not work with lists of plans: it improves one plan")
    given = request.options.values()
    for name in _ONE_PLAN:
        if given.get(name) is not None:
            why = f"--{name} does not work with lists of plans, such as --plans"
            raise UsageError(why, hint=f"leave out --{name}")
    if request.engine != "asp" and not find_engine(request.engine).searches:
        hint = "use --engine asp, or one that searches states, such as bfs"
        raise UsageError(f"engine {request.engine} lists no plans", hint=hint)


def _end_prover(run: Run[Any]) -> Callable[[int], str]:
    """Return a function that tries to prove that no plan has more than a given number of steps.

    The function searches the states of the program. It returns a proof in words, or an empty text
    if it finds none.
    """

    def prove(longest: int) -> str:
        try:
            _, model = state_space(run.problem, run.budget)
            return prove_end(model, longest, _MOST_STATES, run.budget)
        except AsplanError:  # the program is no transition system
            return ""

    return prove


def uses_states(problem: Problem, request: Request) -> bool:
    """Return whether the plans come from a state space, rather than from clingo.

    An engine that searches states always uses a state space. Other engines use it for instances of
    domains and for PDDL tasks, unless the request names an encoding or a kind of steps.
    """
    if find_engine(request.engine).searches:
        return True
    names_encoding = request.inputs.encoding is not None or request.inputs.steps is not None
    return problem.model is not None and not problem.is_replayed and not names_encoding


def make_run(
    problem: Problem,
    request: Request,
    start: float,
    report: Reporter[Result] = ignore_report,
) -> Run[Any]:
    """Return a run that solves a problem by the engine options and the limits of a request."""
    limits = problem.narrow_limits(request.limits)
    return Run(problem, request.options, limits, report, start)


def _list_plans(run: Run[Any], lister: PlanLister, base: Result) -> Result:
    """Find and report the plans of a lister; return the result with all of them."""
    found: list[Checked] = []
    pace = Pace(_REPORTS)
    reported = 0
    for checked in lister:
        found.append(checked)
        has_grown = len(found) > _GROWTH * reported
        if run.is_reported and has_grown and (reported == 0 or pace.is_due()):
            reported = len(found)
            now = f"looking for more plans, {len(found)} found"
            run.report(replace(result_with(found, lister, base), reason=now))
    if not found:
        return result_without_plans(run, lister, base)
    result = result_with(found, lister, base)
    return say_cut(run, result, len(found)) if lister.listing.is_cut else result


def say_cut(run: Run[Any], result: Result, number: int) -> Result:
    """Return the result with a reason: a limit ended the search after `number` plans."""
    limit = run.limits.time_reason("looking for more plans")
    reason = f"cut after {amount(number, 'plan')}: {limit}; {result.reason}"
    return replace(result, stopped=Stop.TIME, reason=reason)


def result_with(found: Sequence[Checked], lister: PlanLister, base: Result) -> Result:
    """Return the result with the plans `found`, the first of which must be a best plan."""
    first = found[0]
    plans = tuple(checked.priced for checked in found)
    result = base if base.plans else _with_first(base, lister, plans[0])
    return replace(
        result,
        plans=plans,
        cost=plans[0].cost,
        horizon=len(plans[0]),
        validated=first.how,
        trajectory=first.trajectory,
        atoms=tuple(map(str, first.shown)),
        metric=first.metric,
        violated=first.violated,
        beside=first.beside,
        listing=lister.listing,
    )


def _with_first(base: Result, lister: PlanLister, plan: Plan) -> Result:
    """Add the proof that the first plan of a search through states is a best one."""
    if not lister.by_cost:
        reason = lister.problem.claims.shortest(len(plan))
        return replace(
            base,
            outcome=Outcome.OPTIMAL,
            reason=reason,
            lower_bound=len(plan),
            evidence=base.evidence.with_methods(Refuter.STATES),
        )
    cost = plan.cost[0] if plan.cost else 0
    reason = f"{LEAST[Objective.COST]}: no plan costs less than {cost}"
    return replace(
        base,
        outcome=Outcome.OPTIMAL,
        reason=reason,
        lower_cost=cost,
        optimized=Objective.COST,
        evidence=base.evidence.with_methods(Refuter.STATES),
    )


def result_without_plans(run: Run[Any], lister: PlanLister, base: Result) -> Result:
    """Return the result of a list without plans; clingo may have found plans that do not count."""
    if base.plans:
        return replace(base, listing=lister.listing)
    if lister.proof:
        return replace(
            base,
            outcome=Outcome.UNSOLVABLE,
            reason=f"no plan exists: {lister.proof}",
            evidence=replace(base.evidence.with_methods(Refuter.STATES), claim=lister.proof),
        )
    if lister.listing.is_cut:
        reason = run.limits.time_reason("looking for a plan")
        return replace(base, stopped=Stop.TIME, reason=reason)
    return replace(
        base,
        stopped=Stop.HORIZON,
        reason=f"maximal horizon {run.limits.max_horizon} reached",
        lower_bound=(run.limits.max_horizon or 0) + 1,
    )
