"""Numbers that a task leaves open: an action does not apply where what it costs has no value, or
where it reads another number that has none.

Many tasks give values only where they are needed, so that alone is nothing to speak of. It is where
the action looks as if it could apply: by its conditions on what never changes, and on what holds at
the start or can be brought about by an action, again as far as what never changes tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asplan.core.errors import InputWarning
from asplan.pddl.language import conditions, syntax
from asplan.pddl.language.conditions import Condition, Interpretation, Literal, Relation, both
from asplan.pddl.language.syntax import (
    Assign,
    GroundAtom,
    TaskText,
    functions,
    substitute,
    together,
)

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
    yield from _goal_without_value(task)
    possible = _Possible(task)
    for action in possible.actions:
        for function in _needed(task, action):
            try:
                schema = possible.normalizer.schema(action)
                atom = function.ground(schema.bound)
                values = possible.atoms(atom, schema.ranges, schema.condition, True)
                if task.has_costs:
                    missing = [one for one in values if one not in task.values][:1]
                else:
                    found = set(values)
                    missing = [] if found & task.values.keys() else sorted(found)
            except _TooMany:
                return
            if missing:
                what = f"{_lacking(task, missing)}, so action {action.name} never applies"
                code, where = "pddl-number", ""
                if task.has_costs:
                    code, where = "pddl-cost", " where it would cost that"
                yield InputWarning(code, what + where, function.name.at)


def _goal_without_value(task: TaskText) -> Iterator[InputWarning]:
    """Warn of numbers of the goal that have no value at the start and are given none."""
    compared = [part for part in together(task.problem.goal) if isinstance(part, syntax.Compare)]
    for part in compared:
        for function in functions(part.left, part.right):
            atom = function.ground()
            is_open = function.name.key in _assigned(task) or atom in task.values
            if not is_open and function.name.key != syntax.TOTAL_TIME:
                what = f"{_lacking(task, [atom])}, so the goal can never hold"
                yield InputWarning("pddl-number", what, function.name.at)


def _lacking(task: TaskText, missing: Sequence[GroundAtom]) -> str:
    """Return that numbers have no value, in words: of two, or of the first of more."""
    declared = {signature.name.key: signature.name.text for signature in task.domain.functions}
    texts: list[str] = []
    for name, *row in missing if len(missing) == 2 else missing[:1]:
        words = (task.objects[key][0].name.text for key in row)
        texts.append(f"({' '.join([declared.get(name, name), *words])})")
    return f"{' and '.join(texts)} {'have' if texts[1:] else 'has'} no value in (:init …)"


def _assigned(task: TaskText) -> set[str]:
    """Return the functions to which an effect gives a value, whether they have one or not."""
    given = {p.target.name.key for p in task.parts if isinstance(p, Assign) and p.word == "assign"}
    return given | {syntax.DURATION, syntax.TOTAL_COST}


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
        elif isinstance(part, Assign):
            read.append(part.amount)
            if part.word != "assign":
                read.append(part.target)
    assigned = _assigned(task)
    for name, atom in {p.name.key: p for p in functions(*read)}.items():
        if name not in assigned:
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
