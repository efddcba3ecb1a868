"""What an action reads and writes, by its text: who may happen at the same time.

Two instants interfere if one reads or writes what the other writes: then they must not happen at
the same time, but `epsilon` apart (Fox and Long, PDDL2.1, 2003, Definition 12: no moving targets).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from asplan.pddl.language.syntax import (
    DURATION,
    Assign,
    Atom,
    Changed,
    Compare,
    Connected,
    Each,
    GroundAtom,
    Part,
    Quantified,
    TaskText,
    Together,
    Typed,
    When,
    expressions,
)

NUMBER = "="
"""Stands before a ground function where there are also ground atoms."""

Bound = Mapping[str, str]


def touched(part: Part, bound: Bound, text: TaskText) -> Iterator[tuple[GroundAtom, bool]]:
    """The atoms and functions of a condition or effect, and whether each is written."""
    match part:
        case Atom():
            yield part.ground(bound), False
        case Changed(atom):
            yield atom.ground(bound), True
        case Connected(_, parts) | Together(parts):
            for each in parts:
                yield from touched(each, bound, text)
        case When(condition, body):
            yield from touched(condition, bound, text)
            yield from touched(body, bound, text)
        case Quantified(_, variables, body) | Each(variables, body):
            for inner in _bindings(variables, bound, text):
                yield from touched(body, inner, text)
        case Compare(_, left, right):
            yield from _functions(bound, left, right)
        case Assign(_, target, amount):
            yield (NUMBER, *target.ground(bound)), True
            yield from _functions(bound, amount)


def _functions(bound: Bound, *several: object) -> Iterator[tuple[GroundAtom, bool]]:
    for each in expressions(*several):  # type: ignore[arg-type]
        if isinstance(each, Atom) and each.name.key != DURATION:
            yield (NUMBER, *each.ground(bound)), False


def _bindings(variables: tuple[Typed, ...], bound: Bound, text: TaskText) -> Iterator[Bound]:
    names = [typed.name.key for typed in variables]
    for row in product(*(text.objects_of(typed.type_keys) for typed in variables)):
        yield {**bound, **dict(zip(names, row, strict=True))}


def base_predicates(text: TaskText) -> dict[str, frozenset[str]]:
    """For each derived predicate those others on which its rules rest, whatever lies between."""
    direct: dict[str, set[str]] = {}
    for rule in text.domain.rules:
        known = direct.setdefault(rule.name.key, set())
        known.update(part.name.key for part in _atoms(rule.body))
    found = {}
    for name in direct:
        seen, left = {name}, [name]
        while left:
            new = direct.get(left.pop(), set()) - seen
            seen |= new
            left += new
        found[name] = frozenset(seen - direct.keys())
    return found


def _atoms(part: Part) -> Iterator[Atom]:
    match part:
        case Atom():
            yield part
        case Connected(_, parts):
            for each in parts:
                yield from _atoms(each)
        case Quantified(_, _, body):
            yield from _atoms(body)
