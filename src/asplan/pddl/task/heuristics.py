"""Estimates of what is left to do, most of them from the delete relaxation.

In tasks with axioms and conditional effects all of them keep what they claim: the relaxation asks
for no more than a plan does, and LM-cut lets the parts of an operator share its cost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

from asplan.domains.heuristic import ZERO, Estimate, Heuristic, always, never
from asplan.pddl.task import landmark_cut
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.relaxation import Flat, find_distances


def lm_cut(flat: Flat) -> Estimate:
    """LM-cut, as `landmark_cut` has it."""
    relaxed, room = landmark_cut.relaxed_of(flat), landmark_cut.room_for(flat)

    def estimate(state: int) -> float:
        room.costs[:] = relaxed.costs
        total, _ = landmark_cut.lm_cut(relaxed, room, flat.facts_of(state), [], 0)
        return inf if total == landmark_cut.FAR else total

    return estimate


def h_max(flat: Flat, is_sum: bool = False) -> Estimate:
    """What a set of facts costs is what the dearest of them does, or, of h-add, their sum.

    Bonet and Geffner (2001).
    """

    def estimate(state: int) -> float:
        distance: list[Any] = [inf] * flat.facts
        find_distances(flat, flat.facts_of(state), flat.costs[:], distance, is_sum=is_sum)
        goal: float = distance[flat.goal]
        return goal

    return estimate


def goal_count(model: TaskModel) -> Estimate:
    """How many facts of the goal do not hold."""
    holds, goal = model.packing.holds, model.task.goal

    def estimate(state: int) -> float:
        complete = model.complete(state)
        return sum(not holds(complete, fact) for fact in goal)

    return estimate


Claim = Callable[[TaskModel], bool]


def _relaxed(
    name: str, made: Callable[[Flat], Estimate], about: str, admissible: Claim, consistent: Claim
) -> Heuristic:
    """A heuristic from the delete relaxation, for the number of actions and for their cost."""

    def make(model: TaskModel, priced: bool = False) -> Estimate:
        return made(Flat(model.task, [o.cost if priced else 1 for o in model.task.operators]))

    return Heuristic(name, make, about, admissible, consistent, priced=partial(make, priced=True))


_h_add, _IF_KEPT = partial(h_max, is_sum=True), "if nothing that held were lost"
HEURISTICS = (
    _relaxed("lm-cut", lm_cut, "landmarks that share the costs", always, never),
    _relaxed("h-max", h_max, f"the dearest goal, {_IF_KEPT}", always, always),
    _relaxed("h-add", _h_add, f"the sum over all goals, {_IF_KEPT}", never, never),
    Heuristic("goal-count", goal_count, "the number of goals that do not hold", never, never),
    ZERO,
)
