"""Successor predicates, such as `next(T,T+1)`: two arguments that differ by a number.

A rule that reads such a predicate relates times as if it had the number itself.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from asplan.program.model.program import TemporalRule
from asplan.program.reading.unit import Unit
from asplan.program.syntax import ASTType, Signature
from asplan.program.syntax.term_uses import Successors


def rules_of(unit: Unit) -> tuple[list[TemporalRule], Successors]:
    """Return the rules of a program, and its successor predicates.

    The rules are read with these predicates, so that `next(T,S)` makes S an alias of T+1.
    """
    rules = [TemporalRule(s) for s in unit.statements if s.ast_type != ASTType.Script]
    successors = _find_successors(unit, rules)
    for number, rule in enumerate(rules):
        if any(literal.key in successors for literal in rule.literals):
            rules[number] = replace(rule, successors=successors)
    return rules, successors


def _find_successors(unit: Unit, rules: Iterable[TemporalRule]) -> Successors:
    """Return the predicates whose heads all have two arguments that differ by the same number."""
    facts = {key for found in unit.facts for key in found.signatures}
    distances: dict[Signature, set[tuple[int, int, int] | None]] = {}
    for rule in rules:
        for head in rule.heads:
            distances.setdefault(head.key, set()).add(_distance_in(rule, head.key))
    found: dict[Signature, tuple[int, int, int]] = {}
    for key, (only, *others) in distances.items():
        if only is not None and not others and key not in facts:
            found[key] = only
    return found


def _distance_in(rule: TemporalRule, key: Signature) -> tuple[int, int, int] | None:
    """Return the indices of two arguments of a head, and by how much the second exceeds the first.

    Return None unless there is exactly one such pair, or if the rule is a choice.
    """
    uses = [use for use in rule.uses if use.head and use.key == key and use.is_variable]
    apart = [
        (a.place, b.place, b.shift - a.shift)
        for a, b in product(uses, repeat=2)
        if a.name == b.name and b.shift > a.shift
    ]
    return apart[0] if len(apart) == 1 and not rule.is_open else None
