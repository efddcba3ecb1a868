"""Interpretations of predicates and functions, and the evaluation of expressions in them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from types import MappingProxyType

from asplan.pddl.language import syntax
from asplan.pddl.language.syntax import GroundAtom, Row, substitute

Binding = dict[str, str]
"""The values of variables; a variable that a query has not reached yet may have an old value."""


class RowIndex:
    """The rows (arguments) for which a predicate holds.

    There is an index for each set of argument positions by which rows are looked up.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = set(rows)
        self._indexes: dict[tuple[int, ...], dict[Row, list[Row]]] = {}

    def add(self, row: Row) -> None:
        """Add a row, which must not be there yet."""
        self.rows.add(row)
        for positions in self._indexes:
            self._enter(row, positions)

    def _enter(
        self,
        row: Row,
        positions: tuple[int, ...],
    ) -> None:
        """Add a row to the index of these positions."""
        key = tuple([row[i] for i in positions])
        self._indexes[positions].setdefault(key, []).append(row)

    def matching(
        self,
        positions: tuple[int, ...],
        key: Row,
    ) -> Collection[Row]:
        """Return the rows that have the objects of `key` at these positions."""
        if not positions:
            return self.rows
        if positions not in self._indexes:
            self._indexes[positions] = {}
            for row in self.rows:
                self._enter(row, positions)
        return self._indexes[positions].get(key, ())


class Interpretation:
    """The base class of interpretations: relations of predicates, and `values` of functions."""

    def __init__(self, values: Mapping[GroundAtom, Fraction] = MappingProxyType({})) -> None:
        self.values = values

    def relation(self, predicate: str) -> RowIndex:
        """Return all rows of arguments for which a predicate holds."""
        raise NotImplementedError

    def newest(self, predicate: str) -> RowIndex:
        """Return the rows of a predicate that the last round of rules has derived.

        Interpretations without rules return all rows.
        """
        return self.relation(predicate)

    def holds(
        self,
        predicate: str,
        row: Row,
    ) -> bool:
        """Return whether the predicate holds for the arguments in `row`."""
        return row in self.relation(predicate).rows

    def value(self, function: GroundAtom) -> Fraction:
        """Return the value of a ground function.

        Raise `KeyError`, with the function as its argument, if the function has no value.
        """
        return self.values[function]


Value = Callable[[Binding, Interpretation], Fraction]
"""A compiled expression: a function from a binding and an interpretation to its value.

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
    """Compile an expression; `bound` maps its variables to their unique names or to objects."""
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
    """Return the variables of expressions, by their unique names in `bound`."""
    variables: set[str] = set()
    for atom in syntax.functions(*several):
        _, *words = atom.ground(bound)
        variables.update(word for word in words if word[0] == "?")
    return frozenset(variables)
