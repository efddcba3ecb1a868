"""A run that finds diverse plans: it lists plans, and chooses some that are far apart."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field, replace
from typing import Any

from asplan.core.budget import Budget, OutOfBudget, Pace, Reporter
from asplan.core.dataclass import dataclass
from asplan.core.text import amount
from asplan.engines.run import Run
from asplan.enumeration.distance import DISTANCES, Distance
from asplan.enumeration.listing import PlanLister
from asplan.enumeration.run import (
    PlanFinder,
    make_run,
    result_with,
    result_without_plans,
    say_cut,
)
from asplan.enumeration.selection import Choice, improve, traverse
from asplan.enumeration.wanted import Diverse, Wanted
from asplan.planner import Request
from asplan.problem import Problem
from asplan.result import Diversity, Result
from asplan.validation import Checked

MOST_PLANS = 1000
"""The most plans that are compared, unless the caller wants another number of plans."""

_BY_DEFAULT = ("actions", "order")
"""The distances to choose from if the caller names none: the first that tells plans apart."""

_REPORTS = 1.0  # seconds between two reports of the plans so far


@dataclass(frozen=True)
class DiverseFinder:
    """The finder of diverse plans; it is called with the loaded problem.

    `wanted` describes the plans to compare, and `diverse` the choice among them.
    """

    wanted: Wanted
    diverse: Diverse

    def __call__(
        self,
        problem: Problem,
        request: Request,
        start: float,
        report: Reporter[Result],
    ) -> Result:
        """Find plans, check them, and choose some that are far apart."""
        self.diverse.check()
        run = make_run(problem, request, start, report)
        lister, base = PlanFinder(self._compared()).open(run, request)
        return base if lister is None else self._choose(run, lister, base)

    def _compared(self) -> Wanted:
        """Return a description of the plans to compare, with a bound on their number."""
        wanted = self.wanted
        if wanted.number is not None:
            return wanted
        within = wanted.within if wanted.has_bound else 0
        return replace(wanted, number=MOST_PLANS, within=within)

    def _choose(self, run: Run[Any], lister: PlanLister, base: Result) -> Result:
        """Find and report the plans of a lister; return the result with the chosen ones."""
        names = (self.diverse.distance,) if self.diverse.distance else _BY_DEFAULT
        all_found = [Candidates(name, lister.by_cost) for name in names]
        found = all_found[0]
        pace = Pace(_REPORTS)
        for checked in lister:
            for candidates in all_found:
                candidates.add(checked)
            found = _first_with_differences(all_found)
            if run.is_reported and (found.compared == 1 or pace.is_due()):
                now = f"{amount(found.compared, 'plan')} found"
                part = self._result(found, found.choose(self.diverse.number), lister, base)
                run.report(replace(part, reason=now))
        if not found.compared:
            return result_without_plans(run, lister, base)
        choice = found.choose(self.diverse.number)
        result = self._result(found, choice, lister, base)
        if lister.listing.is_cut:
            return say_cut(run, result, found.compared)
        run.report(replace(result, reason="choosing plans that are far apart"))
        choice = found.improve(choice, run.budget)
        return self._result(found, choice, lister, base)

    def _result(
        self,
        found: Candidates,
        choice: Choice,
        lister: PlanLister,
        base: Result,
    ) -> Result:
        """Return the result with the chosen plans, and the claims about the choice."""
        chosen = [found.plans[number] for number in choice.plans]
        result = result_with(chosen, lister, base)
        has_all = lister.listing.is_complete
        bound = choice.bound if has_all else 1.0
        several = len(chosen) > 1
        diversity = Diversity(
            found.distance,
            self.diverse.number,
            minimum=choice.minimum if several else None,
            bound=bound,
            is_proven=choice.minimum >= bound if several else has_all,
            compared=found.compared,
            matrix=found.matrix_of(choice.plans),
        )
        return replace(result, diversity=diversity)


@dataclass
class Candidates:
    """The plans to choose from, best first.

    Of several plans with the same trait, only the first is kept. A trait is the part of a plan that
    the distance compares, such as its set of actions.

    Attributes
    ----------
    distance
        The name of the distance between the plans.
    by_cost
        True if a best plan is a cheapest one; False if it is a shortest one.
    plans
        The plans that are kept; their traits differ.
    compared
        The number of all plans that were added.
    """

    distance: str
    by_cost: bool = False
    plans: list[Checked] = field(default_factory=list)
    compared: int = 0
    _traits: list[Hashable] = field(default_factory=list)
    _known: set[Hashable] = field(default_factory=set)

    @property
    def _measure(self) -> Distance[Any]:  # of traits of any kind
        return DISTANCES[self.distance]

    def add(self, checked: Checked) -> None:
        """Add a plan; raise `UsageError` if it lacks the trait that the distance compares."""
        self.compared += 1
        trait = self._measure.trait(checked)
        if trait not in self._known:
            self._known.add(trait)
            self._traits.append(trait)
            self.plans.append(checked)

    def choose(self, number: int) -> Choice:
        """Choose plans by a farthest-first traversal from the first plan."""
        return traverse(len(self.plans), number, self._distances)

    def improve(self, choice: Choice, budget: Budget) -> Choice:
        """Return a choice of plans that are as far apart as possible, or the best one found."""
        if choice.is_proven or len(choice.plans) < 2:
            return choice
        try:
            matrix = self._all_distances(budget)
        except OutOfBudget:
            return choice
        values = [self._value(checked) for checked in self.plans]
        return improve(choice, matrix, values.count(values[0]), budget=budget)

    def matrix_of(self, plans: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        """Return the distances between the plans with the given numbers."""
        traits = [self._traits[number] for number in plans]
        return tuple(tuple(self._measure.from_one(one, traits)) for one in traits)

    def _distances(self, number: int) -> list[float]:
        """Return the distances from one plan to all plans."""
        return self._measure.from_one(self._traits[number], self._traits)

    def _all_distances(self, budget: Budget) -> list[list[float]]:
        """Return the distances between all plans; raise `OutOfBudget` if there is no time."""
        matrix = []
        for number in range(len(self._traits)):
            budget.check()
            matrix.append(self._distances(number))
        return matrix

    def _value(self, checked: Checked) -> int:
        """Return the value that a best plan minimizes: the cost if `by_cost`, else the length."""
        cost = checked.priced.cost
        return cost[0] if self.by_cost and cost else len(checked.plan)


def _first_with_differences(all_found: Sequence[Candidates]) -> Candidates:
    """Return the first of several `Candidates` that has more than one plan.

    `all_found` has an entry for each distance. If every entry has only one plan, return the first.
    """
    return next((found for found in all_found if len(found.plans) > 1), all_found[0])
