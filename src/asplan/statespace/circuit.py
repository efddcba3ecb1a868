"""A grounded step, put in order and evaluated for many states at once.

Atoms that depend on others come behind them, and choices as late as that allows: so what holds in a
state whatever is chosen is found once. A constraint comes as soon as its atoms are known. A sum is
added up as they become known, so one that is too large is seen at once.

Numbers of atoms are those of the ground program, negative where they are negated; sums have numbers
behind those, and 0 is true. When stages are evaluated, bit i of a number is the value of an atom in
the i-th state of a batch: rules are `&` and `|` of long numbers, which cost about as much for a
thousand states as for one. At a choice the states in which an atom may be true are followed first,
then those in which it may be false; what is left at the end are the answer sets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from itertools import chain

from asplan.core.graphs import closure, components
from asplan.program.ground import Ground

Body = tuple[int, ...]


class Unwired(Exception):
    """The rules have a cycle through a negation, a choice or a sum, or a disjunction."""


@dataclass(frozen=True)
class Define:
    """An atom is true where one of some bodies is, and may be chosen where one of others is."""

    atom: int
    bodies: tuple[Body, ...]
    may: tuple[Body, ...] = ()


@dataclass(frozen=True)
class Close:
    """Atoms of a positive cycle are true as far as they are derived."""

    defined: tuple[Define, ...]


@dataclass(frozen=True)
class Add:
    """A literal counts in a sum, which is to reach a bound; `first` and `last` of them."""

    sum: int
    literal: int
    weight: int
    bound: int
    first: bool
    last: bool


@dataclass(frozen=True)
class Refute:
    """What has this body is no answer set."""

    body: Body


Stage = Define | Close | Add | Refute


class Wiring:
    """The rules of a step that begins with some atoms as inputs, in an order; `Unwired` without."""

    def __init__(self, ground: Ground, inputs: Iterable[int]) -> None:
        if ground.disjunctive:
            raise Unwired
        self.inputs = set(inputs)
        self._must: dict[int, list[Body]] = defaultdict(list)
        self._may: dict[int, list[Body]] = defaultdict(list)
        self._sums: dict[int, tuple[int, Sequence[tuple[int, int]]]] = {}
        read = [abs(literal) for body in ground.constraints for literal in body]
        read += [abs(literal) for _, head, body in ground.rules for literal in (*head, *body)]
        read += [abs(literal) for *_, body in ground.sums for literal, _ in body]
        read += [atom for _, head, *_ in ground.sums for atom in head]
        read += [abs(literal) for _, condition in ground.terms for literal in condition]
        top = max((*read, *self.inputs), default=0)
        self.top = top + len(ground.sums)
        for choice, head, body in ground.rules:
            for atom in head:
                (self._may if choice else self._must)[atom].append(tuple(body))
        for number, (choice, head, bound, weighted) in enumerate(ground.sums, top + 1):
            self._sums[number] = bound, weighted
            for atom in head:
                (self._may if choice else self._must)[atom].append((number,))
        self._constraints = [
            body for constraint in ground.constraints for body in self._split(constraint)
        ]
        # Atoms that are evaluated together, behind those that they depend on.
        after = [
            [] if atom in self.inputs else sorted(self._below(atom) - self.inputs)
            for atom in range(self.top + 1)
        ]
        self._groups = list(components(after))
        self._cycles = {
            group[0] for group in self._groups if len(group) > 1 or group[0] in after[group[0]]
        }
        for group in self._groups:
            if group[0] in self._cycles:
                cycle = set(group)
                for atom in group:
                    inside = (literal for body in self._must.get(atom, ()) for literal in body)
                    negative = any(-literal in cycle for literal in inside)
                    if negative or atom in self._sums or atom in self._may:
                        raise Unwired

    def _only_body(self, atom: int) -> Body:
        """The body of an atom that has just one, and is no choice; else an empty one."""
        bodies = self._must.get(atom, ())
        return bodies[0] if len(bodies) == 1 and atom not in self._may else ()

    def _plain(self, body: Iterable[int]) -> Body:
        """A body that names sums and not the atoms that stand for them."""
        found = []
        for literal in body:
            only = self._only_body(abs(literal))
            is_name = len(only) == 1 and only[0] in self._sums
            found.append((only[0] if literal > 0 else -only[0]) if is_name else literal)
        return tuple(found)

    def _split(self, constraint: Iterable[int]) -> list[Body]:
        """A constraint as several: `not x` holds where one literal of x's only body does not."""
        body = self._plain(constraint)
        for index, literal in enumerate(body):
            only = self._plain(self._only_body(-literal)) if literal < 0 else ()
            if any(abs(inner) in self._sums for inner in only):
                rest = (*body[:index], *body[index + 1 :])
                return [(*rest, -inner) for inner in only]
        return [body]

    def _below(self, atom: int) -> set[int]:
        if atom in self._sums:
            return {abs(literal) for literal, _ in self._sums[atom][1]}
        bodies = (*self._must.get(atom, ()), *self._may.get(atom, ()))
        return {abs(literal) for body in bodies for literal in body}

    def atoms(self) -> set[int]:
        return {*self._must, *self._may}

    def needed_inputs(self, outputs: Iterable[int]) -> set[int]:
        """The inputs that have a bearing on constraints and on some outputs."""
        return self._needed(outputs) & self.inputs

    def _needed(self, outputs: Iterable[int]) -> set[int]:
        """The atoms of which the same is true, the outputs included."""
        read = chain(chain.from_iterable(self._constraints), outputs)
        return closure(
            map(abs, read), lambda atom: () if atom in self.inputs else self._below(atom)
        )

    def stages(self, outputs: Iterable[int]) -> list[Stage]:
        """The stages for the rules that have a bearing on constraints and on some outputs."""
        needed = self._needed(outputs) - self.inputs
        groups = [group for group in self._groups if not needed.isdisjoint(group)]
        home = {atom: number for number, group in enumerate(groups) for atom in group}
        sorter = TopologicalSorter(
            {
                number: {home[b] for a in group for b in self._below(a) if b in home} - {number}
                for number, group in enumerate(groups)
            }
        )
        sorter.prepare()
        order, ready = list[list[int]](), list[tuple[bool, int]]()
        while sorter.is_active():
            for number in sorter.get_ready():  # what is chosen can wait
                heappush(ready, (any(atom in self._may for atom in groups[number]), number))
            _, number = heappop(ready)
            order.append(groups[number])
            sorter.done(number)
        return list(self._evaluation(order, needed))

    def _evaluation(self, order: Iterable[Sequence[int]], needed: set[int]) -> Iterator[Stage]:
        """The stages of groups of atoms in their order; each adds to sums, and refutes, at once."""
        adding: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        missing: dict[int, int] = {}
        for number, (_, weighted) in self._sums.items():
            if number in needed:
                missing[number] = len(weighted)
                for literal, weight in weighted:
                    adding[abs(literal)].append((number, literal, weight))
        unknown = [{abs(literal) for literal in body} for body in self._constraints]
        waiting: dict[int, list[int]] = defaultdict(list)
        for index, atoms in enumerate(unknown):
            for atom in atoms:
                waiting[atom].append(index)
            if not atoms:
                yield Refute(())

        def settle(atom: int) -> Iterator[Stage]:
            for index in waiting.get(atom, ()):
                unknown[index].discard(atom)
                if not unknown[index]:
                    yield Refute(self._constraints[index])
            for number, literal, weight in adding.get(atom, ()):
                bound, weighted = self._sums[number]
                first = missing[number] == len(weighted)
                missing[number] -= 1
                yield Add(number, literal, weight, bound, first, not missing[number])
                # What a sum forbids as soon as it is large enough, before all is added up.
                for index in waiting.get(number, ()) if missing[number] else ():
                    body = self._constraints[index]
                    if unknown[index] == {number} and number in body:
                        yield Refute(body)

        for atom in sorted(self.inputs):
            yield from settle(atom)
        for number, (bound, weighted) in self._sums.items():
            if number in needed and not weighted:
                yield Define(number, () if bound > 0 else ((),))
        for group in order:
            defined = [
                Define(a, tuple(self._must.get(a, ())), tuple(self._may.get(a, ())))
                for a in group
                if a not in self._sums
            ]
            yield from [Close(tuple(defined))] if group[0] in self._cycles else defined
            for atom in group:
                yield from settle(atom)


