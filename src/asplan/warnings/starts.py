"""A check of the initial state: fluents without a start, so that they are never true."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from asplan.clingo import SymbolType
from asplan.core.errors import InputWarning
from asplan.program.roles.inputs import HINT, key_text, listing
from asplan.program.syntax import Signature, number_of
from asplan.warnings.catalogue import make_warning
from asplan.warnings.index import ProgramIndex, is_slip
from asplan.warnings.inputs import given_predicates
from asplan.warnings.rules import is_unfounded

_Row = tuple[int | None, ...]
"""The numbers in an atom of `base`: its time, then all arguments; None for other terms."""


def find_missing_starts(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each fluent that is only derived from itself at an earlier time.

    Predicates that are only derived from themselves at the same time get a warning of `rules`.
    If the program is one file and no fluent has anything like a start, yield a warning about a
    missing instance instead.
    """
    if index.program.scripts or not given_predicates(index):
        return
    possible = _possible_predicates(index)
    never = [key for key in index.places if _is_never_true(index, key, possible)]
    lost = [key for key in never if not is_unfounded(index, key)]
    hints = {key: _start_hint(index, key) for key in lost}
    if lost and not any(hints.values()) and _has_no_start(index):
        yield _missing_instance(index, lost)
    elif index.has_facts:
        yield from _missing_starts(index, hints)


def _has_no_start(index: ProgramIndex) -> bool:
    """Return whether the program is one file whose `base` has no atoms of any fluent."""
    fluents = index.roles.fluents & index.places.keys()
    return index.is_one_file and not any(map(index.is_in_base, fluents))


def _missing_instance(
    index: ProgramIndex,
    lost: list[Signature],
) -> InputWarning:
    head = index.timed_heads(lost[0])[0]
    text = f"nothing gives {listing(map(key_text, lost))} at time 0: the instance is missing"
    return make_warning("missing-instance", text, head.at, HINT)


def _missing_starts(
    index: ProgramIndex,
    hints: Mapping[Signature, str],
) -> Iterator[InputWarning]:
    """Yield a warning for each fluent in `hints`: these are the fluents without a start.

    `hints` has a hint for each fluent, perhaps empty. If the program has several files, fluents
    with an empty hint get no warning.
    """
    for key, hint in hints.items():
        if hint or index.is_one_file:
            yield _missing_start(index, key, hint or "add facts for time 0, or rules in base")


def _missing_start(
    index: ProgramIndex,
    key: Signature,
    hint: str,
) -> InputWarning:
    head = index.timed_heads(key)[0]
    text = f"{key_text(key)} is never true: only {key_text(key)} at t-1 derives it"
    return make_warning("no-start", text, head.at, hint)


def _is_never_true(
    index: ProgramIndex,
    key: Signature,
    possible: Collection[Signature],
) -> bool:
    """Return whether each rule for a predicate reads the predicate itself, and other rules read it.

    `possible` are the predicates that may have atoms. All other predicates that the rules read
    without `not` must be among them.
    """
    if key in possible:
        return False
    needed: set[Signature] = set()
    for head in index.heads[key]:
        needed.update(head.rule.positive_keys.difference(possible))
    if needed != {key}:
        return False
    readers = (rule for rule in index.statements if any(use.key == key for use in rule.reads))
    return any(all(head.key != key for head in rule.heads) for rule in readers)


def _possible_predicates(index: ProgramIndex) -> set[Signature]:
    """Return the predicates that may have atoms.

    Undefined predicates are among them, since other checks warn about these.
    """
    possible = {key for key in index.reads if key not in index.defined}
    possible |= index.program.declared
    for key in index.defined - possible:
        if _may_start(index, key):
            possible.add(key)
    rules = [rule for rule in index.rules if rule.part != "base"]
    has_changed = True
    while has_changed:
        derived: set[Signature] = set()
        for rule in rules:
            if rule.positive_keys <= possible:
                derived |= {head.key for head in rule.heads}
        has_changed = not derived <= possible
        possible |= derived
    return possible


def _may_start(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether a predicate has atoms in `base` that may be the start of a fluent.

    An atom of time 0 is a start. If all atoms have later times, they are a start too, unless this
    looks like a mistake: all of them have time 1, or another argument is 0 in all of them.
    """
    if key not in index.places:
        return index.is_in_base(key)
    rows = _rows(index, key)
    if not rows:
        return False
    times, *others = (set(column) for column in zip(*rows, strict=True))
    is_late = all((time or 0) > 0 for time in times)
    return not is_late or (times != {1} and {0} not in others)


def _rows(
    index: ProgramIndex,
    key: Signature,
) -> set[_Row]:
    """Return a row for each atom of a predicate in `base`: its time, then all its arguments.

    Arguments that are no numbers are None.
    """
    place = index.places[key]
    rows: set[_Row] = set()
    for head in index.heads.get(key, ()):
        if head.part == "base":
            terms = (head.terms[place], *head.terms)
            rows.add(tuple(map(number_of, terms)))
    for facts in index.program.facts:
        for fact in facts.symbols_of({key}):
            values = (fact.arguments[place], *fact.arguments)
            rows.add(tuple(v.number if v.type == SymbolType.Number else None for v in values))
    return rows


def _start_hint(
    index: ProgramIndex,
    key: Signature,
) -> str:
    """Return a hint about atoms of `base` that resemble the start of a fluent.

    It is empty if there are none.
    """
    if index.is_in_base(key):
        return f"its atoms in base do not have time 0, which is argument {index.places[key] + 1}"
    given = sorted(other for other in index.defined if not index.timed_heads(other))
    same_name = [other for other in given if other[:2] == key[:2]]
    if same_name:
        return f"there is {' and '.join(map(key_text, same_name))}"
    unread = [other for other in given if other[::2] == key[::2] and other not in index.reads]
    alike = [other for other in unread if is_slip(other[1], key[1])]
    return f"nothing reads {' or '.join(map(key_text, alike))}" if alike else ""
