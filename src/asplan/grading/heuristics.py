"""Marks of heuristics: each heuristic guides A* on each exercise, in a worker process of its own.

The score is the number of states added to the queue; a lower score is better. A plan that is not
shortest scores infinity. The heuristic is also checked for consistency on the whole state space of
the exercise, if that is small enough.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf

from asplan.core.budget import Budget
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError
from asplan.core.limits import Limits
from asplan.core.pool import run_all
from asplan.core.process import run_apart
from asplan.core.text import shortened
from asplan.domains.own_heuristic import read_heuristic
from asplan.engines import make_options
from asplan.grading.exercises import Exercise
from asplan.planner import Request, answer
from asplan.problem import Inputs, load
from asplan.statespace.analysis import TooManyStates
from asplan.statespace.consistency import Consistency, check_consistency

MOST_STATES = 50_000
"""The most states of an exercise on which a heuristic is checked for consistency."""

_LONGEST = 400  # characters of a reason


@dataclass(frozen=True)
class Score:
    """The mark of a heuristic on an exercise.

    `queued` is the score: the number of states added to the queue, infinite if the plan is not
    shortest, None if the search gave no answer. `is_consistent` and `is_admissible` are None if the
    check was not possible. `why` is a counterexample, or the reason for a missing answer or check.
    """

    submission: str
    instance: str
    queued: float | None = None
    steps: int | None = None
    shortest: int | None = None
    is_consistent: bool | None = None
    is_admissible: bool | None = None
    why: str = ""
    seconds: float = 0.0


def score_all(
    files: Sequence[str],
    function: str,
    exercises: Sequence[Exercise],
    limits: Limits,
    jobs: int = 1,
    on_wait: Callable[[], None] = lambda: None,
) -> Iterator[Score]:
    """Yield a score for each file and exercise, in the order in which the searches end.

    `function` is the name of the heuristic in each file, `jobs` the number of workers. `on_wait` is
    called now and then.
    """
    pairs = product(files, exercises)
    return run_all(pairs, partial(_score, function, limits), jobs, on_wait)


def _score(
    function: str,
    limits: Limits,
    pair: tuple[str, Exercise],
    budget: Budget,
) -> Score:
    """Score a heuristic on an exercise, and check whether it is consistent and admissible there."""
    file, exercise = pair
    start = time.monotonic()
    name = f"{file}:{function}"
    score = Score(file, exercise.name, shortest=exercise.shortest)
    inputs = Inputs(exercise.problem.files, constants=exercise.problem.constants)
    try:
        options = make_options("astar", {"heuristic": name}, limits)
        request = Request(inputs, "astar", options, limits)
        result = answer(request, isolate=True, budget=budget)
        score = replace(score, steps=result.horizon, why=result.reason)
        if result.stopped is None:
            is_shortest = result.horizon == exercise.shortest
            queued = result.statistics.queued if is_shortest else inf
            score = replace(score, queued=queued, why="")
        done = run_apart(limits, budget, _check, inputs, name)
        score = _with_check(score, done.value, done.reason)
    except AsplanError as error:
        score = replace(score, queued=None, why=error.placed_message)
    why = shortened(score.why, _LONGEST)
    return replace(score, why=why, seconds=time.monotonic() - start)


def _with_check(score: Score, found: Consistency | None, reason: str) -> Score:
    """Add the result of the consistency check to a score.

    `found` is None if the check was stopped, or if there are too many states. `reason` is the
    reason for the stop; empty if there was none.
    """
    if found is None:
        return replace(score, why=score.why or reason)
    return replace(
        score,
        is_consistent=not found.broken,
        is_admissible=not found.too_high,
        why=score.why or found.broken or found.too_high,
    )


def _check(inputs: Inputs, name: str) -> Consistency | None:
    """Check whether a heuristic is consistent on all states of an instance.

    Return None if there are more than `MOST_STATES` states.
    """
    problem = load(inputs, needs_model=True)
    _, model = problem.domain_and_model()
    estimate = read_heuristic(name, problem.facts).make(model)
    try:
        return check_consistency(model, estimate, MOST_STATES)
    except TooManyStates:
        return None
