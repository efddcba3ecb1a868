"""The model that a program is by itself: its states, and what its steps lead to.

A state is the set of atoms of one time that the next step reads, and whether the goal holds; as
bits, in a `bytes`. The first bit says that the goal does not hold. An action is all that happens in
one step. A step in which nothing happens and nothing changes is left out.

The bits behind the first are the open atoms that have a bearing on constraints, on what happens, on
the goal, or on such atoms after the step. A circuit evaluates the step; disjunctive programs, and
those with cycles through negation, are solved by clingo for one state after the other. The circuit
is tested against that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from textwrap import wrap
from typing import Any

from clingo import Control, Symbol

from asplan.core.limits import interrupts_held, is_interrupted
from asplan.domains.model import Model
from asplan.program.incremental import Program
from asplan.program.unit import HELPER
from asplan.statespace.circuit import Circuit, Unwired, Wiring
from asplan.statespace.step import OpenStep, open_step

_WIDTH = 76  # characters in a line of a state as text
_AHEAD = 256  # states whose successors are found together, where one is asked for
_REMEMBERED = 100_000  # states whose successors are remembered
_BATCH = 4096  # states that are evaluated together, at most


class Step(tuple[str, ...]):
    """What happens in one step: the terms of its actions, in order."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(self)


Move = tuple[Step, bytes]  # what happens, and the state that follows


class ProgramModel(Model[bytes, Step]):
    """The states of a program; with `all_states` those without bearing on the goal told apart, too.

    `initials` are all initial states: a choice in `base` makes several. `heed` is called several
    times a second, and for each initial state; what it raises ends that. So many steps, `before`,
    lead to the initial states.
    """

    acts_together = True
    heed: Callable[[], None] = staticmethod(lambda: None)

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, str],
        all_states: bool = False,
        heed: Callable[[], None] = lambda: None,
        before: int = 0,
    ) -> None:
        self.step = open_step(program, constants, heed, before)
        self.evaluated = Evaluated.of(self.step, all_states)
        self.initials = self.evaluated.starts()
        self._names = [str(action) for action, _ in self.step.actions]
        self._steps: dict[int, Step] = {}
        self._known: dict[bytes, list[Move]] = {}
        self._met: dict[bytes, bytes] = {}
        self._next: list[bytes] = []

    @property
    def initial(self) -> bytes:
        return self.initials[0]

    def is_goal(self, state: bytes) -> bool:
        return not state[0] & 1

    def successors(self, state: bytes) -> list[bytes]:
        return [after for _, after in self._moves(state)]

    def actions(self, state: bytes) -> list[Step]:
        # The same may lead to several states, where more is chosen.
        return [step for step, _ in self._moves(state)]

    def expand(self, states: Iterable[bytes]) -> list[bytes]:
        rest, found = iter(states), list[bytes]()
        while batch := list(islice(rest, _BATCH)):
            found += set(self.evaluated.after(batch, self.heed))
        return found

    def leading(self, states: Iterable[bytes], after: bytes) -> list[bytes]:
        return self.evaluated.leading(list(states), after)

    def between(self, state: bytes, after: bytes) -> list[Step]:
        return [self._happening(places) for places in self.evaluated.between(state, after)]

    def apply(self, state: bytes, action: Step) -> bytes:
        return next(after for step, after in self._moves(state) if step == action)

    def parse_action(self, term: Symbol) -> Step:
        return Step((str(term),))

    def why_not(self, state: bytes, action: Step) -> str | None:
        return None if action in self.actions(state) else "no answer set of the step has it"

    def terms(self, action: Step) -> tuple[str, ...]:
        return tuple(action)

    def fluents(self, state: bytes) -> list[Symbol]:
        """The program's own atoms in a state, without their times."""
        bits, fluents = int.from_bytes(state, "little"), self.evaluated.fluents
        there = (atom for place, atom in enumerate(fluents, 1) if bits >> place & 1)
        return sorted(atom for atom in there if not atom.name.startswith(HELPER))

    def text(self, state: bytes) -> str:
        found: dict[str, list[str]] = {}
        for atom in self.fluents(state):
            found.setdefault(atom.name, []).append(str(atom))
        lines = (wrap(" ".join(atoms), width=_WIDTH) for atoms in found.values())
        return "\n".join(chain.from_iterable(lines))

    def expected(self) -> list[bytes]:
        """States that were met lately, of which most is likely to be asked next; the last first."""
        return self._next[::-1]

    def _moves(self, state: bytes) -> list[Move]:
        """What may happen in a state, and in those met lately, which will be asked for next."""
        if state not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
                self._met.clear()
            batch = {state: None}
            while self._next and len(batch) < _AHEAD:
                other = self._next.pop()
                if other not in self._known:
                    batch[other] = None
            for one, moves in zip(batch, self._found(list(batch)), strict=True):
                self._known[one] = moves
                self._next += (after for _, after in moves)
            self._next += (after for _, after in reversed(self._known[state]))
            del self._next[: -4 * _AHEAD]
        return self._known[state]

    def _found(self, states: list[bytes]) -> list[list[Move]]:
        moves: list[dict[Move, None]] = [{} for _ in states]
        for lane, happening, after in self.evaluated.transitions(states):
            after = self._met.setdefault(after, after)
            if happening or after != states[lane]:
                moves[lane][self._happening(happening), after] = None
        return [list(found) for found in moves]

    def _happening(self, places: int) -> Step:
        """The step in which the actions at some places happen."""
        if places not in self._steps:
            names = (name for place, name in enumerate(self._names) if places >> place & 1)
            self._steps[places] = Step(names)
        return self._steps[places]


