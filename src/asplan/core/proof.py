"""Proofs as values: the refuted plans, the methods of the proof, and its assumptions."""

from __future__ import annotations

from enum import StrEnum

from asplan.core.dataclass import dataclass


class Refuted(StrEnum):
    """The plans that a proof refutes: none, all, or the plans up to a value of a measure."""

    NOTHING = "nothing"
    PLANS = "plans"
    STEPS = "steps"
    ACTIONS = "actions"
    LAYERS = "layers"
    COST = "cost"
    METRIC = "metric"


@dataclass(frozen=True)
class Proof:
    """A proof by a run that certain plans do not exist.

    `refuted` names the measure of the refuted plans, and `up_to` its largest refuted value. `up_to`
    is None if no plan, every plan, or every plan with a better metric is refuted. `by` has the
    methods of the proof, and `relies_on` its assumptions.
    """

    refuted: Refuted = Refuted.NOTHING
    up_to: int | None = None
    by: tuple[str, ...] = ()
    relies_on: tuple[str, ...] = ()


def find_refuted(
    measure: str,
    least: int,
    least_cost: int,
    has_best: bool,
    has_none: bool,
) -> tuple[Refuted, int | None]:
    """Return the measure of the refuted plans, and its largest refuted value or None.

    Parameters
    ----------
    measure
        The objective of the run, as a value of `Refuted`.
    least, least_cost
        The proven lower bounds; 0 if none is proven. `least_cost` bounds the cost. `least` bounds
        the `measure`, but if that is a cost or a metric, the number of steps.
    has_best
        True if the plan is proven to be the best.
    has_none
        True if no plan exists.
    """
    if has_none:
        return Refuted.PLANS, None
    objective = Refuted(measure)
    if objective is Refuted.METRIC and has_best:
        return objective, None
    if objective in (Refuted.COST, Refuted.METRIC):
        if least_cost:
            return Refuted.COST, least_cost - 1
        objective = Refuted.STEPS
    return (objective, least - 1) if least else (Refuted.NOTHING, None)


def prove(
    refuted: tuple[Refuted, int | None],
    by: tuple[str, ...],
    relies_on: tuple[str, ...],
) -> Proof:
    """Return the proof; if nothing is refuted, it has no methods and no assumptions."""
    measure, up_to = refuted
    if measure is Refuted.NOTHING:
        return Proof()
    return Proof(measure, up_to, by, relies_on)
