"""A check of grounding: rules that count without a bound, so that grounding never ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from asplan.core.errors import InputWarning
from asplan.program import syntax
from asplan.program.bounds import Recursion, bounding_atom, find_endless_recursion
from asplan.program.model.program import Literal, TemporalRule
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.syntax.terms import shift_of
from asplan.program.syntax.wording import plain_text
from asplan.warnings.catalogue import make_warning
from asplan.warnings.index import ProgramIndex
from asplan.warnings.inputs import can_be_true

if TYPE_CHECKING:
    from asplan.program.times.horizon import Horizon


def find_endless(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each cycle of rules that derives infinitely many atoms."""
    if index.program.scripts or index.program.theory is not None:
        return
    recursive = {id(rule.statement): rule for rule in _recursive_rules(index)}

    def has_one_time(
        rule: AST,
        head: AST,
        atom: AST,
    ) -> bool:
        return _has_one_time(index, recursive[id(rule)], head, atom)

    rules = [rule.statement for rule in recursive.values()]
    for recursion in find_endless_recursion(rules, _open_predicates(index), has_one_time):
        yield _endless(index, recursion)


def _endless(
    index: ProgramIndex,
    recursion: Recursion,
) -> InputWarning:
    head = plain_text(recursion.head)
    atom = plain_text(recursion.atom)
    key = key_text(syntax.signature(recursion.head))
    text = f"the atoms of {key} have no end: {atom} derives {head}, and nothing bounds that"
    at = syntax.place_in(recursion.rule, recursion.head.symbol)
    return make_warning("endless", text, at, _hint(index, recursion))


def _recursive_rules(index: ProgramIndex) -> Iterator[TemporalRule]:
    """Yield the rules that may be part of endless recursion.

    Rules whose body is never true are left out, and so are rules that call functions of scripts.
    """
    possible = can_be_true(index)
    for rule in index.rules:
        is_rule = rule.statement.ast_type == ASTType.Rule
        if is_rule and rule.positive_keys <= possible and "@" not in str(rule.statement):
            yield rule


def _has_one_time(
    index: ProgramIndex,
    rule: TemporalRule,
    head: AST,
    atom: AST,
) -> bool:
    """Return whether a head and an atom of its rule's body have the same time.

    Return True for rules of `base`.
    """
    if rule.part == "base":
        return True
    texts = (str(head), str(atom))
    uses = (use for use in (*rule.heads, *rule.reads) if str(use.atom) in texts)
    return len({_time_of(index, use) for use in uses}) == 1


def _open_predicates(index: ProgramIndex) -> set[Signature]:
    """Return the predicates that choices decide, and all predicates that depend on them."""
    open_keys = set(index.chosen)
    for key in index.defined:
        if not index.chosen.isdisjoint(index.behind([key])):
            open_keys.add(key)
    return open_keys


def _time_of(
    index: ProgramIndex,
    use: Literal,
) -> int | None:
    """Return the distance k of an atom's time t+k from the parameter t; None if it has no time."""
    place = index.roles.places.get(use.key)
    return None if place is None else use.shift(place)


def _hint(
    index: ProgramIndex,
    recursion: Recursion,
) -> str:
    """Return a hint: the atom to add to the rule, or the time that is probably meant."""
    statements = [rule.statement for rule in index.statements]
    bound = bounding_atom(statements, recursion.head)
    if bound:
        return f"add {bound} to the body of the rule"
    horizon = index.program.horizon
    key = syntax.signature(recursion.head)
    if horizon is not None and key in horizon.places:
        term = syntax.arguments(recursion.head)[horizon.places[key]]
        time = shift_of(term)
        if time is not None and time[1]:
            return _time_bound(horizon, plain_text(term), time[0])
    if syntax.signature(recursion.atom) == key and _has_time(index, recursion.atom):
        return "the state before has the time t-1; else bound the argument that changes"
    return "add an atom or a comparison that bounds the argument that changes"


def _time_bound(
    horizon: Horizon,
    term: str,
    variable: str,
) -> str:
    """Return the hint to bound the time `term` by a predicate of times, or by the horizon.

    `variable` is the variable in the term.
    """
    bounds: list[str] = []
    domains = sorted(key[1] for key, (_, more) in horizon.domains.items() if not more)
    if domains:
        bounds.append(f"{domains[0]}({term})")
    if not horizon.is_own:
        bounds.append(f"{variable} < {horizon.text}")
    return f"add {' or '.join(bounds)} to the body of the rule"


def _has_time(
    index: ProgramIndex,
    atom: AST,
) -> bool:
    """Return whether an atom's time is a variable or the parameter, perhaps plus a number."""
    place = index.roles.places.get(syntax.signature(atom))
    return place is not None and shift_of(syntax.arguments(atom)[place]) is not None
