"""Estimates of what is left to do, most of them from the delete relaxation.

In tasks with axioms and conditional effects all of them keep what they claim: the relaxation asks
for no more than a plan does (`relaxation`, `negation`), and LM-cut lets the parts of an operator
share its cost (`lm_cut`).
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf

from asplan.domains.heuristic import ZERO, Estimate, Heuristic, always, never
from asplan.domains.pddl.flat import Flat
from asplan.domains.pddl.lm_cut import LandmarkCut
from asplan.domains.pddl.model import TaskModel


def h_max(flat: Flat) -> Estimate:
    """What a set of facts costs is what the dearest of them does. Bonet and Geffner (2001)."""
    return lambda state: _value(flat, state, is_sum=False)


def h_add(flat: Flat) -> Estimate:
    """What a set of facts costs is the sum over them. Bonet and Geffner (2001)."""
    return lambda state: _value(flat, state, is_sum=True)


def _value(flat: Flat, state: int, is_sum: bool) -> float:
    """What the goal costs in the relaxation: Dijkstra, as Knuth (1977) generalized it."""
    needed_by, adds = flat.needed_by, flat.adds
    missing, costs = flat.sizes[:], flat.costs[:]
    distance: list[float] = [inf] * flat.facts
    bucket = flat.facts_of(state)
    for fact in bucket:
        distance[fact] = 0
    buckets, values = {0: bucket}, [0]
    while values:
        value = heappop(values)
        if value == distance[flat.goal]:
            return value
        bucket = buckets.pop(value)
        for fact in bucket:
            if distance[fact] < value:
                continue
            for part in needed_by[fact]:
                missing[part] -= 1
                if is_sum:
                    costs[part] += value
                if missing[part]:
                    continue
                far = costs[part] if is_sum else value + costs[part]
                for added in adds[part]:
                    if far < distance[added]:
                        distance[added] = far
                        if far == value:
                            bucket.append(added)
                        elif far in buckets:
                            buckets[far].append(added)
                        else:
                            buckets[far] = [added]
                            heappush(values, far)
    return distance[flat.goal]


def goal_count(model: TaskModel) -> Estimate:
    """How many facts of the goal do not hold."""
    packing, goal = model.packing, model.task.goal

    def estimate(state: int) -> float:
        complete = model.complete(state)
        return sum(not packing.holds(complete, fact) for fact in goal)

    return estimate


def _relaxed(
    name: str,
    estimate: Callable[[Flat], Estimate],
    about: str,
    admissible: Callable[[TaskModel], bool] = always,
    consistent: Callable[[TaskModel], bool] = always,
) -> Heuristic:
    """A heuristic from the delete relaxation, for the number of actions and for their cost."""
    return Heuristic(
        name,
        lambda model: estimate(Flat(model, [1] * len(model.task.operators))),
        about,
        admissible,
        consistent,
        priced=lambda model: estimate(Flat(model, [o.cost for o in model.task.operators])),
    )


HEURISTICS = (
    _relaxed("lm-cut", LandmarkCut, "landmarks that share the costs", consistent=never),
    _relaxed("h-max", h_max, "the dearest goal, if nothing that held were lost"),
    _relaxed(
        "h-add",
        h_add,
        "the sum over all goals, if nothing that held were lost",
        admissible=never,
        consistent=never,
    ),
    Heuristic(
        "goal-count",
        goal_count,
        "the number of goals that do not hold",
        admissible=never,
        consistent=never,
    ),
    ZERO,
)
