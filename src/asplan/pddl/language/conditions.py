"""Conditions in negation normal form: negation is only before atoms and `exists`.

Each variable has a unique name, such as `?x#3`, so that nested conjunctions can be flattened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, count, product
from math import prod
from typing import NamedTuple

from asplan.core.dataclass import dataclass
from asplan.pddl.language import syntax
from asplan.pddl.language.interpretation import COMPARISONS, Value, value_of, variables_of
from asplan.pddl.language.syntax import Formula, GroundAtom, Row, TaskText, Typed

EQUAL = "="
"""The predicate that two objects are the same; it is treated as a relation like others."""

Ranges = tuple[tuple[str, Row], ...]  # variables, each with its objects


@dataclass(frozen=True, eq=False)
class PddlLiteral:
    """An atom, or its negation if not `positive`; its arguments are objects and variables."""

    positive: bool
    predicate: str
    arguments: Row

    @cached_property
    def variables(self) -> frozenset[str]:
        """The variables of the arguments."""
        return frozenset(word for word in self.arguments if word[0] == "?")


@dataclass(frozen=True, eq=False)
class Junction:
    """A conjunction if `all` is true, else a disjunction."""

    all: bool
    parts: tuple[Condition, ...]

    @cached_property
    def variables(self) -> frozenset[str]:
        """The free variables of all parts."""
        return frozenset[str]().union(*(part.variables for part in self.parts))


@dataclass(frozen=True, eq=False)
class Some:
    """The condition that some objects satisfy the body, or that none do (if not `positive`).

    `ranges` has the quantified variables, each with the objects that may be its value.
    """

    positive: bool
    ranges: Ranges
    body: Condition

    @cached_property
    def variables(self) -> frozenset[str]:
        """The free variables of the body, without the variables that are quantified here."""
        own = {variable for variable, _ in self.ranges}
        return self.body.variables - own


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of two numbers.

    Attributes
    ----------
    holds
        The function that compares the values.
    left, right
        The compiled expressions.
    variables
        The free variables.
    undefined
        The truth value of the comparison if an expression has no value.
    """

    holds: Callable[[Fraction, Fraction], bool]
    left: Value
    right: Value
    variables: frozenset[str]
    undefined: bool


Condition = PddlLiteral | Comparison | Junction | Some


def both(*parts: Condition) -> Condition:
    """Return the conjunction of conditions."""
    return Junction(True, parts)


@dataclass(frozen=True)
class Change:
    """An effect that adds an atom (if `positive`) or deletes it.

    `ranges` has the variables of the effect, each with the objects that may be its value. The
    effect happens for every choice of objects that satisfies the condition.
    """

    ranges: Ranges
    condition: Condition
    positive: bool
    atom: GroundAtom


@dataclass(frozen=True)
class Assignment:
    """An effect that changes a function.

    `ranges` and `condition` are as in `Change`. `word` is the kind of change, such as `increase`
    (see `syntax.Assign`).
    """

    ranges: Ranges
    condition: Condition
    word: str
    function: GroundAtom
    amount: Value


class Schema(NamedTuple):
    """An action in normal form.

    Attributes
    ----------
    action
        The action as its file defines it.
    bound
        The new name of each parameter, which is unique in the task.
    ranges
        These new names, each with the objects that may be the parameter's value.
    condition
        The precondition.
    changes, assignments
        The effects on atoms and on functions.
    """

    action: syntax.PddlAction
    bound: dict[str, str]
    ranges: Ranges
    condition: Condition
    changes: tuple[Change, ...]
    assignments: tuple[Assignment, ...]


