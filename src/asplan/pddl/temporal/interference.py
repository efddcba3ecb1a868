"""The resources that the instants of a task with time read and write.

A resource is a variable, an atom or a function. An instant is the start or end of an action, an
action without duration, or a timed change. Two instants interfere if one writes a resource that the
other reads or writes, according to the text of their conditions and effects. Then they must not
happen at the same time, but `epsilon` apart (Fox and Long, PDDL2.1, 2003, Definition 12: no moving
targets).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from asplan.core.dataclass import dataclass
from asplan.core.graphs import closure
from asplan.pddl.language import syntax
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.syntax import (
    DURATION,
    Atom,
    GroundAtom,
    PddlAction,
    TaskText,
    functions,
)
from asplan.pddl.task.task import NONE, Task
from asplan.pddl.temporal.split import (
    Instant,
    Split,
    changing_limits,
)

Resource = str
"""The number of a variable as text, or a term for a function or for an atom without a variable."""

_NUMBER = "="
"""The first word of a ground function, which distinguishes it from a ground atom."""

_Binding = Mapping[str, str]
_Access = tuple[GroundAtom, bool]
"""An atom or function that an instant mentions, and whether the instant writes it."""


@dataclass(frozen=True)
class Resources:
    """The variables, atoms and functions that an instant reads, and that it writes."""

    reads: frozenset[Resource]
    writes: frozenset[Resource]


class ResourceFinder:
    """Finds the variables, atoms and functions that each instant of an action reads or changes."""

    def __init__(
        self,
        text: TaskText,
        parts: Split,
        names: PddlNames,
        task: Task,
    ) -> None:
        """Prepare the search for resources.

        Parameters
        ----------
        text
            The task with durative actions.
        parts
            The task of plain actions, which have no duration and represent instants.
        names
            The names of the task of plain actions.
        task
            The finite-domain task of the plain actions.
        """
        self._text = text
        self._parts = parts
        self._names = names
        self._actions = {action.name.key: action for action in parts.text.domain.actions}
        self._durative = {action.name.key: action for action in text.domain.durative}
        self._variable: dict[str, Resource] = {}
        self._of_predicate: defaultdict[str, set[Resource]] = defaultdict(set)
        for v, variable in enumerate(task.variables):
            if variable.is_derived:
                continue
            for value in variable.values:
                if value != NONE:
                    self._variable[value] = str(v)
                    self._of_predicate[value.partition("(")[0]].add(str(v))
        self._basis = _basis_of_derived(text)
        self._read_functions = self._functions_read()

    def resources_of(
        self,
        instant: Instant,
        key: tuple[str, tuple[str, ...]],
    ) -> Resources:
        """Return the variables, atoms and functions that an instant reads and writes.

        `key` has the name and the arguments of the action.
        """
        name, arguments = key
        actions = self._plain_actions(instant, name)
        parts = list[syntax.Part]()
        for action in actions:
            parts += [action.precondition, action.effect]
        if instant.kind in ("start", "once"):
            parts += changing_limits(self._durative[name], self._text.assigned)
        binding = syntax.bind(actions[0].parameters, arguments)
        reads = set[Resource]()
        writes = set[Resource]()
        for part in parts:
            for atom, is_written in self._accesses(part, binding):
                resources = writes if is_written else reads
                resources.update(self._resources(atom))
        if instant.kind in ("start", "end"):
            running = self._names.atom(self._parts.running[name], arguments)
            writes.add(self._variable[running])
        return Resources(frozenset(reads), frozenset(writes))

    def _plain_actions(
        self,
        instant: Instant,
        name: str,
    ) -> list[PddlAction]:
        """Return the actions without duration that represent an instant of the action `name`."""
        if instant.kind in ("plain", "event"):
            return [self._actions[name]]
        kinds = ("start", "all", "end") if instant.kind == "once" else (instant.kind,)
        return [self._durative[name].at(kind) for kind in kinds]

    def _functions_read(self) -> set[str]:
        """Return the names of the functions that some action reads."""
        parts = list[syntax.Part]()
        for action in self._text.domain.actions:
            parts += [action.precondition, action.effect]
        for durative in self._text.domain.durative:
            parts += durative.parts
        read = set[str]()
        for part in parts:
            for atom, is_written in self._accesses(part, {}):
                if atom[0] == _NUMBER and not is_written:
                    read.add(atom[1])
        return read

    def _resources(self, atom: GroundAtom) -> Iterator[Resource]:
        """Yield the resources of an atom or function; none if it never changes.

        A derived atom has the resources of all atoms from which it may be derived.
        """
        name = atom[0]
        if name == _NUMBER:
            if atom[1] in self._text.assigned and atom[1] in self._read_functions:
                yield f"number({self._names.function(atom[1], atom[2:])})"
        elif name in self._basis:
            for base in self._basis[name]:
                yield from self._of_predicate[self._names.predicates.terms[base]]
        elif name in self._text.fluents:
            term = self._names.atom(name, atom[1:])
            yield self._variable.get(term, f"atom({term})")

    def _accesses(
        self,
        part: syntax.Part,
        binding: _Binding,
    ) -> Iterator[_Access]:
        """Yield the atoms and functions in a condition or effect, with quantifiers expanded.

        `binding` has the objects of its free variables. Each item also has True if the effect
        changes the atom or function, and False if the condition or effect reads it.
        """
        match part:
            case Atom():
                yield part.ground(binding), False
            case syntax.Changed(atom):
                yield atom.ground(binding), True
            case syntax.Connected(_, parts) | syntax.Together(parts):
                for inner in parts:
                    yield from self._accesses(inner, binding)
            case syntax.When(condition, body):
                yield from self._accesses(condition, binding)
                yield from self._accesses(body, binding)
            case syntax.Quantified(_, variables, body) | syntax.Each(variables, body):
                for extended in self._text.bindings(variables, binding):
                    yield from self._accesses(body, extended)
            case syntax.Compare(_, left, right):
                yield from _functions(binding, left, right)
            case syntax.Assign(_, target, amount):
                yield (_NUMBER, *target.ground(binding)), True
                yield from _functions(binding, amount)


def _basis_of_derived(text: TaskText) -> dict[str, set[str]]:
    """Return, for each derived predicate, the basic predicates from which rules derive it."""
    direct: dict[str, set[str]] = {}
    for rule in text.domain.rules:
        predicates = direct.setdefault(rule.name.key, set())
        for part, _ in syntax.inside(rule.body):
            if isinstance(part, Atom):
                predicates.add(part.name.key)

    def used_by(key: str) -> set[str]:
        return direct.get(key, set())

    return {name: closure([name], used_by) - direct.keys() for name in direct}


def _functions(
    binding: _Binding,
    *several: syntax.Expression,
) -> Iterator[_Access]:
    """Yield the functions that expressions read, except `?duration`, each with False."""
    for function in functions(*several):
        if function.name.key != DURATION:
            yield (_NUMBER, *function.ground(binding)), False
