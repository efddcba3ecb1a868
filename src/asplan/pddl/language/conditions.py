"""Conditions in a form that is evaluated: negation stands only before atoms and `exists`.

Every variable has a name of its own, so that the conditions inside of a conjunction can be looked
at together. For which objects a condition holds is found by joining the parts of a conjunction,
atoms by indexes; each condition is compiled once, for the variables that will have a value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import count, product
from math import prod
from types import MappingProxyType
from typing import NamedTuple

from asplan.pddl.language import syntax
from asplan.pddl.language.syntax import Formula, GroundAtom, Row, TaskText, Typed, substitute

EQUAL = "="
"""The predicate that says that both arguments are the same object; a relation like others."""

Ranges = tuple[tuple[str, Row], ...]  # variables, each with the objects that it stands for


@dataclass(frozen=True, eq=False)
class Literal:
    """An atom that holds, or that does not; its arguments are objects and variables.

    The `variables` of a condition are those that are free in it.
    """

    positive: bool
    predicate: str
    arguments: Row

    @cached_property
    def variables(self) -> frozenset[str]:
        return frozenset(word for word in self.arguments if word[0] == "?")


@dataclass(frozen=True, eq=False)
class Junction:
    """All parts hold, or (if not) one of them."""

    all: bool
    parts: tuple[Condition, ...]

    @cached_property
    def variables(self) -> frozenset[str]:
        return frozenset[str]().union(*(part.variables for part in self.parts))


@dataclass(frozen=True, eq=False)
class Some:
    """There are objects, or (if not positive) there are none, for which the body holds."""

    positive: bool
    ranges: Ranges
    body: Condition

    @cached_property
    def variables(self) -> frozenset[str]:
        return self.body.variables - {variable for variable, _ in self.ranges}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two numbers that compare so; `undefined` is what it comes to where one has no value."""

    holds: Callable[[Fraction, Fraction], bool]
    left: Value
    right: Value
    variables: frozenset[str]
    undefined: bool


Condition = Literal | Comparison | Junction | Some


def both(*parts: Condition) -> Condition:
    return Junction(True, parts)


@dataclass(frozen=True)
class Change:
    """An atom that an action adds or deletes for all objects for which the condition holds."""

    ranges: Ranges
    condition: Condition
    positive: bool
    atom: GroundAtom


@dataclass(frozen=True)
class Assignment:
    """A function that an action changes for all objects for which the condition holds.

    `word` says how, as `syntax.Assign` has it.
    """

    ranges: Ranges
    condition: Condition
    word: str
    function: GroundAtom
    amount: Value


class Schema(NamedTuple):
    """An action in normal form: `bound` has a variable of its own for each parameter."""

    action: syntax.Action
    bound: dict[str, str]
    ranges: Ranges
    condition: Condition
    changes: tuple[Change, ...]
    assignments: tuple[Assignment, ...]


