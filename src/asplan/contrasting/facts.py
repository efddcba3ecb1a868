"""The fewest facts to remove so that no plan is shorter than a user's plan.

Choices replace the facts, and assumptions fix which facts are there. First as many facts as
possible are removed while the user's plan stays a plan; those that are not needed are put back.
Then all smaller sets are tried, by size. A set is rejected soon if a shorter plan that was found
before is still a plan without the facts of the set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations

from asplan.clingo import Symbol
from asplan.contrasting.by_solving import HorizonSearch, SolvedPlan
from asplan.core.budget import OutOfBudget
from asplan.engines.asp.solver import ClingoSolver, Pin
from asplan.explaining.conflict import GIVEN, with_optional_facts
from asplan.explaining.contrast import Feasible, Minimal, PlanChange
from asplan.problem import Problem
from asplan.program.incremental import Program

Facts = tuple[Symbol, ...]


def instance_files(problem: Problem) -> set[str]:
    """Return the files whose facts belong to the instance of a problem."""
    files = set(problem.files)
    if not problem.is_complete:
        files.discard(str(problem.path))
    return files


def with_removable_facts(problem: Problem, program: Program) -> Program:
    """Return a program in which choices replace the instance's facts, except those about times."""
    domains = program.horizon.domains if program.horizon is not None else {}
    return with_optional_facts(program, instance_files(problem), {name for _, name, _ in domains})


@dataclass
class FactSearch:
    """A search for plans of a program without some of its facts.

    Attributes
    ----------
    search
        The search for plans of the program whose facts can be removed.
    solvers
        A solver for each horizon, grounded when it is needed.
    known
        The shorter plans that were found.
    """

    search: HorizonSearch
    solvers: dict[int, ClingoSolver] = field(default_factory=dict)
    known: list[SolvedPlan] = field(default_factory=list)

    @property
    def length(self) -> int:
        """The number of steps of the user's plan."""
        return len(self.search.plan)

    def facts(self) -> Facts:
        """Return the facts that can be removed, in a fixed order."""
        atoms = self._solver(self.length).atoms(GIVEN, 1)
        return tuple(sorted(atom.arguments[0] for atom in atoms))

    def works(self, removed: Collection[Symbol]) -> bool:
        """Return whether the user's plan is a best plan if the facts `removed` are left out."""
        if any(self._is_plan(plan, removed) for plan in self.known):
            return False
        return self.accepts(removed) and not self._has_shorter(removed)

    def accepts(self, removed: Collection[Symbol]) -> bool:
        """Return whether the user's plan is still a plan if the facts `removed` are left out."""
        solver = self._solver(self.length)
        pins = self.search.beginning(solver, self.length)
        return self._solve(self.length, pins, removed) is not None

    def _has_shorter(self, removed: Collection[Symbol]) -> bool:
        """Return whether a shorter plan exists if the facts `removed` are left out.

        A shorter plan that is found is added to `known`.
        """
        last = self.length - 1
        for horizon in [last] if self.search.is_monotone else range(last, -1, -1):
            found = self._solve(horizon, (), removed)
            if found is not None:
                self.known.append(found)
                return True
        return False

    def _is_plan(self, plan: SolvedPlan, removed: Collection[Symbol]) -> bool:
        return self._solve(plan.horizon, plan.pins, removed) is not None

    def _solve(
        self, horizon: int, pins: Iterable[Pin], removed: Collection[Symbol]
    ) -> SolvedPlan | None:
        """Return a plan of a horizon under assumptions and without the facts `removed`, or None."""
        self.search.budget.check()
        solver = self._solver(horizon)
        given = [atom.arguments[0] for atom in solver.atoms(GIVEN, 1)]
        facts = [(fact, fact not in removed) for fact in given]
        return self.search.solve(solver, horizon, [*facts, *pins])

    def _solver(self, horizon: int) -> ClingoSolver:
        if horizon not in self.solvers:
            solver = self.search.open()
            self.search.ground(solver, horizon)
            self.solvers[horizon] = solver
        return self.solvers[horizon]


def find_facts(search: FactSearch) -> PlanChange | None:
    """Return the fewest facts to remove so that the user's plan becomes a best one.

    Return None if the program has no facts that can be removed.
    """
    best = PlanChange()
    try:
        facts = search.facts()
        if not facts:
            return None
        removed = _find_any(search, facts)
        if removed:
            best = PlanChange(Feasible.YES, _names(removed), Minimal.SUBSET)
        most = len(removed) - 1 if removed else len(facts)
        smaller = _find_smaller(search, facts, most)
    except OutOfBudget:
        return best
    if smaller:
        return PlanChange(Feasible.YES, _names(smaller), Minimal.CARDINALITY)
    return replace(best, minimal=Minimal.CARDINALITY) if removed else PlanChange(Feasible.NO)


def _find_any(search: FactSearch, facts: Facts) -> Facts:
    """Return a set of facts to remove, none of which can be kept; empty if no such set is found."""
    removed: list[Symbol] = []
    for fact in facts:
        if search.accepts([*removed, fact]):
            removed.append(fact)
    if not search.works(removed):
        return ()
    has_changed = True
    while has_changed:
        has_changed = False
        for fact in list(removed):
            rest = [other for other in removed if other != fact]
            if search.works(rest):
                removed = rest
                has_changed = True
    return tuple(removed)


def _find_smaller(search: FactSearch, facts: Facts, most: int) -> Facts:
    """Return a smallest set of at most `most` facts to remove; empty if there is none."""
    for size in range(1, most + 1):
        for removed in combinations(facts, size):
            if search.works(removed):
                return removed
    return ()


def _names(facts: Facts) -> tuple[str, ...]:
    return tuple(map(str, facts))
