"""What can take part in a race: an engine with one thing chosen, on an encoding or on states.

Methods share what they refute, so that a horizon has to mean the same to all of them: those that
work on another encoding than the others, or on the model in Python, can join where the domain's
steps have one action each. Else a search goes through the states of the program itself.

Methods from horizon to horizon never end where there is no plan, and are slow where plans are long;
a space of some hundred thousand states is soon seen. So where the program is a transition system,
or its domain has a model, breadth-first search joins in. Where states become too many, `pdr` goes
on in its place. A domain may have two searches more. One is for any plan: it says nothing of how
long plans are, so a plan of it is an answer only where any plan will do. The other one is A*, where
what a plan costs is to be proven least.

>>> [method.name for method in parse_methods("asp:jumpy,sat@order,bfs,pdr", PlanningOptions())]
['asp:jumpy', 'sat@order', 'bfs', 'pdr']
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from asplan.core.errors import InputError, Stopped, UsageError
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.engines.asp import AspOptions, PlanningOptions
from asplan.engines.asp import controller as asp
from asplan.engines.asp.opening import complete_program, open_session
from asplan.engines.asp.session import Session
from asplan.engines.asp.state_search import A_MEGABYTE, MOST_STATES
from asplan.engines.pdr import PdrOptions
from asplan.engines.pdr.engine import solve as pdr
from asplan.engines.run import EngineOptions, OutOfTime, Report, Run, Shared
from asplan.engines.sat import SatOptions
from asplan.engines.sat import engine as sat
from asplan.engines.search import SEARCHES, BestFirst, Counting, solve_by
from asplan.engines.search.blind import bfs
from asplan.engines.search.search import Search, run_search
from asplan.problem import Inputs, Problem, load_units
from asplan.problem.catalog import find_encoding
from asplan.program.contract import read_claims
from asplan.program.incremental import LOOP_CONSTANTS, Program
from asplan.program.stepwise import check_action_names, transition_times_of
from asplan.result import Outcome, Result
from asplan.statespace.model import ProgramModel
from asplan.statespace.space import program_along, state_space


@dataclass(frozen=True)
class Method:
    """An engine with its options, under the name that it was given.

    `check` raises an error where it has nothing to work on, or its steps are of another kind than
    the others'. One that is `optional` takes part where it can, and is not mentioned else.
    """

    name: str
    solve: Callable[[Run[Any]], Result]
    options: EngineOptions
    optional: bool = False
    check: Callable[[Problem], None] = lambda problem: None


def parse_methods(text: str, options: PlanningOptions) -> list[Method]:
    """The methods of a list: `asp` or `sat`, `:` a solver's word, `@` an encoding; or a search."""
    return [_method(word, options) for word in text.split(",")]


def _method(word: str, options: PlanningOptions) -> Method:
    if word == "pdr":
        return Method(word, pdr, PdrOptions(), check=partial(_check_search, word))
    if word in SEARCHES:
        check = partial(_check_search, word)
        return Method(word, partial(_search, word), SEARCHES[word][0](), check=check)
    program, _, encoding = word.partition("@")
    engine, _, chosen = program.partition(":")
    shared = {f.name: getattr(options, f.name) for f in fields(PlanningOptions)}
    if engine == "sat":
        method = Method(word, sat.solve, SatOptions(**shared, solver=chosen or None))
    else:
        if chosen:
            shared["clingo"] = (f"--configuration={chosen}", *shared["clingo"])
        method = Method(word, asp.solve, AspOptions(**shared, no_states=True))
    if not encoding:
        return method
    solve = partial(_solve_encoding, method.solve, encoding)
    return replace(method, solve=solve, check=partial(_check_encoding, word, encoding))


def _check_encoding(name: str, encoding: str, problem: Problem) -> None:
    what, domain = "", problem.domain
    if domain is None or problem.model is None:
        what = "the program is none of a domain that has a model in Python"
    elif domain.parallel:
        what = f"encodings of {domain.name} differ in what a step holds"
    if what or domain is None:
        hint = "methods on the program itself can: asp, sat, asp:jumpy, …"
        raise UsageError(f"{name} cannot race here: {what}", hint=hint)
    find_encoding(encoding, domain.name)


def _check_search(name: str, problem: Problem) -> None:
    if problem.program.optimizes:
        what = "it finds any shortest plan, and the program minimizes"
        raise UsageError(f"{name} cannot race here: {what}", hint="asp and sat can")
    if name == "pdr" or _of_program(problem):
        check_action_names(problem.program)
        transition_times_of(problem.program)


def _of_program(problem: Problem) -> bool:
    """Whether search goes through the states of the program, not those of a model."""
    parallel = problem.domain is not None and problem.domain.parallel
    return problem.model is None or problem.is_replayed or parallel


def _solve_encoding(engine: Callable[[Run[Any]], Result], encoding: str, run: Run[Any]) -> Result:
    """Run an engine on another encoding of the instance."""
    problem = run.problem
    words = Inputs(encoding=encoding, constants=problem.given, allow_scripts=problem.allow_scripts)
    other = load_units(words, problem.files, list(problem.units[:-1]), False)
    if other.domain != problem.domain:
        raise UsageError(f"{encoding} is no encoding of the domain that the others are of")
    if read_claims(other.units).estimates:
        raise UsageError(f"{encoding} estimates lengths, so its horizons mean other things")
    return engine(replace(run, problem=other))


def _search(name: str, run: Run[Any]) -> Result:
    """Search through states, and let the others know how deep."""
    problem = replace(run.problem, by_encoding=_of_program(run.problem))
    return solve_by(name, replace(run, problem=problem, report=report_to_others(run)))