class Normalizer:
    """Brings the conditions of a task into normal form; each variable is used once."""

    def __init__(self, task: TaskText) -> None:
        self.task = task
        self._numbers = count()

    def bind(
        self, variables: tuple[Typed, ...], outer: Mapping[str, str]
    ) -> tuple[dict[str, str], Ranges]:
        """New variables in place of those of a quantifier, and what they range over."""
        new = {typed.name.key: f"{typed.name.key}#{next(self._numbers)}" for typed in variables}
        objects = (self.task.objects_of(typed.type_keys) for typed in variables)
        return {**outer, **new}, tuple(zip(new.values(), objects, strict=True))

    def schema(self, action: syntax.Action) -> Schema:
        bound, ranges = self.bind(action.parameters, {})
        condition = self.condition(action.precondition, bound)
        effects = list(self.effects(action.effect, bound))
        changes = tuple(effect for effect in effects if isinstance(effect, Change))
        assignments = tuple(effect for effect in effects if isinstance(effect, Assignment))
        return Schema(action, bound, ranges, condition, changes, assignments)

    def condition(
        self,
        formula: Formula,
        bound: Mapping[str, str],
        positive: bool = True,
        undefined: bool = False,
    ) -> Condition:
        """The normal form; a comparison without a value comes to `undefined`, negated or not."""
        match formula:
            case syntax.Atom():
                predicate, *words = formula.ground(bound)
                return Literal(positive, predicate, tuple(words))
            case syntax.Equal(left, right):
                words = [bound.get(word.key, word.key) for word in (left, right)]
                return Literal(positive, EQUAL, tuple(words))
            case syntax.Compare(word, left, right):
                holds = COMPARISONS[word]
                return Comparison(
                    holds if positive else lambda a, b: not holds(a, b),
                    value_of(left, bound),
                    value_of(right, bound),
                    variables_of(bound, left, right),
                    undefined,
                )
            case syntax.Connected("not", (body,)):
                return self.condition(body, bound, not positive, undefined)
            case syntax.Connected("imply", (left, right)):
                fails = self.condition(left, bound, not positive, undefined)
                then = self.condition(right, bound, positive, undefined)
                return Junction(not positive, (fails, then))
            case syntax.Connected(word, several):
                found = tuple(self.condition(p, bound, positive, undefined) for p in several)
                return found[0] if len(found) == 1 else Junction((word == "and") == positive, found)
            case syntax.Quantified(word, variables, body):
                inner, ranges = self.bind(variables, bound)
                some = word == "exists"
                unknown = undefined == (some == positive)
                return Some(some == positive, ranges, self.condition(body, inner, some, unknown))

    def effects(
        self, effect: syntax.EffectFormula, bound: Mapping[str, str]
    ) -> Iterator[Change | Assignment]:
        match effect:
            case syntax.Changed(atom, holds):
                yield Change((), both(), holds, atom.ground(bound))
            case syntax.Assign(word, target, amount):
                function = target.ground(bound)
                yield Assignment((), both(), word, function, value_of(amount, bound))
            case syntax.Together(parts):
                for part in parts:
                    yield from self.effects(part, bound)
            case syntax.Each(variables, body):
                inner, ranges = self.bind(variables, bound)
                for change in self.effects(body, inner):
                    yield replace(change, ranges=ranges + change.ranges)
            case syntax.When(formula, body):
                condition = self.condition(formula, bound)
                for change in self.effects(body, bound):
                    yield replace(change, condition=both(condition, change.condition))


MOST_ALTERNATIVES = 64  # a disjunction that makes more of them than that stays as it is


def alternatives(condition: Condition) -> list[Condition]:
    """Conditions of which one holds where the condition does, with few disjunctions in them."""
    match condition:
        case Junction(False, parts):
            found = [one for part in parts for one in alternatives(part)]
        case Junction(True, parts):
            choices = [alternatives(part) for part in parts]
            if prod(map(len, choices)) > MOST_ALTERNATIVES:
                return [condition]
            found = [both(*choice) for choice in product(*choices)]
        case Some(True, ranges, body):
            found = [Some(True, ranges, one) for one in alternatives(body)]
        case _:
            return [condition]
    return found if len(found) <= MOST_ALTERNATIVES else [condition]


def literals(condition: Condition, positive: bool = True) -> Iterator[Literal]:
    """All literals of a condition; those inside of a negated `Some` with the sign turned."""
    match condition:
        case Literal():
            yield condition if positive else replace(condition, positive=not condition.positive)
        case Junction(_, parts):
            for part in parts:
                yield from literals(part, positive)
        case Some(sign, _, body):
            yield from literals(body, positive == sign)


def conjuncts(condition: Condition) -> tuple[tuple[Condition, ...], Ranges]:
    """The parts of a conjunction, those inside of `exists` included, and the variables of these."""
    match condition:
        case Junction(True, parts):
            split = [conjuncts(part) for part in parts]
            ranges = tuple(one for _, inner in split for one in inner)
            return tuple(part for found, _ in split for part in found), ranges
        case Some(True, ranges, body):
            found, inner = conjuncts(body)
            return found, ranges + inner
    return (condition,), ()


