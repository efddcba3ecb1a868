"""Heuristics for finite-domain tasks, most of them from the delete relaxation.

They are admissible or consistent as claimed in tasks with axioms and conditional effects, too: the
relaxation requires no more than a plan does, and in LM-cut the parts of an operator share its cost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf

from asplan.domains.heuristic import (
    ZERO,
    Estimate,
    Heuristic,
    always,
    never,
)
from asplan.pddl.task import landmark_cut
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.relaxation import Flat, find_distances


def lm_cut(flat: Flat) -> Estimate:
    """Return the LM-cut heuristic of a relaxed task, as a function from states to estimates."""
    relaxed = landmark_cut.relaxed_of(flat)
    room = landmark_cut.room_for(flat)

    def estimate(state: int) -> float:
        room.costs[:] = relaxed.costs
        total, _ = landmark_cut.lm_cut(
            relaxed,
            room,
            flat.facts_of(state),
            [],
            0,
        )
        return inf if total == landmark_cut.FAR else total

    return estimate


def h_max(flat: Flat, is_sum: bool = False) -> Estimate:
    """Return the heuristic h-max of a relaxed task, or h-add if `is_sum` is set.

    h-max takes the cost of a set of facts to be the largest cost of a fact in it, h-add the sum
    (Bonet and Geffner, 2001).
    """

    def estimate(state: int) -> float:
        distance: list[float] = [inf] * flat.facts
        find_distances(
            flat,
            flat.facts_of(state),
            [*flat.costs],
            distance,
            is_sum=is_sum,
        )
        return distance[flat.goal]

    return estimate


def goal_count(model: TaskModel) -> Estimate:
    """Return the heuristic that counts the facts of the goal that do not hold in a state."""
    holds = model.packing.holds
    goal = model.task.goal

    def estimate(state: int) -> float:
        complete = model.complete(state)
        return sum(not holds(complete, fact) for fact in goal)

    return estimate


Claim = Callable[[TaskModel], bool]
"""A function that returns if a heuristic is admissible, or consistent, for a model."""


def _relaxed(
    name: str,
    estimate_of: Callable[[Flat], Estimate],
    about: str,
    admissible: Claim,
    consistent: Claim,
) -> Heuristic:
    """Return a registered heuristic for an estimate that is made from the delete relaxation.

    Parameters
    ----------
    estimate_of
        Makes the estimate, a function of states, from a relaxed task.
    about
        A short description for users.
    admissible, consistent
        Functions that return, for a model, whether the estimate is admissible, or consistent.
    """

    def make(model: TaskModel, priced: bool = False) -> Estimate:
        operators = model.task.operators
        costs = [operator.cost if priced else 1 for operator in operators]
        return estimate_of(Flat(model.task, costs))

    return Heuristic(
        name,
        make,
        about,
        admissible,
        consistent,
        priced=partial(make, priced=True),
    )


_h_add = partial(h_max, is_sum=True)
_IF_KEPT = "if no action deleted anything"
HEURISTICS = (
    _relaxed("lm-cut", lm_cut, "landmarks that share the costs", always, never),
    _relaxed("h-max", h_max, f"the most expensive goal, {_IF_KEPT}", always, always),
    _relaxed("h-add", _h_add, f"the sum over all goals, {_IF_KEPT}", never, never),
    Heuristic("goal-count", goal_count, "the number of goals that do not hold", never, never),
    ZERO,
)
"""The heuristics that users can choose for finite-domain tasks."""
