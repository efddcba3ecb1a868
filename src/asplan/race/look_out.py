"""The look-out: a search through all states, beside methods that go from horizon to horizon.

Those never end where there is no plan, and are slow where plans are long; a space of some hundred
thousand states is soon seen. So where the program is a transition system, or its domain has a
model, breadth-first search joins in. Where states become too many, `pdr` goes on in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from asplan.errors import InputError, Stopped
from asplan.pdr.engine import solve as pdr
from asplan.pdr.options import PdrOptions
from asplan.program.incremental import LOOP_CONSTANTS, Program
from asplan.program.stepwise import times_of
from asplan.race.methods import Method, tell_others
from asplan.result import Result
from asplan.run import Report, Run
from asplan.search.algorithms import solve as search
from asplan.search.options import Counting

MOST_STATES, A_MEGABYTE = 1_000_000, 2_000
"""States that are looked at, which takes some hundred megabytes and some minutes; and how many for
each megabyte of a memory limit, at most."""

NAME = "look-out"


class _Enough(Exception):
    """There are too many states."""


@dataclass(frozen=True)
class _LookOut:
    """Looks at all states.

    Attributes
    ----------
    of_program
        Whether they are the program's own, and not those of the model.
    finds
        Whether a plan that it finds is what was asked for; if not, it can only prove that there is
        none.
    shares
        Whether a horizon means to it what it means to the others.
    """

    of_program: bool
    finds: bool
    shares: bool

    def __call__(self, run: Run[Any]) -> Result:
        problem = replace(run.problem, by_encoding=self.of_program, nameless=True)
        run = replace(run, problem=problem, shared=run.shared if self.shares else None)
        try:
            result = search("bfs", replace(run, options=Counting(), report=_counted(run)))
        except _Enough:
            if not self.of_program:
                raise Stopped("there are too many states") from None
            result = pdr(replace(run, options=PdrOptions()))
        if run.shared is not None:
            run.shared.tell(result.lower_bound)
        if result.plans and not self.finds:
            raise Stopped("there is a plan")
        return result


def _counted(run: Run[Any]) -> Report:
    """A report that ends the search when there are too many states."""
    tell, most = tell_others(run), MOST_STATES
    if run.limits.megabytes is not None:
        most = min(most, A_MEGABYTE * run.limits.megabytes)

    def heard(partial: Result) -> None:
        tell(partial)
        if (partial.statistics.queued or 0) > most:
            raise _Enough

    return heard


def look_out(run: Run[Any]) -> Method | None:
    """The look-out for a problem; None where its states cannot be searched, or are of no use."""
    problem, options, program = run.problem, run.options, run.problem.program
    if options.mode == "fixed":
        return None
    parallel = problem.domain is not None and problem.domain.parallel
    of_program = not parallel and is_transition_system(program)
    if not of_program and (problem.model is None or problem.is_replayed):
        return None
    named = set(problem.given).union(*(unit.definitions for unit in problem.units))
    any_one = (
        options.models in (None, 1)
        and not run.limits.min_horizon
        and named.isdisjoint(LOOP_CONSTANTS)
    )
    finds = any_one and program.plans and not program.optimizes and not parallel
    shares = not parallel and not program.written.estimates
    return Method(NAME, _LookOut(of_program, finds, shares), Counting(), optional=True)


@lru_cache(maxsize=16)
def is_transition_system(program: Program) -> bool:
    """Whether the rules of a program say that its steps are like each other."""
    try:
        times_of(program)
    except InputError:
        return False
    return True