class Normalizer:
    """Converts conditions, effects and actions of a task to normal form, with unique variables."""

    def __init__(self, task: TaskText) -> None:
        self.task = task
        self._numbers = count()

    def bind(
        self,
        variables: tuple[Typed, ...],
        outer: Mapping[str, str],
    ) -> tuple[dict[str, str], Ranges]:
        """Give unique names to the variables of a quantifier or action.

        Return two values: the unique names of all bound variables, including the variables in
        `outer`; and the unique names of `variables`, each with the objects that may be its value.
        """
        new = {typed.name.key: f"{typed.name.key}#{next(self._numbers)}" for typed in variables}
        objects = (self.task.objects_of(typed.type_keys) for typed in variables)
        return {**outer, **new}, tuple(zip(new.values(), objects, strict=True))

    def schema(self, action: syntax.PddlAction) -> Schema:
        """Convert an action to normal form."""
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
        """Return the normal form of a condition, or of its negation if not `positive`.

        Parameters
        ----------
        formula
            The condition.
        bound
            The unique names of its free variables.
        positive
            True to convert the condition, False to convert its negation.
        undefined
            The truth value of a comparison if one of its expressions has no value. A `not` before
            the comparison does not change it.
        """
        match formula:
            case syntax.Atom():
                predicate, *words = formula.ground(bound)
                return PddlLiteral(positive, predicate, tuple(words))
            case syntax.Equal(left, right):
                words = [bound.get(word.key, word.key) for word in (left, right)]
                return PddlLiteral(positive, EQUAL, tuple(words))
            case syntax.Compare():
                return _comparison(formula, bound, positive, undefined)
            case syntax.Connected("not", (body,)):
                return self.condition(body, bound, not positive, undefined)
            case syntax.Connected():
                return self._connected(formula, bound, positive, undefined)
            case syntax.Quantified():
                return self._quantified(formula, bound, positive, undefined)

    def _connected(
        self,
        formula: syntax.Connected,
        bound: Mapping[str, str],
        positive: bool,
        undefined: bool,
    ) -> Condition:
        """Return the normal form of `imply`, `and` or `or`; parameters as in `condition`."""
        if formula.word == "imply":
            left, right = formula.parts
            negated = self.condition(left, bound, not positive, undefined)
            conclusion = self.condition(right, bound, positive, undefined)
            return Junction(not positive, (negated, conclusion))
        parts = tuple(self.condition(part, bound, positive, undefined) for part in formula.parts)
        if len(parts) == 1:
            return parts[0]
        is_conjunction = (formula.word == "and") == positive
        return Junction(is_conjunction, parts)

    def _quantified(
        self,
        formula: syntax.Quantified,
        bound: Mapping[str, str],
        positive: bool,
        undefined: bool,
    ) -> Some:
        """Return the normal form of a quantifier; parameters as in `condition`.

        `(forall (V) B)` is converted as `(not (exists (V) (not B)))`.
        """
        inner, ranges = self.bind(formula.variables, bound)
        is_exists = formula.word == "exists"
        sign = is_exists == positive
        body = self.condition(formula.body, inner, is_exists, undefined == sign)
        return Some(sign, ranges, body)

    def effects(
        self,
        effect: syntax.EffectFormula,
        bound: Mapping[str, str],
    ) -> Iterator[Change | Assignment]:
        """Yield the changes in an effect, without `and`, `forall` and `when`.

        Each change contains the variables and conditions of all `forall` and `when` around it.
        """
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


def _comparison(
    formula: syntax.Compare,
    bound: Mapping[str, str],
    positive: bool,
    undefined: bool,
) -> Comparison:
    """Return the normal form of a comparison; parameters as in `Normalizer.condition`."""
    holds = COMPARISONS[formula.word]
    return Comparison(
        holds=holds if positive else lambda a, b: not holds(a, b),
        left=value_of(formula.left, bound),
        right=value_of(formula.right, bound),
        variables=variables_of(bound, formula.left, formula.right),
        undefined=undefined,
    )


MOST_ALTERNATIVES = 64  # a condition with more disjuncts stays as it is


def alternatives(condition: Condition) -> list[Condition]:
    """Return the disjuncts of a condition in disjunctive normal form.

    A part whose form would have more than `MOST_ALTERNATIVES` disjuncts is not converted.
    """
    match condition:
        case Junction(False, parts):
            disjuncts = list(chain.from_iterable(map(alternatives, parts)))
        case Junction(True, parts):
            choices = [alternatives(part) for part in parts]
            if prod(map(len, choices)) > MOST_ALTERNATIVES:
                return [condition]
            disjuncts = [both(*choice) for choice in product(*choices)]
        case Some(True, ranges, body):
            disjuncts = [Some(True, ranges, one) for one in alternatives(body)]
        case _:
            return [condition]
    return disjuncts if len(disjuncts) <= MOST_ALTERNATIVES else [condition]


def literals(
    condition: Condition,
    positive: bool = True,
) -> Iterator[PddlLiteral]:
    """Yield the literals of a condition, or of its negation if not `positive`.

    For a negated `Some`, yield the literals of its body with the opposite sign.
    """
    match condition:
        case PddlLiteral():
            yield condition if positive else replace(condition, positive=not condition.positive)
        case Junction(_, parts):
            for part in parts:
                yield from literals(part, positive)
        case Some(sign, _, body):
            yield from literals(body, positive == sign)


def conjuncts(condition: Condition) -> tuple[tuple[Condition, ...], Ranges]:
    """Return the parts of a conjunction; an `exists` among them is replaced by its body's parts.

    Also return the variables of each replaced `exists`, with the objects that may be their values.
    The replacement is possible because variables have unique names.
    """
    match condition:
        case Junction(True, parts):
            split = [conjuncts(part) for part in parts]
            flat = chain.from_iterable(inner for inner, _ in split)
            ranges = chain.from_iterable(inner for _, inner in split)
            return tuple(flat), tuple(ranges)
        case Some(True, own, body):
            inner_parts, inner_ranges = conjuncts(body)
            return inner_parts, own + inner_ranges
    return (condition,), ()