_CELLS = 1 << 23  # values of outputs that are kept until they are put together to states
WORK = 4096  # stages between calls of `heed`: some milliseconds
Totals = dict[int, dict[int, int]]  # the states in which a sum has each of its values
Rows = tuple[list[int], list[bytes]]  # of each answer set: whose successor it is, and its bits


@dataclass(frozen=True, eq=False)
class Circuit:
    """The stages of a step.

    `inputs` are the atoms that the bits of a state stand for, 0 for bits without a meaning;
    `outputs` the literals that make the bits of a result, 0 being true and None false. No atom or
    sum has a number above `top`.
    """

    stages: Sequence[Stage]
    inputs: Sequence[int]
    outputs: Sequence[int | None]
    top: int

    def run(self, states: Sequence[bytes], heed: Callable[[], None] = lambda: None) -> Rows:
        """The answer sets in which some states are the time before.

        `heed` is called after each `WORK` stages.
        """
        lanes: list[int] = []
        rows: list[bytes] = []
        size, width = (len(states) + 7) // 8, len(self.outputs)
        blocks: list[bytes] = []
        given = columns(states, len(self.inputs))
        for active, values in self._leaves(given, len(states), heed):
            found = (0 if out is None else values[out] & active for out in self.outputs)
            block = b"".join(n.to_bytes(size, "little") for n in chain((active,), found))
            blocks.append(block)
            if len(blocks) * (width + 1) * size * 8 > _CELLS:
                _put_together(blocks, size, lanes, rows)
        _put_together(blocks, size, lanes, rows)
        return lanes, rows

    def onto(self, row: bytes, width: int) -> Circuit:
        """The circuit onto a row: what an output must not be is refuted as soon as it is known."""
        bits = int.from_bytes(row, "little")
        against: dict[int, list[Refute]] = defaultdict(list)
        for place, out in enumerate(self.outputs[:width]):
            if out:
                against[abs(out)].append(Refute((-out,) if bits >> place & 1 else (out,)))
            elif bool(bits >> place & 1) != (out == 0):
                against[0].append(Refute(()))
        stages = list[Stage]()
        for stage in self.stages:
            stages.append(stage)
            for atom in _known_by(stage):
                stages += against.pop(atom, ())
        # What is left is an input, or the same in all states.
        return replace(self, stages=[*chain.from_iterable(against.values()), *stages])

    def _leaves(
        self, given: Sequence[int], number: int, heed: Callable[[], None]
    ) -> Iterator[tuple[int, list[int]]]:
        """For each leaf of the choices the states it is an answer set of, and all values."""
        full, top = (1 << number) - 1, self.top
        # Literals are places in the list: those of negated ones count from its end.
        values = [full] + [0] * top + [full] * top
        for atom, column in zip(self.inputs, given, strict=True):
            if atom:
                values[atom], values[-atom] = column, full ^ column
        return _follow(self.stages, values, full, heed)


