"""The model of a program, whose states and transitions come from its grounded step.

A state is the set of the true atoms of one time that the next step reads, with the truth value of
the goal. It is a row of bits in a `bytes`. The first bit is set if the goal does *not* hold. The
other bits are the open atoms, that is, the atoms before the step that the grounding leaves
undecided. Only atoms on which constraints, actions or the goal depend, now or later, have a bit. An
action is the set of all actions of one step. A step without actions that does not change the state
is left out.

A circuit evaluates the step for many states at once. Programs with disjunctions, or with cycles
through negation, have no circuit; clingo solves their step for one state after the other. Tests
compare both.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from functools import cached_property
from itertools import islice
from textwrap import wrap

from asplan.clingo import Control, Symbol
from asplan.core.budget import ENDLESS, Budget
from asplan.core.dataclass import dataclass
from asplan.core.limits import hold_interrupts, is_interrupted
from asplan.domains.model import Model
from asplan.program.incremental import Program
from asplan.program.reading.unit import HELPER
from asplan.statespace.circuit import Circuit, Rows
from asplan.statespace.step import OpenStep, open_step, project
from asplan.statespace.wiring import Unwired, Wiring

_WIDTH = 76  # characters in a line of a state as text
_AHEAD = 256  # the most states that are expanded together if the successors of one are needed
_REMEMBERED = 100_000  # the most states whose successors are cached
_BATCH = 4096  # the most states that `expand` evaluates together


class Step(tuple[str, ...]):
    """The actions of one step of a plan, as terms in a fixed order."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(self)


Move = tuple[Step, bytes]  # the actions of a step, and the successor


