"""Checks of single rules, of their heads and bodies.

They find circular rules, contradictory bodies, colons instead of `:-`, and choices that swallow the
head of the next rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from asplan.core.errors import InputWarning
from asplan.program import syntax
from asplan.program.model.program import TemporalRule
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import AST, ASTType
from asplan.program.syntax.wording import plain_text
from asplan.warnings.catalogue import make_warning
from asplan.warnings.index import ProgramIndex


def find_circular(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each rule that needs the atom it derives.

    Also yield one for each rule whose body contradicts itself.
    """
    for rule in index.statements:
        if _derives_states(index, rule):
            yield from _circular_heads(rule)
        yield from _contradictions(rule)


def _derives_states(
    index: ProgramIndex,
    rule: TemporalRule,
) -> bool:
    """Return whether a rule derives, and does not just choose, atoms with a time."""
    if rule.is_choice:
        return False
    if rule.part != "base":
        return True
    horizon = index.program.horizon
    if horizon is None:
        return False
    timed = horizon.places.keys() - horizon.domains.keys()
    return any(head.key in timed for head in rule.heads)


def _circular_heads(rule: TemporalRule) -> Iterator[InputWarning]:
    positive = {str(use.atom): use for use in rule.positive}
    for head in rule.heads:
        use = positive.get(str(head.atom))
        if use is not None:
            text = f"this rule derives {head.text} only if it is true already"
            hint = "derive a state from the one before, at t-1"
            yield make_warning("circular", text, use.at, hint)


def _contradictions(rule: TemporalRule) -> Iterator[InputWarning]:
    positive = {str(use.atom) for use in rule.positive}
    for use in rule.reads:
        if use.is_negative and str(use.atom) in positive:
            text = f"{use.text} cannot be both true and false, so this has no effect"
            yield make_warning("contradiction", text, use.at)


def find_colons(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each rule with a colon where `:-` is probably meant.

    Its head is a conditional literal, and it has no body.
    """
    for rule in index.rules:
        if _is_conditional_literal(rule) and any(use.shifts for use in rule.reads):
            key = key_text(rule.heads[0].key)
            text = f"this derives one of the atoms of {key} whose condition holds"
            yield make_warning("colon", text, rule.at, "did you mean :- instead of the colon?")


def _is_conditional_literal(rule: TemporalRule) -> bool:
    """Return whether a rule consists of one conditional literal in its head."""
    statement = rule.statement
    if statement.ast_type != ASTType.Rule or statement.body:
        return False
    if statement.head.ast_type != ASTType.Disjunction:
        return False
    elements = statement.head.elements
    return len(elements) == 1 and bool(elements[0].condition)


def find_atom_bounds(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each choice that has an atom as a bound.

    If the dot after a choice is missing, clingo reads the next head as the upper bound of the
    choice. This bound has no effect: clingo orders every number before a function term.
    """
    for rule in index.rules:
        if rule.is_choice and rule.statement.head.ast_type in syntax.BRACES:
            yield from _atom_bounds(rule)


def _atom_bounds(rule: TemporalRule) -> Iterator[InputWarning]:
    head = rule.statement.head
    for guard in (head.left_guard, head.right_guard):
        if guard is not None and _is_atom(guard.term):
            text = f"{plain_text(guard.term)} is read as a bound of the choice before it"
            at = syntax.place_in(rule.statement, guard.term)
            yield make_warning("bound", text, at, "is a dot missing between them?")


def _is_atom(term: AST) -> bool:
    """Return whether a term is a function with arguments, other than a call of a script."""
    return term.ast_type == ASTType.Function and bool(term.arguments) and not term.external
