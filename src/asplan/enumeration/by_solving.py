"""The plans of an ASP program, found by clingo at horizon after horizon.

Clingo enumerates answer sets that differ in their actions. A constraint then excludes each plan
and all longer plans that begin with it, so that later horizons have only new plans.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count
from typing import Any

from asplan.clingo import Symbol
from asplan.core.budget import OutOfBudget
from asplan.core.choices import Mode
from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.engines.asp.answer import Answer, read_plan
from asplan.engines.asp.opening import PlanningRun, begin, open_solver, prepare
from asplan.engines.asp.solver import ClingoSolver
from asplan.enumeration.source import Complete, Source, ValuedPlan
from asplan.program.incremental import Program
from asplan.program.reading.contract import exhausted
from asplan.result import Phase

_MOST_AT_ONCE = 256  # most models of a solve call


def find_by_solving(run: PlanningRun, first: int) -> Source:
    """Yield the plans of a program, horizon by horizon; at each horizon the cheapest come first.

    Begin at the horizon `first`: no plan may have fewer steps.
    """
    program = prepare(run)
    _refuse(program)
    solver = open_solver(run, program)
    begin(run, solver, Mode.INCREMENTAL)
    is_last = False
    most = run.limits.max_horizon
    for horizon in count(first) if most is None else range(first, most + 1):
        for t in solver.steps_to(horizon):
            run.announce(f"grounding horizon {t}", Phase.GROUNDING)
            if solver.ground_to(t):
                raise OutOfBudget
            is_last = solver.is_fact(exhausted(t))
        run.announce(f"solving horizon {horizon}", Phase.SOLVING)
        plans = _plans_at(run, solver, horizon)
        if program.horizon is not None and horizon <= program.horizon.least:
            plans = iter(sorted(plans, key=_busy_length))  # plans may end with idle steps
        for plan in plans:
            yield ValuedPlan(plan, horizon)
        yield Complete(horizon)
        if is_last:
            yield Complete(None, f"nothing new can be reached after step {horizon}")
            return


def _refuse(program: Program) -> None:
    """Raise `UsageError` for a program whose plans cannot be read off its answer sets."""
    if not program.plans:
        raise UsageError(
            "the program shows no actions, so its plans cannot be told apart",
            hint="--action NAME/ARITY names a predicate of actions; --models N lists answer sets",
        )
    if program.plan_part or program.written.cuts or program.written.estimates:
        raise UsageError(
            "this encoding finds one plan among many, not all of them",
            hint="leave out -e, or name an encoding without a part plan(t), such as origin",
        )


def _plans_at(
    run: PlanningRun,
    solver: ClingoSolver,
    horizon: int,
) -> Iterator[Plan]:
    """Yield the plans of a grounded horizon; exclude each of them at all later horizons."""
    program = solver.program
    optimizes = program.optimizes
    if not optimizes:
        _project(solver)
    excluded: set[frozenset[Symbol]] = set()
    number = 1
    while True:
        answer = solver.solve(
            horizon,
            run.budget,
            models=number,
            optimize=optimizes,
        )
        if answer.satisfiable is False:
            return
        if answer.satisfiable is None or (optimizes and not answer.proven):
            raise OutOfBudget
        found = {frozenset(shown.actions) for shown in answer.models}
        if not found.isdisjoint(excluded):
            raise UsageError(
                "the program shows some of its actions only at some steps, so its plans cannot be "
                "told apart",
                hint="show the actions of all steps",
            )
        yield from _distinct(answer, horizon, program)
        excluded |= found
        for actions in found:
            _exclude(solver, actions)
        run.budget.check()
        number = 1 if optimizes else min(2 * number, _MOST_AT_ONCE)


def _busy_length(plan: Plan) -> int:
    """Return the number of the last step that has actions."""
    return max((t for t, step in enumerate(plan, 1) if step), default=0)


def _distinct(
    answer: Answer,
    horizon: int,
    program: Program,
) -> Iterator[Plan]:
    cost = answer.cost or None
    plans = (
        read_plan(
            shown,
            horizon,
            program.readings,
            cost,
        )
        for shown in answer.models
    )
    yield from dict.fromkeys(plan for plan in plans if plan is not None)


def _project(solver: ClingoSolver) -> None:
    """Let clingo enumerate answer sets that differ in their actions."""
    with solver.control.backend() as backend:
        backend.add_project([abs(literal) for literal in _literals(solver).values()])
    solving: Any = solver.control.configuration.solve  # clingo leaves options untyped
    solving.project = "project"


def _exclude(solver: ClingoSolver, actions: Collection[Symbol]) -> None:
    """Exclude the answer sets whose actions in the grounded steps are exactly the given ones."""
    body = [n if action in actions else -n for action, n in _literals(solver).items()]
    with solver.control.backend() as backend:
        backend.add_rule([], body)


def _literals(solver: ClingoSolver) -> dict[Symbol, int]:
    """Map the grounded actions to their literals; skip actions that are impossible."""
    known = solver.control.symbolic_atoms
    literals: dict[Symbol, int] = {}
    for action in solver.actions():
        atom = known[action]
        if atom is not None and atom.literal:
            literals[action] = atom.literal
    return literals