Binding = dict[str, str]
"""What the variables stand for; a variable that is not yet reached may have an old value."""


class Relation:
    """The rows for which a predicate holds, with an index for each way in which it is asked."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = set(rows)
        self._indexes: dict[tuple[int, ...], dict[Row, list[Row]]] = {}

    def add(self, row: Row) -> None:
        """Add a row that is not there."""
        self.rows.add(row)
        for positions in self._indexes:
            self._enter(row, positions)

    def _enter(self, row: Row, positions: tuple[int, ...]) -> None:
        key = tuple([row[i] for i in positions])
        self._indexes[positions].setdefault(key, []).append(row)

    def matching(self, positions: tuple[int, ...], key: Row) -> Collection[Row]:
        """The rows that have certain objects at certain positions."""
        if not positions:
            return self.rows
        if positions not in self._indexes:
            self._indexes[positions] = {}
            for row in self.rows:
                self._enter(row, positions)
        return self._indexes[positions].get(key, ())


class Interpretation:
    """What holds in a state, and the `values` of functions in it."""

    def __init__(self, values: Mapping[GroundAtom, Fraction] = MappingProxyType({})) -> None:
        self.values = values

    def relation(self, predicate: str) -> Relation:
        raise NotImplementedError

    def newest(self, predicate: str) -> Relation:
        """The rows that the round before has derived."""
        return self.relation(predicate)

    def holds(self, predicate: str, row: Row) -> bool:
        return row in self.relation(predicate).rows

    def value(self, function: GroundAtom) -> Fraction:
        """What a function is; `KeyError` if it has no value."""
        return self.values[function]


Value = Callable[[Binding, Interpretation], Fraction]
"""What an expression comes to, once its variables have values.

