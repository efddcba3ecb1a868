"""A search through all states, beside methods that go from horizon to horizon.

Those never end where there is no plan, and are slow where plans are long; a space of some hundred
thousand states is soon seen. So where the program is a transition system, or its domain has a
model, breadth-first search joins in. Where states become too many, `pdr` goes on in its place.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from asplan.core.errors import InputError, Stopped
from asplan.core.limits import Stop
from asplan.engines.asp.controller import incremental
from asplan.engines.asp.opening import complete_program, open_session
from asplan.engines.asp.session import Effort, Session
from asplan.engines.pdr import PdrOptions
from asplan.engines.pdr.engine import solve as pdr
from asplan.engines.portfolio.methods import Method, parse_methods, report_to_others
from asplan.engines.run import Report, Run, Shared
from asplan.engines.search import Counting
from asplan.engines.search.blind import bfs
from asplan.engines.search.search import Search, search
from asplan.program.incremental import LOOP_CONSTANTS, Program
from asplan.program.stepwise import check_names, times_of
from asplan.result import Result
from asplan.statespace.model import ProgramModel
from asplan.statespace.space import program_along, state_space

MOST_STATES, A_MEGABYTE = 1_000_000, 2_000
"""States that are looked at: some hundred megabytes and minutes; and for a megabyte of a limit."""

PATIENCE, CRAWLING = 2.0, 50
"""Seconds of processor time after which it must have seen so many states a second."""

NAME = "state search"


class _Enough(Exception):
    """There are too many states, or too much may happen in one."""


def state_search(run: Run[Any]) -> Method | None:
    """The state search for a problem; None where its states cannot be searched, or are useless."""
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
    named = not of_program or is_transition_system(program, named=True)
    finds = any_one and program.plans and named and not program.optimizes and not parallel
    shares = not parallel and not program.written.estimates
    shows = any_one and of_program and shares and not (program.plans or program.optimizes)
    clingo = parse_methods("asp", options)[0] if shows else None
    solve = partial(_solve, of_program=of_program, finds=finds, shares=shares, clingo=clingo)
    return Method(NAME, solve, Counting(), optional=True)


@lru_cache(maxsize=16)
def is_transition_system(program: Program, named: bool = False) -> bool:
    """Whether rules say that steps are alike, and if `named` what a search shows of actions."""
    if program.theory:
        return False
    try:
        times_of(program)
        if named:
            check_names(program)
    except InputError:
        return False
    return True


def _solve(
    run: Run[Any], of_program: bool, finds: bool, shares: bool, clingo: Method | None
) -> Result:
    """Look at all states: the program's own if `of_program`, else those of the model.

    A plan is an answer if it `finds`; else only its length is told, if horizons mean the same to
    others (`shares`), or `clingo` finds all that is shown along the path.
    """
    problem = replace(run.problem, by_encoding=of_program, nameless=True)
    whole, path = run, list[Any]()
    run = replace(run, problem=problem, shared=run.shared if shares else Shared())
    begun = False

    def kept(searched: Search) -> Result:
        nonlocal begun
        begun = True
        result = bfs(searched)
        path.extend(searched.path)
        return result

    try:
        result = search(kept, replace(run, options=Counting(), report=_report_within(run)))
    except _Enough:
        if not of_program or not begun:
            raise Stopped("there are too many states") from None
        result = pdr(replace(run, options=PdrOptions()))
    run.shared.tell(result.lower_bound)
    if not result.plans or finds:
        return result
    if clingo is None or not path:
        raise Stopped("there is a plan")
    model = state_space(problem)[1]
    assert isinstance(model, ProgramModel)
    return _solve_along(replace(whole, options=clingo.options), model, path)


def _solve_along(run: Run[Any], model: ProgramModel, path: Sequence[bytes]) -> Result:
    """What clingo shows on a path, whose length is the shortest."""
    narrow = program_along(run.problem.program, model.evaluated, path)

    def opened(
        run: Run[Any], program: Program, effort: Effort | None = None, **constants: str
    ) -> Session:
        return open_session(run, complete_program(run, narrow), effort, **constants)

    run = replace(run, limits=replace(run.limits, max_horizon=len(path) - 1))
    result = incremental(run, opened)
    if result.horizon is None and result.stopped != Stop.TIME:
        raise Stopped("there is a plan")
    return result


def _report_within(run: Run[Any]) -> Report:
    """A report that ends the search when there are too many states, or too much may happen."""
    report_on, most = report_to_others(run), MOST_STATES
    if run.limits.megabytes is not None:
        most = min(most, A_MEGABYTE * run.limits.megabytes)

    began = time.process_time()

    def report(partial: Result) -> None:
        report_on(partial)
        seconds, seen = time.process_time() - began, partial.statistics
        crawls = seconds > PATIENCE and (seen.expanded or 0) < CRAWLING * seconds
        if crawls or (seen.queued or 0) > most:
            raise _Enough

    return report
