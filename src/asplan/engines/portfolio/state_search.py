"""The state search of engine `auto`: a search through all states, in a process beside clingo.

Methods that solve horizon after horizon never end if there is no plan, and are slow if plans are
long. Some hundred thousand states are searched quickly. So breadth-first search joins if the
program is a transition system, or if its domain has a model. If there are too many states, engine
`pdr` continues in its place.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

from asplan.core.budget import Abandoned
from asplan.core.choices import Mode
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Stopped
from asplan.core.limits import Stop
from asplan.domains.model import DomainState
from asplan.engines.asp import controller as asp
from asplan.engines.asp.effort import ClingoEffort
from asplan.engines.asp.opening import complete_program, open_solver
from asplan.engines.asp.solver import ClingoSolver
from asplan.engines.asp.state_search import A_MEGABYTE, MOST_STATES
from asplan.engines.pdr import PdrOptions
from asplan.engines.pdr.engine import solve as pdr
from asplan.engines.portfolio.methods import (
    AnyRun,
    Method,
    parse_methods,
    sharing_report,
)
from asplan.engines.portfolio.options import AutoOptions
from asplan.engines.run import Run, Shared
from asplan.engines.search import Counting
from asplan.engines.search.blind import bfs
from asplan.engines.search.search import Search, run_search
from asplan.problem import Problem
from asplan.program.incremental import LOOP_CONSTANTS, Program
from asplan.program.transitions.stepwise import check_action_names, transition_times_of
from asplan.result import Result
from asplan.statespace.model import ProgramModel
from asplan.statespace.space import program_along, state_space

PATIENCE = 2.0  # seconds of processor time before a search may be too slow
CRAWLING = 50  # states a second; a search that is slower then gives up


@lru_cache(maxsize=16)
def is_transition_system(
    program: Program,
    named: bool = False,
) -> bool:
    """Return whether a program is a transition system: all of its steps have the same rules.

    If `named` is set, also require that the program shows its actions.
    """
    if program.theory:
        return False
    try:
        transition_times_of(program)
        if named:
            check_action_names(program)
    except InputError:
        return False
    return True


@dataclass(frozen=True)
class _Role:
    """The role of a state search in a race: the states to visit, and the use of its findings.

    Attributes
    ----------
    of_program
        True if it visits the states of the program; False for the domain's model in Python.
    finds
        True if its plan is an answer of the race.
    shares
        True if the horizons that it refutes are refuted for the other methods, too.
    clingo
        A method that finds the shown atoms along the path of the state search, for programs
        without actions; None if they are not needed.
    """

    of_program: bool
    finds: bool
    shares: bool
    clingo: Method | None


def state_search(run: Run[AutoOptions]) -> Method | None:
    """Return the state search as a method for a run; None if it is impossible or useless."""
    if run.options.mode == Mode.FIXED:
        return None
    role = _role(run)
    if role is None:
        return None
    return Method("state search", partial(_search_states, role=role), Counting(), optional=True)


def _role(run: Run[AutoOptions]) -> _Role | None:
    """Decide which states a search visits in a run, and how the race uses its findings.

    Return None if there are no states to search.
    """
    problem = run.problem
    program = problem.program
    parallel = problem.domain is not None and problem.domain.parallel
    of_program = not parallel and is_transition_system(program)
    if not of_program and (problem.model is None or problem.is_replayed):
        return None
    shares = not parallel and not program.written.estimates
    if not _wants_any_shortest(run) or program.optimizes:
        return _Role(of_program, finds=False, shares=shares, clingo=None)
    if program.plans:
        is_named = not of_program or is_transition_system(program, named=True)
        return _Role(of_program, finds=is_named and not parallel, shares=shares, clingo=None)
    shows = of_program and shares
    clingo = parse_methods("asp", run.options)[0] if shows else None
    return _Role(of_program, finds=False, shares=shares, clingo=clingo)


def _wants_any_shortest(run: Run[AutoOptions]) -> bool:
    """Return whether the user wants a single shortest plan, whichever it is."""
    problem = run.problem
    constants = set(problem.user_constants).union(*(unit.definitions for unit in problem.units))
    is_single = run.options.models in (None, 1)
    return is_single and not run.limits.min_horizon and constants.isdisjoint(LOOP_CONSTANTS)


def _search_states(
    run: AnyRun,
    role: _Role,
) -> Result:
    """Search all states, and share the lower bound; return the result if it is an answer.

    Raises `Stopped` if there are too many states, or if the search's plan is no answer of the race.
    """
    space = replace(run.problem.space, of_program=role.of_program, unnamed_actions=True)
    problem = replace(run.problem, space=space)
    shared = run.shared if role.shares else Shared()
    inner = replace(run, problem=problem, shared=shared)
    search = _LimitedSearch(inner)
    try:
        result = search.result()
    except Abandoned:
        if not role.of_program or not search.has_begun:
            raise Stopped("there are too many states") from None
        result = pdr(replace(inner, options=PdrOptions()))
    shared.raise_to(result.lower_bound)
    if not result.plans or role.finds:
        return result
    if role.clingo is None or not search.path:
        raise Stopped("there is a plan")
    return _solve_along(run, role.clingo, problem, search.path)


class _LimitedSearch:
    """A breadth-first search that gives up if it is slow or reaches too many states.

    `path` has the states of the plan, once there is one. `has_begun` is true once the initial
    states are known. `is_hopeless` is true once the search should give up.
    """

    def __init__(self, run: AnyRun) -> None:
        self.run = run
        self.path: Sequence[DomainState] = ()
        self.has_begun = False
        self._began = time.process_time()
        self.is_hopeless = False
        self._share = sharing_report(run)
        megabytes = run.limits.megabytes
        self._most = MOST_STATES
        if megabytes is not None:
            self._most = min(MOST_STATES, A_MEGABYTE * megabytes)

    def result(self) -> Result:
        """Search, and return the result; raise `Abandoned` if the search gives up."""
        run = replace(
            self.run,
            options=Counting(),
            report=self._report,
            is_abandoned=lambda: self.is_hopeless,
        )
        return run_search(self._bfs, run)

    def _bfs(self, search: Search) -> Result:
        self.has_begun = True
        result = bfs(search)
        self.path = search.path
        return result

    def _report(self, partial: Result) -> None:
        self._share(partial)
        seconds = time.process_time() - self._began
        expanded = partial.statistics.expanded or 0
        queued = partial.statistics.queued or 0
        is_slow = seconds > PATIENCE and expanded < CRAWLING * seconds
        self.is_hopeless = is_slow or queued > self._most


def _solve_along(
    run: AnyRun,
    clingo: Method,
    problem: Problem,
    path: Sequence[DomainState],
) -> Result:
    """Return the result of clingo for a plan through the states of a shortest path.

    clingo has to find only the shown atoms of the plan. `clingo` is the method, and `problem` the
    problem whose states are on the path. Raises `Stopped` if clingo finds no answer.
    """
    _, model = state_space(problem)
    assert isinstance(model, ProgramModel)
    narrow = program_along(run.problem.program, model.generator, path)

    def open_along(
        run: AnyRun,
        program: Program,
        effort: ClingoEffort | None = None,
        **constants: str,
    ) -> ClingoSolver:
        return open_solver(run, complete_program(run, narrow), effort, **constants)

    limits = replace(run.limits, max_horizon=len(path) - 1)
    result = asp.incremental(replace(run, options=clingo.options, limits=limits), open_along)
    if result.horizon is None and result.stopped != Stop.TIME:
        raise Stopped("there is a plan")
    return result
