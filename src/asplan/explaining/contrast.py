"""The comparison of a user's plan with a better one, as plain data."""

from __future__ import annotations

from enum import StrEnum

from asplan.core.dataclass import dataclass
from asplan.core.plan import Plan, Steps

Lengths = tuple[int | None, ...]
"""For each k the length of a shortest plan that begins with the first k steps; None if unknown."""


@dataclass(frozen=True)
class Loss:
    """A step after which the shortest plans that begin like the user's are longer than before.

    Attributes
    ----------
    step
        The number of the step.
    actions
        Its actions.
    steps
        The number of steps by which the shortest plans become longer.
    rest
        The fewest steps from the state after this step to the goal.
    """

    step: int
    actions: tuple[str, ...]
    steps: int
    rest: int


@dataclass(frozen=True)
class Detour:
    """A part in which two plans differ, between a common state and the next one.

    Attributes
    ----------
    start, other_start
        The number of steps of the user's plan and of the other plan before the part.
    steps, other_steps
        The steps of the part in both plans.
    state
        The fluents of the state in which the plans part; empty if they are unknown.
    meets
        True if both plans reach the same state after the part.
    """

    start: int
    other_start: int
    steps: Steps
    other_steps: Steps
    state: tuple[str, ...] = ()
    meets: bool = False


class Feasible(StrEnum):
    """The result of a search for a change."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Minimal(StrEnum):
    """The sense in which a set is minimal: no smaller set suffices, or no part of this set does."""

    CARDINALITY = "cardinality"
    SUBSET = "subset"


@dataclass(frozen=True)
class PlanChange:
    """A set of facts to remove, or of actions to forbid, that makes the user's plan a best one.

    With this change the user's plan stays a plan, and no plan is shorter.

    Attributes
    ----------
    found
        NO if it is proven that there is no such set; UNKNOWN if the search did not find one.
    members
        The facts or actions.
    minimal
        The proven sense in which the set is minimal.
    obstacle
        If there is no such set of actions: a shorter plan that has only actions of the user's plan.
    """

    found: Feasible = Feasible.UNKNOWN
    members: tuple[str, ...] = ()
    minimal: Minimal | None = None
    obstacle: Plan | None = None


@dataclass(frozen=True)
class Contrast:
    """The comparison of a user's plan with a shortest plan, or with another plan of the user.

    Attributes
    ----------
    mine
        The user's plan, up to the first step after which the goal holds.
    left_out
        The number of its further steps.
    other
        The plan for comparison. Among the shortest plans, one that begins like the user's plan for
        as many steps as possible. None if no shorter plan is known.
    least
        The proven lower bound on the steps of all plans.
    is_best
        Whether no plan is shorter than the user's; None if this is unknown.
    another
        If the user's plan is a best one, a different plan of the same length.
    is_only
        Whether no other plan is as short; None if this is unknown, or if a plan is shorter.
    begins
        The number of steps that both plans have in common at the beginning.
    detours
        The parts in which the plans differ.
    lengths
        For each number k, from 0, the length of a shortest plan that begins with the first k steps
        of the user's plan.
    losses
        The steps of the user's plan that make it longer.
    actions
        The fewest actions to forbid so that the plan becomes a best one; None if not examined.
    facts
        The fewest facts to remove so that the plan becomes a best one; None if not examined.
    """

    mine: Plan
    left_out: int = 0
    other: Plan | None = None
    least: int = 0
    is_best: bool | None = None
    another: Plan | None = None
    is_only: bool | None = None
    begins: int = 0
    detours: tuple[Detour, ...] = ()
    lengths: Lengths = ()
    losses: tuple[Loss, ...] = ()
    actions: PlanChange | None = None
    facts: PlanChange | None = None
