"""Numbers that a task leaves open: an action does not apply where what it costs has no value, or
where it reads another number that has none.

Many tasks give values only where they are needed, so that alone is nothing to speak of. It is where
the action looks as if it could apply: by its conditions on what never changes, and on what holds at
the start or can be brought about by an action, again as far as what never changes tells.
"""

from __future__ import annotations

from collections.abc import Iterator

from asplan.core.errors import InputWarning
from asplan.pddl.language import conditions, syntax
from asplan.pddl.language.conditions import Condition, Interpretation, Literal, Relation, both
from asplan.pddl.language.syntax import GroundAtom, TaskText, functions, substitute, together

MOST = 100_000  # rows that are looked at for one action; a task with more is not looked at further


class _TooMany(Exception):
    """There are more rows than `MOST`."""


def without_value(task: TaskText) -> Iterator[InputWarning]:
    """A warning for each action that needs a number without value where it may well apply.

    Costs should be there for all objects; of other numbers many tasks give those of the objects
    alone with which actions are to apply, so for these none must be there.
    """
    if not (task.has_costs or task.has_numbers or task.has_time):
        return
    possible = _Possible(task)
    for action in possible.actions:
        for function in _needed(task, action):
            try:
                schema = possible.normalizer.schema(action)
                atom = function.ground(schema.bound)
                values = possible.atoms(atom, schema.ranges, schema.condition, True)
                if task.has_costs:
                    missing = next((one for one in values if one not in task.values), None)
                else:
                    found = set(values)
                    missing = next(iter(sorted(found)), None)
                    missing = None if found & task.values.keys() else missing
            except _TooMany:
                return
            if missing is not None:
                words = (task.objects[key][0].name.text for key in missing[1:])
                written = f"({' '.join([function.name.text, *words])})"
                what = f"{written} has no value in (:init …), so action {action.name} never applies"
                code, where = "pddl-number", ""
                if task.has_costs:
                    code, where = "pddl-cost", " where it would cost that"
                yield InputWarning(code, what + where, function.name.at)


def _needed(task: TaskText, action: syntax.Action) -> Iterator[syntax.Atom]:
    """The functions that an action needs: its cost, or what else it reads whenever it applies."""
    if task.has_costs:
        if not isinstance(action.cost, int):
            yield action.cost
        return
    read: list[syntax.Expression] = []
    for part in (*together(action.precondition), *together(action.effect)):
        if isinstance(part, syntax.Compare):
            read += (part.left, part.right)
        elif isinstance(part, syntax.Assign):
            read.append(part.amount)
    for name, atom in {p.name.key: p for p in functions(*read)}.items():
        if name not in task.assigned | {syntax.DURATION}:
            yield atom


class _Possible(Interpretation):
    """What may hold at some time: all that does, and more."""

    def __init__(self, task: TaskText) -> None:
        self.task, self.normalizer = task, conditions.Normalizer(task)
        self.actions = [*task.domain.actions, *(a.at_any_time for a in task.domain.durative)]
        self.open = set(task.fluents)
        self.relations = {signature.name.key: Relation() for signature in task.domain.predicates}
        self.relations[conditions.EQUAL] = Relation((key, key) for key in task.objects)
        later = (change.atom for _, change in task.problem.timed if change.holds)
        for atom in (*task.problem.initial, *later):
            predicate, *row = atom.ground()
            self.relations[predicate].rows.add(tuple(row))

    def relation(self, predicate: str) -> Relation:
        """The rows of a predicate; those that actions add are found when they are first needed."""
        if predicate in self.open:
            self.open.remove(predicate)
            for schema in map(self.normalizer.schema, self.actions):
                for change in schema.changes:
                    if change.positive and change.atom[0] == predicate:
                        when = both(schema.condition, change.condition)
                        added = self.atoms(change.atom, schema.ranges + change.ranges, when)
                        self.relations[predicate].rows.update(atom[1:] for atom in added)
        return self.relations[predicate]

    def atoms(
        self,
        atom: GroundAtom,
        ranges: conditions.Ranges,
        condition: Condition,
        by_fluents: bool = False,
    ) -> Iterator[GroundAtom]:
        """What an atom may stand for, by conditions on what never changes, or on fluents, too."""
        parts, inner = conditions.conjuncts(condition)
        unknown = self.task.derived if by_fluents else self.task.derived | self.task.fluents
        near = [
            part
            for part in parts
            if isinstance(part, Literal)
            if part.predicate not in unknown
            if part.positive or part.predicate not in self.task.fluents
            if part.variables & set(atom)
        ]
        known = set(atom).union(*(part.variables for part in near))
        query = conditions.query_of(tuple(r for r in ranges + inner if r[0] in known), both(*near))
        for count, found in enumerate(query({}, self)):
            if count == MOST:
                raise _TooMany
            yield substitute(atom, found)
