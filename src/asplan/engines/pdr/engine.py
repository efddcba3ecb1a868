"""A proof that there is no plan, and its check by a step that is grounded anew.

The proof is a set of cubes, and groups that are right in every state. Each initial state has one
of the cubes and is no goal; and from no state with one of them a step leads to a goal, out of them
all, or to where a group is wrong. That is a single question.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from clingo import Symbol

from asplan.engines.pdr.frames import Cube, Following, Frames, Relation
from asplan.engines.run import Run
from asplan.errors import AsplanError, InputError
from asplan.interrupts import interrupts_held
from asplan.plan import Plan
from asplan.program.incremental import Program
from asplan.program.stepwise import check_names
from asplan.program.unit import first_disjunction
from asplan.result import LEAST, Outcome, Result, Seconds, Statistics
from asplan.statespace.invariants import Group, break_rule, counted_groups
from asplan.statespace.model import ProgramModel
from asplan.statespace.step import OpenStep, Start, open_step

StateCube = tuple[frozenset[Symbol], frozenset[Symbol]]
"""The atoms, at time 0, that hold in a state with the cube, and those that do not."""


@dataclass(frozen=True)
class Claim:
    """Of some atoms, at time 0, at most one holds, or at least one."""

    atoms: tuple[Symbol, ...]
    is_most: bool

    def holds(self, among: frozenset[Symbol]) -> bool:
        """Whether it is right where some atoms hold."""
        count = len(among.intersection(self.atoms))
        return count < 2 if self.is_most else count > 0


@dataclass(frozen=True)
class Proof:
    """Why there is no plan: every state has one of some cubes, and is as claimed."""

    cubes: tuple[StateCube, ...]
    claims: tuple[Claim, ...]


def is_right(proof: Proof, step: OpenStep) -> bool:
    """Whether a proof holds for a step, of which nothing has been demanded so far."""
    numbers = {symbol: number for number, symbol in step.before.items()}
    groups = [
        Group(tuple(numbers[atom] for atom in claim.atoms), claim.is_most) for claim in proof.claims
    ]
    cubes = [
        [*(numbers[atom] for atom in holding), *(-numbers[atom] for atom in failing)]
        for holding, failing in proof.cubes
    ]
    return all(_begins(proof, start) for start in step.starts) and _is_closed(cubes, groups, step)


def _begins(proof: Proof, start: Start) -> bool:
    has_cube = any(
        holding <= start.atoms and start.atoms.isdisjoint(failing)
        for holding, failing in proof.cubes
    )
    return has_cube and not start.is_goal and all(c.holds(start.atoms) for c in proof.claims)


def _is_closed(cubes: Collection[list[int]], groups: Collection[Group], step: OpenStep) -> bool:
    """Whether no step leads from what has a cube, and in which the groups are right, elsewhere."""
    with step.control.backend() as backend:
        inside, still_inside, elsewhere = (backend.add_atom() for _ in range(3))
        for cube in cubes:
            backend.add_rule([inside], cube)
            _add_rule(backend, still_inside, [_after(step, literal) for literal in cube])
        backend.add_rule([], [-inside])
        backend.add_rule([elsewhere], [-still_inside])
        if step.amiss != 0:
            backend.add_rule([elsewhere], [-step.amiss] if step.amiss else [])
        for group in groups:
            broken = backend.add_atom()
            break_rule(backend, broken, group, {atom: atom for atom in group.atoms})
            backend.add_rule([], [broken])
            break_rule(backend, elsewhere, group, step.after)
    with interrupts_held():
        return not step.control.solve([elsewhere]).satisfiable


def _after(step: OpenStep, literal: int) -> int | None:
    """A literal after the step; 0 is true, None is false."""
    after = step.after[abs(literal)]
    if literal > 0:
        return after
    return {None: 0, 0: None}.get(after, -(after or 0))


def _add_rule(backend: Any, head: int, body: Collection[int | None]) -> None:
    if None not in body:
        backend.add_rule([head], [literal for literal in body if literal])


# The engine `pdr`: shortest plans and proofs that there is none, by what is near a goal.
#
# States that can be reached are pursued, depth first, through frames of what is known to be near a
# goal. Where a state has no step to the next frame, the reason holds for many other states as well,
# and is added to the frame. For n = 1, 2, … all plans of n steps are refuted so. When two frames
# become equal, what they exclude is closed under all steps: then there is no plan.


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
        raise _disjunctive(program)
    if not model.initials:
        reason = "no plan exists: there is no initial state"
        return run.result(outcome=Outcome.UNSOLVABLE, reason=reason)
    reached = Reachability(run, model, time.monotonic() - began)
    run.effort = reached.effort
    try:
        return reached.answer()
    except _OutOfTime:
        return run.out_of_time(reached.doing())
    except MemoryError:
        return run.out_of_memory(reached.doing())


def _look(run: Run[Any]) -> None:
    """Look at the clock."""
    if run.left < 0:
        raise _OutOfTime


def _disjunctive(program: Program) -> InputError:
    """The error that a program has rules with several atoms in the head, at the first of them."""
    return InputError(
        "a disjunction in the head of a rule is beyond engine pdr",
        at=first_disjunction(program.sections),
        hint="say --engine bfs, which takes it, or write a choice",
    )


@dataclass
class Reachability:
    """The search, and what it knows.

    Attributes
    ----------
    ground_seconds
        What it took to ground the step.
    groups
        Of which atoms every state has at most or at least one.
    expanded
        States for which a step to the next frame was looked for.
    """

    run: Run[Any]
    model: ProgramModel
    ground_seconds: float
    start: float = field(default_factory=time.monotonic)
    expanded: int = 0

    def __post_init__(self) -> None:
        self.groups: list[Group] = []
        self.relation = Relation(self.model)
        self.frames = Frames(self.relation)

    def answer(self) -> Result:
        """A shortest plan, or the proof that there is none."""
        if any(map(self.model.is_goal, self.model.initials)):
            return self._found([])
        self.groups = counted_groups(self.model.step)
        horizon = 0
        while True:
            self._refuted(horizon)
            horizon += 1
            if horizon > self.run.deepest:
                return self.run.too_deep()
            for state in self.model.initials:
                if way := self._way(state, horizon):
                    return self._found(way)
            closed = self.frames.push(horizon)
            if closed is not None:
                return self._unsolvable(closed)

    def _refuted(self, horizon: int) -> None:
        """No plan has so many steps or fewer."""
        self.run.lower_bound = horizon + 1
        if self.run.shared is not None:
            self.run.shared.tell(horizon + 1)

    def _way(self, start: bytes, horizon: int) -> list[Following] | None:
        """The steps from an initial state to a goal within a number of them, if there is a way."""
        way: list[Following] = []
        while True:
            self._look()
            state, frame = way[-1].state if way else start, horizon - len(way)
            if self.frames.refutes(state, frame):
                if not way:
                    return None
                way.pop()
                continue
            self.expanded += 1
            cube = self.relation.literals(state)
            found = self.relation.step(cube, frame - 1)
            if not isinstance(found, Following):
                self._learn(cube, found, frame, horizon)
            elif found.is_goal:
                return [*way, found]
            else:
                way.append(found)

    def _learn(self, cube: Cube, reason: Cube, frame: int, horizon: int) -> None:
        """Note why a state has no step to the frame below, as generally as possible."""
        general = self.frames.generalised(cube, reason, frame)
        self.frames.add(general, self.frames.pushed(general, frame, horizon))

    def _look(self) -> None:
        """Look at the clock, and tell how far it has come."""
        _look(self.run)
        self.run.tell(self.doing())

    def doing(self) -> str:
        """What is being done."""
        horizon = self.run.lower_bound
        return f"looking for {horizon} steps, {len(self.frames)} sets of literals excluded"

    def _found(self, way: list[Following]) -> Result:
        self.run.lower_bound = length = len(way)
        reason = f"{LEAST['steps']}: no goal within {length - 1} steps"
        return self.run.result(
            outcome=Outcome.OPTIMAL,
            reason=reason if length else "the goal holds at the start",
            horizon=length,
            plans=(Plan(tuple(step.happening for step in way)),),
        )

    def _unsolvable(self, cubes: list[Cube]) -> Result:
        """The result where some cubes are closed under all steps; the proof is checked anew."""
        proof = self._proof(cubes)
        problem = self.run.problem
        step = open_step(problem.program, problem.given, partial(_look, self.run))
        if not is_right(proof, step):
            raise AsplanError("the proof that there is no plan was refused by its check")
        reason = (
            f"no plan exists: every state has one of {len(cubes)} sets of literals, and no step "
            "leads from one of them to a goal or to a state without any; checked anew"
        )
        return self.run.result(outcome=Outcome.UNSOLVABLE, reason=reason)

    def _proof(self, cubes: list[Cube]) -> Proof:
        """What was found, as atoms."""
        atoms, before = self.model.evaluated.atoms, self.model.step.before
        named = tuple(
            (
                frozenset(atoms[x - 1] for x in cube if x > 0),
                frozenset(atoms[-x - 1] for x in cube if x < 0),
            )
            for cube in cubes
        )
        claims = (Claim(tuple(before[a] for a in g.atoms), g.is_most) for g in self.groups)
        return Proof(named, tuple(claims))

    def effort(self) -> tuple[Seconds, Statistics]:
        """What was spent so far."""
        seconds = Seconds(
            ground=round(self.ground_seconds, 6), solve=round(time.monotonic() - self.start, 6)
        )
        return seconds, Statistics(calls=self.relation.calls, expanded=self.expanded)
