"""Interpretations of predicates and functions, and expressions as functions of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from types import MappingProxyType

from asplan.pddl.language import syntax
from asplan.pddl.language.syntax import GroundAtom, Row, substitute

Binding = dict[str, str]
"""The values of variables; a variable that is not yet reached may have an old value."""


class Relation:
    """The rows of a predicate, with an index for each set of positions that is looked up."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = set(rows)
        self._indexes: dict[tuple[int, ...], dict[Row, list[Row]]] = {}

    def add(self, row: Row) -> None:
        """Add a row that is new."""
        self.rows.add(row)
        for positions in self._indexes:
            self._enter(row, positions)

    def _enter(
        self,
        row: Row,
        positions: tuple[int, ...],
    ) -> None:
        key = tuple([row[i] for i in positions])
        self._indexes[positions].setdefault(key, []).append(row)

    def matching(
        self,
        positions: tuple[int, ...],
        key: Row,
    ) -> Collection[Row]:
        """Return the rows with the objects of `key` at the positions."""
        if not positions:
            return self.rows
        if positions not in self._indexes:
            self._indexes[positions] = {}
            for row in self.rows:
                self._enter(row, positions)
        return self._indexes[positions].get(key, ())


class Interpretation:
    """The relations of a state and its `values` of functions."""

    def __init__(self, values: Mapping[GroundAtom, Fraction] = MappingProxyType({})) -> None:
        self.values = values

    def relation(self, predicate: str) -> Relation:
        """Return the rows of a predicate."""
        raise NotImplementedError

    def newest(self, predicate: str) -> Relation:
        """Return the rows of a predicate that the last round of rules has derived."""
        return self.relation(predicate)

    def holds(
        self,
        predicate: str,
        row: Row,
    ) -> bool:
        """Return whether an atom holds."""
        return row in self.relation(predicate).rows

    def value(self, function: GroundAtom) -> Fraction:
        """Return the value of a function; raise `KeyError` if it has none."""
        return self.values[function]


Value = Callable[[Binding, Interpretation], Fraction]
"""The value of an expression once its variables are bound.

It raises `KeyError` or `ZeroDivisionError` if there is no value.
"""

COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">": operator.gt
}  # fmt: skip
_OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv
}  # fmt: skip


def value_of(
    expression: syntax.Expression,
    bound: Mapping[str, str],
) -> Value:
    """Compile an expression."""
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
            operation = _OPERATIONS[word]
            values = [value_of(part, bound) for part in parts]
            return lambda b, facts: reduce(operation, (value(b, facts) for value in values))


def variables_of(
    bound: Mapping[str, str],
    *several: syntax.Expression,
) -> frozenset[str]:
    """Return the variables of expressions, by their unique names."""
    variables: set[str] = set()
    for atom in syntax.functions(*several):
        _, *words = atom.ground(bound)
        variables.update(word for word in words if word[0] == "?")
    return frozenset(variables)
