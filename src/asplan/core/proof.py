"""Proofs as values: the plans that are refuted, by which methods, and under which assumptions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Refuted(StrEnum):
    """The plans that are proven not to exist: none, all, or those below a bound of a measure."""

    NOTHING = "nothing"
    PLANS = "plans"
    STEPS = "steps"
    ACTIONS = "actions"
    LAYERS = "layers"
    COST = "cost"
    METRIC = "metric"


@dataclass(frozen=True)
class Proof:
    """The plans that a run has refuted, by which methods, and under which assumptions.

    `refuted` names the measure of the refuted plans, and `up_to` its greatest refuted value; it is
    None if nothing, all plans, or all plans with a better metric are refuted.
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
    """Return the measure of the refuted plans, and its greatest refuted value.

    Parameters
    ----------
    measure
        The objective of the run.
    least, least_cost
        The proven lower bounds on the length and on the cost of plans.
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
