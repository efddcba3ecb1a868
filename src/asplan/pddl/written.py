"""Conditions as PDDL text, with objects in place of variables."""

from __future__ import annotations

from collections.abc import Mapping

from asplan.pddl.language import (
    And,
    Atom,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Typed,
)
from asplan.pddl.names import Names


def written(formula: Formula, bound: Mapping[str, str], names: Names) -> str:
    """A condition in which variables that have a value are replaced by it."""

    def inner(*parts: Formula) -> str:
        return " ".join(written(part, bound, names) for part in parts)

    match formula:
        case Atom(predicate, arguments):
            words = [bound.get(word.key, word.key) for word in arguments]
            return names.written_atom(predicate.key, words)
        case Equal(left, right):
            return names.spelled("=", [bound.get(word.key, word.key) for word in (left, right)])
        case Not(body):
            return f"(not {inner(body)})"
        case And(parts):
            return f"(and {inner(*parts)})"
        case Or(parts):
            return f"(or {inner(*parts)})"
        case Imply(left, right):
            return f"(imply {inner(left, right)})"
        case Exists(variables, body) | Forall(variables, body):
            own = {typed.name.key for typed in variables}
            outer = {key: value for key, value in bound.items() if key not in own}
            word = "exists" if isinstance(formula, Exists) else "forall"
            return f"({word} ({_list(variables)}) {written(body, outer, names)})"


def _list(variables: tuple[Typed, ...]) -> str:
    return " ".join(f"{typed.name}{_types(typed)}" for typed in variables)


def _types(typed: Typed) -> str:
    if not typed.types:
        return ""
    types = " ".join(map(str, typed.types))
    return f" - {types}" if len(typed.types) == 1 else f" - (either {types})"