_HEED = 16  # answer sets between calls of `heed`


@dataclass(frozen=True, eq=False)
class Enumeration:
    """The answer sets of a step; `inputs` and `outputs` are as those of a circuit."""

    control: Control
    inputs: Sequence[int]
    outputs: Sequence[int | None]

    def run(
        self, states: Sequence[bytes], heed: Callable[[], None] = lambda: None
    ) -> tuple[list[int], list[bytes]]:
        """The answer sets in which some states are the time before, told apart by outputs."""
        lanes, rows = list[int](), list[bytes]()
        for lane, state in enumerate(states):
            heed()
            bits = int.from_bytes(state, "little")
            given = [
                atom if bits >> place & 1 else -atom
                for place, atom in enumerate(self.inputs)
                if atom
            ]
            found = set[bytes]()
            with interrupts_held(), self._projected.solve(given, yield_=True) as handle:
                for model in handle:
                    if is_interrupted():
                        break
                    if found and len(found) % _HEED == 0:
                        heed()
                    bits = bits_of(self.outputs, model.is_true)
                    found.add(bits.to_bytes((len(self.outputs) + 7) // 8, "little"))
            rows += sorted(found)
            lanes += [lane] * len(found)
        return lanes, rows

    @cached_property
    def _projected(self) -> Control:
        """The control, set to find all answer sets that differ in outputs."""
        solving: Any = self.control.configuration.solve
        solving.models, solving.project = 0, "project"
        with self.control.backend() as backend:
            backend.add_project([abs(out) for out in self.outputs if out])
        return self.control


def bits_of(literals: Sequence[int | None], is_true: Callable[[int], bool]) -> int:
    """Literals as bits, of which 0 is true and None false."""
    bits = 0
    for place, out in enumerate(literals):
        if out == 0 or (out is not None and is_true(out)):
            bits |= 1 << place
    return bits


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A step that can be taken.

    `wiring` says how its rules depend on each other, and is None where they cannot be put in order;
    `inputs` are the open atoms that are bits of a state, behind the first bit.
    """

    step: OpenStep
    wiring: Wiring | None
    inputs: Sequence[int]
    _plain: Circuit | Enumeration
    _full: Circuit | Enumeration

    @classmethod
    def of(cls, step: OpenStep, all_states: bool = False, wired: bool = True) -> Evaluated:
        """The fastest way to take a step; not `wired` is clingo's; `all_states` as in `Inputs`."""
        acting = [literal for _, literal in step.actions]
        wiring, inputs = None, list(step.before)
        if wired:
            with suppress(Unwired):
                wiring = Wiring(step.ground, step.before)
        if wiring is not None:
            outputs, needed = {step.goal_missed, *acting}, set[int]()
            if all_states:
                outputs |= wiring.atoms()
            while (more := wiring.needed_inputs(out for out in outputs if out)) != needed:
                needed = more
                outputs |= {step.after[number] for number in needed}
            inputs = [number for number in inputs if number in needed]
        bits = [step.goal_missed, *(step.after[number] for number in inputs)]
        both = [*bits, *acting]
        places = [0, *inputs]
        if wiring is None:
            full = Enumeration(step.control, places, both)
            return cls(step, None, inputs, full, full)
        stages = wiring.stages(out for out in both if out)
        plain, whole = (Circuit(stages, places, outputs, wiring.top) for outputs in (bits, both))
        return cls(step, wiring, inputs, plain, whole)

    @property
    def stages(self) -> int | None:
        """How many stages the circuit has; None where clingo takes the step."""
        return len(self._plain.stages) if isinstance(self._plain, Circuit) else None

    @property
    def atoms(self) -> list[Symbol]:
        """The atoms of a state, in the order of its bits behind the first."""
        return [self.step.before[number] for number in self.inputs]

    @property
    def fluents(self) -> list[Symbol]:
        """The same without their times."""
        return [self.step.fluents[number] for number in self.inputs]

    def starts(self) -> list[bytes]:
        found: dict[bytes, None] = {}
        for start in self.step.starts:
            bits = int(not start.is_goal)
            for place, atom in enumerate(self.atoms, 1):
                bits |= (atom in start.atoms) << place
            found[bits.to_bytes(self._size, "little")] = None
        return list(found)

    def after(
        self, states: Sequence[bytes], heed: Callable[[], None] = lambda: None
    ) -> list[bytes]:
        """The states that follow some others, with repetitions; `heed` is called now and then."""
        _, rows = self._plain.run(states, heed)
        return rows if self.wiring else [self._parted(row)[1] for row in rows]

    def leading(self, states: Sequence[bytes], after: bytes) -> list[bytes]:
        """Those of some states that are followed by one state, among others."""
        lanes = {lane for lane, _ in self._onto(self._plain, states, after)}
        return [states[lane] for lane in sorted(lanes)]

    def between(self, state: bytes, after: bytes) -> list[int]:
        """What may happen between two states: the places of the actions as bits."""
        return [happening for _, happening in self._onto(self._full, [state], after)]

    def _onto(
        self, step: Circuit | Enumeration, states: Sequence[bytes], after: bytes
    ) -> Iterator[tuple[int, int]]:
        """Of the transitions to one state the numbers of the states before, and what happens."""
        if isinstance(step, Circuit):
            step = step.onto(after, len(self.inputs) + 1)
        rows = self.transitions(states, step)
        return ((lane, happening) for lane, happening, found in rows if found == after)

    def transitions(
        self, states: Sequence[bytes], step: Circuit | Enumeration | None = None
    ) -> Iterator[tuple[int, int, bytes]]:
        """The number of a state, the places of the actions as bits, and the state that follows."""
        for lane, row in zip(*(step or self._full).run(states), strict=True):
            yield lane, *self._parted(row)

    @property
    def _size(self) -> int:
        return len(self.inputs) // 8 + 1

    def _parted(self, row: bytes) -> tuple[int, bytes]:
        bits, width = int.from_bytes(row, "little"), len(self.inputs) + 1
        after = bits & ((1 << width) - 1)
        return bits >> width, after.to_bytes(self._size, "little")
