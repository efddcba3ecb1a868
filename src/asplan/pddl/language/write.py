"""Conditions, effects, domains and problems as PDDL text.

>>> from asplan.pddl.language.lexer import PddlSource, read_group
>>> from asplan.pddl.language.parse import parse_problem
>>> text = '''(define (problem p) (:domain d) (:objects a b - truck)
...   (:init (at a) (= (fuel a) 2.5)) (:goal (and (> (fuel a) (+ 1 (fuel b))))))'''
>>> print(problem_text(parse_problem(read_group(PddlSource("p.pddl", text)))), end="")
(define (problem p)
  (:domain d)
  (:objects a - truck b - truck)
  (:init (at a) (= (fuel a) 2.5))
  (:goal (and (> (fuel a) (+ 1 (fuel b))))))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from asplan.core.text import decimal_text
from asplan.pddl.language import syntax
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.syntax import OBJECT, Typed, substitute

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


def _typed(several: Iterable[Typed], all_typed: bool = False) -> str:
    """Names or variables with types; with `all_typed` those without one are objects."""
    return " ".join(f"{typed.name}{_types(typed, all_typed)}" for typed in several)


def _types(typed: Typed, all_typed: bool) -> str:
    types = " ".join(map(str, typed.types)) or (OBJECT if all_typed else "")
    if len(typed.types) > 1:
        types = f"(either {types})"
    return f" - {types}" if types else ""


def domain_text(domain: syntax.DomainText) -> str:
    """A domain as the text of a file."""
    named = {typed.name.key for typed in domain.types}
    above = {word.key: Typed(word) for typed in domain.types for word in typed.types}
    types = *domain.types, *(typed for key, typed in above.items() if key not in named)
    sections = [
        _section(":requirements", map(str, domain.requirements)),
        _section(":types", [_typed((t for t in types if t.name.key != OBJECT), True)]),
        _section(":constants", [_typed(domain.constants, True)]),
        _section(":predicates", map(_signature, domain.predicates)),
        _section(":functions", (f"{_signature(f)} - number" for f in domain.functions)),
        *(_derivation(rule) for rule in domain.rules),
        *map(_action, domain.actions),
        *map(_durative, domain.durative),
    ]
    return _file(f"domain {domain.name}", sections)


def problem_text(problem: syntax.ProblemText) -> str:
    """A problem as the text of a file."""
    initial = [written(atom) for atom in problem.initial]
    initial += (f"(not {written(atom)})" for atom in problem.absent)
    initial += (f"(= {written(f)} {number_text(value)})" for f, value in problem.values)
    initial += (f"(at {number_text(time)} {written(change)})" for time, change in problem.timed)
    sections = [
        _section(":domain", [str(problem.domain)]),
        _section(":requirements", map(str, problem.requirements)),
        _section(":objects", [_typed(problem.objects, True)]),
        f"(:init {' '.join(initial)})" if initial else "(:init)",
        f"(:goal {written(problem.goal)})",
    ]
    if problem.metric is not None:
        direction, expression = problem.metric
        sections.append(f"(:metric {direction} {written(expression)})")
    return _file(f"problem {problem.name}", sections)


def _file(title: str, sections: Iterable[str]) -> str:
    return "\n  ".join([f"(define ({title})", *filter(None, sections)]) + ")\n"


def _section(keyword: str, parts: Iterable[str]) -> str:
    """A section; nothing where it would be empty."""
    inside = " ".join(filter(None, parts))
    return inside and f"({keyword} {inside})"


def _signature(signature: syntax.Signature | syntax.Derivation) -> str:
    parameters = _typed(signature.parameters, True)
    return f"({signature.name}{' ' if parameters else ''}{parameters})"


def _derivation(rule: syntax.Derivation) -> str:
    return f"(:derived {_signature(rule)} {written(rule.body)})"


def _action(action: syntax.Action) -> str:
    return (
        f"(:action {action.name}\n    :parameters ({_typed(action.parameters, True)})\n"
        f"    :precondition {written(action.precondition)}\n    :effect {written(action.effect)})"
    )


_TIMES = {"start": "at start", "all": "over all", "end": "at end"}


def _durative(action: syntax.DurativeAction) -> str:
    durations = (
        written(limit) if time == "start" else f"(at {time} {written(limit)})"
        for time, limit in action.duration
    )
    conditions = (f"({_TIMES[time]} {written(part)})" for time, part in action.conditions)
    effects = (f"({_TIMES[time]} {written(part)})" for time, part in action.effects)
    duration, condition, effect = (
        f"(and {' '.join(parts)})" for parts in (durations, conditions, effects)
    )
    return (
        f"(:durative-action {action.name}\n    :parameters ({_typed(action.parameters, True)})\n"
        f"    :duration {duration}\n    :condition {condition}\n    :effect {effect})"
    )