class ProgramModel(Model[bytes, Step]):
    """The model of a program, without knowledge of its domain.

    Attributes
    ----------
    initials
        The initial states; several if `base` has choices.
    budget
        The budget of searches, checked several times a second. A search may set it.
    """

    acts_together = True
    budget: Budget = ENDLESS

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, str],
        all_states: bool = False,
        budget: Budget = ENDLESS,
        before: int = 0,
    ) -> None:
        """Ground the step of a program and find its initial states.

        Parameters
        ----------
        all_states
            Whether states also differ by atoms on which the goal does not depend.
        budget
            Checked for each initial state.
        before
            The number of steps of the program that lead to the initial states.
        """
        self.step = open_step(program, constants, budget, before)
        self.generator = SuccessorGenerator.make(self.step, all_states)
        self.initials = self.generator.starts()
        self._names = [str(action) for action, _ in self.step.actions]
        self._steps: dict[int, Step] = {}
        self._cache: dict[bytes, list[Move]] = {}
        self._interned: dict[bytes, bytes] = {}
        self._next: list[bytes] = []

    @property
    def initial(self) -> bytes:
        """The first initial state."""
        return self.initials[0]

    def is_goal(self, state: bytes) -> bool:
        """Return True if the goal holds in a state: then its first bit is not set."""
        return not state[0] & 1

    def successors(self, state: bytes) -> list[bytes]:
        """Return the successors of a state.

        The i-th is the result of the i-th step of `actions`.
        """
        return [after for _, after in self._moves(state)]

    def actions(self, state: bytes) -> list[Step]:
        """Return the steps from a state.

        A step is repeated for each successor that it can lead to.
        """
        return [step for step, _ in self._moves(state)]

    def expand(self, states: Iterable[bytes]) -> list[bytes]:
        """Return the successors of many states, without repetitions within a batch of states."""
        rest = iter(states)
        successors: list[bytes] = []
        while batch := list(islice(rest, _BATCH)):
            successors += set(self.generator.after(batch, self.budget))
        return successors

    def leading(
        self,
        states: Iterable[bytes],
        after: bytes,
    ) -> list[bytes]:
        """Return the states in `states` from which a step leads to the state `after`."""
        return self.generator.leading(list(states), after)

    def between(
        self,
        state: bytes,
        after: bytes,
    ) -> list[Step]:
        """Return the steps from a state to its successor `after`."""
        steps = self.generator.between(state, after)
        return list(map(self._make_step, steps))

    def apply(
        self,
        state: bytes,
        action: Step,
    ) -> bytes:
        """Return the first successor of a state by a step that is applicable there."""
        moves = self._moves(state)
        return next(after for step, after in moves if step == action)

    def parse_action(self, term: Symbol) -> Step:
        """Return the step whose only action is this term."""
        return Step((str(term),))

    def why_not(
        self,
        state: bytes,
        action: Step,
    ) -> str | None:
        """Return None if a step is applicable, else a sentence that it is not applicable."""
        return None if action in self.actions(state) else "no answer set of the step has it"

    def terms(self, action: Step) -> tuple[str, ...]:
        """Return the actions of a step as terms."""
        return tuple(action)

    def fluents(self, state: bytes) -> list[Symbol]:
        """Return the true atoms of a state without their times.

        Asplan's helper atoms are left out.
        """
        bits = int.from_bytes(state, "little")
        places = enumerate(self.generator.fluents, 1)
        true = (atom for place, atom in places if bits >> place & 1)
        return sorted(atom for atom in true if not atom.name.startswith(HELPER))

    def text(self, state: bytes) -> str:
        """Return the true atoms of a state as text; each predicate name begins a new line."""
        names: dict[str, list[str]] = {}
        for atom in self.fluents(state):
            names.setdefault(atom.name, []).append(str(atom))
        lines: list[str] = []
        for atoms in names.values():
            lines += wrap(" ".join(atoms), width=_WIDTH)
        return "\n".join(lines)

    def expected(self) -> list[bytes]:
        """Return the states that a search is likely to expand soon, likeliest first.

        They are the successors that were found last.
        """
        return self._next[::-1]

    def _moves(self, state: bytes) -> list[Move]:
        """Return the moves from a state.

        If they are not cached, find them together with the moves of states expected next.
        """
        if state not in self._cache:
            if len(self._cache) > _REMEMBERED:
                self._cache.clear()
                self._interned.clear()
            batch = self._take_batch(state)
            self._cache.update(zip(batch, self._find_moves(batch), strict=True))
            for each in batch:
                self._next += (after for _, after in self._cache[each])
            # Its successors come last: depth-first searches expand them next.
            moves = self._cache[state]
            self._next += (after for _, after in reversed(moves))
            del self._next[: -4 * _AHEAD]
        return self._cache[state]

    def _take_batch(self, state: bytes) -> list[bytes]:
        """Return a state and up to `_AHEAD` expected states that are not cached."""
        batch = {state: None}
        while self._next and len(batch) < _AHEAD:
            other = self._next.pop()
            if other not in self._cache:
                batch[other] = None
        return list(batch)

    def _find_moves(self, states: Sequence[bytes]) -> list[list[Move]]:
        """Return for each of some states its moves, in a fixed order and without repetitions."""
        moves: list[dict[Move, None]] = [{} for _ in states]
        for lane, places, after in self.generator.transitions(states):
            if places or after != states[lane]:
                move = self._make_step(places), self._interned.setdefault(after, after)
                moves[lane][move] = None
        return list(map(list, moves))

    def _make_step(self, places: int) -> Step:
        """Return the step with the actions whose bits are set in `places`."""
        if places not in self._steps:
            names = (name for place, name in enumerate(self._names) if places >> place & 1)
            self._steps[places] = Step(names)
        return self._steps[places]


_UNCHECKED = 16  # answer sets between two checks of the budget


