"""What a condition or an effect consists of, each part with the variables that it may use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from asplan.pddl.language import (
    Add,
    And,
    Delete,
    Each,
    Effect,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Together,
    Typed,
    When,
)

Scope = Mapping[str, Typed]
"""The variables that are bound, by their keys; the inner one hides an outer one."""


def scope_of(variables: tuple[Typed, ...], outer: Scope | None = None) -> Scope:
    """The scope inside of a quantifier or an action."""
    return {**(outer or {}), **{typed.name.key: typed for typed in variables}}


def inside(node: Formula | Effect, scope: Scope) -> Iterator[tuple[Formula | Effect, Scope]]:
    """A condition or effect and all parts of it, from the outside in, each with its scope."""
    yield node, scope
    match node:
        case Not(body):
            yield from inside(body, scope)
        case And(parts) | Or(parts):
            for part in parts:
                yield from inside(part, scope)
        case Together(effects):
            for one in effects:
                yield from inside(one, scope)
        case Imply(left, right):
            yield from inside(left, scope)
            yield from inside(right, scope)
        case Exists(variables, body) | Forall(variables, body):
            yield from inside(body, scope_of(variables, scope))
        case Each(variables, effect):
            yield from inside(effect, scope_of(variables, scope))
        case When(condition, effect):
            yield from inside(condition, scope)
            yield from inside(effect, scope)
        case Add(atom) | Delete(atom):
            yield atom, scope
        case _:
            pass
