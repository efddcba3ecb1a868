"""A parser for the parts of durative actions: their durations, conditions and effects."""

from __future__ import annotations

from collections.abc import Iterator

from asplan.pddl.language import syntax
from asplan.pddl.language.formulas import (
    CONTINUOUS,
    changes_number,
    compare_of,
    effect_of,
    formula_of,
)
from asplan.pddl.language.lexer import Group, Node, Word, quoted, wrong
from asplan.pddl.language.nodes import (
    arguments_of,
    as_group,
    head_of,
    refusal,
    split_conjunction,
    time_of,
)
from asplan.pddl.language.syntax import DURATION, EffectFormula, Formula

TIMED_PREFERENCE = (
    "preferences or constraints together with durative actions",
    "OPTIC and MIPS-XXL can",
)
"""An unsupported feature, and planners for it; see `nodes.Refusals`."""

_DURATION_FORM = "(= ?duration NUMBER)"


def durations_in(node: Node) -> Iterator[tuple[str, syntax.Compare]]:
    """Yield the constraints on a duration: pairs of a time (`start` or `end`) and a comparison."""
    group = as_group(node, "a constraint on ?duration")
    if not group.items:
        return
    if head_of(group, "a constraint on ?duration").key == "and":
        for item in group.items[1:]:
            yield from durations_in(item)
        return
    time, constraint = time_of(group) or ("start", group)
    if time == "all":
        message = "a duration cannot have the time over all"
        raise wrong(group, message, f"write (at end {_DURATION_FORM})")
    yield time, _limit(as_group(constraint, "a constraint on ?duration"))


def _limit(group: Group) -> syntax.Compare:
    """Parse a comparison of `?duration`, on the left, with an expression."""
    if head_of(group, _DURATION_FORM).key not in ("=", "<=", ">="):
        hint = f"write {_DURATION_FORM}, with <= or >= where it may vary"
        raise wrong(group, f"{quoted(group)} is not a constraint on ?duration", hint)
    left, _ = arguments_of(group, 2, _DURATION_FORM)
    if str(left).lower() != DURATION:
        raise wrong(group, f"{quoted(group)} does not have the form {_DURATION_FORM}")
    return compare_of(group)


def timed_conditions(node: Node) -> Iterator[tuple[str, Formula]]:
    """Yield pairs of a time (`start`, `end` or `all`) and a condition.

    A `forall` around a time is moved inside the condition.
    """
    for around, group, key in split_conjunction(node, "a condition"):
        if key == "preference":
            raise refusal(group, TIMED_PREFERENCE)
        timed = time_of(group)
        if timed is None:
            hint = "write (at start …), (over all …) or (at end …) around each condition"
            raise wrong(group, f"{quoted(group)}: a condition without a time", hint)
        time, body = timed
        formula = formula_of(body)
        for variables in reversed(around):
            formula = syntax.Quantified("forall", variables, formula)
        yield time, formula


def timed_effects(node: Node) -> Iterator[tuple[str, EffectFormula]]:
    """Yield pairs of a time (`start` or `end`) and an effect.

    A `forall` or `when` around a time is moved inside the effect.
    """
    for around, group, key in split_conjunction(node, "an effect"):
        for time, effect in _timed_effect(group, key):
            for variables in reversed(around):
                effect = syntax.Each(variables, effect)
            yield time, effect


def _timed_effect(
    group: Group,
    key: str,
) -> Iterator[tuple[str, EffectFormula]]:
    """Parse an effect such as `(at end E)`, or `(when (at end C) (at end E))` with equal times.

    `key` is the first word of the group, in lower case.
    """
    timed = time_of(group)
    if timed is not None:
        time, body = timed
        if time == "all":
            hint = "write (at start …) or (at end …)"
            raise wrong(group, "an effect cannot have the time over all", hint)
        yield time, effect_of(body)
        return
    if changes_number(key) and _mentions(group, "#t"):
        raise refusal(group, CONTINUOUS)
    if key != "when":
        hint = "write (at start …) or (at end …) around each effect"
        raise wrong(group, f"{quoted(group)}: an effect without a time", hint)
    yield from _conditional_effects(group)


def _conditional_effects(group: Group) -> Iterator[tuple[str, EffectFormula]]:
    """Parse `(when CONDITION EFFECT)` with times inside the condition and the effect.

    Yield pairs of a time (`start` or `end`) and a conditional effect.
    """
    condition, body = arguments_of(group, 2, "(when CONDITION EFFECT)")
    conditions = list(timed_conditions(condition))
    effects = list(timed_effects(body))
    parts = tuple(formula for _, formula in conditions)
    for time, effect in effects:
        if any(other != time for other, _ in conditions):
            message = f"the condition of an effect at {time} has another time"
            hint = f"write (at {time} …) in both, or make two actions of this one"
            raise wrong(group, message, hint)
        yield time, syntax.When(syntax.Connected("and", parts), effect)


def _mentions(
    node: Node,
    key: str,
) -> bool:
    """Return whether a word occurs in a node; `key` is the word in lower case."""
    if isinstance(node, Word):
        return node.key == key
    return any(_mentions(item, key) for item in node.items)
