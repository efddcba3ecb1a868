"""Linear expressions over ground numbers, such as `2 * fuel(a) + 5`, with exact coefficients.

>>> from asplan.pddl.language.lexer import PddlSource, read_group
>>> from asplan.pddl.language.formulas import expression_of
>>> source = PddlSource("p.pddl", "(- (* 2 (fuel ?x)) (/ (size) 4))")
>>> found = evaluate(expression_of(read_group(source)), {"?x": "a"}, {("size",): Fraction(20)})
>>> found.terms, found.constant
({('fuel', 'a'): Fraction(2, 1)}, Fraction(-5, 1))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce

from asplan.core.errors import InputError
from asplan.pddl.language.lexer import quoted, wrong
from asplan.pddl.language.syntax import Atom, Expression, GroundAtom, Operation

ZERO = Fraction(0)


class UndefinedError(ValueError):
    """An expression has no value: a division by zero, or a function that has none."""


@dataclass(frozen=True)
class Linear:
    """The sum of a constant and of numbers with their coefficients, none of which is 0."""

    terms: Mapping[GroundAtom, Fraction] = field(default_factory=dict)
    constant: Fraction = ZERO

    def __add__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for number, factor in other.terms.items():
            terms[number] = terms.get(number, ZERO) + factor
        left = {number: factor for number, factor in terms.items() if factor}
        return Linear(left, self.constant + other.constant)

    def __sub__(self, other: Linear) -> Linear:
        return self + other * Fraction(-1)

    def __mul__(self, factor: Fraction) -> Linear:
        if not factor:
            return Linear()
        terms = {number: known * factor for number, known in self.terms.items()}
        return Linear(terms, self.constant * factor)


def evaluate(
    expression: Expression, bound: Mapping[str, str], constants: Mapping[GroundAtom, Fraction]
) -> Linear:
    """An expression, in which functions that are constants are replaced by their values.

    Raises `InputError` where it is not linear, and `UndefinedError` where it divides by zero.
    """
    match expression:
        case Fraction():
            return Linear(constant=expression)
        case Atom():
            number = expression.ground(bound)
            if number in constants:
                return Linear(constant=constants[number])
            return Linear({number: Fraction(1)})
    parts = [evaluate(part, bound, constants) for part in expression.parts]
    match expression.word:
        case "+":
            return reduce(Linear.__add__, parts)
        case "-":
            return parts[0] - parts[1] if len(parts) > 1 else parts[0] * Fraction(-1)
        case "*":
            return reduce(lambda a, b: _product(expression, a, b), parts)
    left, right = parts
    if right.terms:
        raise _not_linear(expression)
    if not right.constant:
        raise UndefinedError
    return left * (1 / right.constant)


def _product(expression: Operation, left: Linear, right: Linear) -> Linear:
    if left.terms and right.terms:
        raise _not_linear(expression)
    return right * left.constant if right.terms else left * right.constant


def _not_linear(expression: Operation) -> InputError:
    return wrong(
        expression.at,
        f"{quoted(expression.at)} is not linear: it multiplies or divides by a number that changes",
        "one factor, and what divides, must be constant; ENHSP plans without that",
    )
