"""Actions made ready to be executed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from asplan.pddl.language import Action, Cost, Increase, Task
from asplan.pddl.normal import Change, Normalizer, Objects
from asplan.pddl.query import Binding, Facts, Query, Row, Test, check_of, query_of
from asplan.pddl.scopes import inside

GroundAtom = tuple[str, ...]
"""A predicate with its arguments, in lower case."""


@dataclass(frozen=True)
class Operator:
    """An action.

    Attributes
    ----------
    variables
        The parameters, each under a name of its own.
    ranges
        The objects that each parameter may be.
    applies
        Whether the precondition holds.
    search
        The arguments for which it does.
    changes
        What is added or deleted, each with the search for the objects for which it is.
    cost
        A number, or a function that gives one; 0 where the action says nothing.
    """

    action: Action
    variables: tuple[str, ...]
    ranges: tuple[Objects, ...]
    applies: Test
    search: Query
    changes: tuple[tuple[Change, Query], ...]
    cost: int | Cost

    def binding(self, arguments: Row) -> Binding:
        """The values of the parameters."""
        return dict(zip(self.variables, arguments, strict=True))

    def changed(self, binding: Binding, facts: Facts) -> tuple[set[GroundAtom], set[GroundAtom]]:
        """The atoms that are added, and those that are deleted."""
        added: set[GroundAtom] = set()
        deleted: set[GroundAtom] = set()
        for change, search in self.changes:
            target = added if change.positive else deleted
            for found in search(binding, facts):
                words = [found.get(word, word) for word in change.arguments]
                target.add((change.predicate, *words))
        return added, deleted

    def key_of(self, arguments: Row) -> GroundAtom:
        """The function on which the cost depends, with its arguments."""
        assert isinstance(self.cost, Cost)
        values = {
            typed.name.key: value
            for typed, value in zip(self.action.parameters, arguments, strict=True)
        }
        return self.cost.function.key, *(values.get(w.key, w.key) for w in self.cost.arguments)


def operators_of(task: Task) -> dict[str, Operator]:
    """All actions of a task by their names."""
    normalizer = Normalizer(task)
    return {a.name.key: _operator(normalizer, a) for a in task.domain.actions}


def _operator(normalizer: Normalizer, action: Action) -> Operator:
    bound, ranges = normalizer.bind(action.parameters, {})
    condition = normalizer.condition(action.precondition, bound)
    known = tuple(variable for variable, _ in ranges)
    changes = normalizer.changes(action.effect, bound)
    return Operator(
        action=action,
        variables=known,
        ranges=tuple(objects for _, objects in ranges),
        applies=check_of(condition),
        search=query_of(ranges, condition),
        changes=tuple((c, query_of(c.ranges, c.condition, known)) for c in changes),
        cost=next(_increases(action), 0),
    )


def _increases(action: Action) -> Iterator[int | Cost]:
    return (p.amount for p, _ in inside(action.effect, {}) if isinstance(p, Increase))
