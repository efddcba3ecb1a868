"""Conditions, effects and expressions as PDDL text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from asplan.core.text import decimal_text
from asplan.pddl.language import syntax
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.syntax import Typed, substitute

DIGITS = 40
"""Behind the point, at most."""

_NONE: Mapping[str, str] = {}


def written(
    node: syntax.Formula | syntax.EffectFormula | syntax.Expression,
    bound: Mapping[str, str] = _NONE,
    names: PddlNames | None = None,
) -> str:
    """A condition, effect or expression; variables that have a value are replaced by it.

    With names, predicates and objects are spelled as their declarations have it.
    """

    def text(*parts: syntax.Formula | syntax.EffectFormula | syntax.Expression) -> str:
        return " ".join(written(part, bound, names) for part in parts)

    def group(*words: str) -> str:
        return f"({' '.join(filter(None, words))})"

    match node:
        case Fraction():
            return number_text(node)
        case syntax.Atom(name, ()) if name.key == syntax.DURATION:
            return str(name)
        case syntax.Atom(name, arguments):
            if names is not None:
                return names.written_atom(*node.ground(bound))
            return group(name.text, *substitute(tuple(map(str, arguments)), bound))
        case syntax.Equal(left, right):
            words = substitute(("=", left.key, right.key), bound)
            return names.spelled(*words) if names else group(*words)
        case syntax.Compare(word, left, right):
            return group(word, text(left, right))
        case syntax.Operation(word, parts) | syntax.Connected(word, parts):
            return group(word, text(*parts))
        case syntax.Quantified(word, variables, body):
            own = {typed.name.key for typed in variables}
            outer = {key: value for key, value in bound.items() if key not in own}
            return group(word, group(_typed(variables)), written(body, outer, names))
        case syntax.Changed(atom, holds):
            return text(atom) if holds else group("not", text(atom))
        case syntax.Together(parts):
            return group("and", text(*parts))
        case syntax.Each(variables, body):
            return group("forall", group(_typed(variables)), text(body))
        case syntax.When(condition, body):
            return group("when", text(condition, body))
        case syntax.Assign(word, target, amount):
            return group(word, text(target, amount))


def number_text(number: Fraction) -> str:
    """A number as PDDL writes it; one that has no end is an operation.

    >>> [number_text(Fraction(n)) for n in ("3", "-2.50", "1/3", "1e-3")]
    ['3', '-2.5', '(/ 1 3)', '0.001']
    """
    if 10**DIGITS % number.denominator:
        return f"(/ {number.numerator} {number.denominator})"
    return decimal_text(number, DIGITS)


def _typed(several: Iterable[Typed]) -> str:
    """Variables with their types."""
    return " ".join(f"{typed.name}{_types(typed)}" for typed in several)


def _types(typed: Typed) -> str:
    types = " ".join(map(str, typed.types))
    if len(typed.types) > 1:
        types = f"(either {types})"
    return f" - {types}" if types else ""
