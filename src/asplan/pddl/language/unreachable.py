"""Why an atom of the goal can never hold, in the words of the task.

All is found in the delete relaxation: what once held is never lost, and what must not hold is not
asked for. So an atom that cannot be reached there cannot be reached at all. Axioms may say that
something follows from what does not hold, so of tasks that have some nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from asplan.core.errors import Location
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import (
    EQUAL,
    Change,
    Condition,
    Interpretation,
    Junction,
    Literal,
    Normalizer,
    Ranges,
    Some,
    both,
    conjuncts,
    literals,
    query_of,
)
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.syntax import GroundAtom

_DEPTH = 5
"""How many atoms are followed, one behind the other."""

_Adding = tuple[syntax.Action, Mapping[str, str], Ranges, Condition, GroundAtom]
"""An action, its parameters, the objects that all variables range over, what it needs and adds."""


def unreachable(model: TextModel) -> Iterator[tuple[Location, str]]:
    """Sentences, each with its place, about what the goal asks for and can never be."""
    if model.task.derived:
        return
    finder = _Finder(model)
    for part in goal_atoms(model):
        if (atom := part.ground()) not in finder.reached:
            text = model.names.written_atom(*atom)
            yield part.name.at, f"the goal {text} can never hold"
            yield from finder.why(atom)


def goal_atoms(model: TextModel) -> list[syntax.Atom]:
    """The atoms that the goal asks for as they stand."""
    goal = model.task.problem.goal
    parts: tuple[syntax.Formula, ...] = (goal,)
    if isinstance(goal, syntax.Connected) and goal.word == "and":
        parts = goal.parts
    return [part for part in parts if isinstance(part, syntax.Atom)]


class _Finder:
    """What the actions of a task can reach if nothing is ever lost."""

    def __init__(self, model: TextModel) -> None:
        self.model, self.names = model, model.names
        normalizer = Normalizer(model.task)
        self.adding: list[_Adding] = []
        for action in model.task.domain.actions:
            bound, ranges = normalizer.bind(action.parameters, {})
            needed = normalizer.condition(action.precondition, bound)
            for change in normalizer.changes(action.effect, bound):
                if change.positive:
                    self.adding.append(self._adding(action, bound, ranges, needed, change))
        reached: set[GroundAtom] = set(model.initial)
        size = -1
        while size < len(reached):
            size, world = len(reached), model.world(frozenset(reached))
            for _, _, ranges, condition, atom in self.adding:
                for found in query_of(ranges, condition)({}, world):
                    reached.add(tuple([found.get(word, word) for word in atom]))
        self.world: Interpretation = model.world(frozenset(reached))
        static = {atom.ground() for atom in model.task.problem.initial}
        self.reached = reached | static
        self.told: set[GroundAtom] = set()

    def _adding(
        self,
        action: syntax.Action,
        bound: Mapping[str, str],
        ranges: Ranges,
        needed: Condition,
        change: Change,
    ) -> _Adding:
        condition = self._relaxed(both(needed, change.condition))
        return action, bound, (*ranges, *change.ranges), condition, tuple(change.atom)

    def _relaxed(self, condition: Condition) -> Condition:
        """The condition without what must not hold."""
        match condition:
            case Literal(positive, predicate):
                lost = not positive and predicate in self.model.task.fluents
                return both() if lost else condition
            case Junction(_, parts):
                return Junction(condition.all, tuple(map(self._relaxed, parts)))
            case Some(True, _, body):
                return replace(condition, body=self._relaxed(body))
        return both()

    def why(self, atom: GroundAtom, depth: int = _DEPTH) -> Iterator[tuple[Location, str]]:
        """Why an atom cannot be reached: what each action needs that adds it."""
        text, found = self.names.written_atom(*atom), False
        self.told.add(atom)
        for action, bound, ranges, condition, added in self.adding:
            if (binding := _unified(added, atom, dict(ranges))) is None:
                continue
            found = True
            name = action.name
            parameters = [binding.get(bound[p.name.key], str(p.name)) for p in action.parameters]
            at = name.at
            who = self.names.spelled(name.text, *parameters)
            lacking = self._lacking(condition, ranges, binding)
            shown = {bound[p.name.key]: str(p.name) for p in action.parameters} | binding
            if lacking is None:
                yield at, f"{who} would add {text}, but what it needs never holds together"
                continue
            needed = tuple([shown.get(word, word) for word in lacking])
            yield at, f"{who} would add {text}, but needs {self.names.written_atom(*needed)}"
            ground = not any(word.startswith("?") for word in needed)
            if ground and depth and needed not in self.told:
                yield from self.why(needed, depth - 1)
        if not found:
            place = next(s.name for s in self.model.task.domain.predicates if s.name.key == atom[0])
            yield place.at, f"no action adds {text}, and it does not hold at the start"

    def _lacking(
        self, condition: Condition, ranges: Ranges, binding: Mapping[str, str]
    ) -> GroundAtom | None:
        """The first atom of a condition that cannot be reached, with its variables bound."""
        parts, inner = conjuncts(condition)
        for part in parts:
            for literal in literals(part) if isinstance(part, Literal) else ():
                words = tuple([binding.get(word, word) for word in literal.arguments])
                wanted = replace(literal, arguments=words)
                free = tuple(pair for pair in (*ranges, *inner) if pair[0] in wanted.variables)
                if literal.predicate == EQUAL or not literal.positive:
                    continue
                if next(iter(query_of(free, wanted)({}, self.world)), None) is None:
                    return (literal.predicate, *words)
        return None


def _unified(
    added: Sequence[str], atom: GroundAtom, ranges: Mapping[str, tuple[str, ...]]
) -> dict[str, str] | None:
    """The values of variables with which an action adds an atom; None if it cannot."""
    if added[0] != atom[0]:
        return None
    binding: dict[str, str] = {}
    for word, value in zip(added[1:], atom[1:], strict=True):
        if word.startswith("?"):
            if value not in ranges[word] or binding.setdefault(word, value) != value:
                return None
        elif word != value:
            return None
    return binding
