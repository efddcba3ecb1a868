"""Checks of single rules, of their heads and bodies.

They find circular rules, contradictory bodies, colons instead of `:-`, and choices that swallow the
next constraint or the head of the next rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from asplan.core.errors import InputWarning
from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.model.program import Literal, TemporalRule
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import AST, ASTType, Signature
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


def find_swallowed(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each choice that needs what it chooses.

    If the dot after a choice is missing, clingo reads the next constraint as the body of the
    choice. That body mentions the action, or a state that follows from it.
    """
    for rule in index.rules:
        if rule.is_choice and rule.statement.body:
            use = _own_choice(index, rule) or _own_effect(index, rule)
            if use is not None:
                text = f"this choice depends on {use.text}, which follows from what it chooses"
                if use.key in _chosen_by(rule):
                    text = f"this chooses {use.text} only if it is true already"
                hint = "is a dot missing before the :- of this rule?"
                yield make_warning("circular", text, use.at, hint)


def _own_choice(
    index: ProgramIndex,
    rule: TemporalRule,
) -> Literal | None:
    """Return a body literal of a choice that only this choice can make true; None if there is none.

    Then the choice needs an atom that it has to choose itself.
    """
    own = (use for use in rule.positive if use.key in _chosen_by(rule))
    return next((use for use in own if is_unfounded(index, use.key)), None)


def _chosen_by(rule: TemporalRule) -> set[Signature]:
    return {head.key for head in rule.heads}


def is_unfounded(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether each rule that derives a predicate at t also reads that predicate at t."""
    if any(key in facts.signatures for facts in index.program.facts):
        return False
    return all(
        any(use.key == key and _is_same_time(index, head, use) for use in head.rule.positive)
        for head in index.heads[key]
    )


def _is_same_time(
    index: ProgramIndex,
    one: Literal,
    other: Literal,
) -> bool:
    """Return whether two atoms have the same time, or none of them has a time."""
    return _time_text(index, one) == _time_text(index, other)


def _time_text(
    index: ProgramIndex,
    literal: Literal,
) -> str:
    place = index.roles.places.get(literal.key)
    return "" if place is None else str(literal.terms[place])


def _own_effect(
    index: ProgramIndex,
    rule: TemporalRule,
) -> Literal | None:
    """Return the literal of a choice's body that depends on what the choice chooses, if any.

    Only a body that looks like a constraint of its own counts: it begins in a line of its own, as
    far left as the choice.
    """
    if not _looks_like_a_constraint(rule):
        return None
    chosen = _chosen_by(rule)
    times = {_time_text(index, head) for head in rule.heads}
    for use in rule.reads:
        is_now = not use.is_inner and _time_text(index, use) in times
        if is_now and not chosen.isdisjoint(_at_once_behind(index, use.key)):
            return use
    return None


def _at_once_behind(
    index: ProgramIndex,
    key: Signature,
) -> set[Signature]:
    """Return a predicate, and those on which it depends at the same time."""

    def origins(key: Signature) -> set[Signature]:
        found: set[Signature] = set()
        for head in index.heads.get(key, ()):
            if not head.rule.is_choice:
                found.update(u.key for u in head.rule.reads if _is_same_time(index, head, u))
        return found

    return closure([key], origins)


def _looks_like_a_constraint(rule: TemporalRule) -> bool:
    """Return whether the body begins in a new line, behind `:-` at the column of the head."""
    statement = rule.statement
    head = statement.head.location
    body = statement.body[0].location.begin
    indent = body.column - statement.location.begin.column
    return bool(body.line > head.end.line and indent in (len(":-"), len(":- ")))


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
