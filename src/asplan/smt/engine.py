"""The engines that ask Z3, and the limits they keep."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from asplan.domains.rush_hour import RushHour
from asplan.errors import MissingExtra, UsageError
from asplan.result import Outcome, Result, Seconds, Statistics, Stop
from asplan.search.run import model_of, plan_along
from asplan.smt.board import Board, board_of
from asplan.smt.cells import Cells
from asplan.smt.positions import Positions
from asplan.task import Report, Task

FIRST, MORE = 5, 10
"""Without a move limit 5 states are tried, then 15, 25, …, as published."""


def positions(run: Run) -> Result:
    """The published model: minimize the moves within a number of states that grows."""
    return _minimize(run, alternate=False)


def alternating(run: Run) -> Result:
    """The published model with its optional constraint: no vehicle moves twice running.

    Raises
    ------
    UsageError
        The metric is step, where a vehicle may have to move twice running.
    """
    if run.board.steps_only:
        raise UsageError("engine smt-alternating is for --metric slide")
    return _minimize(run, alternate=True)


def cells(run: Run) -> Result:
    """The second model: is there a plan of 0, 1, 2, … moves?"""
    solver, model = run.z3.SolverFor("QF_FD"), Cells(run.z3, run.board)
    while run.lower <= run.last_horizon:
        run.tell(f"solving horizon {run.lower}")
        solver.add(*model.add_state())
        if not run.set_timeout(solver):
            return run.stopped()
        answer = solver.check(model.goal())
        run.count(solver)
        if answer == run.z3.sat:
            return run.found(model.states_of(solver.model()))
        if answer == run.z3.unknown:
            return run.stopped()
        run.lower += 1
    return run.exhausted()


def _minimize(run: Run, alternate: bool) -> Result:
    for states in run.sizes():
        run.tell(f"solving with {states} states")
        model = Positions(run.z3, run.board, states, alternate)
        solver = run.z3.Optimize()
        solver.add(*model.constraints)
        solver.minimize(model.moves)
        if not run.set_timeout(solver):
            return run.stopped()
        answer = solver.check()
        run.count(solver)
        if answer == run.z3.sat:
            return run.found(model.states_of(solver.model()))
        if answer == run.z3.unknown:
            return run.stopped()
        run.lower = states
    return run.exhausted()


@dataclass
class Run:
    """One call of an engine. No plan has fewer than `lower` steps."""

    z3: Any
    task: Task
    problem: RushHour
    board: Board
    report: Report
    start: float
    lower: int = 0
    calls: int = 0
    counts: dict[str, int] = field(default_factory=lambda: {"conflicts": 0, "decisions": 0})

    @classmethod
    def begin(cls, task: Task, report: Report) -> Run:
        """Read the task; `UsageError` if it is not about Rush Hour."""
        start = time.monotonic()
        domain, problem = model_of(task)
        if not isinstance(problem, RushHour):
            raise UsageError(f"the SMT engines know rush_hour only, not {domain.name}")
        return cls(import_z3(), task, problem, board_of(problem), report, start)

    @property
    def last_horizon(self) -> float:
        """The most moves that may be tried: the move limit counts states, one more than moves."""
        limit, most = self.task.options.move_limit, self.task.limits.max_horizon
        bounds = [limit - 1] if limit is not None else []
        return min([*bounds, *([most] if most is not None else [])], default=float("inf"))

    def sizes(self) -> Iterator[int]:
        """The numbers of states that are tried: only the move limit, or more and more."""
        if self.task.options.move_limit is not None:
            yield int(self.last_horizon) + 1
            return
        states = FIRST
        while states < max(self.task.limits.min_horizon, 0) + 1:
            states += MORE
        while states <= self.last_horizon:
            yield states
            states += MORE
        yield int(self.last_horizon) + 1

    def set_timeout(self, solver: Any) -> bool:
        """Give a solver the time that is left; whether there is some."""
        if self.task.limits.seconds is None:
            return True
        left = self.task.limits.seconds - (time.monotonic() - self.start)
        solver.set("timeout", max(1, int(1000 * left)))
        return left > 0

    def count(self, solver: Any) -> None:
        """Add what a call has cost."""
        self.calls += 1
        statistics = solver.statistics()
        for key in statistics.keys():  # noqa: SIM118
            for name in self.counts:
                if key.endswith(name):
                    self.counts[name] += int(statistics.get_key_value(key))

    def tell(self, doing: str) -> None:
        """Report what is proven so far."""
        self.report(self.result(reason=doing))

    def found(self, offsets: list[tuple[int, ...]]) -> Result:
        """The result for the states of a shortest plan."""
        plan = plan_along(self.problem, [self.problem.state(state) for state in offsets])
        reason = f"shortest: Z3 refuted {len(plan) - 1} moves" if len(plan) else ""
        return self.result(
            outcome=Outcome.OPTIMAL,
            reason=reason or "the goal holds at the start",
            horizon=len(plan),
            lower_bound=len(plan),
            plans=(plan,),
        )

    def exhausted(self) -> Result:
        """The result where no plan is as short as the limits demand."""
        if self.task.options.move_limit is not None:
            reason = f"move limit of {self.task.options.move_limit} states reached"
        else:
            reason = f"maximal horizon {self.task.limits.max_horizon} reached"
        return self.result(stopped=Stop.HORIZON, reason=reason)

    def stopped(self) -> Result:
        """The result where time ran out."""
        reason = self.task.limits.time_reason(f"solving horizon {self.lower}")
        return self.result(stopped=Stop.TIME, reason=reason)

    def result(self, **fields: Any) -> Result:
        """A result with the counts so far."""
        seconds = Seconds(solve=round(time.monotonic() - self.start, 6))
        counts = Statistics(
            calls=self.calls,
            choices=self.counts["decisions"],
            conflicts=self.counts["conflicts"],
        )
        return Result(
            **{"lower_bound": self.lower, "statistics": counts, "seconds": seconds, **fields}
        )


def import_z3() -> Any:
    """The module z3.

    Raises
    ------
    MissingExtra
        It is not installed.
    """
    try:
        return importlib.import_module("z3")
    except ImportError:
        raise MissingExtra(
            "the SMT engines need Z3, which is not installed", mend="pip install 'asplan[smt]'"
        ) from None


def engine(model: Callable[[Run], Result]) -> Callable[[Task, Report], Result]:
    """Make a model an engine."""

    def solve(task: Task, report: Report) -> Result:
        run = Run.begin(task, report)
        red = run.board.vehicles[0]
        if not red.least <= run.board.goal <= red.most:
            reason = "no plan exists: a wall stands between the red car and its goal"
            return run.result(outcome=Outcome.UNSOLVABLE, reason=reason)
        return model(run)

    return solve


MODELS: dict[str, tuple[Callable[[Task, Report], Result], str]] = {
    "smt": (engine(positions), "Z3 on the thesis's model"),
    "smt-alternating": (engine(alternating), "the same, and no vehicle moves twice running"),
    "smt-cells": (engine(cells), "Z3 on a faster model, one state at a time"),
}
