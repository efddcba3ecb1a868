"""The meaning of conditions and effects, from the definition: the oracle of the evaluator."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from asplan.pddl.language import task_of_sources
from asplan.pddl.language.lexer import PddlSource
from asplan.pddl.language.syntax import (
    Assign,
    Atom,
    Changed,
    Compare,
    Connected,
    Each,
    EffectFormula,
    Equal,
    Expression,
    Formula,
    Quantified,
    TaskText,
    Together,
    When,
)

Numbers = dict[tuple[str, ...], Fraction]


def task_of(domain: str, problem: str) -> TaskText:
    """The task of the sections of a domain and of a problem."""
    return task_of_sources(
        PddlSource("domain.pddl", f"(define (domain d) (:requirements :adl) {domain})"),
        PddlSource("problem.pddl", f"(define (problem p) (:domain d) {problem})"),
    )


def true(
    task: TaskText, state: set[tuple[str, ...]], formula: Formula, bound: dict[str, str]
) -> bool:
    """Return whether a condition holds in a state."""

    def now(part: Formula) -> bool:
        return true(task, state, part, bound)

    def values(parameters: tuple) -> list[dict[str, str]]:  # type: ignore[type-arg]
        keys = [typed.name.key for typed in parameters]
        ranges = [task.objects_of(typed.type_keys) for typed in parameters]
        return [{**bound, **dict(zip(keys, row, strict=True))} for row in product(*ranges)]

    match formula:
        case Atom(predicate, words):
            return (predicate.key, *(bound.get(w.key, w.key) for w in words)) in state
        case Equal(left, right):
            return bound.get(left.key, left.key) == bound.get(right.key, right.key)
        case Connected("not", (body,)):
            return not now(body)
        case Connected("and", parts):
            return all(map(now, parts))
        case Connected("or", parts):
            return any(map(now, parts))
        case Connected("imply", (left, right)):
            return not now(left) or now(right)
        case Quantified("exists", variables, body):
            return any(true(task, state, body, inner) for inner in values(variables))
        case Quantified("forall", variables, body):
            return all(true(task, state, body, inner) for inner in values(variables))


def bindings(task: TaskText, variables: tuple, bound: dict[str, str]) -> list[dict[str, str]]:  # type: ignore[type-arg]
    keys = [typed.name.key for typed in variables]
    rows = product(*(task.objects_of(typed.type_keys) for typed in variables))
    return [{**bound, **dict(zip(keys, row, strict=True))} for row in rows]


def number(numbers: Numbers, expression: Expression, bound: dict[str, str]) -> Fraction:
    """Return the value of an expression; raise `ArithmeticError` if it has none."""
    if isinstance(expression, Fraction):
        return expression
    if isinstance(expression, Atom):
        name, *words = (expression.name, *expression.arguments)
        key = (name.key, *(bound.get(word.key, word.key) for word in words))
        if key not in numbers:
            raise ArithmeticError
        return numbers[key]
    first, *rest = (number(numbers, part, bound) for part in expression.parts)
    if not rest:
        return -first
    for other in rest:
        first = {
            "+": lambda a, b: a + b,
            "-": lambda a, b: a - b,
            "*": lambda a, b: a * b,
            "/": lambda a, b: a / b,
        }[expression.word](first, other)
    return first


def truth(
    task: TaskText,
    state: set[tuple[str, ...]],
    numbers: Numbers,
    formula: Formula,
    bound: dict[str, str],
) -> tuple[bool, bool]:
    """Return whether a condition holds and whether its negation holds; maybe neither."""

    def several(word: str, parts: list[tuple[bool, bool]]) -> tuple[bool, bool]:
        holds, fails = [h for h, _ in parts], [f for _, f in parts]
        return (all(holds), any(fails)) if word in ("and", "forall") else (any(holds), all(fails))

    def now(part: Formula, inner: dict[str, str] = bound) -> tuple[bool, bool]:
        return truth(task, state, numbers, part, inner)

    match formula:
        case Compare(word, left, right):
            try:
                a, b = (number(numbers, side, bound) for side in (left, right))
            except ArithmeticError:
                return False, False
            holds = {"<": a < b, "<=": a <= b, "=": a == b, ">=": a >= b, ">": a > b}[word]
        case Connected("not", (body,)):
            return now(body)[::-1]
        case Connected("imply", (left, right)):
            return several("or", [now(left)[::-1], now(right)])
        case Connected(word, parts):
            return several(word, list(map(now, parts)))
        case Quantified(word, variables, body):
            return several(word, [now(body, b) for b in bindings(task, variables, bound)])
        case _:
            holds = true(task, state, formula, bound)
    return holds, not holds


def changes(
    task: TaskText,
    state: set[tuple[str, ...]],
    numbers: Numbers,
    effect: EffectFormula,
    bound: dict[str, str],
) -> Iterator[tuple[str, tuple[str, ...], Fraction]]:
    """Return the changes of an effect; for atoms the word is `add` or `delete`."""
    match effect:
        case Changed(atom, holds):
            yield "add" if holds else "delete", _ground(atom, bound), Fraction(0)
        case Assign(word, target, amount):
            yield word, _ground(target, bound), number(numbers, amount, bound)
        case Together(parts):
            for part in parts:
                yield from changes(task, state, numbers, part, bound)
        case Each(variables, body):
            for inner in bindings(task, variables, bound):
                yield from changes(task, state, numbers, body, inner)
        case When(condition, body):
            if truth(task, state, numbers, condition, bound)[0]:
                yield from changes(task, state, numbers, body, bound)


def _ground(atom: Atom, bound: dict[str, str]) -> tuple[str, ...]:
    return (atom.name.key, *(bound.get(word.key, word.key) for word in atom.arguments))


def after(
    state: set[tuple[str, ...]], numbers: Numbers, done: list[tuple[str, tuple[str, ...], Fraction]]
) -> tuple[set[tuple[str, ...]], Numbers] | None:
    """The state after some changes; None if they do not go together."""
    new = (state - {a for word, a, _ in done if word == "delete"}) | {
        a for word, a, _ in done if word == "add"
    }
    found, values = dict[tuple[str, ...], list[str]](), dict(numbers)
    for word, target, amount in done:
        if word in ("add", "delete"):
            continue
        found.setdefault(target, []).append(word)
        if len(found[target]) > 1 and not {*found[target]} <= {"increase", "decrease"}:
            return None
        if word == "assign":
            values[target] = amount
        elif target not in values or (word == "scale-down" and not amount):
            return None
        else:
            old = values[target]
            values[target] = {
                "increase": old + amount,
                "decrease": old - amount,
                "scale-up": old * amount,
                "scale-down": old / (amount or 1),
            }[word]
    return new, values
