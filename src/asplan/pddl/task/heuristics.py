"""Heuristics for finite-domain tasks, most of them from the delete relaxation.

They are admissible or consistent as claimed in tasks with axioms and conditional effects, too: the
relaxation requires no more than a plan does, and in LM-cut the parts of an operator share its cost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from math import inf

from asplan.core.compiling import (
    WAIT,
    Array,
    Compiled,
    as_arrays,
    compile_functions,
    load,
)
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

PLAIN = 1.0
"""The seconds for which LM-cut runs in plain Python; compiled functions take about that to load."""

_PACE = 64  # estimates between two looks at the clock


class LmCut:
    """The LM-cut heuristic of a relaxed task, a function from states to estimates.

    It runs in plain Python at first. After `plain` seconds it uses compiled functions, as soon as
    they are ready; with 0 it waits for them. The estimates are the same.
    """

    def __init__(self, flat: Flat, plain: float = PLAIN) -> None:
        self._flat = flat
        self._relaxed = landmark_cut.relaxed_of(flat)
        self._room = landmark_cut.room_for(flat)
        self._find = landmark_cut.lm_cut
        self._as_array: Callable[[list[int]], Array] = list
        self._calls = 0
        # The numbers of arrays have 64 bits.
        fits = sum(flat.costs) < 1 << 40
        self._waits = not plain
        self._next_load = time.monotonic() + plain if fits else inf

    def __call__(self, state: int) -> float:
        """Return the estimate of a state."""
        if self._calls % _PACE == 0 and time.monotonic() >= self._next_load:
            self._load()
        self._calls += 1
        self._room.costs[:] = self._relaxed.costs
        facts = self._as_array(self._flat.facts_of(state))
        total, _ = self._find(self._relaxed, self._room, facts, self._as_array([]), 0)
        return inf if total == landmark_cut.FAR else int(total)

    def _load(self) -> None:
        """Use compiled functions if they are ready; else set the time of the next attempt."""
        compiled, again = load(_lm_cut_functions, self._compile, self._waits)
        if compiled is not None:
            self._relaxed, self._room = compiled
            self._find = _lm_cut_functions()["lm_cut"]
            self._as_array = _as_array
        self._next_load = time.monotonic() + WAIT if again else inf

    def _compile(self) -> tuple[landmark_cut.RelaxedTask, landmark_cut.Room]:
        """Compile LM-cut by a call; return the relaxed task and the working memory as arrays."""
        relaxed = as_arrays(self._relaxed, {}, usual="int64")
        room = as_arrays(self._room, {}, usual="int64")
        room.costs[:] = relaxed.costs
        facts = _as_array([self._flat.start])
        _lm_cut_functions()["lm_cut"](relaxed, room, facts, _as_array([]), 0)
        return relaxed, room


@cache
def _lm_cut_functions() -> Mapping[str, Compiled]:
    return compile_functions(landmark_cut.COMPILED)


def _as_array(numbers: list[int]) -> Array:
    import numpy as np

    return np.array(numbers, "int64")


def lm_cut(flat: Flat) -> Estimate:
    """Return the LM-cut heuristic of a relaxed task, as a function from states to estimates."""
    return LmCut(flat)


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
