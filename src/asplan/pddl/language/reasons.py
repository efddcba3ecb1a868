"""Reasons why the goal of a task is out of reach, at the level of the PDDL text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from asplan.core.errors import Location
from asplan.core.text import shortened
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import (
    EQUAL,
    Condition,
    Junction,
    Literal,
    Normalizer,
    Ranges,
    Schema,
    Some,
    both,
    conjuncts,
)
from asplan.pddl.language.queries import query_of
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.syntax import GroundAtom, TaskText, substitute
from asplan.pddl.language.world import World

_DEPTH = 5  # the length of a chain of atoms at most

Reason = tuple[Location, str]
"""A sentence with its place."""


def obstacles(
    model: TextModel,
    why: str,
    clash: Mapping[str, str] = MappingProxyType({}),
) -> list[Reason]:
    """Return reasons why the goal can never hold.

    Parameters
    ----------
    model
        The task.
    why
        The general reason, used if there is no other.
    clash
        Mutually exclusive atoms, as terms with their texts; the first two are in the goal.
    """
    reasons = list(unreachable(model)) or list(_exclusions(model, clash))
    return reasons or [(goal_place(model.task), why)]


def _exclusions(
    model: TextModel,
    clash: Mapping[str, str],
) -> Iterator[Reason]:
    """Yield a reason at each of two goals that exclude each other."""
    places = {
        model.names.atom(atom.name.key, atom.ground()[1:]): atom.name.at
        for atom in model.task.goal_atoms
    }
    pair = list(clash.items())[:2]
    goals = sorted((places[term], text) for term, text in pair if term in places)
    if len(goals) == 2:
        (first, one), (second, other) = goals
        group = shortened(" ".join(clash.values()))
        yield first, f"the goals {one} and {other} can never hold together"
        yield second, f"at any time at most one of these holds: {group}"


def goal_place(task: TaskText) -> Location:
    """Return the place of the first condition of the goal, or that of the problem's name."""
    for part, _ in syntax.inside(task.problem.goal):
        match part:
            case syntax.Atom(name) | syntax.Equal(name):
                return name.at
            case syntax.Compare():
                return part.at.at
    return task.problem.name.at


def unreachable(model: TextModel) -> Iterator[Reason]:
    """Yield reasons why atoms of the goal can never hold.

    An atom that is unreachable in the delete relaxation is unreachable. Tasks with derived
    predicates have no such reasons, because an axiom may derive an atom from a false one.
    """
    if model.task.derived:
        return
    relaxation = _Relaxation(model)
    for part in model.task.goal_atoms:
        atom = part.ground()
        if atom not in relaxation.reached:
            text = model.names.written_atom(*atom)
            yield part.name.at, f"the goal {text} can never hold"
            yield from relaxation.why(atom)


class _Adder(NamedTuple):
    """An action that adds an atom, with the objects of all variables and its positive needs."""

    schema: Schema
    ranges: Ranges
    condition: Condition
    atom: GroundAtom


class _Relaxation:
    """The delete relaxation of a task: its reachable atoms, and reasons for the others."""

    def __init__(self, model: TextModel) -> None:
        self.model = model
        self.names = model.names
        self.adders = list(_adders(model.task))
        self.world, reached = self._fixpoint()
        self.reached = reached | {atom.ground() for atom in model.task.problem.initial}
        self.explained: set[GroundAtom] = set()

    def _fixpoint(self) -> tuple[World, set[GroundAtom]]:
        """Return the reachable atoms of fluents and their world."""
        reached: set[GroundAtom] = set(self.model.initial)
        while True:
            size = len(reached)
            world = self.model.world(frozenset(reached))
            for adder in self.adders:
                solutions = query_of(adder.ranges, adder.condition)({}, world)
                reached.update(substitute(adder.atom, solution) for solution in solutions)
            if len(reached) == size:
                return world, reached

    def why(
        self,
        atom: GroundAtom,
        depth: int = _DEPTH,
    ) -> Iterator[Reason]:
        """Yield reasons why an atom is unreachable: a lacking need of each adder."""
        text = self.names.written_atom(*atom)
        self.explained.add(atom)
        has_adder = False
        for adder in self.adders:
            binding = _unified(adder.atom, atom, dict(adder.ranges))
            if binding is not None:
                has_adder = True
                yield from self._why_not_added(adder, binding, text, depth)
        if not has_adder:
            predicates = self.model.task.domain.predicates
            name = next(s.name for s in predicates if s.name.key == atom[0])
            yield name.at, f"no action adds {text}, and it does not hold at the start"

    def _why_not_added(
        self,
        adder: _Adder,
        binding: Mapping[str, str],
        text: str,
        depth: int,
    ) -> Iterator[Reason]:
        """Yield reasons why an action never adds an atom."""
        schema = adder.schema
        name = schema.action.name
        parameters = schema.action.parameters
        shown = {schema.bound[typed.name.key]: str(typed.name) for typed in parameters}
        shown |= binding
        arguments = (shown[schema.bound[typed.name.key]] for typed in parameters)
        action = self.names.spelled(name.text, *arguments)
        lacking = self._lacking(adder, binding)
        if lacking is None:
            needs = "but what it needs never holds together"
            yield name.at, f"{action} would add {text}, {needs}"
            return
        needed = substitute(lacking, shown)
        yield name.at, f"{action} would add {text}, but needs {self.names.written_atom(*needed)}"
        is_ground = not any(word.startswith("?") for word in needed)
        if is_ground and depth and needed not in self.explained:
            yield from self.why(needed, depth - 1)

    def _lacking(
        self,
        adder: _Adder,
        binding: Mapping[str, str],
    ) -> GroundAtom | None:
        """Return the first unreachable atom that an action needs, with its bound variables."""
        parts, inner = conjuncts(adder.condition)
        for part in parts:
            if not isinstance(part, Literal) or part.predicate == EQUAL or not part.positive:
                continue
            needed = replace(part, arguments=substitute(part.arguments, binding))
            free = tuple(pair for pair in (*adder.ranges, *inner) if pair[0] in needed.variables)
            if next(query_of(free, needed)({}, self.world), None) is None:
                return (needed.predicate, *needed.arguments)
        return None


def _adders(task: TaskText) -> Iterator[_Adder]:
    normalizer = Normalizer(task)
    for schema in map(normalizer.schema, task.domain.actions):
        for change in schema.changes:
            if change.positive:
                needs = both(schema.condition, change.condition)
                ranges = (*schema.ranges, *change.ranges)
                yield _Adder(schema, ranges, _relaxed(needs, task), change.atom)


def _relaxed(
    condition: Condition,
    task: TaskText,
) -> Condition:
    """Return a condition without its negative parts."""
    match condition:
        case Literal(positive, predicate):
            return condition if positive or predicate not in task.fluents else both()
        case Junction(_, parts):
            return replace(condition, parts=tuple(_relaxed(part, task) for part in parts))
        case Some(True, _, body):
            return replace(condition, body=_relaxed(body, task))
    return both()


def _unified(
    added: GroundAtom,
    atom: GroundAtom,
    ranges: Mapping[str, tuple[str, ...]],
) -> dict[str, str] | None:
    """Return the values of variables for which an action adds an atom; None if it cannot."""
    if added[0] != atom[0]:
        return None
    binding: dict[str, str] = {}
    for word, value in zip(added[1:], atom[1:], strict=True):
        known = binding.setdefault(word, value) if value in ranges.get(word, ()) else word
        if known != value:
            return None
    return binding
