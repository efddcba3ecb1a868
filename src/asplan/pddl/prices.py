"""Costs that a task leaves open: where what an action costs has no value, it does not apply.

Many tasks give values only where they are needed, so that alone is nothing to speak of. It is where
the action looks as if it could apply: by its conditions on what never changes, and on what holds at
the start or can be brought about by an action, again as far as what never changes tells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from asplan.pddl.language import Action, Add, Cost, Delete, Increase
from asplan.pddl.normal import All, Condition, Literal, Normalizer, Ranges
from asplan.pddl.query import Relation, Row, conjuncts, query_of
from asplan.pddl.scopes import inside
from asplan.pddl.task import Task

MOST = 100_000
"""Rows that are looked at for one action; a task with more is not looked at further."""


class _TooMany(Exception):
    """There are more rows than `MOST`."""


def unpriced(task: Task) -> Iterator[str]:
    """A warning for each action whose cost has no value where it looks as if it could apply."""
    if not task.problem.minimizes_cost:
        return
    priced = {
        (cost.function.key, *(word.key for word in cost.arguments))
        for cost, _ in task.problem.values
    }
    possible = _Possible(task)
    for action in task.domain.actions:
        for part, _ in inside(action.effect, {}):
            if isinstance(part, Increase) and isinstance(cost := part.amount, Cost):
                try:
                    rows = possible.arguments(action, cost)
                    missing = next((r for r in rows if (cost.function.key, *r) not in priced), None)
                except _TooMany:
                    return
                if missing is not None:
                    yield _warning(task, action, cost, missing)


def _warning(task: Task, action: Action, cost: Cost, missing: Row) -> str:
    words = (task.objects[key][0].name.text for key in missing)
    written = f"({' '.join([cost.function.text, *words])})"
    return (
        f"{cost.function.at}: {written} has no value in (:init …), so action {action.name} never "
        "applies where it would cost that"
    )


class _Possible:
    """What may hold at some time: all that does, and more."""

    def __init__(self, task: Task) -> None:
        self.normalizer, self.actions = Normalizer(task), task.domain.actions
        effects = (part for a in self.actions for part, _ in inside(a.effect, {}))
        self.fluent = {p.atom.predicate.key for p in effects if isinstance(p, Add | Delete)}
        self.derived = {rule.name.key for rule in task.domain.rules}
        self.open = set(self.fluent)
        self.relations = {signature.name.key: Relation() for signature in task.domain.predicates}
        for atom in task.problem.initial:
            self.relations[atom.predicate.key].rows.add(tuple(w.key for w in atom.arguments))

    def arguments(self, action: Action, cost: Cost) -> Iterator[Row]:
        """The arguments that a cost may have where its action applies."""
        bound, ranges = self.normalizer.bind(action.parameters, {})
        condition = self.normalizer.condition(action.precondition, bound)
        words = tuple(bound.get(word.key, word.key) for word in cost.arguments)
        return self._rows(words, ranges, condition, self.fluent)

    def holds(self, predicate: str, row: Row) -> bool:
        """Whether an atom may hold."""
        return row in self.relation(predicate).rows

    def relation(self, predicate: str) -> Relation:
        """The rows of a predicate; those that actions add are found when they are first needed."""
        if predicate in self.open:
            self.open.remove(predicate)
            for row in self._added(predicate):
                self.relations[predicate].rows.add(row)
        return self.relations[predicate]

    newest = relation

    def _added(self, predicate: str) -> Iterator[Row]:
        for action in self.actions:
            bound, ranges = self.normalizer.bind(action.parameters, {})
            condition = self.normalizer.condition(action.precondition, bound)
            for change in self.normalizer.changes(action.effect, bound):
                if change.positive and change.predicate == predicate:
                    both = All((condition, change.condition))
                    yield from self._rows(change.arguments, ranges + change.ranges, both)

    def _rows(
        self, words: Row, ranges: Ranges, condition: Condition, fluent: Collection[str] = ()
    ) -> Iterator[Row]:
        """What words may stand for, by conditions on what never changes and on some fluents."""
        parts, inner = conjuncts(condition)
        near = [p for p in parts if self._tells(p, fluent) and p.variables & set(words)]
        asked = set(words).union(*(part.variables for part in near))
        query = query_of(tuple(r for r in ranges + inner if r[0] in asked), All(tuple(near)))
        for count, found in enumerate(query({}, self)):
            if count == MOST:
                raise _TooMany
            yield tuple(found.get(word, word) for word in words)

    def _tells(self, part: Condition, fluent: Collection[str]) -> bool:
        if not isinstance(part, Literal) or part.predicate in self.derived:
            return False
        if part.predicate in self.fluent:
            return part.positive and part.predicate in fluent
        return True
