"""What instants read and write, by their text: which may happen at the same time.

Two instants interfere if one reads or writes what the other writes: then they must not happen at
the same time, but `epsilon` apart (Fox and Long, PDDL2.1, 2003, Definition 12: no moving targets).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from asplan.core.graphs import closure
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.syntax import (
    DURATION,
    Action,
    Assign,
    Atom,
    Changed,
    Compare,
    Connected,
    DurativeAction,
    Each,
    Expression,
    GroundAtom,
    Part,
    Quantified,
    TaskText,
    Together,
    When,
    bind,
    functions,
    inside,
)
from asplan.pddl.task.task import NONE, Task
from asplan.pddl.temporal.split import Instant, Split, changing_limits

Resource = str
"""What instants read and write: the number of a variable, or a term for something else."""

NUMBER = "="
"""Stands before a ground function where there are also ground atoms."""

Bound = Mapping[str, str]
_Touch = tuple[GroundAtom, bool]
"""An atom or function, and whether it is written."""


class Toucher:
    """Knows what the instants of a task read and write."""

    def __init__(self, text: TaskText, parts: Split, names: PddlNames, task: Task) -> None:
        """`names` are those of the plain task, and the finite-domain `task` was made of it."""
        self.text, self.parts, self.names = text, parts, names
        self.actions: dict[str, Action] = {a.name.key: a for a in parts.text.domain.actions}
        self.durative: dict[str, DurativeAction] = {a.name.key: a for a in text.domain.durative}
        self.variable: dict[str, Resource] = {}
        self.of_predicate: defaultdict[str, set[Resource]] = defaultdict(set)
        for v, variable in enumerate(task.variables):
            for value in variable.values:
                if value != NONE and not variable.is_derived:
                    self.variable[value] = str(v)
                    self.of_predicate[value.partition("(")[0]].add(str(v))
        self.bases = _bases(text)
        self.read_functions = {
            atom[1]
            for part in self._all_parts()
            for atom, is_written in self._touches(part, {})
            if atom[0] == NUMBER and not is_written
        }

    def touched(
        self, instant: Instant, key: tuple[str, tuple[str, ...]]
    ) -> tuple[frozenset[Resource], frozenset[Resource]]:
        """What an instant of an action with its arguments reads and writes."""
        reads, writes = set[Resource](), set[Resource]()
        name, arguments = key
        if instant.kind in ("plain", "event"):
            actions = [self.actions[name]]
        else:
            kinds = ("start", "all", "end") if instant.kind == "once" else (instant.kind,)
            actions = [self.durative[name].at(kind) for kind in kinds]
        parts: list[Part] = [part for a in actions for part in (a.precondition, a.effect)]
        if instant.kind in ("start", "once"):
            parts += changing_limits(self.durative[name], self.text.assigned)
        bound = bind(actions[0].parameters, arguments)
        for part in parts:
            for atom, is_written in self._touches(part, bound):
                (writes if is_written else reads).update(self._resources(atom))
        if instant.kind in ("start", "end"):
            writes.add(self.variable[self.names.atom(self.parts.running[name], arguments)])
        return frozenset(reads), frozenset(writes)

    def _all_parts(self) -> Iterator[Part]:
        for action in self.text.domain.actions:
            yield from (action.precondition, action.effect)
        for durative in self.text.domain.durative:
            yield from durative.parts

    def _resources(self, atom: GroundAtom) -> Iterator[Resource]:
        """What stands for an atom or a function; nothing for one that never changes."""
        name = atom[0]
        if name == NUMBER:
            if atom[1] in self.text.assigned and atom[1] in self.read_functions:
                yield f"number({self.names.function(atom[1], atom[2:])})"
        elif name in self.bases:
            for base in self.bases[name]:
                yield from self.of_predicate[self.names.predicates.terms[base]]
        elif name in self.text.fluents:
            term = self.names.atom(name, atom[1:])
            yield self.variable.get(term, f"atom({term})")

    def _touches(self, part: Part, bound: Bound) -> Iterator[_Touch]:
        match part:
            case Atom():
                yield part.ground(bound), False
            case Changed(atom):
                yield atom.ground(bound), True
            case Connected(_, parts) | Together(parts):
                for each in parts:
                    yield from self._touches(each, bound)
            case When(condition, body):
                yield from self._touches(condition, bound)
                yield from self._touches(body, bound)
            case Quantified(_, variables, body) | Each(variables, body):
                for inner in self.text.bindings(variables, bound):
                    yield from self._touches(body, inner)
            case Compare(_, left, right):
                yield from _functions(bound, left, right)
            case Assign(_, target, amount):
                yield (NUMBER, *target.ground(bound)), True
                yield from _functions(bound, amount)


def _functions(bound: Bound, *several: Expression) -> Iterator[_Touch]:
    for each in functions(*several):
        if each.name.key != DURATION:
            yield (NUMBER, *each.ground(bound)), False


def _bases(text: TaskText) -> dict[str, frozenset[str]]:
    """For each derived predicate those others on which it rests, whatever lies between."""
    direct: dict[str, set[str]] = {}
    for rule in text.domain.rules:
        names = {part.name.key for part, _ in inside(rule.body) if isinstance(part, Atom)}
        direct.setdefault(rule.name.key, set()).update(names)
    return {
        name: frozenset(closure([name], lambda key: direct.get(key, ()))) - direct.keys()
        for name in direct
    }