`KeyError` or `ZeroDivisionError` if it comes to nothing.
"""

COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">": operator.gt
}  # fmt: skip
_OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv
}  # fmt: skip


def value_of(expression: syntax.Expression, bound: Mapping[str, str]) -> Value:
    """An expression, compiled."""
    match expression:
        case Fraction() as number:
            return lambda b, facts: number
        case syntax.Atom() as function:
            words = function.ground(bound)
            return lambda b, facts: facts.value(substitute(words, b))
        case syntax.Operation("-", (part,)):
            negated = value_of(part, bound)
            return lambda b, facts: -negated(b, facts)
        case syntax.Operation(word, parts):
            operation, values = _OPERATIONS[word], [value_of(part, bound) for part in parts]
            return lambda b, facts: reduce(operation, (value(b, facts) for value in values))


def variables_of(bound: Mapping[str, str], *several: syntax.Expression) -> frozenset[str]:
    """The variables of expressions, by their names of their own."""
    atoms = syntax.functions(*several)
    return frozenset(word for atom in atoms for word in atom.ground(bound)[1:] if word[0] == "?")


Test = Callable[[Binding, Interpretation], bool]
Query = Callable[[Binding, Interpretation], Iterator[Binding]]
_Step = Callable[[Binding, Interpretation], Iterable[None]]
"""Gives values to further variables, in one way after the other."""


def check_of(condition: Condition) -> Test:
    """Whether a condition holds, once all its free variables have values."""
    match condition:
        case Literal(positive, predicate, (left, right)) if predicate == EQUAL:
            return lambda b, facts: (b.get(left, left) == b.get(right, right)) == positive
        case Literal(positive, predicate, words):
            return lambda b, facts: (
                facts.holds(predicate, tuple([b.get(word, word) for word in words])) == positive
            )
        case Comparison(holds, left_of, right_of, _, undefined):

            def compare(b: Binding, facts: Interpretation) -> bool:
                try:
                    return holds(left_of(b, facts), right_of(b, facts))
                except (KeyError, ZeroDivisionError):
                    return undefined

            return compare
        case Junction(is_all, parts):
            tests, join = tuple(map(check_of, parts)), all if is_all else any
            return lambda b, facts: join(test(b, facts) for test in tests)
        case Some(positive, ranges, body):
            query = query_of(ranges, body, condition.variables)
            return lambda b, facts: any(True for _ in query(b, facts)) == positive
    raise AssertionError(condition)


def query_of(
    ranges: Ranges, condition: Condition, bound: Collection[str] = (), first: Literal | None = None
) -> Query:
    """The search for objects, of some ranges, for which a condition holds.

    What it yields is one dictionary, changed from one solution to the next; a solution may come
    several times. The variables `bound` have values when it begins; `first` is a part that is
    matched with the newest rows only.
    """
    several = alternatives(condition)
    if len(several) != 1:
        queries = [query_of(ranges, one, bound) for one in several]
        return lambda b, facts: (found for query in queries for found in query(b, facts))
    parts, inner = conjuncts(several[0])
    steps = _join(dict(ranges + inner), list(parts), set(bound), first)

    def solutions(binding: Binding, facts: Interpretation, index: int = 0) -> Iterator[Binding]:
        if index == len(steps):
            yield binding
        else:
            for _ in steps[index](binding, facts):
                yield from solutions(binding, facts, index + 1)

    return solutions


def _join(
    ranges: dict[str, Row], parts: list[Condition], bound: set[str], first: Literal | None
) -> list[_Step]:
    """An order of a join: tests as early as can be, then atoms of which most is known."""
    steps: list[_Step] = []

    def openness(atom: Literal) -> tuple[int, int]:
        known = sum(word not in atom.variables - bound for word in atom.arguments)
        return -known, len(atom.arguments) - known

    if first is not None:
        parts.remove(first)
        steps.append(_match(first, ranges, bound, newest=True))
        bound |= first.variables
    while True:
        ready = [part for part in parts if part.variables <= bound]
        parts = [part for part in parts if not part.variables <= bound]
        if ready:
            steps.append(_check(check_of(both(*ready))))
        if atoms := [part for part in parts if isinstance(part, Literal) and part.positive]:
            best = min(atoms, key=openness)
            parts.remove(best)
            steps.append(_match(best, ranges, bound))
            bound |= best.variables
        elif unbound := [v for v in ranges if v not in bound]:
            used = {v for part in parts for v in part.variables}
            variable = min(unbound, key=lambda v: (v not in used, len(ranges[v])))
            steps.append(_choose(variable, ranges[variable]))
            bound.add(variable)
        elif not ready:
            return steps


def _check(test: Test) -> _Step:
    return lambda binding, facts: (None,) if test(binding, facts) else ()


def _choose(variable: str, objects: Row) -> _Step:
    def choose(binding: Binding, facts: Interpretation) -> Iterator[None]:
        for binding[variable] in objects:
            yield

    return choose


_set: Callable[[Row], frozenset[str]] = cache(frozenset)


def _match(atom: Literal, ranges: dict[str, Row], bound: set[str], newest: bool = False) -> _Step:
    """The rows of a predicate that agree with what is known give values to what is not."""
    predicate, words = atom.predicate, atom.arguments
    given = tuple(i for i, word in enumerate(words) if word[0] != "?" or word in bound)
    known = tuple(words[i] for i in given)
    places = {word: i for i, word in reversed(list(enumerate(words))) if i not in given}
    new = tuple((word, i, _set(ranges[word])) for word, i in places.items())
    twice = tuple(
        (i, places[word]) for i, word in enumerate(words) if word in places and places[word] != i
    )

    def match(binding: Binding, facts: Interpretation) -> Iterator[None]:
        relation = facts.newest(predicate) if newest else facts.relation(predicate)
        key = tuple([binding.get(word, word) for word in known])
        for row in relation.matching(given, key):
            if all(row[i] == row[j] for i, j in twice):
                for word, i, objects in new:
                    if row[i] not in objects:
                        break
                    binding[word] = row[i]
                else:
                    yield

    return match
