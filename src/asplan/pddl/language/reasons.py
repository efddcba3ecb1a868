"""Reasons why the goal of a task is unreachable, in terms of the PDDL text."""

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
    Normalizer,
    PddlLiteral,
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

_DEPTH = 5  # the maximum length of a chain of unreachable atoms

Reason = tuple[Location, str]
"""A sentence, after its place in the files."""


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
        The general reason, which is used if there is no other.
    clash
        A mutex group (atoms of which at most one holds at a time) whose first two atoms are goals.
        The keys are the atoms as terms, the values their texts. Empty if there is no such group.
    """
    reasons = list(unreachable(model)) or list(_exclusions(model, clash))
    return reasons or [(goal_place(model.task), why)]


def _exclusions(
    model: TextModel,
    clash: Mapping[str, str],
) -> Iterator[Reason]:
    """Yield two reasons if the first two atoms in `clash` are goals: one at the place of each goal.

    `clash` is as in `obstacles`.
    """
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
    """Return the place of the goal's first condition; for an empty goal, of the problem's name."""
    for part, _ in syntax.inside(task.problem.goal):
        match part:
            case syntax.Atom(name) | syntax.Equal(name):
                return name.at
            case syntax.Compare():
                return part.at.at
    return task.problem.name.at


def unreachable(model: TextModel) -> Iterator[Reason]:
    """Yield reasons why atoms of the goal can never hold.

    An atom can never hold if it is unreachable in the delete relaxation, in which nothing is
    deleted. Tasks with derived predicates have no such reasons, because a rule may derive an atom
    from the absence of another.
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
    """An effect that adds an atom, in the delete relaxation.

    Attributes
    ----------
    schema
        The action.
    ranges
        The variables of the action and the effect, each with the objects that may be its value.
    condition
        The precondition and the condition of the effect, without negative parts.
    atom
        The added atom.
    """

    schema: Schema
    ranges: Ranges
    condition: Condition
    atom: GroundAtom


class _Relaxation:
    """The delete relaxation of a task: its reachable atoms, and reasons for unreachable ones.

    Attributes
    ----------
    adders
        The effects that add atoms.
    reached
        The reachable atoms.
    world
        The world of all reachable atoms.
    explained
        The atoms for which reasons were already given.
    """

    def __init__(self, model: TextModel) -> None:
        self.model = model
        self.names = model.names
        self.adders = list(_adders(model.task))
        self.world, reached = self._fixpoint()
        self.reached = reached | {atom.ground() for atom in model.task.problem.initial}
        self.explained: set[GroundAtom] = set()

    def _fixpoint(self) -> tuple[World, set[GroundAtom]]:
        """Compute the reachable atoms.

        Return a `World` in which all reachable atoms hold, and the reachable atoms of fluents.
        """
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
        """Yield reasons why an atom is unreachable.

        For each effect that would add the atom, yield the first unreachable atom that the effect
        needs, and the reasons for that atom. `depth` limits the length of such a chain.
        """
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
        """Yield reasons why an action never adds an atom.

        `binding` has the values of variables for which the action would add the atom. `text` is
        the atom as PDDL text, and `depth` limits the length of the chain of reasons.
        """
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
        """Return the first atom of an adder's condition that is unreachable; None if there is none.

        `binding` has the objects of some variables; the other variables stay in the atom.
        """
        parts, inner = conjuncts(adder.condition)
        for part in parts:
            if not isinstance(part, PddlLiteral) or part.predicate == EQUAL or not part.positive:
                continue
            needed = replace(part, arguments=substitute(part.arguments, binding))
            free = tuple(pair for pair in (*adder.ranges, *inner) if pair[0] in needed.variables)
            if next(query_of(free, needed)({}, self.world), None) is None:
                return (needed.predicate, *needed.arguments)
        return None


def _adders(task: TaskText) -> Iterator[_Adder]:
    """Yield the effects that add atoms, with relaxed conditions."""
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
    """Return a condition without its negative parts; negated static atoms stay."""
    match condition:
        case PddlLiteral(positive, predicate):
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
    """Return the values of variables for which `added` equals `atom`; None if there are none.

    `added` is an atom of an effect, with variables. `ranges` has the objects that may be the value
    of each variable.
    """
    if added[0] != atom[0]:
        return None
    binding: dict[str, str] = {}
    for word, value in zip(added[1:], atom[1:], strict=True):
        known = binding.setdefault(word, value) if value in ranges.get(word, ()) else word
        if known != value:
            return None
    return binding
