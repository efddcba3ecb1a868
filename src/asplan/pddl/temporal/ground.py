"""A task with time, ground: instants as operators, durative actions between them.

The numbers of `asplan.pddl.numeric` and the times here are exact; `facts` makes whole numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from clingo import parse_term

from asplan.pddl.language.lexer import quoted, wrong
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.syntax import Atom, DurativeAction, GroundAtom, Part, TaskText, expressions
from asplan.pddl.numeric.ground import Counted, Grounded, ground
from asplan.pddl.numeric.linear import UndefinedError, evaluate
from asplan.pddl.task.task import NONE, Fact, Operator
from asplan.pddl.temporal.merging import Run, merge
from asplan.pddl.temporal.split import Instant, Split, split
from asplan.pddl.temporal.touched import NUMBER, base_predicates, touched

EPSILON = Fraction(1, 1000)
"""The time between two instants that interfere, as validators have it."""

Resource = str
"""What instants read and write: the number of a variable, or a term for something else."""


@dataclass(frozen=True)
class Lasting:
    """A ground durative action: how long it takes, `longest` being None where nothing bounds it.

    It is running where the fact `running` holds; then all facts of one of `throughout` must hold,
    which depends on what it `watches`. Operators that are part of it start and end it.
    """

    term: str
    shortest: Fraction
    longest: Fraction | None
    running: Fact
    throughout: tuple[tuple[Fact, ...], ...]
    watches: frozenset[Resource]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


@dataclass(frozen=True)
class Timed:
    """A ground task with time.

    Attributes
    ----------
    grounded
        The finite-domain task and its numbers; operators are instants.
    lasting
        What takes time.
    events
        The operators that happen at given times, with these.
    reads, writes
        For each operator what it depends on, and what it may change.
    """

    grounded: Grounded
    lasting: tuple[Lasting, ...] = ()
    events: Mapping[int, Fraction] = field(default_factory=dict)
    reads: tuple[frozenset[Resource], ...] = ()
    writes: tuple[frozenset[Resource], ...] = ()


def ground_timed(text: TaskText) -> Timed:
    """The ground task of one with time; raises as `asplan.pddl.numeric.ground.ground` does.

    Raises `InputError` also where a duration depends on what changes.
    """
    parts = split(text)
    grounded = ground(parts.text)
    if grounded.task.is_stub:
        return Timed(grounded)
    return _Grounder(text, parts, grounded).timed()


_KINDS = ("start", "all", "end")

_Key = tuple[str, tuple[str, ...]]
"""An action of the author with its arguments."""


class _Grounder:
    def __init__(self, text: TaskText, parts: Split, grounded: Grounded) -> None:
        self.text, self.parts, self.names = text, parts, names_of(parts.text)
        self.durative = {action.name.key: action for action in text.domain.durative}
        self.plain = {action.name.key: action for action in parts.text.domain.actions}
        self.instants = list[tuple[Instant, _Key]]()
        self.found: defaultdict[_Key, dict[str, list[int]]] = defaultdict(dict)
        for o, operator in enumerate(grounded.task.operators):
            name, arguments = self.names.action_of(parse_term(operator.action))
            instant = parts.instants[name]
            key = (name if instant.kind == "event" else instant.action), arguments
            self.instants.append((instant, key))
            if instant.kind in _KINDS:
                self.found[key].setdefault(instant.kind, []).append(o)
        self.spans = {key: span for key in self.found if (span := self._span(*key)) is not None}
        self.whole = [key for key in self.spans if len(self.found[key]) == len(_KINDS)]
        self.grounded = self._merged(grounded)
        self.fact_of: dict[str, Fact] = {}
        self.of_predicate: defaultdict[str, set[Resource]] = defaultdict(set)
        for v, variable in enumerate(self.grounded.task.variables):
            for d, value in enumerate(variable.values):
                if value != NONE and not variable.is_derived:
                    self.fact_of[value] = v, d
                    self.of_predicate[value.partition("(")[0]].add(str(v))
        self.bases = base_predicates(text)
        nodes = [p for action in self.plain.values() for p in (action.precondition, action.effect)]
        self.read_functions = {
            atom[1]
            for node in nodes
            for atom, writes in self._touched(node, {})
            if atom[0] == NUMBER and not writes
        }

    def _merged(self, grounded: Grounded) -> Grounded:
        changes = (change for counted in grounded.counted for change in counted.changes)
        if grounded.tests or not all(change.is_plain for change in changes):
            return grounded
        fact_of = {
            value: (v, d)
            for v, variable in enumerate(grounded.task.variables)
            for d, value in enumerate(variable.values)
        }
        runs = []
        for key in self.whole:
            fact = fact_of[self.names.atom(self.parts.running[key[0]], key[1])]
            runs.append(Run(fact, tuple(self.found[key]["start"]), tuple(self.found[key]["end"])))
        busy = {self.names.predicates.terms[key] for key in self.parts.busy}
        merged = merge(grounded.task, runs, lambda value: value.partition("(")[0] in busy)
        return replace(grounded, task=merged)

    def timed(self) -> Timed:
        task, whole = self.grounded.task, set(self.whole)
        kept = [
            o
            for o, (instant, key) in enumerate(self.instants)
            if instant.kind in ("plain", "event") or (key in whole and instant.kind != "all")
        ]
        place = {o: i for i, o in enumerate(kept)}
        touched = [self._resources(*self.instants[o]) for o in kept]
        lasting = []
        for key in self.whole:
            at = self.found[key]
            throughout, watches = self._throughout(key, at["all"])
            lasting.append(
                Lasting(
                    self._author_term(key),
                    *self.spans[key],
                    self._running(key),
                    throughout,
                    watches,
                    tuple(place[o] for o in at["start"]),
                    tuple(place[o] for o in at["end"]),
                )
            )
        events = {place[o]: i.time for o, (i, _) in enumerate(self.instants) if i.kind == "event"}
        operators = (replace(task.operators[o], action=self._term(*self.instants[o])) for o in kept)
        grounded = replace(
            self.grounded,
            task=replace(task, operators=tuple(operators)),
            counted=tuple(self.grounded.counted[o] for o in kept),
        )
        reads, writes = zip(*touched, strict=True) if touched else ((), ())
        return Timed(grounded, tuple(lasting), events, reads, writes)

    def _author_term(self, key: _Key) -> str:
        name, arguments = key
        return names_of(self.text).action(name, arguments)

    def _term(self, instant: Instant, key: _Key) -> str:
        if instant.kind == "event":
            return f"event({str(instant.time)!r})".replace("'", '"')
        term = self._author_term(key)
        return term if instant.kind == "plain" else f"{instant.kind}({term})"

    def _running(self, key: _Key) -> Fact:
        name, arguments = key
        return self.fact_of[self.names.atom(self.parts.running[name], arguments)]

    def _span(self, name: str, arguments: tuple[str, ...]) -> tuple[Fraction, Fraction | None] | None:
        """The least and the greatest duration of an action; None if it can have none."""
        action = self.durative[name]
        bound = _bound(action, arguments)
        least, most = EPSILON, list[Fraction]()
        for _, limit in action.duration:
            try:
                value = evaluate(limit.right, bound, self.text.values)
            except UndefinedError:
                return None
            changing = [n for n in value.terms if n[0] in self.text.assigned]
            if changing or any(
                isinstance(part, Atom) and part.name.key in self.text.assigned
                for part in expressions(limit.right)
            ):
                raise wrong(
                    limit.at,
                    f"{quoted(limit.at)}: this duration depends on a number that changes",
                    "durations of constants and of functions that nothing changes are planned with",
                )
            if value.terms:
                return None  # a function without a value
            if limit.word in ("=", ">="):
                least = max(least, value.constant)
            if limit.word in ("=", "<="):
                most.append(value.constant)
        longest = min(most, default=None)
        return None if longest is not None and longest < least else (least, longest)

    def _throughout(
        self, key: _Key, several: list[int]
    ) -> tuple[tuple[tuple[Fact, ...], ...], frozenset[Resource]]:
        """What holds all the time, in one way or another, and what that depends on."""
        running, operators = self._running(key), [self.grounded.task.operators[o] for o in several]
        needs = tuple(tuple(f for f in o.precondition if f != running) for o in operators)
        if () in needs:
            return ((),), frozenset()
        watched = set[Resource]()
        for o in several:
            watched |= self._resources(*self.instants[o])[0]
        return needs, frozenset(watched - {str(running[0])})

    def _resources(
        self, instant: Instant, key: _Key
    ) -> tuple[frozenset[Resource], frozenset[Resource]]:
        """What an instant reads and writes, by its text."""
        reads, writes = set[Resource](), set[Resource]()
        parts, bound = self._parts(instant, key)
        for part in parts:
            for atom, is_written in self._touched(part, bound):
                (writes if is_written else reads).update(self._resource(atom))
        if instant.kind in ("start", "end"):
            writes.add(str(self._running(key)[0]))
        return frozenset(reads), frozenset(writes)

    def _parts(self, instant: Instant, key: _Key) -> tuple[list[Part], dict[str, str]]:
        """The conditions and effects of an instant, and its parameters."""
        name, arguments = key
        if instant.kind in ("plain", "event"):
            action = self.plain[name]
            return [action.precondition, action.effect], _bound(action, arguments)
        durative = self.durative[name]
        timed = (*durative.conditions, *durative.effects)
        parts = [part for time, part in timed if time == instant.kind]
        if instant.kind == "start":
            parts += (limit for _, limit in durative.duration)
        return parts, _bound(durative, arguments)

    def _touched(self, part: Part, bound: Mapping[str, str]) -> Iterator[tuple[GroundAtom, bool]]:
        return touched(part, bound, self.parts.text)

    def _resource(self, atom: GroundAtom) -> Iterable[Resource]:
        name = atom[0]
        if name == NUMBER:
            key = atom[1]
            if key in self.text.assigned and key in self.read_functions:
                yield f"number({self.names.function(key, atom[2:])})"
        elif name in self.bases:
            for base in self.bases[name]:
                yield from self.of_predicate[self.names.predicates.terms[base]]
        elif name in self.parts.text.fluents:
            term = self.names.atom(name, atom[1:])
            fact = self.fact_of.get(term)
            yield f"atom({term})" if fact is None else str(fact[0])


def _bound(action: DurativeAction | object, arguments: tuple[str, ...]) -> dict[str, str]:
    parameters = action.parameters  # type: ignore[attr-defined]
    return dict(zip((typed.name.key for typed in parameters), arguments, strict=True))
