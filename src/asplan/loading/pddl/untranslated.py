"""What PDDL has, and `asplan.pddl` reads, but the translator does not take."""

from __future__ import annotations

from collections.abc import Iterator

from asplan.pddl.language import Each, Effect, Exists, Forall, Formula, Typed
from asplan.pddl.scopes import inside
from asplan.pddl.task import Task
from asplan.pddl.text import wrong


def refuse_untranslated(task: Task) -> None:
    """Raise `InputError` at the first thing that the translator would refuse without its place."""
    for typed in _typed(task):
        if len(typed.types) > 1:
            raise wrong(
                typed.types[1],
                f"(either …) for {typed.name}: the translator takes it in (:predicates …) only",
                f"declare a type above {' and '.join(map(str, typed.types))} and use that",
            )
    for declared in task.objects.values():
        if len(declared) > 1:
            raise wrong(
                declared[1].name,
                f"object {declared[1].name} is declared twice, first in {declared[0].name.at}",
                "leave one of the two out",
            )


def _typed(task: Task) -> Iterator[Typed]:
    """All names and variables with types, but for the parameters of predicates and functions."""
    domain = task.domain
    yield from (*domain.types, *domain.constants, *task.problem.objects)
    for action in domain.actions:
        yield from action.parameters
        yield from _bound(action.precondition, action.effect)
    for rule in domain.rules:
        yield from rule.parameters
        yield from _bound(rule.body)
    yield from _bound(task.problem.goal)


def _bound(*parts: Formula | Effect) -> Iterator[Typed]:
    """The variables of quantifiers."""
    for part in parts:
        for node, _ in inside(part, {}):
            if isinstance(node, Exists | Forall | Each):
                yield from node.variables
