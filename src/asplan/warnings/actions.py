"""Checks of actions: what steps choose, what limits it, and whether anybody sees it."""

from __future__ import annotations

from collections.abc import Iterator

from asplan.core.warning import InputWarning
from asplan.program.syntax import ASTType, ComparisonOperator, Signature
from asplan.program.roles import roles_of
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, spelled

_LOWER = (ComparisonOperator.LessThan, ComparisonOperator.LessEqual)


def find_actions(program: Clauses) -> Iterator[InputWarning]:
    """What is odd about the atoms that steps choose."""
    chosen = [
        (clause, head)
        for clause in program.rules
        if clause.part == "step" and clause.statement.ast_type == ASTType.Rule
        if clause.statement.head.ast_type in (ASTType.Aggregate, ASTType.HeadAggregate)
        for head in clause.heads
    ]
    yield from _unread(program, chosen)
    yield from _unlimited(program, chosen)
    yield from _hidden(program, {head.key for _, head in chosen})


def _unread(program: Clauses, chosen: list[tuple[Clause, Use]]) -> Iterator[InputWarning]:
    """Actions that nothing reads; one without arguments may be there to do nothing."""
    for key in dict.fromkeys(head.key for _, head in chosen):
        head = next(head for _, head in chosen if head.key == key)
        if key not in program.reads and key[2] > 1 and len(chosen) == 1:
            text = f"nothing reads {spelled(key)}, so choosing it changes nothing"
            yield make_warning("unread-action", text, head.at)


def _unlimited(program: Clauses, chosen: list[tuple[Clause, Use]]) -> Iterator[InputWarning]:
    """A choice of actions that neither its bounds nor any rule limits."""
    keys = {head.key for _, head in chosen if head.shifts and head.key[2] > 1}
    if not keys or any(_is_bounded(clause) for clause, _ in chosen):
        return
    effects = keys | {key for key in program.definitions if keys & program.behind([key])}
    for clause in program.clauses:
        own = [use for use in clause.reads if use.key in effects]
        if any(use.inner for use in own) or len(own) > 1:
            return
    clause, head = chosen[0]
    text = f"nothing limits how many atoms of {spelled(head.key)} a step has"
    yield make_warning("unlimited", text, clause.at, "one action a step: { … } = 1")


def _is_bounded(clause: Clause) -> bool:
    head = clause.statement.head
    guards = [guard for guard in (head.left_guard, head.right_guard) if guard is not None]
    return len(guards) > 1 or any(guard.comparison not in _LOWER for guard in guards)


def _hidden(program: Clauses, keys: set[Signature]) -> Iterator[InputWarning]:
    """`#show` that names nothing that happens."""
    if program.shown and keys and not roles_of(program.program).actions:
        at = next(iter(program.shown.values()))
        names = " and ".join(sorted(map(spelled, keys)))
        text = f"#show hides {names}, so a plan has no actions to see"
        yield make_warning("hidden-actions", text, at)
