"""The look-out: a search through all states, beside methods that go from horizon to horizon.

Those never end where there is no plan, and are slow where plans are long; a space of some hundred
thousand states is soon seen. So where the program is a transition system, or its domain has a
model, breadth-first search joins in. Where states become too many, `pdr` goes on in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from asplan.engines.asp.controller import incremental
from asplan.engines.asp.opening import open_session, ready
from asplan.engines.asp.session import Effort, Session
from asplan.engines.pdr.engine import solve as pdr
from asplan.engines.pdr.options import PdrOptions
from asplan.engines.portfolio.methods import Method, parse_methods, tell_others
from asplan.engines.run import Report, Run
from asplan.engines.search.blind import bfs
from asplan.engines.search.options import Counting
from asplan.engines.search.search import Search, search
from asplan.errors import InputError, Stopped
from asplan.limits import Stop
from asplan.program.incremental import LOOP_CONSTANTS, Program
from asplan.program.stepwise import check_names, times_of
from asplan.result import Result
from asplan.statespace.follow import following
from asplan.statespace.space import state_space

MOST_STATES, A_MEGABYTE = 1_000_000, 2_000
"""States that are looked at, which takes some hundred megabytes and some minutes; and how many for
each megabyte of a memory limit, at most."""

PATIENCE, CRAWLING = 2.0, 50
"""Seconds after which it must have seen so many states a second. Where many things may happen
together, a single state is followed by more than can be counted."""

NAME = "look-out"


class _Enough(Exception):
    """There are too many states, or too much may happen in one."""


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
    clingo
        What finds all that is shown on the way that was found, where actions have no names.
    shares
        Whether a horizon means to it what it means to the others.
    """

    of_program: bool
    finds: bool
    shares: bool
    clingo: Method | None = None

    def __call__(self, run: Run[Any]) -> Result:
        problem = replace(run.problem, by_encoding=self.of_program, nameless=True)
        whole, way = run, list[Any]()
        run = replace(run, problem=problem, shared=run.shared if self.shares else None)

        begun = False

        def kept(searched: Search) -> Result:
            nonlocal begun
            begun = True
            result = bfs(searched)
            way.extend(searched.way)
            return result

        try:
            result = search(kept, replace(run, options=Counting(), report=_counted(run)))
        except _Enough:
            if not self.of_program or not begun:
                raise Stopped("there are too many states") from None
            result = pdr(replace(run, options=PdrOptions()))
        if run.shared is not None:
            run.shared.tell(result.lower_bound)
        if not result.plans or self.finds:
            return result
        if self.clingo is None or not way:
            raise Stopped("there is a plan")
        model = state_space(problem)[1]
        return _followed(replace(whole, options=self.clingo.options), model, way)


def _followed(run: Run[Any], model: Any, way: Sequence[bytes]) -> Result:
    """What clingo shows on a way, whose length is the shortest."""

    told = following(run.problem.program, model.evaluated, way)

    def opened(
        run: Run[Any], program: Program, effort: Effort | None = None, **constants: str
    ) -> Session:
        return open_session(run, ready(run, told), effort, **constants)

    run = replace(run, limits=replace(run.limits, max_horizon=len(way) - 1))
    result = incremental(run, opened)
    if result.horizon is None and result.stopped != Stop.TIME:
        raise Stopped("there is a plan")
    return result


def _counted(run: Run[Any]) -> Report:
    """A report that ends the search when there are too many states, or too many ways."""
    tell, most = tell_others(run), MOST_STATES
    if run.limits.megabytes is not None:
        most = min(most, A_MEGABYTE * run.limits.megabytes)

    def heard(partial: Result) -> None:
        tell(partial)
        seconds, seen = partial.seconds.solve, partial.statistics
        crawls = seconds > PATIENCE and (seen.expanded or 0) < CRAWLING * seconds
        if crawls or (seen.queued or 0) > most:
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
    constants = set(problem.given).union(*(unit.definitions for unit in problem.units))
    any_one = (
        options.models in (None, 1)
        and not run.limits.min_horizon
        and constants.isdisjoint(LOOP_CONSTANTS)
    )
    named = not of_program or has_names(program)
    finds = any_one and program.plans and named and not program.optimizes and not parallel
    shares = not parallel and not program.written.estimates
    shows = any_one and of_program and shares and not (program.plans or program.optimizes)
    clingo = parse_methods("asp", options)[0] if shows else None
    return Method(NAME, _LookOut(of_program, finds, shares, clingo), Counting(), optional=True)


def has_names(program: Program) -> bool:
    """Whether a search through the states of a transition system knows what is shown of actions."""
    try:
        check_names(program)
    except InputError:
        return False
    return True


@lru_cache(maxsize=16)
def is_transition_system(program: Program) -> bool:
    """Whether the rules of a program say that its steps are like each other."""
    try:
        times_of(program)
    except InputError:
        return False
    return True
