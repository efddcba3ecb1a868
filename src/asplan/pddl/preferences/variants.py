"""Preferences in preconditions: actions are split into variants, which violate some of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from asplan.core.dataclass import dataclass
from asplan.pddl.language import syntax
from asplan.pddl.language.nodes import refusal
from asplan.pddl.language.plain import conjunction
from asplan.pddl.language.syntax import Formula
from asplan.pddl.preferences.vocabulary import Vocabulary, negated

MAX_PREFERENCES = 4
"""The limit of preferences of one action, which has a variant for each subset of them."""

_QUANTIFIED = "preferences under forall in the precondition of an action", "MIPS-XXL can"
_MANY = (
    f"more than {MAX_PREFERENCES} preferences in the precondition of an action",
    "MIPS-XXL can",
)
_NEGATIVE = "a metric that rewards an action for violating a preference", "MIPS-XXL can"


@dataclass(frozen=True)
class Variant:
    """A variant of an action, which violates some of the action's preferences, or none.

    Attributes
    ----------
    action
        The action, without preferences.
    original
        The key of the action in the task.
    penalty
        The sum of the weights of the violated preferences.
    """

    action: syntax.PddlAction
    original: str
    penalty: Fraction


@dataclass(frozen=True)
class _Weighted:
    """The weight of a preference, and a literal that holds if the preference is satisfied."""

    weight: Fraction
    literal: Formula


def variants_of(
    action: syntax.PddlAction,
    weights: Mapping[str, Fraction],
    vocabulary: Vocabulary,
) -> Iterator[Variant]:
    """Yield the variants of an action; the first violates no preference and has the same name.

    Raises
    ------
    InputError
        If the preferences are too many or quantified, or if a weight is negative.
    """
    bare = replace(action, preferences=())
    demands = [demand for demand in action.preferences if weights.get(demand.key)]
    if not demands:
        yield Variant(bare, action.name.key, Fraction(0))
        return
    _check(demands, weights)
    preferences: list[_Weighted] = []
    for demand in demands:
        literal = vocabulary.literal(demand.parts[0].parts[0], action.parameters)
        preferences.append(_Weighted(weights[demand.key], literal))
    choices = product((True, False), repeat=len(preferences))
    for number, satisfied in enumerate(choices):
        variant = _variant(bare, preferences, satisfied)
        if number:
            name = vocabulary.action_name(f"{action.name.key}-{number}")
            variant = replace(variant, action=replace(variant.action, name=name))
        yield variant


def _check(
    demands: Sequence[syntax.TrajectoryDemand],
    weights: Mapping[str, Fraction],
) -> None:
    """Raise `InputError` if the preferences of an action (`demands`) cannot be compiled."""
    for demand in demands:
        if demand.variables:
            raise refusal(demand.at, _QUANTIFIED)
        if weights[demand.key] < 0:
            raise refusal(demand.at, _NEGATIVE)
    if len(demands) > MAX_PREFERENCES:
        raise refusal(demands[MAX_PREFERENCES].at, _MANY)


def _variant(
    action: syntax.PddlAction,
    preferences: Sequence[_Weighted],
    satisfied: Sequence[bool],
) -> Variant:
    """Return the variant that satisfies some of the preferences and violates the others.

    `satisfied` has a truth value for each preference. The variant has the action's name.
    """
    conditions = [action.precondition]
    penalty = Fraction(0)
    for preference, is_satisfied in zip(preferences, satisfied, strict=True):
        if is_satisfied:
            conditions.append(preference.literal)
        else:
            conditions.append(negated(preference.literal))
            penalty += preference.weight
    variant = replace(action, precondition=conjunction(*conditions))
    return Variant(variant, action.name.key, penalty)
