"""The runs of the SMT engines: calls of Z3 on formulas over the states of a path."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from math import inf
from types import ModuleType
from typing import Any, TypeAlias

from asplan.core.budget import OutOfBudget
from asplan.core.errors import UsageError, needs_extra
from asplan.core.limits import (
    Stop,
    hold_interrupts,
    is_interrupted,
)
from asplan.domains import domains
from asplan.domains.base import Formulas
from asplan.domains.model import (
    DomainModel,
    DomainState,
    plan_along,
)
from asplan.engines.run import Run
from asplan.engines.smt.options import SmtOptions
from asplan.result import (
    Outcome,
    Phase,
    Result,
    Seconds,
    Statistics,
)

Solver: TypeAlias = Any  # z3 has no types
Formula: TypeAlias = Any  # z3 has no types
Solution: TypeAlias = Any  # z3 has no types


FIRST = 5  # states that are tried first without a move limit, as published
MORE = 10  # states that are added in each further try
_POLL = 0.1  # seconds between two checks for an interrupt while Z3 works


@dataclass
class _Solving:
    """A run of an SMT engine, with Z3's module and the counts of its calls so far."""

    run: Run[SmtOptions]
    z3: ModuleType
    model: DomainModel
    start: float = field(default_factory=time.monotonic)
    calls: int = 0
    counts: dict[str, int] = field(default_factory=lambda: {"conflicts": 0, "decisions": 0})

    @property
    def last_horizon(self) -> float:
        """The greatest number of moves to try: one less than the limit of states on a path."""
        limit = self.run.options.move_limit
        if limit is None:
            return self.run.deepest
        return min(self.run.deepest, limit - 1)

    def sizes(self) -> Iterator[int]:
        """Yield the lengths of paths to try, in states.

        With the option `move_limit` this is a single length, otherwise the lengths grow.
        """
        if self.run.options.move_limit is not None:
            yield int(self.last_horizon) + 1
            return
        states = FIRST
        while states < max(self.run.limits.min_horizon, 0) + 1:
            states += MORE
        while states <= self.last_horizon:
            yield states
            states += MORE
        yield int(self.last_horizon) + 1

    def check(
        self,
        solver: Solver,
        *goals: Formula,
    ) -> Solution | None:
        """Return a model of the solver's formulas and the goals; None if they have no model.

        Raises `OutOfBudget` at the time limit.
        """
        if self.run.budget.deadline < inf:
            solver.set("timeout", max(1, int(1000 * self.run.budget.remaining)))
        self.run.budget.check()
        # In another thread, as Z3's own handler keeps Ctrl-C to itself.
        solver.set("ctrl_c", False)
        with hold_interrupts(), ThreadPoolExecutor(1) as pool:
            future = pool.submit(solver.check, *goals)
            while not wait([future], _POLL).done:
                if is_interrupted():
                    solver.ctx.interrupt()
            answer = future.result()
        self.calls += 1
        self._count(solver)
        if answer == self.z3.unknown:
            raise OutOfBudget
        return solver.model() if answer == self.z3.sat else None

    def _count(self, solver: Solver) -> None:
        """Add the conflicts and decisions of the solver's last call to the counts."""
        statistics = solver.statistics()
        for key in statistics.keys():  # noqa: SIM118
            for name in self.counts:
                if key.endswith(name):
                    self.counts[name] += int(statistics.get_key_value(key))

    def effort(self) -> tuple[Seconds, Statistics]:
        """Return the seconds since the start, and the numbers of calls, decisions and conflicts."""
        seconds = Seconds(solve=round(time.monotonic() - self.start, 6))
        statistics = Statistics(
            calls=self.calls,
            choices=self.counts["decisions"],
            conflicts=self.counts["conflicts"],
        )
        return seconds, statistics

    def plan_found(self, states: list[DomainState]) -> Result:
        """Return the result with a shortest plan, which goes through these states."""
        plan = plan_along(self.model, states)
        reason = "the goal holds at the start"
        if len(plan):
            reason = f"shortest: Z3 refuted {len(plan) - 1} moves"
        return self.run.result(
            outcome=Outcome.OPTIMAL,
            reason=reason,
            horizon=len(plan),
            lower_bound=len(plan),
            plans=(plan,),
        )

    def exhausted(self) -> Result:
        """Return the result of a run that found no plan within its limits."""
        limit = self.run.options.move_limit
        if limit is None:
            return self.run.too_deep()
        reason = f"move limit of {limit} states reached"
        return self.run.result(stopped=Stop.HORIZON, reason=reason)


Strategy: TypeAlias = Callable[[_Solving, Formulas], Result]


def _grow(
    solving: _Solving,
    formulas: Formulas,
) -> Result:
    """Search for a plan of 0, 1, 2, … moves; the formulas of each further state are added."""
    run = solving.run
    solver = solving.z3.SolverFor("QF_FD")
    while run.lower_bound <= solving.last_horizon:
        run.announce(f"solving horizon {run.lower_bound}", Phase.SOLVING)
        solver.add(*formulas.add_state())
        solution = solving.check(solver, formulas.goal())
        if solution is not None:
            return solving.plan_found(formulas.states_of(solution))
        run.lower_bound += 1
    return solving.exhausted()


def _minimize(
    solving: _Solving,
    formulas: Formulas,
) -> Result:
    """Find a plan with the fewest moves by Z3's optimizer, on paths of a growing length."""
    run = solving.run
    for states in solving.sizes():
        run.announce(f"solving with {states} states", Phase.SOLVING)
        formula = formulas.formula(states)
        solver = solving.z3.Optimize()
        solver.add(*formula.constraints)
        solver.minimize(formula.moves)
        solution = solving.check(solver)
        if solution is not None:
            return solving.plan_found(formula.states_of(solution))
        run.lower_bound = states
    return solving.exhausted()


_STRATEGIES: dict[str, Strategy] = {
    "smt": _minimize,
    "smt-alternating": _minimize,
    "smt-cells": _grow,
}
"""The strategy of each engine, which chooses the horizons."""


def solve(
    name: str,
    run: Run[SmtOptions],
) -> Result:
    """Solve with the formulas that the problem's domain has for the engine `name`.

    Raises `UsageError` if the domain has no such formulas.
    """
    domain, model = run.problem.domain_and_model()
    if name not in domain.smt:
        supported = ", ".join(d.name for d in domains().values() if name in d.smt)
        raise UsageError(f"the SMT engines support {supported} only, not {domain.name}")
    with needs_extra("the SMT engines need Z3, which is not installed", "smt"):
        z3 = importlib.import_module("z3")
    solving = _Solving(run, z3, model)
    run.effort = solving.effort
    formulas = domain.smt[name](z3, model)
    if why := formulas.unsolvable():
        return run.unsolvable(why)
    try:
        return _STRATEGIES[name](solving, formulas)
    except OutOfBudget:
        return run.out_of_time(f"solving horizon {run.lower_bound}")