def _follow(
    stages: Sequence[Stage], values: list[int], active: int, heed: Callable[[], None]
) -> Iterator[tuple[int, list[int]]]:
    totals: Totals = {}
    kept: list[tuple[int, int, int, Totals]] = []
    position = done = 0
    while True:
        done -= position
        while active and position < len(stages):
            stage = stages[position]
            position += 1
            if isinstance(stage, Define):
                x = any_of(stage.bodies, values, active)
                if stage.may and (may := x | any_of(stage.may, values, active)):
                    if rest := active ^ x:
                        kept.append((position, stage.atom, rest, dict(totals)))
                    x = active = may
                values[stage.atom], values[-stage.atom] = x, active ^ x
            elif isinstance(stage, Refute):
                active ^= all_of(stage.body, values, active)
            elif isinstance(stage, Add):
                reached = totals_with(stage, values, totals, active)
                values[stage.sum], values[-stage.sum] = reached, active ^ reached
            else:
                _close(stage, values, active)
        done += position
        while done >= WORK:
            done -= WORK
            heed()
        if active:
            yield active, values
        if not kept:
            return
        position, atom, active, totals = kept.pop()
        values[atom], values[-atom] = 0, active


def all_of(body: Sequence[int], values: Sequence[int], active: int) -> int:
    for literal in body:
        active &= values[literal]
        if not active:
            break
    return active


