"""The engines `race` and `auto`: which methods work on a problem side by side.

Beside methods that go from horizon to horizon a domain may have two searches. One is for any plan.
It says nothing of how long plans are, so a plan of it is an answer only where any plan will do. The
other one is A*, where what a plan costs is to be proven least.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from asplan.core.errors import InputError, UsageError
from asplan.core.plan import Plan
from asplan.core.process import FORKS
from asplan.domains import Model
from asplan.engines.asp.opening import OPTIMIZATION, chooses, takes_turns
from asplan.engines.asp.options import AspOptions
from asplan.engines.portfolio.methods import Method, parse_methods
from asplan.engines.portfolio.options import USUAL
from asplan.engines.portfolio.race import Race, Runner
from asplan.engines.portfolio.state_search import is_transition_system, state_search
from asplan.engines.run import EngineOptions, OutOfTime, Run
from asplan.engines.search import BestFirst, solve_by
from asplan.problem import Problem
from asplan.problem.catalog import find_encoding
from asplan.result import Outcome, Result
from asplan.statespace.invariants import with_invariants

SECOND = 0.5  # seconds that clingo searches before another configuration of it joins in `auto`

LATER = 1.0  # seconds before a SAT solver joins: most of them may be grounding

JUMPY = "asp:jumpy"  # differs most from the default: often one is several times as fast

LEFT = 3.0  # seconds of clingo's search more that are left to a state search that keeps up with it
HEAD_START = 2.0  # seconds before clingo joins a search for any plan, which mostly has one by then

LEAD = 3.0  # seconds before clingo joins A*, which mostly has the least cost by then

SOON, LATE = 0.15, 5.0  # seconds before a state search joins: with a core, in turns


def race(run: Run[Any]) -> Result:
    if not FORKS:
        what = "methods race in processes that start as forks, which this system has not"
        raise UsageError(what, hint="say --engine asp or --engine sat")
    methods = parse_methods(run.options.methods or USUAL, run.options)
    for method in methods:
        method.check(run.problem)
    return Race(run, [Runner(method) for method in methods]).winner()


def auto(run: Run[Any]) -> Result:
    """Start clingo, then a state search, and another solver when clingo has searched a while."""
    runners = auto_runners(run)
    if len(runners) == 1:
        clingo = runners[0].method
        return clingo.solve(replace(run, options=clingo.options))
    return Race(run, runners).winner()


def auto_runners(run: Run[Any]) -> list[Runner]:
    """Who takes part in `auto`, clingo first, which keeps a core; the others take turns."""
    clingo, solver = parse_methods(USUAL, run.options)
    program, options = run.problem.program, clingo.options
    assert isinstance(options, AspOptions)
    runners = [Runner(clingo, steady=True)]
    if not FORKS:
        return runners
    if (best_first := proving(run)) is not None:
        wanted = replace(options, optimal=run.options.optimal)
        bounding = Runner(replace(clingo, options=wanted), past=LEAD)
        return [Runner(best_first, steady=True), bounding]
    if (any_plan := finding(run)) is not None:
        return [Runner(any_plan), Runner(clingo, steady=True, past=HEAD_START)]
    if (searching := state_search(run)) is not None:
        past = SOON if len(os.sched_getaffinity(0)) > 1 else LATE
        runners.append(Runner(searching, past=past, nice=True))
    if program.theory:
        return runners
    if takes_turns(replace(run, options=options), program):
        # The first one begins with branch and bound, and gives most turns to it.
        guided = replace(options, clingo=(OPTIMIZATION, *options.clingo))
        joining = replace(clingo, name=f"{clingo.name} {OPTIMIZATION}", options=guided)
        runners.append(Runner(joining, delay=SECOND, nice=True))
    if not (program.plan_part or program.optimizes):
        as_is = options.no_rewrite or options.invariants
        if not as_is and is_transition_system(program):
            another = partial(_solve_otherwise, clingo, solver)
            solver = replace(solver, name="another solver", solve=another)
        if chooses(replace(run, options=options), program):
            runners.append(Runner(parse_methods(JUMPY, run.options)[0], delay=SECOND, nice=True))
        runners.append(Runner(solver, delay=LATER, leaves=LEFT, nice=True))
    return runners


def _solve_otherwise(clingo: Method, solver: Method, run: Run[Any]) -> Result:
    """Solve by clingo with invariants, where some are found; else by the SAT solver."""
    program = run.problem.program
    try:
        found = with_invariants(program, run.problem.given) is not program
    except InputError:  # its rules are a transition system's, and still it counts
        found = False
    if not found:
        return solver.solve(run)
    options = clingo.options
    assert isinstance(options, AspOptions)
    return clingo.solve(replace(run, options=replace(options, invariants=True)))


NAME = "search for any plan"

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
    return Method(NAME, _solve, EngineOptions(), optional=True)


def _solve(run: Run[Any]) -> Result:
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
    return run.result(reason=how, **_fields(model, found.steps))


def _fields(model: Model[Any, Any], found: Sequence[Sequence[Any]]) -> Mapping[str, Any]:
    """A plan as fields of a result."""
    costs = None
    if model.has_costs:
        state, cost = model.initial, 0
        for action in chain.from_iterable(found):
            cost += model.cost(state, action)
            state = model.apply(state, action)
        costs = (cost,)
    steps = [tuple(chain.from_iterable(map(model.terms, step))) for step in found]
    plan = Plan(tuple(steps), costs)
    return {
        "outcome": Outcome.PLAN if len(plan) else Outcome.OPTIMAL,
        "horizon": len(plan),
        "cost": costs,
        "plans": (plan,),
    }
