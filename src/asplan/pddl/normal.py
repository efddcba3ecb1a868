"""Conditions in a form that is evaluated: negation stands only before atoms and `exists`.

Every variable has a name of its own, so that the conditions inside of a conjunction can be looked
at together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count, product
from math import prod

from asplan.pddl.language import (
    Add,
    And,
    Atom,
    Delete,
    Each,
    Effect,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Task,
    Together,
    Typed,
    When,
)

EQUAL = "="
"""The predicate of `Literal` that says that both arguments are the same object."""

Objects = tuple[str, ...]
Ranges = tuple[tuple[str, Objects], ...]
"""Variables, each with the objects that it stands for."""


@dataclass(frozen=True, eq=False)
class Literal:
    """An atom that holds, or that does not; its arguments are objects and variables."""

    positive: bool
    predicate: str
    arguments: tuple[str, ...]

    @cached_property
    def variables(self) -> frozenset[str]:
        """Those that are free in it."""
        return frozenset(word for word in self.arguments if word[0] == "?")


@dataclass(frozen=True, eq=False)
class All:
    """All parts hold."""

    parts: tuple[Condition, ...]

    @cached_property
    def variables(self) -> frozenset[str]:
        """Those that are free in it."""
        return frozenset[str]().union(*(part.variables for part in self.parts))


@dataclass(frozen=True, eq=False)
class Any:
    """One of the parts holds."""

    parts: tuple[Condition, ...]

    @cached_property
    def variables(self) -> frozenset[str]:
        """Those that are free in it."""
        return frozenset[str]().union(*(part.variables for part in self.parts))


@dataclass(frozen=True, eq=False)
class Some:
    """There are objects, or (if not positive) there are none, for which the body holds."""

    positive: bool
    ranges: Ranges
    body: Condition

    @cached_property
    def variables(self) -> frozenset[str]:
        """Those that are free in it."""
        return self.body.variables - {variable for variable, _ in self.ranges}


Condition = Literal | All | Any | Some
TRUE = All(())


@dataclass(frozen=True)
class Change:
    """An atom that an action adds or deletes for all objects for which the condition holds."""

    ranges: Ranges
    condition: Condition
    positive: bool
    predicate: str
    arguments: tuple[str, ...]


class Normalizer:
    """Brings the conditions of a task into normal form; each variable is used once."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._numbers = count()

    def bind(
        self, variables: tuple[Typed, ...], outer: Mapping[str, str]
    ) -> tuple[dict[str, str], Ranges]:
        """New variables in place of those of a quantifier, and what they range over."""
        new = {typed.name.key: f"{typed.name.key}#{next(self._numbers)}" for typed in variables}
        ranges = tuple(
            (new[typed.name.key], self.task.objects_of(typed.types)) for typed in variables
        )
        return {**outer, **new}, ranges

    def condition(
        self, formula: Formula, bound: Mapping[str, str], positive: bool = True
    ) -> Condition:
        """A condition, or its negation."""
        match formula:
            case Atom(predicate, arguments):
                words = tuple(bound.get(word.key, word.key) for word in arguments)
                return Literal(positive, predicate.key, words)
            case Equal(left, right):
                words = tuple(bound.get(word.key, word.key) for word in (left, right))
                return Literal(positive, EQUAL, words)
            case Not(body):
                return self.condition(body, bound, not positive)
            case And(parts):
                return _joined(positive, tuple(self.condition(p, bound, positive) for p in parts))
            case Or(parts):
                return _joined(
                    not positive, tuple(self.condition(p, bound, positive) for p in parts)
                )
            case Imply(left, right):
                sides = (
                    self.condition(left, bound, not positive),
                    self.condition(right, bound, positive),
                )
                return _joined(not positive, sides)
            case Exists(variables, body):
                inner, ranges = self.bind(variables, bound)
                return Some(positive, ranges, self.condition(body, inner))
            case Forall(variables, body):
                inner, ranges = self.bind(variables, bound)
                return Some(not positive, ranges, self.condition(body, inner, False))

    def changes(
        self,
        effect: Effect,
        bound: Mapping[str, str],
        ranges: Ranges = (),
        condition: Condition = TRUE,
    ) -> Iterator[Change]:
        """All that an effect adds and deletes."""
        match effect:
            case Add(atom) | Delete(atom):
                words = tuple(bound.get(word.key, word.key) for word in atom.arguments)
                positive = isinstance(effect, Add)
                yield Change(ranges, condition, positive, atom.predicate.key, words)
            case Together(parts):
                for part in parts:
                    yield from self.changes(part, bound, ranges, condition)
            case Each(variables, body):
                inner, more = self.bind(variables, bound)
                yield from self.changes(body, inner, ranges + more, condition)
            case When(test, body):
                both = All((condition, self.condition(test, bound)))
                yield from self.changes(body, bound, ranges, both)
            case _:
                pass


def _joined(conjunction: bool, parts: tuple[Condition, ...]) -> Condition:
    if len(parts) == 1:
        return parts[0]
    return All(parts) if conjunction else Any(parts)


MOST_ALTERNATIVES = 64
"""A disjunction that makes more of them than that stays as it is."""


def alternatives(condition: Condition) -> list[Condition]:
    """Conditions of which one holds where the condition does, with few disjunctions in them."""
    match condition:
        case Any(parts):
            found = [one for part in parts for one in alternatives(part)]
        case All(parts):
            choices = [alternatives(part) for part in parts]
            if prod(map(len, choices)) > MOST_ALTERNATIVES:
                return [condition]
            found = [All(choice) for choice in product(*choices)]
        case Some(True, ranges, body):
            found = [Some(True, ranges, one) for one in alternatives(body)]
        case _:
            return [condition]
    return found if len(found) <= MOST_ALTERNATIVES else [condition]


def literals(condition: Condition, positive: bool = True) -> Iterator[Literal]:
    """All literals of a condition; those inside of a negated `Some` with the sign turned."""
    match condition:
        case Literal():
            yield (
                condition
                if positive
                else Literal(not condition.positive, condition.predicate, condition.arguments)
            )
        case All(parts) | Any(parts):
            for part in parts:
                yield from literals(part, positive)
        case Some(sign, _, body):
            yield from literals(body, positive == sign)