def any_of(bodies: Sequence[Body], values: Sequence[int], active: int) -> int:
    """The states in which one of some bodies holds."""
    found = 0
    for body in bodies:
        here = active
        for literal in body:
            here &= values[literal]
            if not here:
                break
        else:
            found |= here
    return found


def totals_with(stage: Add, values: Sequence[int], totals: Totals, active: int) -> int:
    """Note which value a sum has by now, up to its bound; the states in which it has that."""
    before = {0: active} if stage.first else totals[stage.sum]
    literal, bound = values[stage.literal], stage.bound
    after: dict[int, int] = {}
    for total, states in before.items():
        for more, here in ((stage.weight, states & literal), (0, states & ~literal)):
            if here:
                now = min(total + more, bound)
                after[now] = after.get(now, 0) | here
    totals[stage.sum] = after
    return after.get(bound, 0) & active


def _close(stage: Close, values: list[int], active: int) -> None:
    """Derive the atoms of a cycle from each other until nothing is new."""
    for define in stage.defined:
        values[define.atom] = 0
    changed = True
    while changed:
        changed = False
        for define in stage.defined:
            x = any_of(define.bodies, values, active)
            if x != values[define.atom]:
                values[define.atom], changed = x, True
    for define in stage.defined:
        values[-define.atom] = active ^ values[define.atom]


def columns(states: Sequence[bytes], width: int) -> list[int]:
    """From a row of bits for each state to a number for each bit."""
    import numpy as np  # searches through other states do without it

    rows = np.frombuffer(b"".join(states), np.uint8).reshape(len(states), -1)
    bits = np.unpackbits(rows, axis=1, count=width, bitorder="little")
    packed = np.packbits(bits.T, axis=1, bitorder="little")
    return [int.from_bytes(column.tobytes(), "little") for column in packed]


def _put_together(blocks: list[bytes], size: int, lanes: list[int], rows: list[bytes]) -> None:
    """Turn blocks of columns, of which the first says where the others count, into rows."""
    if not blocks:
        return
    import numpy as np

    packed = np.frombuffer(b"".join(blocks), np.uint8).reshape(len(blocks), -1, size)
    blocks.clear()
    bits = np.unpackbits(packed, axis=2, bitorder="little")
    block, lane = np.nonzero(bits[:, 0, :])
    found = np.packbits(bits[block, 1:, lane], axis=1, bitorder="little")
    lanes += lane.tolist()
    rows += found.view(f"V{found.shape[1]}").ravel().tolist()


def _known_by(stage: Stage) -> Iterator[int]:
    """The atoms and sums whose values are known behind a stage for the first time."""
    if isinstance(stage, Close):
        yield from (define.atom for define in stage.defined)
    elif isinstance(stage, Define):
        yield stage.atom
    elif isinstance(stage, Add) and stage.last:
        yield stage.sum
