"""The engine `pdr`: shortest plans and proofs that there is none, by what is near a goal.

States that can be reached are pursued, depth first, through frames of what is known to be near a
goal. Where a state has no step to the next frame, the reason holds for many others and is added to
the frame; so for n = 1, 2, … all plans of n steps are refuted. When two frames become equal there
is no plan: each initial state has a cube and is no goal, and from no state with a cube a step leads
to a goal, out of them all, or to where an invariant is wrong. That is asked of a step grounded
anew.

Source: Suda, Property Directed Reachability for Automated Planning, JAIR 50 (2014); after Bradley,
SAT-Based Model Checking without Unrolling, VMCAI 2011.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from clingo import Symbol

from asplan.core.errors import AsplanError, InputError
from asplan.core.limits import hold_interrupts
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.engines.run import OutOfTime, Run
from asplan.program.retiming import as_transition_system
from asplan.program.stepwise import check_action_names
from asplan.program.unit import first_disjunction
from asplan.result import LEAST, Outcome, Result, Seconds, Statistics
from asplan.statespace.invariants import Invariant, break_rule, find_invariants
from asplan.statespace.model import ProgramModel, bits_of
from asplan.statespace.step import OpenStep, open_step

# What leads where in a single step, asked of clingo; and what is known of states near a goal.

Cube = frozenset[int]
"""Literals of a state, and so all states that have them: 3 says that the third of the atoms that
make a state holds, -3 that it does not. Whether the goal holds is not among them."""


@dataclass(frozen=True)
class Transition:
    """What happens in a step, and the state that follows."""

    happening: tuple[str, ...]
    state: bytes
    is_goal: bool


class Relation:
    """A grounded step of a program's own model, and how many questions were asked of it."""

    def __init__(self, model: ProgramModel) -> None:
        step = model.step
        self.calls = 0
        self._control = step.control
        solving: Any = self._control.configuration.solve
        solving.models = 1
        self._inputs = list(model.generator.inputs)
        self._after = [step.after[number] for number in self._inputs]
        self._goal_missed, self._actions = step.goal_missed, step.actions
        self._levels: list[int] = []
        # An atom for each literal, and one that is true unless the next state has all that are
        # chosen. A goal state has no cube.
        self._chosen: dict[int, int] = {}
        with self._control.backend() as backend:
            self._outside = backend.add_atom()
            if self._goal_missed != 0:
                backend.add_rule([self._outside], [-self._goal_missed] if self._goal_missed else [])
            for place, after in enumerate(self._after, 1):
                for literal in (place, -place):
                    atom = self._chosen[literal] = backend.add_atom()
                    backend.add_rule([atom], [], True)
                    fails = signed(after, -literal)
                    if fails is not None:
                        backend.add_rule([self._outside], [atom, fails] if fails else [atom])

    def literals(self, state: bytes) -> Cube:
        bits = int.from_bytes(state, "little")
        return frozenset(
            place if bits >> place & 1 else -place for place in range(1, len(self._inputs) + 1)
        )

    def exclude(self, cube: Collection[int], level: int) -> None:
        """No step of a level is to lead to a state with a cube that is no goal."""
        while len(self._levels) <= level:
            with self._control.backend() as backend:
                self._levels.append(backend.add_atom())
                backend.add_rule([self._levels[-1]], [], True)
        body = [self._goal_missed, *(signed(self._after[abs(x) - 1], x) for x in cube)]
        if None not in body:
            with self._control.backend() as backend:
                backend.add_rule([], [self._levels[level], *(x for x in body if x)])

    def step(self, cube: Collection[int], level: int) -> Transition | Cube:
        """A step from a state with a cube to a goal, or to one that no level from this on excludes.

        Level 0 excludes all but goals. Without such a step: the literals of the cube that say why.
        """
        given, near = self._given(cube), self._near(level)
        if near is None:
            return frozenset()
        self.calls += 1
        with hold_interrupts(), self._control.solve([*given, *near], yield_=True) as handle:
            model = handle.model()
            if model is None:
                return frozenset(given[literal] for literal in handle.core() if literal in given)
            bits = bits_of((self._goal_missed, *self._after), model.is_true)
            happening = (str(a) for a, x in self._actions if not x or model.is_true(x))
            state = bits.to_bytes(len(self._inputs) // 8 + 1, "little")
            return Transition(tuple(happening), state, not bits & 1)

    def steps_out(self, cube: Collection[int], level: int) -> Cube | None:
        """None if there is such a step that leaves the cube, as one to a goal always does."""
        given, near = self._given(cube), self._near(level)
        if near is None:
            return frozenset()
        chosen = (a if literal in cube else -a for literal, a in self._chosen.items())
        reasons: list[int] = []
        self.calls += 1
        assumed = [*given, self._outside, *chosen, *near]
        with hold_interrupts():
            found = self._control.solve(assumed, on_core=reasons.extend)
        if found.satisfiable:
            return None
        return frozenset(given[literal] for literal in reasons if literal in given)

    def _given(self, cube: Collection[int]) -> dict[int, int]:
        """The literals of a cube by those of the ground program."""
        inputs = self._inputs
        return {inputs[x - 1] if x > 0 else -inputs[-x - 1]: x for x in cube}

    def _near(self, level: int) -> Sequence[int] | None:
        """What is assumed of the state after the step; None if that cannot be."""
        if level:
            return self._levels[level:]
        if self._goal_missed == 0:
            return None
        return [-self._goal_missed] if self._goal_missed else []


def signed(after: int | None, sign: int) -> int | None:
    """A literal after a step, or its negation for a sign below 0; 0 is true, None is false."""
    if sign > 0:
        return after
    if not after:
        return 0 if after is None else None
    return -after


class Frames:
    """What is known of the states that are near a goal.

    Frame n is a set of cubes: no state with such a cube, and no goal, leads to a goal within n
    steps. A cube is kept in the largest frame that it is known for, and counts in all smaller ones.
    The relation excludes every cube.
    """

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self._cubes: list[dict[Cube, tuple[int, int]]] = [{}]

    def refutes(self, state: bytes, frame: int) -> bool:
        """Whether it is known that a state does not lead to a goal within so many steps."""
        bits = int.from_bytes(state, "little")
        return any(
            bits & holding == holding and not bits & failing
            for cubes in self._cubes[frame:]
            for holding, failing in cubes.values()
        )

    def add(self, cube: Cube, frame: int) -> None:
        """Note a cube; smaller ones stand for those that have more literals."""
        while len(self._cubes) <= frame:
            self._cubes.append({})
        for cubes in self._cubes[: frame + 1]:
            for other in [other for other in cubes if cube <= other]:
                del cubes[other]
        self._cubes[frame][cube] = _bits(x for x in cube if x > 0), _bits(-x for x in cube if x < 0)
        self.relation.exclude(cube, frame)

    def learn(self, reason: Cube, frame: int, last: int) -> None:
        """Note why a state has no step to the frame below, as generally as possible."""
        kept = reason
        for literal in sorted(reason, key=lambda x: (x > 0, abs(x))):
            if literal in kept:
                found = self.relation.steps_out(kept - {literal}, frame - 1)
                kept = kept if found is None else found
        while frame < last and self.relation.steps_out(kept, frame) is not None:
            frame += 1
        self.add(kept, frame)

    def push(self, last: int) -> list[Cube] | None:
        """Move cubes up as far as they are right; if a frame is as good as the next, its cubes."""
        for frame in range(1, last + 1):
            for cube in self._of(frame):
                if cube in self._cubes[frame] and self.relation.steps_out(cube, frame) is not None:
                    self.add(cube, frame + 1)
            if not self._of(frame):
                return [cube for cubes in self._cubes[frame:] for cube in cubes]
        return None

    def __len__(self) -> int:
        return sum(map(len, self._cubes))

    def _of(self, frame: int) -> list[Cube]:
        return list(self._cubes[frame]) if frame < len(self._cubes) else []


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


# Proofs, and the search for a plan or for one of them.

StateCube = frozenset[tuple[Symbol, bool]]  # atoms, at time 0, and whether they hold


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
    with hold_interrupts():
        return not step.control.solve([elsewhere]).satisfiable


def solve(run: Run[Any]) -> Result:
    """Find a shortest plan, or prove that there is none; raises as `open_step` does."""
    began = time.monotonic()
    program = as_transition_system(run.problem.program).program
    if not run.problem.has_unnamed_actions:
        check_action_names(program)
    try:
        model = ProgramModel(program, run.problem.given, heed=run.look)
    except OutOfTime:
        return run.out_of_time("looking for the initial states")
    if model.step.ground.disjunctive:
        what = "a disjunction in the head of a rule is beyond engine pdr"
        hint = "say --engine bfs, which takes it, or write a choice"
        raise InputError(what, at=first_disjunction(program.sections), hint=hint)
    if not model.initials:
        return run.unsolvable("there is no initial state")
    reachability = _Reachability(run, model, time.monotonic() - began)
    run.effort = reachability.effort
    try:
        return reachability.answer()
    except OutOfTime:
        return run.out_of_time(reachability.doing())
    except MemoryError:
        return run.out_of_memory(reachability.doing())


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
            self.run.look()
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
        horizon = self.run.lower_bound
        known = f"{len(self.frames)} sets of literals excluded"
        return f"looking for {amount(horizon, 'step')}, {known}"

    def _found(self, path: list[Transition]) -> Result:
        self.run.lower_bound = length = len(path)
        reason = f"{LEAST['steps']}: no goal within {amount(length - 1, 'step')}"
        return self.run.result(
            outcome=Outcome.OPTIMAL,
            reason=reason if length else "the goal holds at the start",
            horizon=length,
            plans=(Plan(tuple(step.happening for step in path)),),
        )

    def _unsolvable(self, cubes: list[Cube]) -> Result:
        """The result where some cubes are closed under all steps; the proof is checked anew."""
        atoms, before = self.model.generator.atoms, self.model.step.before
        named = (frozenset((atoms[abs(x) - 1], x > 0) for x in cube) for cube in cubes)
        invariants = (
            Invariant(tuple(before[a] for a in one.atoms), one.is_most) for one in self.invariants
        )
        proof, problem = Proof(tuple(named), tuple(invariants)), self.run.problem
        step = open_step(problem.program, problem.given, self.run.look)
        if not is_right(proof, step):
            raise AsplanError("the proof that there is no plan was refused by its check")
        return self.run.unsolvable(
            f"every state has one of {len(cubes)} sets of literals, and no step leads from one of "
            "them to a goal or to a state without any; checked anew"
        )

    def effort(self) -> tuple[Seconds, Statistics]:
        spent = time.monotonic() - self.start
        seconds = Seconds(ground=round(self.ground_seconds, 6), solve=round(spent, 6))
        return seconds, Statistics(calls=self.relation.calls, expanded=self.expanded)
