"""A check of what a plan passes through: fluents of one value that get several.

A rule carries such a value on until something gives it another: `at(R,t) :- at(R,t-1), not
moved(t)` stops whatever R is, and each rule that sets a value does so as well. Where two actions of
a step both set it, there are two, most often because nothing limits the actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clingo import Symbol, parse_term

from asplan.core.errors import InputWarning
from asplan.program.incremental import Program
from asplan.program.syntax import ASTType, Sign, Signature, find
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, clauses_of


def find_several(program: Program, states: Sequence[Sequence[str]]) -> Iterator[InputWarning]:
    """A warning of the first state in which a fluent that had one value at the start has two."""
    clauses = clauses_of(program, True)
    valued = {
        (key[0] + key[1], key[2] - 1): (value, head)
        for key, place in clauses.places.items()
        if (found := _value(clauses, key, place)) is not None
        for value, head in [found]
    }
    started: set[tuple[str, int]] = set()
    for step, state in enumerate(states if valued else ()):
        seen: dict[tuple[tuple[str, int], tuple[str, ...]], Symbol] = {}
        for atom in map(parse_term, sorted(state)):
            name = ("" if atom.positive else "-") + atom.name
            kind = name, len(atom.arguments)
            if kind not in valued or (step and kind not in started):
                continue
            value, head = valued[kind]
            rest = tuple(str(x) for i, x in enumerate(atom.arguments) if i != value)
            other = seen.setdefault((kind, rest), atom)
            if other is atom:
                continue
            if not step:
                del valued[kind]
                continue
            text = f"after step {step} of the plan both {other} and {atom} are true"
            hint = "at the start there is one; is the number of actions in a step limited?"
            yield make_warning("several-values", text, head.at, hint)
            return
        if not step:
            started = {kind for kind, _ in seen} & set(valued)


def _value(program: Clauses, key: Signature, place: int) -> tuple[int, Use] | None:
    """The argument of a fluent, without its time, of which it has one value; with the rule."""
    pairs = program.timed_definitions(key)
    carrying = [
        (clause, head) for clause, head in pairs if any(use.key == key for use in _true(clause))
    ]
    inertia = [pair for pair in carrying if _carried(*pair, place) is not None]
    if len(inertia) != 1 or any(clause.is_choice for clause, _ in pairs):
        return None
    clause, head = inertia[0]
    stops = _follow(program, {use.key for use in clause.reads if use.sign == Sign.Negation})
    sets = [rule for rule, _ in pairs if rule is not clause]
    values = _carried(clause, head, place)
    if not sets or values is None or len(values) != 1:
        return None
    if any(stops.isdisjoint(_follow(program, _keys(rule) - {key})) for rule in sets):
        return None
    return values[0] - (values[0] > place), head


def _keys(clause: Clause) -> set[Signature]:
    return {use.key for use in _true(clause)}


def _follow(program: Clauses, keys: set[Signature]) -> set[Signature]:
    """Some predicates, and what their rules need."""
    rules = (clause for key in keys for clause, _ in program.definitions.get(key, ()))
    return keys.union(*(_keys(rule) for rule in rules if not rule.is_choice))


def _true(clause: Clause) -> list[Use]:
    return [use for use in clause.reads if use.sign == Sign.NoSign and not use.inner]


def _carried(clause: Clause, head: Use, place: int) -> list[int] | None:
    """Which arguments a rule of inertia hands on whatever they are; None if it is none."""
    before = [use for use in _true(clause) if use.key == head.key]
    stops = [use for use in clause.reads if use.sign == Sign.Negation]
    if len(before) != 1 or not stops or before[0].shift(place) != -1 or head.shift(place) != 0:
        return None
    terms = [str(term) for term in head.terms]
    if any(str(term) != terms[i] for i, term in enumerate(before[0].terms) if i != place):
        return None
    rest = [node for node in clause.statement.body if str(node) != str(before[0].atom)]
    elsewhere = {variable.name for variable in find(ASTType.Variable, rest)}
    return [
        i
        for i, term in enumerate(head.terms)
        if i != place and term.ast_type == ASTType.Variable and term.name not in elsewhere
    ]
