"""Costs that a task leaves open: where what an action costs has no value, it does not apply.

Many tasks give values only where they are needed, so that alone is nothing to speak of. It is where
the action looks as if it could apply: by its conditions on what never changes, and on what holds at
the start or can be brought about by an action, again as far as what never changes tells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from asplan.core.warning import InputWarning
from asplan.pddl.language import conditions, syntax
from asplan.pddl.language.conditions import Condition, Interpretation, Literal, Relation, both
from asplan.pddl.language.syntax import GroundAtom, TaskText, substitute

MOST = 100_000
"""Rows that are looked at for one action; a task with more is not looked at further."""


class _TooMany(Exception):
    """There are more rows than `MOST`."""


def unpriced(task: TaskText) -> Iterator[InputWarning]:
    """A warning for each action whose cost has no value where it looks as if it could apply."""
    if not task.has_costs:
        return
    possible = _Possible(task)
    for action in task.domain.actions:
        if isinstance(function := action.cost, int):
            continue
        try:
            values = possible.values(action, function)
            missing = next((atom for atom in values if atom not in task.values), None)
        except _TooMany:
            return
        if missing is not None:
            words = (task.objects[key][0].name.text for key in missing[1:])
            written = f"({' '.join([function.name.text, *words])})"
            what = (
                f"{written} has no value in (:init …), so action {action.name} never applies where "
                "it would cost that"
            )
            yield InputWarning("pddl-cost", what, function.name.at)


class _Possible(Interpretation):
    """What may hold at some time: all that does, and more."""

    def __init__(self, task: TaskText) -> None:
        self.task, self.normalizer = task, conditions.Normalizer(task)
        self.open = set(task.fluents)
        self.relations = {signature.name.key: Relation() for signature in task.domain.predicates}
        self.relations[conditions.EQUAL] = Relation((key, key) for key in task.objects)
        for atom in task.problem.initial:
            predicate, *row = atom.ground()
            self.relations[predicate].rows.add(tuple(row))

    def values(self, action: syntax.Action, function: syntax.Atom) -> Iterator[GroundAtom]:
        """The values of a function that may be needed where an action applies."""
        schema = self.normalizer.schema(action)
        atom = function.ground(schema.bound)
        return self._atoms(atom, schema.ranges, schema.condition, self.task.fluents)

    def relation(self, predicate: str) -> Relation:
        """The rows of a predicate; those that actions add are found when they are first needed."""
        if predicate in self.open:
            self.open.remove(predicate)
            for schema in map(self.normalizer.schema, self.task.domain.actions):
                for change in schema.changes:
                    if change.positive and change.atom[0] == predicate:
                        when = both(schema.condition, change.condition)
                        added = self._atoms(change.atom, schema.ranges + change.ranges, when)
                        self.relations[predicate].rows.update(atom[1:] for atom in added)
        return self.relations[predicate]

    def _atoms(
        self,
        atom: GroundAtom,
        ranges: conditions.Ranges,
        condition: Condition,
        fluents: Collection[str] = (),
    ) -> Iterator[GroundAtom]:
        """What an atom may stand for, by conditions on what never changes and on some fluents."""
        parts, inner = conditions.conjuncts(condition)
        near = [p for p in parts if self._tells(p, fluents) and p.variables & set(atom)]
        known = set(atom).union(*(part.variables for part in near))
        query = conditions.query_of(tuple(r for r in ranges + inner if r[0] in known), both(*near))
        for count, found in enumerate(query({}, self)):
            if count == MOST:
                raise _TooMany
            yield substitute(atom, found)

    def _tells(self, part: Condition, fluents: Collection[str]) -> bool:
        if not isinstance(part, Literal) or part.predicate in self.task.derived:
            return False
        if part.predicate in self.task.fluents:
            return part.positive and part.predicate in fluents
        return True