def report_to_others(run: Run[Any]) -> Report:
    """A report by which the others learn what is refuted, too."""

    def report(partial: Result) -> None:
        run.shared.tell(partial.lower_bound)
        run.report(partial)

    return report


PATIENCE, CRAWLING = 2.0, 50
"""Seconds of processor time after which it must have seen so many states a second."""


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
    solve = partial(
        _search_states, of_program=of_program, finds=finds, shares=shares, clingo=clingo
    )
    return Method("state search", solve, Counting(), optional=True)


@lru_cache(maxsize=16)
def is_transition_system(program: Program, named: bool = False) -> bool:
    """Whether rules say that steps are alike, and if `named` what a search shows of actions."""
    if program.theory:
        return False
    try:
        transition_times_of(program)
        if named:
            check_action_names(program)
    except InputError:
        return False
    return True


def _search_states(
    run: Run[Any], of_program: bool, finds: bool, shares: bool, clingo: Method | None
) -> Result:
    """Look at all states: the program's own if `of_program`, else those of the model.

    A plan is an answer if it `finds`; else only its length is told, if horizons mean the same to
    others (`shares`), or `clingo` finds all that is shown along the path.
    """
    problem = replace(run.problem, by_encoding=of_program, has_unnamed_actions=True)
    whole, path = run, list[Any]()
    run = replace(run, problem=problem, shared=run.shared if shares else Shared())
    begun = False

    report_on, began = report_to_others(run), time.process_time()
    megabytes = run.limits.megabytes
    most = MOST_STATES if megabytes is None else min(MOST_STATES, A_MEGABYTE * megabytes)

    def report(partial: Result) -> None:
        report_on(partial)
        seconds, seen = time.process_time() - began, partial.statistics
        crawls = seconds > PATIENCE and (seen.expanded or 0) < CRAWLING * seconds
        if crawls or (seen.queued or 0) > most:
            raise _Enough

    def kept(searched: Search) -> Result:
        nonlocal begun
        begun = True
        result = bfs(searched)
        path.extend(searched.path)
        return result

    try:
        result = run_search(kept, replace(run, options=Counting(), report=report))
    except _Enough:
        if not of_program or not begun:
            raise Stopped("there are too many states") from None
        result = pdr(replace(run, options=PdrOptions()))
    run.shared.tell(result.lower_bound)
    if not result.plans or finds:
        return result
    if clingo is None or not path:
        raise Stopped("there is a plan")
    # What clingo shows on the path, whose length is the shortest.
    model = state_space(problem)[1]
    assert isinstance(model, ProgramModel)
    narrow = program_along(whole.problem.program, model.generator, path)

    def opened(run: Run[Any], program: Program, *given: Any, **constants: Any) -> Session:
        return open_session(run, complete_program(run, narrow), *given, **constants)

    limits = replace(whole.limits, max_horizon=len(path) - 1)
    result = asp.incremental(replace(whole, options=clingo.options, limits=limits), opened)
    if result.horizon is None and result.stopped != Stop.TIME:
        raise Stopped("there is a plan")
    return result


ANY_PLAN = "search for any plan"

_TELL_EVERY = 0.25  # seconds


def can_search(problem: Problem) -> bool:
    """Whether plans of the domain's model are those of the encoding."""
    domain, encoding = problem.domain, problem.encoding
    return (
        domain is not None
        and problem.model is not None
        and not (problem.is_replayed or problem.given)
        and encoding is not None
        and find_encoding(encoding, domain.name).domain == domain.name
    )


def proving(run: Run[Any]) -> Method | None:
    """A* for what is to be least; None where it cannot be, or nobody asks for it."""
    optimal, domain = run.options.optimal, run.problem.domain
    if not optimal or domain is None or domain.prover is None or not can_search(run.problem):
        return None
    return Method("astar", partial(solve_by, "astar"), BestFirst(optimal=optimal))


def finding(run: Run[Any]) -> Method | None:
    """The search for any plan; None where it cannot be, or plans are to have few steps or many."""
    limited = run.limits.min_horizon or run.limits.max_horizon is not None
    wanted = run.options.first and run.options.models in (None, 1) and not limited
    domain = run.problem.domain
    if not wanted or domain is None or domain.finder is None or not can_search(run.problem):
        return None
    return Method(ANY_PLAN, _find, EngineOptions(), optional=True)


def _find(run: Run[Any]) -> Result:
    domain, model = run.problem.domain, run.problem.model
    assert domain is not None
    assert domain.finder is not None
    assert model is not None
    doing, told = "searching for any plan", 0.0
    run.tell(doing)

    def heed(what: str) -> None:
        nonlocal doing, told
        run.look()
        if (now := time.monotonic()) - told > _TELL_EVERY:
            doing, told = what, now
            run.tell(doing)

    try:
        found = domain.finder(model, heed)
    except OutOfTime:
        return run.out_of_time(doing)
    except MemoryError:
        return run.out_of_memory(doing)
    if found.steps is None:
        return run.unsolvable(found.how)
    how = f"{found.how}; shorter ones may exist" if found.steps else "the goal holds at the start"
    state, cost = model.initial, 0
    for action in chain.from_iterable(found.steps) if model.has_costs else ():
        cost += model.cost(state, action)
        state = model.apply(state, action)
    costs = (cost,) if model.has_costs else None
    steps = tuple(tuple(chain.from_iterable(map(model.terms, step))) for step in found.steps)
    return run.result(
        outcome=Outcome.PLAN if steps else Outcome.OPTIMAL,
        reason=how,
        horizon=len(steps),
        cost=costs,
        plans=(Plan(steps, costs),),
    )
