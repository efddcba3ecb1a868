"""Checks of actions: how many a step may have, what they change, and whether `#show` hides them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from asplan.core.errors import InputWarning
from asplan.program import syntax
from asplan.program.model.program import Literal, TemporalRule
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
)
from asplan.program.syntax.terms import BELOW
from asplan.warnings.catalogue import make_warning
from asplan.warnings.effects import carries_on
from asplan.warnings.fluents import INERTIA
from asplan.warnings.index import ProgramIndex
from asplan.warnings.shapes import shapes_of


def find_actions(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield the warnings about actions, the atoms that steps choose in braces."""
    choices: list[Literal] = []
    for rule in _choices(index):
        if rule.statement.head.ast_type in syntax.BRACES:
            choices += rule.heads
    yield from _unread_action(index, choices)
    yield from _unlimited_actions(index, choices)
    yield from _lost_fluents(index, choices)
    yield from _unshown_actions(index, choices)


def _choices(index: ProgramIndex) -> list[TemporalRule]:
    return [rule for rule in index.rules if rule.part == "step" and rule.is_choice]


def _unread_action(
    index: ProgramIndex,
    choices: list[Literal],
) -> Iterator[InputWarning]:
    """Yield a warning for the only action of a program if nothing reads it.

    `choices` are the chosen atoms.
    """
    if len(choices) == 1:
        head = choices[0]
        if head.key not in index.reads and head.key[2] > 1:
            text = f"nothing reads {key_text(head.key)}, so choosing it changes nothing"
            yield make_warning("unread-action", text, head.at)


def _unshown_actions(
    index: ProgramIndex,
    choices: list[Literal],
) -> Iterator[InputWarning]:
    """Yield a warning if `#show` shows predicates, but none that depends on the actions.

    `choices` are the chosen atoms.
    """
    actions = {head.key for head in choices} & index.places.keys()
    shown = set(index.shown)
    if not shown or not actions or index.roles.actions:
        return
    if actions.isdisjoint(shown | index.behind(shown)):
        names = " and ".join(sorted(map(key_text, actions)))
        at = next(iter(index.shown.values()))
        yield make_warning("hidden-actions", f"#show hides {names}, so plans show no actions", at)


def _unlimited_actions(
    index: ProgramIndex,
    choices: list[Literal],
) -> Iterator[InputWarning]:
    """Yield a warning if neither bounds nor rules limit the number of actions in a step.

    `choices` are the chosen atoms.
    """
    actions = {head.key for head in choices if _is_timed_choice(head)}
    if not actions or any(_has_bounds(head.rule) for head in choices):
        return
    effects = actions | {key for key in index.heads if actions & index.behind([key])}
    if any(_may_limit(rule, effects) for rule in index.statements):
        return
    head = choices[0]
    text = f"nothing limits how many atoms of {key_text(head.key)} a step has"
    yield make_warning("unlimited", text, head.rule.at, "one action a step: { … } = 1")


def _is_timed_choice(head: Literal) -> bool:
    """Return whether a chosen atom has a time and variables."""
    return bool(head.shifts and syntax.find(ASTType.Variable, head.terms))


def _has_bounds(rule: TemporalRule) -> bool:
    """Return whether a choice limits from above how many of its atoms are chosen."""
    head = rule.statement.head
    guards = [guard for guard in (head.left_guard, head.right_guard) if guard is not None]
    return len(guards) > 1 or any(guard.comparison not in BELOW for guard in guards)


def _may_limit(
    rule: TemporalRule,
    effects: Collection[Signature],
) -> bool:
    """Return whether a rule may limit the number of actions.

    `effects` are the predicates of actions, and all predicates that depend on actions. The rule may
    limit actions if it reads two atoms of `effects`, or one in an aggregate or condition.
    """
    uses = [use for use in rule.reads if use.key in effects]
    return len(uses) > 1 or any(use.is_inner for use in uses)


