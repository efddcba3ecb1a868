"""Which rules feed back into themselves, if they are grounded together.

clingo sorts rules by the predicates they read and derive, whatever their arguments. Rules on a
cycle are instantiated again and again until nothing new comes out, and in a multi-shot program
that goes over the atoms of all earlier steps.

>>> p, q, r = ("", "p", 1), ("", "q", 1), ("", "r", 1)
>>> feeding_back([Link({p}, {q}), Link({q}, {p}), Link({r}, {p})])
[True, True, False]
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from clingo.ast import AST

from asplan.program.syntax import Signature, heads, reads, signature


@dataclass(frozen=True)
class Link:
    """The predicates that a rule derives, and those that it reads."""

    heads: Set[Signature]
    reads: Set[Signature]


def link(statement: AST) -> Link:
    """The link that a rule makes; what stands behind a colon in its head is read."""
    return Link(set(map(signature, heads(statement))), set(map(signature, reads(statement))))


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
