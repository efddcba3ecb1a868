"""The engine `pdr`: property-directed reachability, for shortest plans and proofs of none.

A cube is a set of literals, and stands for all states in which they are true. Frame n has cubes
whose states, except goals, are proven to need more than n steps to a goal. For horizon n, the
search goes depth first from the initial states, step by step nearer to a goal. If no step from a
state leads outside of the next frame, a cube of such states is added to the present frame. Once
this happens to all initial states, plans of n steps are refuted.

If two successive frames are equal, there is no plan: each initial state is in a cube and no goal,
and no step leads from a cube to a goal or out of all cubes. This proof is checked on a step that is
grounded anew.

Source: Suda, Property Directed Reachability for Automated Planning, JAIR 50 (2014); after Bradley,
SAT-Based Model Checking without Unrolling, VMCAI 2011.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from asplan.core.budget import OutOfBudget
from asplan.core.choices import Objective
from asplan.core.errors import AsplanError, InputError
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.engines.options import EngineOptions
from asplan.engines.pdr.frames import Frames
from asplan.engines.pdr.proof import InductiveProof, is_right
from asplan.engines.pdr.relation import (
    Cube,
    Relation,
    Transition,
)
from asplan.engines.run import Run
from asplan.program.reading.unit import first_disjunction
from asplan.program.transitions.retiming import as_transition_system
from asplan.program.transitions.stepwise import check_action_names
from asplan.result import (
    LEAST,
    Evidence,
    Outcome,
    Refuter,
    Result,
    Seconds,
    Statistics,
)
from asplan.statespace.invariants import Invariant, find_invariants
from asplan.statespace.model import ProgramModel
from asplan.statespace.step import open_step


def solve(run: Run[EngineOptions]) -> Result:
    """Find a shortest plan, or prove that there is none.

    Raises `InputError` if the program is no transition system, or has a disjunction in a head.
    """
    began = time.monotonic()
    program = as_transition_system(run.problem.program).program
    if not run.problem.space.unnamed_actions:
        check_action_names(program)
    try:
        model = ProgramModel(program, run.problem.user_constants, budget=run.budget)
    except OutOfBudget:
        return run.out_of_time("looking for the initial states")
    if model.step.ground.disjunctive:
        message = "engine pdr cannot solve a disjunction in the head of a rule"
        hint = "use --engine bfs, or write a choice"
        raise InputError(message, at=first_disjunction(program.sections), hint=hint)
    if not model.initials:
        return run.unsolvable("there is no initial state")
    reachability = _Reachability(run, model, time.monotonic() - began)
    run.effort = reachability.effort
    try:
        return reachability.answer()
    except OutOfBudget:
        return run.out_of_time(reachability.activity())
    except MemoryError:
        return run.out_of_memory(reachability.activity())


class _Reachability:
    """A run of property-directed reachability on the transition system of a program.

    `relation` is the transition relation, and `frames` has the cubes learned so far.
    """

    def __init__(
        self,
        run: Run[EngineOptions],
        model: ProgramModel,
        ground_seconds: float,
    ) -> None:
        self.run = run
        self.model = model
        self.ground_seconds = ground_seconds
        self.start = time.monotonic()
        self.expanded = 0
        self.invariants: list[Invariant[int]] = []
        self.relation = Relation(model)
        self.frames = Frames(self.relation)

    def answer(self) -> Result:
        """Search horizon by horizon; return a result with a shortest plan, or without any plan."""
        if any(map(self.model.is_goal, self.model.initials)):
            return self._plan_found([])
        self.invariants = find_invariants(self.model.step)
        horizon = 0
        while True:
            self.run.lower_bound = horizon + 1
            self.run.shared.raise_to(horizon + 1)
            horizon += 1
            if horizon > self.run.deepest:
                return self.run.too_deep()
            for state in self.model.initials:
                if path := self._path(state, horizon):
                    return self._plan_found(path)
            closed = self.frames.push(horizon)
            if closed is not None:
                return self._unsolvable(closed)

    def _path(
        self,
        start: bytes,
        horizon: int,
    ) -> list[Transition] | None:
        """Return the steps from an initial state to a goal within the horizon.

        Return None if the frames refute the initial state.
        """
        path: list[Transition] = []
        while True:
            self.run.budget.check()
            self.run.announce(self.activity())
            state = path[-1].state if path else start
            frame = horizon - len(path)
            if self.frames.refutes(state, frame):
                if not path:
                    return None
                path.pop()
                continue
            self.expanded += 1
            step = self.relation.step(self.relation.literals(state), frame - 1)
            if not isinstance(step, Transition):
                self.frames.learn(step, frame, horizon)
            elif step.is_goal:
                return [*path, step]
            else:
                path.append(step)

    def activity(self) -> str:
        """Return the present activity in words, with the number of cubes."""
        steps = amount(self.run.lower_bound, "step")
        return f"looking for {steps}, {len(self.frames)} sets of literals excluded"

    def _plan_found(self, path: list[Transition]) -> Result:
        length = len(path)
        self.run.lower_bound = length
        kind = "parallel step" if any(len(step.happening) > 1 for step in path) else "step"
        reason = f"{LEAST[Objective.STEPS]}: no goal within {amount(length - 1, kind)}"
        return self.run.result(
            outcome=Outcome.OPTIMAL,
            reason=reason if length else "the goal holds at the start",
            horizon=length,
            plans=(Plan(tuple(step.happening for step in path)),),
        )

    def _unsolvable(self, cubes: list[Cube]) -> Result:
        """Check the proof that no step leads out of the cubes; return the result without a plan."""
        problem = self.run.problem
        step = open_step(problem.program, problem.user_constants, self.run.budget)
        if not is_right(self._proof(cubes), step):
            raise AsplanError("the check refuted the proof that there is no plan")
        return self.run.unsolvable(
            f"every reachable state has one of {len(cubes)} sets of literals, and no step leads "
            "from them to a goal or to a state without one; checked anew",
            Evidence((Refuter.INVARIANT,)),
        )

    def _proof(self, cubes: Sequence[Cube]) -> InductiveProof:
        """Return cubes and invariants as a proof whose atoms are symbols, not numbers."""
        atoms = self.model.generator.atoms
        before = self.model.step.before
        named = (frozenset((atoms[abs(x) - 1], x > 0) for x in cube) for cube in cubes)
        invariants = (
            Invariant(tuple(before[atom] for atom in one.atoms), one.is_most)
            for one in self.invariants
        )
        return InductiveProof(tuple(named), tuple(invariants))

    def effort(self) -> tuple[Seconds, Statistics]:
        """Return the seconds, and the numbers of solve calls and of expanded states."""
        spent = time.monotonic() - self.start
        seconds = Seconds(ground=round(self.ground_seconds, 6), solve=round(spent, 6))
        return seconds, Statistics(calls=self.relation.calls, expanded=self.expanded)