def _lost_fluents(
    index: ProgramIndex,
    choices: list[Literal],
) -> Iterator[InputWarning]:
    """Yield a warning for each fluent that is true only right after some of the actions.

    `choices` are the chosen atoms.
    """
    actions = {head.key for head in choices}
    for key in index.places:
        if key in actions or not _starts_without_inertia(index, key):
            continue
        heads = index.timed_heads(key)
        causes = [_uses_of(head.rule, actions) for head in heads]
        uses = list(chain.from_iterable(causes))
        if all(causes) and _leaves_others(index, uses, choices):
            names = " or ".join(dict.fromkeys(group[0].text for group in causes))
            text = f"{key_text(key)} holds only right after {names}: no rule carries it on"
            yield make_warning("no-inertia", text, heads[0].at, INERTIA)


def _uses_of(
    rule: TemporalRule,
    keys: Collection[Signature],
) -> list[Literal]:
    return [use for use in rule.positive if use.key in keys]


def _starts_without_inertia(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether a predicate has a start, and no rule chooses its atoms or carries one on.

    A rule may carry on atoms only after some actions; then other actions are meant to end them.
    """
    if key[2] <= 1 or not index.is_initial(key):
        return False
    if any(carries_on(head, index.places[key]) for head in index.timed_heads(key)):
        return False
    return not any(head.rule.is_choice for head in index.heads.get(key, ()))


def _leaves_others(
    index: ProgramIndex,
    uses: list[Literal],
    choices: list[Literal],
) -> bool:
    """Return whether a step may choose an action that no atom in `uses` matches.

    `uses` are atoms of actions in bodies, and `choices` are the chosen atoms.
    """
    read = {use.key for use in uses}
    for chosen in choices:
        if chosen.key in read:
            for head in chosen.rule.heads:
                own = [use for use in uses if use.key == head.key]
                if not own or _has_other_arguments(index, own):
                    return True
    return False


def _has_other_arguments(
    index: ProgramIndex,
    uses: list[Literal],
) -> bool:
    """Return whether an argument of a predicate may have terms that none of `uses` matches.

    `uses` are atoms of this predicate in bodies.
    """
    shapes = shapes_of(index)
    columns = zip(*(shapes.terms[use] for use in uses), strict=True)
    key = uses[0].key
    return any(shapes.has_others((key, place), terms) for place, terms in enumerate(columns))


def find_hidden(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for actions that `#show` hides, if it shows other actions.

    Also yield one for `#show NAME.`, which shows a term, not the atoms of an action.
    """
    choices = _choices(index)
    misread = list(_shown_names(index, choices))
    for show, key in misread:
        text = f"#show {key[1]}. shows the term {key[1]}, not the atoms"
        yield make_warning("hidden-actions", text, syntax.location(show), f"#show {key_text(key)}.")
    named = {key[1] for key in index.shown}
    named.update(key[1] for _, key in misread)
    effective = _effective_predicates(index) - _visible_predicates(index)
    for rule in choices:
        actions = {head.key for head in rule.heads} & index.places.keys()
        hidden = sorted(key for key in actions & effective if key[1] not in named)
        if hidden and not actions.isdisjoint(index.shown):
            names = " and ".join(map(key_text, hidden))
            text = f"#show hides {names}, which a step may choose as well"
            yield make_warning("hidden-actions", text, rule.at, f"#show {key_text(hidden[0])}.")


def _shown_names(
    index: ProgramIndex,
    choices: list[TemporalRule],
) -> Iterator[tuple[AST, Signature]]:
    """Yield the statements `#show NAME.` that most likely mean an action.

    Each comes with the predicate of the action.
    """
    heads = chain.from_iterable(rule.heads for rule in choices)
    chosen = {head.key[1]: head.key for head in heads}
    for show in index.program.of_kind(ASTType.ShowTerm):
        key = chosen.get(str(show.term))
        if key is not None and not show.body:
            yield show, key


def _visible_predicates(index: ProgramIndex) -> set[Signature]:
    """Return the predicates that are shown, and all on which they depend."""
    visible = set(index.shown) | index.behind(index.shown)
    for rule in index.statements:
        if rule.statement.ast_type == ASTType.ShowTerm:
            visible |= {use.key for use in rule.reads}
    return visible


def _effective_predicates(index: ProgramIndex) -> set[Signature]:
    """Return the predicates that rules read without `not`."""
    effective: set[Signature] = set()
    for rule in index.rules:
        if not rule.is_choice:
            effective |= {use.key for use in rule.reads if use.outer_sign == Sign.NoSign}
    return effective
