"""The engine `pdr`: shortest plans and proofs that there is none, by what is near a goal.

States that can be reached are pursued, depth first, through frames of what is known to be near a
goal. Where a state has no step to the next frame, the reason holds for many other states as well,
and is added to the frame. For n = 1, 2, … all plans of n steps are refuted so. When two frames
become equal, what they exclude is closed under all steps: then there is no plan.

That is a proof: a set of cubes, and invariants. Each initial state has one of the cubes and is no
goal; and from no state with one of them a step leads to a goal, out of them all, or to where an
invariant is wrong. It is a single question, and is asked of a step that is grounded anew.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from clingo import Symbol

from asplan.core.errors import AsplanError, InputError
from asplan.core.interrupts import interrupts_held
from asplan.core.plan import Plan
from asplan.engines.pdr.frames import Cube, Frames, Relation, Transition, signed
from asplan.engines.run import Run
from asplan.program.stepwise import check_names
from asplan.program.unit import first_disjunction
from asplan.result import LEAST, Outcome, Result, Seconds, Statistics
from asplan.statespace.invariants import Invariant, break_rule, find_invariants
from asplan.statespace.model import ProgramModel
from asplan.statespace.step import OpenStep, open_step

StateCube = frozenset[tuple[Symbol, bool]]
"""Atoms, at time 0, each with whether it holds in a state with the cube."""


@dataclass(frozen=True)
class Proof:
    """Why there is no plan: every state has one of some cubes, and some invariants."""

    cubes: tuple[StateCube, ...]
    invariants: tuple[Invariant[Symbol], ...]


def is_right(proof: Proof, step: OpenStep) -> bool:
    """Whether a proof holds for a step, of which nothing has been demanded so far."""
    for start in step.starts:
        has_cube = any(
            all((atom in start.atoms) == holds for atom, holds in cube) for cube in proof.cubes
        )
        if not has_cube or start.is_goal or not all(i.holds(start.atoms) for i in proof.invariants):
            return False
    numbers = {symbol: number for number, symbol in step.before.items()}
    # No step leads from what has a cube, and the invariants, elsewhere.
    with step.control.backend() as backend:
        inside, still_inside, elsewhere = (backend.add_atom() for _ in range(3))
        for named in proof.cubes:
            cube = [numbers[atom] if holds else -numbers[atom] for atom, holds in named]
            backend.add_rule([inside], cube)
            after = [signed(step.after[abs(literal)], literal) for literal in cube]
            if None not in after:
                backend.add_rule([still_inside], [literal for literal in after if literal])
        backend.add_rule([], [-inside])
        backend.add_rule([elsewhere], [-still_inside])
        if step.goal_missed != 0:
            backend.add_rule([elsewhere], [-step.goal_missed] if step.goal_missed else [])
        for one in proof.invariants:
            invariant = Invariant(tuple(numbers[atom] for atom in one.atoms), one.is_most)
            broken = backend.add_atom()
            break_rule(backend, broken, invariant, {atom: atom for atom in invariant.atoms})
            backend.add_rule([], [broken])
            break_rule(backend, elsewhere, invariant, step.after)
    with interrupts_held():
        return not step.control.solve([elsewhere]).satisfiable


class _OutOfTime(Exception):
    """The deadline has passed."""


def solve(run: Run[Any]) -> Result:
    """Find a shortest plan, or prove that there is none; raises as `open_step` does."""
    began = time.monotonic()
    program = run.problem.program
    if not run.problem.nameless:
        check_names(program)
    try:
        model = ProgramModel(program, run.problem.given, heed=partial(_look, run))
    except _OutOfTime:
        return run.out_of_time("looking for the initial states")
    if model.step.ground.disjunctive:
        raise InputError(
            "a disjunction in the head of a rule is beyond engine pdr",
            at=first_disjunction(program.sections),
            hint="say --engine bfs, which takes it, or write a choice",
        )
    if not model.initials:
        reason = "no plan exists: there is no initial state"
        return run.result(outcome=Outcome.UNSOLVABLE, reason=reason)
    reachability = _Reachability(run, model, time.monotonic() - began)
    run.effort = reachability.effort
    try:
        return reachability.answer()
    except _OutOfTime:
        return run.out_of_time(reachability.doing())
    except MemoryError:
        return run.out_of_memory(reachability.doing())


def _look(run: Run[Any]) -> None:
    """Look at the clock."""
    if run.left < 0:
        raise _OutOfTime


class _Reachability:
    """The search, and what it knows; `expanded` counts the states that were looked at."""

    def __init__(self, run: Run[Any], model: ProgramModel, ground_seconds: float) -> None:
        self.run, self.model, self.ground_seconds = run, model, ground_seconds
        self.start, self.expanded = time.monotonic(), 0
        self.invariants: list[Invariant[int]] = []
        self.relation = Relation(model)
        self.frames = Frames(self.relation)

    def answer(self) -> Result:
        """A shortest plan, or the proof that there is none."""
        if any(map(self.model.is_goal, self.model.initials)):
            return self._found([])
        self.invariants = find_invariants(self.model.step)
        horizon = 0
        while True:
            self.run.lower_bound = horizon + 1
            if self.run.shared is not None:
                self.run.shared.tell(horizon + 1)
            horizon += 1
            if horizon > self.run.deepest:
                return self.run.too_deep()
            for state in self.model.initials:
                if path := self._path(state, horizon):
                    return self._found(path)
            closed = self.frames.push(horizon)
            if closed is not None:
                return self._unsolvable(closed)

    def _path(self, start: bytes, horizon: int) -> list[Transition] | None:
        """The steps from an initial state to a goal within a number of them, if there are some."""
        path: list[Transition] = []
        while True:
            _look(self.run)
            self.run.tell(self.doing())
            state, frame = path[-1].state if path else start, horizon - len(path)
            if self.frames.refutes(state, frame):
                if not path:
                    return None
                path.pop()
                continue
            self.expanded += 1
            found = self.relation.step(self.relation.literals(state), frame - 1)
            if not isinstance(found, Transition):
                self.frames.learn(found, frame, horizon)
            elif found.is_goal:
                return [*path, found]
            else:
                path.append(found)

    def doing(self) -> str:
        """What is being done."""
        horizon = self.run.lower_bound
        return f"looking for {horizon} steps, {len(self.frames)} sets of literals excluded"

    def _found(self, path: list[Transition]) -> Result:
        self.run.lower_bound = length = len(path)
        reason = f"{LEAST['steps']}: no goal within {length - 1} steps"
        return self.run.result(
            outcome=Outcome.OPTIMAL,
            reason=reason if length else "the goal holds at the start",
            horizon=length,
            plans=(Plan(tuple(step.happening for step in path)),),
        )

    def _unsolvable(self, cubes: list[Cube]) -> Result:
        """The result where some cubes are closed under all steps; the proof is checked anew."""
        atoms, before = self.model.evaluated.atoms, self.model.step.before
        named = (frozenset((atoms[abs(x) - 1], x > 0) for x in cube) for cube in cubes)
        invariants = (
            Invariant(tuple(before[a] for a in one.atoms), one.is_most) for one in self.invariants
        )
        proof, problem = Proof(tuple(named), tuple(invariants)), self.run.problem
        step = open_step(problem.program, problem.given, partial(_look, self.run))
        if not is_right(proof, step):
            raise AsplanError("the proof that there is no plan was refused by its check")
        reason = (
            f"no plan exists: every state has one of {len(cubes)} sets of literals, and no step "
            "leads from one of them to a goal or to a state without any; checked anew"
        )
        return self.run.result(outcome=Outcome.UNSOLVABLE, reason=reason)

    def effort(self) -> tuple[Seconds, Statistics]:
        """What was spent so far."""
        spent = time.monotonic() - self.start
        seconds = Seconds(ground=round(self.ground_seconds, 6), solve=round(spent, 6))
        return seconds, Statistics(calls=self.relation.calls, expanded=self.expanded)