@dataclass(frozen=True, eq=False)
class Enumeration:
    """The evaluation of a step by clingo, for one state after the other.

    `inputs` has the open atom of each bit of a state (0 for none), and `outputs` the literal of
    each bit of the result (0 for true, None for false), as in `Circuit`.
    """

    control: Control
    inputs: Sequence[int]
    outputs: Sequence[int | None]

    def run(
        self,
        states: Sequence[bytes],
        budget: Budget = ENDLESS,
    ) -> Rows:
        """Return the answer sets of the step in each of some states, without repetitions.

        The first list has the index of each answer set's state, the second its outputs as bits.
        """
        lanes: list[int] = []
        rows: list[bytes] = []
        for lane, state in enumerate(states):
            budget.check()
            found = sorted(self._solve(state, budget))
            rows += found
            lanes += [lane] * len(found)
        return lanes, rows

    def _solve(
        self,
        state: bytes,
        budget: Budget,
    ) -> set[bytes]:
        """Return the outputs of all answer sets in one state.

        If the search is interrupted, some are missing.
        """
        rows: set[bytes] = set()
        size = (len(self.outputs) + 7) // 8
        assumptions = list(self._assumptions(state))
        with hold_interrupts(), self._projected.solve(assumptions, yield_=True) as handle:
            for model in handle:
                if is_interrupted():
                    break
                if rows and len(rows) % _UNCHECKED == 0:
                    budget.check()
                bits = bits_of(self.outputs, model.is_true)
                rows.add(bits.to_bytes(size, "little"))
        return rows

    def _assumptions(self, state: bytes) -> Iterator[int]:
        """Yield the literals that fix the open atoms to their values in a state."""
        bits = int.from_bytes(state, "little")
        for place, atom in enumerate(self.inputs):
            if atom:
                yield atom if bits >> place & 1 else -atom

    @cached_property
    def _projected(self) -> Control:
        """The control, set to enumerate all answer sets that differ in their outputs."""
        project(self.control, [out for out in self.outputs if out])
        return self.control


def bits_of(
    literals: Sequence[int | None],
    is_true: Callable[[int], bool],
) -> int:
    """Return the truth values of literals as bits; the literal 0 is true and None is false."""
    bits = 0
    for place, out in enumerate(literals):
        if out == 0 or (out is not None and is_true(out)):
            bits |= 1 << place
    return bits


