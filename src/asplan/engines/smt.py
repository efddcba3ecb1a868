"""The SMT engines: formulas that the domain unrolls, asked of Z3 under limits."""

import importlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from asplan.core.errors import UsageError, needs_extra
from asplan.core.limits import Stop, hold_interrupts, is_interrupted
from asplan.domains import domains
from asplan.domains.model import Model, plan_along
from asplan.engines.run import Engine, EngineOptions, OutOfTime, Run, option
from asplan.result import Outcome, Result, Seconds, Statistics


@dataclass(frozen=True)
class SmtOptions(EngineOptions):
    move_limit: int | None = option("Let SMT visit this many states.", kind=int, least=1)


FIRST, MORE = 5, 10  # without a move limit 5 states are tried, then 15, 25, …, as published
_POLL = 0.1  # seconds between two looks for an interrupt while Z3 works


@dataclass
class _Solving:
    run: Run[SmtOptions]
    z3: Any
    model: Model[Any, Any]
    start: float = field(default_factory=time.monotonic)
    calls: int = 0
    counts: dict[str, int] = field(default_factory=lambda: {"conflicts": 0, "decisions": 0})

    @property
    def last_horizon(self) -> float:
        """The most moves that may be tried: the move limit counts states, one more than moves."""
        limit = self.run.options.move_limit
        return min(self.run.deepest, float("inf") if limit is None else limit - 1)

    def sizes(self) -> Iterator[int]:
        """The numbers of states that are tried: only the move limit, or more and more."""
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

    def check(self, solver: Any, *goals: Any) -> list[Any] | None:
        """The solution; None where there is none. `OutOfTime` when the time is over."""
        if self.run.left < float("inf"):
            solver.set("timeout", max(1, int(1000 * self.run.left)))
        self.run.look()
        # In another thread, as Z3's own handler keeps Ctrl-C to itself.
        solver.set("ctrl_c", False)
        with hold_interrupts(), ThreadPoolExecutor(1) as pool:
            asked = pool.submit(solver.check, *goals)
            while not wait([asked], _POLL).done:
                if is_interrupted():
                    solver.ctx.interrupt()
            answer = asked.result()
        self.calls += 1
        statistics = solver.statistics()
        for key in statistics.keys():  # noqa: SIM118
            for name in self.counts:
                if key.endswith(name):
                    self.counts[name] += int(statistics.get_key_value(key))
        if answer == self.z3.unknown:
            raise OutOfTime
        return solver.model() if answer == self.z3.sat else None

    def effort(self) -> tuple[Seconds, Statistics]:
        counts = self.counts
        return Seconds(solve=round(time.monotonic() - self.start, 6)), Statistics(
            calls=self.calls, choices=counts["decisions"], conflicts=counts["conflicts"]
        )

    def found(self, states: list[Any]) -> Result:
        plan = plan_along(self.model, states)
        reason = f"shortest: Z3 refuted {len(plan) - 1} moves" if len(plan) else ""
        return self.run.result(
            outcome=Outcome.OPTIMAL,
            reason=reason or "the goal holds at the start",
            horizon=len(plan),
            lower_bound=len(plan),
            plans=(plan,),
        )

    def exhausted(self) -> Result:
        """The result where no plan is as short as the limits demand."""
        limit = self.run.options.move_limit
        if limit is None:
            return self.run.too_deep()
        reason = f"move limit of {limit} states reached"
        return self.run.result(stopped=Stop.HORIZON, reason=reason)


def _solve(name: str, ask: Callable[[_Solving, Any], Result], run: Run[SmtOptions]) -> Result:
    domain, model = run.problem.domain_and_model()
    if name not in domain.smt:
        known = ", ".join(d.name for d in domains().values() if name in d.smt)
        raise UsageError(f"the SMT engines know {known} only, not {domain.name}")
    with needs_extra("the SMT engines need Z3, which is not installed", "smt"):
        z3 = importlib.import_module("z3")
    solving = _Solving(run, z3, model)
    run.effort = solving.effort
    formulas = domain.smt[name](z3, model)
    if why := formulas.unsolvable():
        return run.unsolvable(why)
    try:
        return ask(solving, formulas)
    except OutOfTime:
        return run.out_of_time(f"solving horizon {run.lower_bound}")


def _grow(solving: _Solving, formulas: Any) -> Result:
    """Ask for a plan of 0, 1, 2, … moves."""
    run, solver = solving.run, solving.z3.SolverFor("QF_FD")
    while run.lower_bound <= solving.last_horizon:
        run.tell(f"solving horizon {run.lower_bound}")
        solver.add(*formulas.add_state())
        solution = solving.check(solver, formulas.goal())
        if solution is not None:
            return solving.found(formulas.states_of(solution))
        run.lower_bound += 1
    return solving.exhausted()


def _minimize(solving: _Solving, formulas: Any) -> Result:
    """Minimize the moves within a number of states, which grows."""
    run = solving.run
    for states in solving.sizes():
        run.tell(f"solving with {states} states")
        formula = formulas.formula(states)
        solver = solving.z3.Optimize()
        solver.add(*formula.constraints)
        solver.minimize(formula.moves)
        solution = solving.check(solver)
        if solution is not None:
            return solving.found(formula.states_of(solution))
        run.lower_bound = states
    return solving.exhausted()


def _engine(name: str, ask: Callable[[_Solving, Any], Result], about: str) -> Engine:
    return Engine(partial(_solve, name, ask), SmtOptions, True, about)


SMT = _engine("smt", _minimize, "Z3 on the thesis's model")
ALTERNATING = _engine("smt-alternating", _minimize, "the same, and no vehicle moves twice running")
CELLS = _engine("smt-cells", _grow, "Z3 on a faster model, one state at a time")
