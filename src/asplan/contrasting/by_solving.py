"""The outlook of a plan from clingo: the first steps are fixed by assumptions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import chain

from asplan.clingo import Symbol
from asplan.contrasting.outlook import Outlook
from asplan.core.budget import Budget, OutOfBudget
from asplan.core.choices import Mode
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.engines.asp.answer import read_plan
from asplan.engines.asp.opening import make_solver
from asplan.engines.asp.replay import atoms_of
from asplan.engines.asp.solver import ClingoSolver, Pin
from asplan.problem import Problem
from asplan.problem.problem import Grounding
from asplan.program.incremental import Program, Reading, with_query
from asplan.program.reading.contract import read_contract
from asplan.program.reading.source import ground_term
from asplan.program.transitions.rewrite import rewrite


@dataclass(frozen=True)
class SolvedPlan:
    """A plan that clingo found at a horizon, with the assumptions that fix all its actions."""

    plan: Plan
    horizon: int
    pins: tuple[Pin, ...]


@dataclass
class HorizonSearch:
    """A search for plans of a program, at horizon after horizon.

    Attributes
    ----------
    problem
        The problem; its program must show actions.
    plan
        The user's plan, which must be valid.
    reading
        The reading of atoms as actions under which the program accepts the plan.
    budget
        The budget of the search.
    change
        A function that changes the program before the search; a changed program is not rewritten
        for speed. None to search with the program as it is.
    least
        The proven lower bound on the steps of all plans.
    is_monotone
        True if the program claims that every plan can be prolonged; known once it is grounded.
    """

    problem: Problem
    plan: Plan
    reading: Reading
    budget: Budget
    change: Callable[[Problem, Program], Program] | None = None
    least: int = 0
    is_monotone: bool = False

    def __post_init__(self) -> None:
        """Prepare the program, and find the atoms of the plan's actions."""
        if self.problem.grounding is Grounding.CONVERTED:
            self.problem = self.problem.without_conversion("plans are compared")
        program = with_query(self.problem.program)
        if self.change is not None:
            program = self.change(self.problem, program)
        else:
            program = rewrite(program)
        self._program: Program = program
        actions = [[ground_term(action, "action") for action in step] for step in self.plan]
        self._atoms = atoms_of(actions, self.reading)

    def limit(self, budget: Budget) -> None:
        """Set the budget of the searches that follow."""
        self.budget = budget

    def measure(self) -> Outlook:
        """Find the lengths of shortest plans, as far as the budget allows."""
        last = len(self.plan)
        known: list[int] = []
        best: Plan | None = None
        is_complete = False
        try:
            solver = self.open()
            for horizon in range(last):
                self.ground(solver, horizon)
                while len(known) <= horizon:
                    found = self._ask(solver, horizon, self.beginning(solver, len(known)))
                    if found is None:
                        break
                    known.append(horizon)
                    best = found if horizon == known[0] else best
                self.least = known[0] if known else horizon + 1
            is_complete = True
        except OutOfBudget:
            pass
        rest = [last if is_complete else None] * (last - len(known))
        return Outlook((*known, *rest, last), self.least, best)

    def find_shorter(self, forbidden: Collection[str]) -> Plan | None:
        """Return a plan that is shorter than the user's and has no forbidden action."""
        solver = self.open()
        last = len(self.plan) - 1
        # In a monotone program a shorter plan can be prolonged.
        for horizon in [last] if self.is_monotone else range(self.least, last + 1):
            self.ground(solver, horizon)
            pins = [(atom, False) for atom in solver.actions() if self._name(atom) in forbidden]
            found = self._ask(solver, horizon, pins)
            if found is not None:
                return found
        return None

    def open(self) -> ClingoSolver:
        """Return a new solver, grounded for its least horizon."""
        solver = make_solver(self._program, self.problem.user_constants, [], budget=self.budget)
        solver.ground_first()
        self.is_monotone = read_contract(solver.claims(), None, Mode.INCREMENTAL).monotone
        solver.settles = not self.is_monotone
        return solver

    def ground(self, solver: ClingoSolver, horizon: int) -> None:
        """Ground the program for a horizon; raise `OutOfBudget` if the time is too short."""
        if solver.ground_to(horizon):
            raise OutOfBudget

    def _ask(self, solver: ClingoSolver, horizon: int, pins: Iterable[Pin]) -> Plan | None:
        """Return a plan of a horizon under assumptions; None if there is none."""
        found = self.solve(solver, horizon, pins)
        return None if found is None else found.plan

    def solve(self, solver: ClingoSolver, horizon: int, pins: Iterable[Pin]) -> SolvedPlan | None:
        """Return a plan of a grounded horizon under assumptions; None if there is none.

        Raise `OutOfBudget` if the time is too short.
        """
        answer = solver.solve(horizon, self.budget, assumptions=pins)
        if answer.satisfiable is None:
            raise OutOfBudget
        if not answer.models:
            return None
        shown = answer.models[0]
        plan = read_plan(shown, horizon, self._program.readings)
        if plan is None:
            raise UsageError("the program shows no actions, so its plans cannot be compared")
        done = set(shown.actions)
        return SolvedPlan(plan, horizon, tuple((atom, atom in done) for atom in solver.actions()))

    def beginning(self, solver: ClingoSolver, kept: int) -> list[Pin]:
        """Return the assumptions that the first `kept` steps are those of the user's plan."""
        wanted = set(chain.from_iterable(self._atoms[:kept]))
        pins = [(atom, True) for atom in sorted(wanted)]
        if self._program.plans_in_part:
            return pins
        steps = range(1, kept + 1)
        for atom in solver.actions():
            if atom not in wanted and self.reading.step(atom) in steps:
                pins.append((atom, False))
        return pins

    def _name(self, atom: Symbol) -> str:
        return str(self.reading.action(atom))
