"""Which rules feed back into themselves, if they are grounded together.

clingo sorts rules by the predicates they read and derive, whatever their arguments. Rules on a
cycle are instantiated again and again until nothing new comes out, and in a multi-shot program
that goes over the atoms of all earlier steps.

>>> p, q, r = ("p", 1), ("q", 1), ("r", 1)
>>> feeding_back([Link({p}, {q}), Link({q}, {p}), Link({r}, {p})])
[True, True, False]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from clingo.ast import AST, ASTType

from asplan.asp.program import Signature, predicates


@dataclass(frozen=True)
class Link:
    """The predicates that a rule derives, and those that it reads."""

    heads: Set[Signature]
    reads: Set[Signature]


def link(statement: AST, conditional: Iterable[AST]) -> Link:
    """The link that a rule makes; `conditional` are the conditional literals in its head.

    What stands before the colon there is derived, what stands behind it is read.
    """
    elements = list(conditional)
    conditions = [literal for element in elements for literal in element.condition]
    reads = predicates([*statement.body, *conditions])
    if statement.ast_type != ASTType.Rule:
        return Link(frozenset(), reads)
    plain = statement.head.ast_type == ASTType.Literal
    derived = [statement.head] if plain else [element.literal for element in elements]
    return Link(predicates(derived), reads)


def feeding_back(links: Sequence[Link]) -> list[bool]:
    """For each rule whether what it derives leads to something that it reads."""
    successors: dict[Signature, set[Signature]] = {}
    for rule in links:
        for read in rule.reads:
            successors.setdefault(read, set()).update(rule.heads)
    return [not rule.reads.isdisjoint(_reachable(rule.heads, successors)) for rule in links]


def _reachable(
    start: Set[Signature], successors: dict[Signature, set[Signature]]
) -> set[Signature]:
    found: set[Signature] = set()
    waiting = list(start)
    while waiting:
        predicate = waiting.pop()
        if predicate not in found:
            found.add(predicate)
            waiting.extend(successors.get(predicate, ()))
    return found
