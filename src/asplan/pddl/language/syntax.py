"""What PDDL says: a domain, a problem, conditions and effects, as they were written.

The language is that of PDDL 2.1, level 1, with derived predicates (PDDL 2.2) and action costs
(PDDL 3.1): Fox and Long, PDDL2.1: An Extension to PDDL for Expressing Temporal Planning Domains,
JAIR 20, 2003; Edelkamp and Hoffmann, PDDL2.2, 2004; Kovacs, BNF Definition of PDDL 3.1, 2011.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from asplan.pddl.language.lexer import Group, Word

TOTAL_COST = "total-cost"
"""The function that actions increase."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A name or variable with its types; `(either a b)` gives two, nothing means `object`."""

    name: Word
    types: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate with its arguments: objects, and variables such as `?x`."""

    predicate: Word
    arguments: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Equal:
    """Both terms are the same object."""

    left: Word
    right: Word


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    body: Formula


@dataclass(frozen=True, slots=True)
class And:
    """All of the conditions hold; also where there are none."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of the conditions holds."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Imply:
    """If the first condition holds, so does the second."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Exists:
    """The condition holds for some objects."""

    variables: tuple[Typed, ...]
    body: Formula


@dataclass(frozen=True, slots=True)
class Forall:
    """The condition holds for all objects."""

    variables: tuple[Typed, ...]
    body: Formula


Formula = Atom | Equal | Not | And | Or | Imply | Exists | Forall


@dataclass(frozen=True, slots=True)
class Add:
    """The atom holds afterwards."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Delete:
    """The atom does not hold afterwards, unless another effect adds it."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Together:
    """All of the effects at the same time."""

    parts: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Each:
    """The effect for all objects."""

    variables: tuple[Typed, ...]
    body: Effect


@dataclass(frozen=True, slots=True)
class When:
    """The effect, if the condition held before the action."""

    condition: Formula
    body: Effect


@dataclass(frozen=True, slots=True)
class Cost:
    """A function with its arguments, such as `(distance ?a ?b)`."""

    function: Word
    arguments: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Increase:
    """`(increase (total-cost) …)`; `at` is the whole group."""

    amount: int | Cost
    at: Group


Effect = Add | Delete | Together | Each | When | Increase


@dataclass(frozen=True, slots=True)
class Signature:
    """A predicate or function as it is declared."""

    name: Word
    parameters: tuple[Typed, ...]


@dataclass(frozen=True, slots=True)
class Action:
    """An action with its parameters."""

    name: Word
    parameters: tuple[Typed, ...]
    precondition: Formula
    effect: Effect


@dataclass(frozen=True, slots=True)
class Rule:
    """`(:derived (p ?x) body)`: p holds where the body does; a predicate may have several."""

    name: Word
    parameters: tuple[Typed, ...]
    body: Formula


@dataclass(frozen=True)
class Domain:
    """A domain file; what it is called stands in `name`."""

    name: Word
    requirements: tuple[Word, ...] = ()
    types: tuple[Typed, ...] = ()
    constants: tuple[Typed, ...] = ()
    predicates: tuple[Signature, ...] = ()
    functions: tuple[Signature, ...] = ()
    actions: tuple[Action, ...] = ()
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class Problem:
    """A problem file.

    Attributes
    ----------
    domain
        The name of the domain that it is for.
    initial
        The atoms that hold at the start.
    values
        What the functions are at the start; `total-cost` may be among them.
    absent
        The atoms of which the file says that they do not hold at the start.
    minimizes_cost
        Whether `(:metric minimize (total-cost))` stands there, so that the costs of actions count.
    """

    name: Word
    domain: Word
    requirements: tuple[Word, ...] = ()
    objects: tuple[Typed, ...] = ()
    initial: tuple[Atom, ...] = ()
    absent: tuple[Atom, ...] = ()
    values: tuple[tuple[Cost, int], ...] = ()
    goal: Formula = And(())
    minimizes_cost: bool = False


# What a condition or an effect consists of, each part with the variables that it may use.


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
