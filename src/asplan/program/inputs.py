"""The predicates that a program reads and nothing defines: its instance, where that is missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from asplan.core.errors import InputError
from asplan.core.text import amount
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.unit import QUERY, Unit

HINT = "give the file with its facts, too"


def spelled(key: Signature) -> str:
    """Return a predicate as people write it: `-at/2`."""
    return f"{key[0]}{key[1]}/{key[2]}"


def enumerated(names: Iterable[str]) -> str:
    """Return names as a sentence lists them: `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def missing_text(keys: Iterable[Signature], rules: int) -> str:
    """Return the sentence about predicates that so many rules read and nothing defines."""
    verb = "reads" if rules == 1 else "read"
    read = f"which {amount(rules, 'rule')} {verb}"
    return f"nothing defines {enumerated(map(spelled, keys))}, {read}: the instance is missing"


def missing_instance(unit: Unit) -> InputError | None:
    """Return the error about a program that reads facts and has none; None for any other program.

    Facts of times are none of an instance; helpers such as `dir(1;-1)` are none where nothing
    defines what bounds the time.
    """
    known = unit.defined | {QUERY} | set(map(syntax.named_by, unit.of_kind(ASTType.Defined)))
    readers = dict[Signature, list[AST]]()
    for statement in unit.statements:
        for key in sorted(syntax.read_in(statement) - known):
            readers.setdefault(key, []).append(statement)
    if not readers or (_has_facts(unit) and not _bounds_time(unit, readers)):
        return None
    reading = [statement for group in readers.values() for statement in group]
    text = missing_text(readers, len(set(map(id, reading))))
    return InputError(text, at=syntax.location(reading[0]), hint=HINT)


def _has_facts(unit: Unit) -> bool:
    if any(not _are_times(key, ()) for facts in unit.facts for key in facts.signatures):
        return True
    given = (s for s in unit.of_kind(ASTType.Rule) if not s.body and not syntax.is_choice(s))
    heads = [head for statement in given for head in syntax.heads(statement)]
    return any(not _are_times(syntax.signature(h), syntax.arguments(h)) for h in heads)


def _bounds_time(unit: Unit, missing: Collection[Signature]) -> bool:
    """Return whether some missing predicate has one argument, which is a time."""
    from asplan.program.sorts import sorts_of

    times = set[Signature]()
    for sort in sorts_of(unit).found:
        if sort.score > 0 and sort.steps:
            times |= sort.unary
    return not times.isdisjoint(missing)


def _are_times(key: Signature, terms: Collection[AST]) -> bool:
    """Return whether a fact is a range of numbers, as `time(0..n)`."""
    return key[2] == 1 and any(term.ast_type == ASTType.Interval for term in terms)
