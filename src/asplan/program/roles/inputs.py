"""The recognition of a missing instance: predicates that a program reads and nothing defines."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from asplan.core.errors import InputError
from asplan.core.text import amount
from asplan.program import syntax
from asplan.program.reading.unit import QUERY, Unit
from asplan.program.syntax import AST, ASTType, Signature

HINT = "add the file with its facts"


def key_text(key: Signature) -> str:
    """Return a predicate as NAME/ARITY, such as `-at/2`."""
    sign, name, arity = key
    return f"{sign}{name}/{arity}"


def listing(names: Iterable[str]) -> str:
    """Join names as in a sentence: `a, b and c`."""
    *others, last = names
    if not others:
        return last
    return f"{', '.join(others)} and {last}"


def missing_text(keys: Iterable[Signature], rules: int) -> str:
    """Return the message about undefined predicates.

    `rules` is the number of rules that read them.
    """
    names = listing(map(key_text, keys))
    verb = "reads" if rules == 1 else "read"
    readers = f"which {amount(rules, 'rule')} {verb}"
    return f"nothing defines {names}, {readers}: the instance is missing"


def missing_instance(unit: Unit) -> InputError | None:
    """Return the error that a program lacks its instance; None for any other program.

    An instance is missing if the program reads undefined predicates and has no facts. Ranges of
    times do not count as facts. If an undefined predicate bounds the time, other facts, such as
    `dir(1;-1)`, do not count either.
    """
    readers = _readers_of_undefined(unit)
    if not readers:
        return None
    if _has_facts(unit) and not _bounds_time(unit, readers):
        return None
    rules = list[AST]()
    for group in readers.values():
        rules.extend(group)
    text = missing_text(readers, len(set(map(id, rules))))
    return InputError(text, at=syntax.location(rules[0]), hint=HINT)


def _readers_of_undefined(unit: Unit) -> dict[Signature, list[AST]]:
    """Map each undefined predicate to the statements that read it."""
    declared = map(syntax.named_by, unit.of_kind(ASTType.Defined))
    defined = unit.defined | {QUERY} | set(declared)
    readers = dict[Signature, list[AST]]()
    for statement in unit.statements:
        for key in sorted(syntax.read_in(statement) - defined):
            readers.setdefault(key, []).append(statement)
    return readers


def _has_facts(unit: Unit) -> bool:
    """Return whether a unit has facts other than ranges such as `time(0..n)`."""
    for facts in unit.facts:
        if any(not _is_range(key, ()) for key in facts.signatures):
            return True
    for rule in unit.of_kind(ASTType.Rule):
        if rule.body or syntax.is_choice(rule):
            continue
        for head in syntax.heads(rule):
            if not _is_range(syntax.signature(head), syntax.arguments(head)):
                return True
    return False


def _bounds_time(unit: Unit, missing: Collection[Signature]) -> bool:
    """Return whether one of the `missing` predicates is a domain of times with one argument."""
    from asplan.program.model.sorts import sorts_of

    times = set[Signature]()
    for sort in sorts_of(unit).found:
        if sort.score > 0 and sort.steps:
            times |= sort.unary
    return not times.isdisjoint(missing)


def _is_range(key: Signature, terms: Collection[AST]) -> bool:
    """Return whether a fact is a range of numbers such as `time(0..n)`.

    `terms` are its arguments.
    """
    _, _, arity = key
    return arity == 1 and any(term.ast_type == ASTType.Interval for term in terms)
