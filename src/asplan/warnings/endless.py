"""A check of grounding: recursion that counts without a bound, so that clingo never ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from asplan.core.errors import InputWarning
from asplan.program import syntax
from asplan.program.bounds import Recursion, bounding_atom, find_endless_recursion
from asplan.program.inputs import spelled
from asplan.program.syntax import AST, ASTType
from asplan.program.terms import shift_of
from asplan.program.wording import plain_text
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clauses, Use
from asplan.warnings.inputs import can_be_true

if TYPE_CHECKING:
    from asplan.program.horizon import Horizon


def find_endless(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for each cycle of rules that derives atoms without end."""
    if program.program.scripts or program.program.theory is not None:
        return
    true = can_be_true(program)
    sections = {id(c.statement): c for c in program.rules if c.statement.ast_type == ASTType.Rule}
    rules = [
        clause.statement
        for clause in sections.values()
        if all(use.key in true for use in clause.true) and "@" not in str(clause.statement)
    ]

    def is_same_time(rule: AST, head: AST, atom: AST) -> bool:
        clause = sections[id(rule)]
        uses = [*clause.heads, *clause.reads]
        times = {_time_of(program, use) for use in uses if str(use.atom) in (str(head), str(atom))}
        return clause.part == "base" or len(times) == 1

    chosen = {head.key for clause in program.rules if clause.is_choice for head in clause.heads}
    chosen |= {key for key in program.defined if not chosen.isdisjoint(program.behind([key]))}
    for found in find_endless_recursion(rules, chosen, is_same_time):
        head, atom = plain_text(found.head), plain_text(found.atom)
        key = spelled(syntax.signature(found.head))
        text = f"the atoms of {key} have no end: {atom} derives {head}, and nothing bounds that"
        at = syntax.place_in(found.rule, found.head.symbol)
        yield make_warning("endless", text, at, _hint(program, found))


def _time_of(program: Clauses, use: Use) -> int | None:
    """Return how far the time of an atom is from that of its part; None if it has none."""
    place = program.roles.places.get(use.key)
    return None if place is None else use.shift(place)


def _hint(program: Clauses, found: Recursion) -> str:
    """Return the atom to add to a rule, or the time that is meant."""
    statements = [clause.statement for clause in program.clauses]
    if atom := bounding_atom(statements, found.head):
        return f"add {atom} to the body of the rule"
    horizon = program.program.horizon
    key = syntax.signature(found.head)
    if horizon is not None and key in horizon.places:
        term = syntax.arguments(found.head)[horizon.places[key]]
        if (time := shift_of(term)) is not None and time[1]:
            return _time_bound(horizon, plain_text(term), time[0])
    same = syntax.signature(found.atom) == key
    if same and _is_of_now(program, found):
        return "the state before has the time t-1; else bound the argument that changes"
    return "add an atom or a comparison that bounds the argument that changes"


def _time_bound(horizon: Horizon, term: str, name: str) -> str:
    domains = sorted(key[1] for key, (_, more) in horizon.domains.items() if not more)
    least = f"{name} < {horizon.text}" if not horizon.is_own else ""
    atom = f"{domains[0]}({term})" if domains else ""
    return f"add {' or '.join(filter(None, (atom, least)))} to the body of the rule"


def _is_of_now(program: Clauses, found: Recursion) -> bool:
    place = program.roles.places.get(syntax.signature(found.atom))
    return place is not None and shift_of(syntax.arguments(found.atom)[place]) is not None