@dataclass(frozen=True, eq=False)
class SuccessorGenerator:
    """A generator of the successors of states of a program, by a circuit or by clingo.

    Attributes
    ----------
    step
        The grounded step.
    wiring
        The rules of the step for a circuit; None if clingo solves the step.
    inputs
        The open atom of each bit of a state after the first bit, which is for the goal.
    """

    step: OpenStep
    wiring: Wiring | None
    inputs: Sequence[int]
    _plain: Circuit | Enumeration  # the outputs are the bits of the successor
    _full: Circuit | Enumeration  # the outputs are those bits, and then the actions

    @classmethod
    def make(
        cls,
        step: OpenStep,
        all_states: bool = False,
        wired: bool = True,
    ) -> SuccessorGenerator:
        """Return the generator for a step, by a circuit if possible.

        Parameters
        ----------
        all_states
            Whether states also differ by atoms on which the goal does not depend.
        wired
            False to let clingo solve the step in any case.
        """
        wiring: Wiring | None = None
        if wired:
            with suppress(Unwired):
                wiring = Wiring(step.ground, step.before)
        inputs = list(step.before)
        if wiring is not None:
            inputs = _find_inputs(step, wiring, all_states)
        after = [step.after[number] for number in inputs]
        bits = [step.goal_missed, *after]
        acting = [literal for _, literal in step.actions]
        both = [*bits, *acting]
        places = [0, *inputs]
        if wiring is None:
            enumeration = Enumeration(step.control, places, both)
            return cls(step, None, inputs, enumeration, enumeration)
        stages = wiring.stages(out for out in both if out)
        plain = Circuit(stages, places, bits, wiring.top)
        full = Circuit(stages, places, both, wiring.top)
        return cls(step, wiring, inputs, plain, full)

    @property
    def stages(self) -> int | None:
        """The number of stages of the circuit; None if clingo solves the step."""
        return len(self._plain.stages) if isinstance(self._plain, Circuit) else None

    @property
    def atoms(self) -> list[Symbol]:
        """The atoms of a state, in the order of the bits after the first."""
        return [self.step.before[number] for number in self.inputs]

    @property
    def fluents(self) -> list[Symbol]:
        """The atoms of a state without their times, in the order of `atoms`."""
        return [self.step.fluents[number] for number in self.inputs]

    def starts(self) -> list[bytes]:
        """Return the initial states, without repetitions."""
        states: dict[bytes, None] = {}
        atoms = self.atoms
        for start in self.step.starts:
            bits = int(not start.is_goal)
            for place, atom in enumerate(atoms, 1):
                bits |= (atom in start.atoms) << place
            states[bits.to_bytes(self._size, "little")] = None
        return list(states)

    def after(
        self,
        states: Sequence[bytes],
        budget: Budget = ENDLESS,
    ) -> list[bytes]:
        """Return the successors of some states, with repetitions and in no particular order."""
        _, rows = self._plain.run(states, budget)
        if self.wiring is not None:
            return rows
        return [after for _, after in map(self._part, rows)]

    def leading(
        self,
        states: Sequence[bytes],
        after: bytes,
    ) -> list[bytes]:
        """Return the states in `states` from which a step leads to the state `after`."""
        transitions = self._onto(self._plain, states, after)
        lanes = {lane for lane, _ in transitions}
        return [states[lane] for lane in sorted(lanes)]

    def between(
        self,
        state: bytes,
        after: bytes,
    ) -> list[int]:
        """Return the steps from a state to its successor `after`.

        A step is a number whose bits are actions.
        """
        transitions = self._onto(self._full, [state], after)
        return [places for _, places in transitions]

    def transitions(self, states: Sequence[bytes]) -> Iterator[tuple[int, int, bytes]]:
        """Yield the transitions from some states.

        Each has the index of its state, its actions as bits of a number, and the successor.
        """
        return self._run(self._full, states)

    def _onto(
        self,
        step: Circuit | Enumeration,
        states: Sequence[bytes],
        after: bytes,
    ) -> Iterator[tuple[int, int]]:
        """Yield the transitions to the state `after`.

        Each has the index of the state before, and its actions as bits.
        """
        if isinstance(step, Circuit):
            step = step.onto(after, len(self.inputs) + 1)
        for lane, places, successor in self._run(step, states):
            if successor == after:
                yield lane, places

    def _run(
        self,
        step: Circuit | Enumeration,
        states: Sequence[bytes],
    ) -> Iterator[tuple[int, int, bytes]]:
        lanes, rows = step.run(states)
        for lane, row in zip(lanes, rows, strict=True):
            places, after = self._part(row)
            yield lane, places, after

    @property
    def _size(self) -> int:
        """The number of bytes of a state."""
        return len(self.inputs) // 8 + 1

    def _part(self, row: bytes) -> tuple[int, bytes]:
        """Split a row of outputs into the actions, as bits, and the successor."""
        bits = int.from_bytes(row, "little")
        width = len(self.inputs) + 1
        after = bits & ((1 << width) - 1)
        return bits >> width, after.to_bytes(self._size, "little")


def _find_inputs(
    step: OpenStep,
    wiring: Wiring,
    all_states: bool,
) -> list[int]:
    """Return the open atoms on which constraints, actions or the goal depend, in any later step.

    With `all_states` also return the atoms on which any atom depends. `wiring` has the rules of the
    step.
    """
    outputs = {literal for _, literal in step.actions} | {step.goal_missed}
    if all_states:
        outputs |= wiring.atoms()
    needed: set[int] = set()
    while (more := wiring.needed_inputs(out for out in outputs if out)) != needed:
        needed = more
        outputs |= {step.after[number] for number in needed}
    return [number for number in step.before if number in needed]
