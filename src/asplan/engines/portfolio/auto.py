"""The engines `portfolio` and `auto`: the methods that race on a problem."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from asplan.core.child import FORKS
from asplan.core.errors import InputError, UsageError
from asplan.engines.asp import AspOptions
from asplan.engines.asp.clingo_options import OPTIMIZATION
from asplan.engines.asp.opening import may_choose_configuration, takes_turns
from asplan.engines.portfolio.domain_search import finding, proving
from asplan.engines.portfolio.methods import AnyRun, Method, parse_methods
from asplan.engines.portfolio.race import Race
from asplan.engines.portfolio.runner import Runner
from asplan.engines.portfolio.state_search import is_transition_system, state_search
from asplan.result import Result
from asplan.statespace.invariants import with_invariants

SECOND = 0.5  # seconds of clingo's search before another configuration of it joins

LATER = 1.0  # seconds of clingo's search before a SAT solver joins; grounding counts

JUMPY = "asp:jumpy"  # differs most from the default: often one is several times as fast

LEFT = 3.0  # further seconds of clingo's search while a state search keeps up
HEAD_START = 2.0  # seconds before clingo joins a search for any plan, which mostly has one by then

LEAD = 3.0  # seconds before clingo joins A*, which mostly has the least cost by then

SOON = 0.15  # seconds before a state search joins if there is a core for it
LATE = 5.0  # seconds before a state search joins if it has to take turns


def race(run: AnyRun) -> Result:
    """Run the methods of the options side by side."""
    if not FORKS:
        message = "methods race in forked processes, which this system does not have"
        raise UsageError(message, hint="use --engine asp or --engine sat")
    methods = parse_methods(run.options.methods or run.options.usual, run.options)
    for method in methods:
        method.check(run.problem)
    return Race(run, [Runner(method) for method in methods]).winner()


def auto(run: AnyRun) -> Result:
    """Run clingo, then also a state search, and another solver when clingo has searched a while."""
    runners = auto_runners(run)
    if len(runners) == 1:
        clingo = runners[0].method
        return clingo.solve(replace(run, options=clingo.options))
    return Race(run, runners).winner()


def auto_runners(run: AnyRun) -> list[Runner]:
    """Return the runners of `auto`; clingo keeps a core, and the others take turns."""
    clingo, solver = parse_methods(run.options.usual, run.options)
    if not FORKS:
        return [Runner(clingo, steady=True)]
    best_first = proving(run)
    if best_first is not None:
        options = replace(_asp_options(clingo), optimal=run.options.optimal)
        bounding = Runner(replace(clingo, options=options), past=LEAD)
        return [Runner(best_first, steady=True), bounding]
    any_plan = finding(run)
    if any_plan is not None:
        return [Runner(any_plan), Runner(clingo, steady=True, past=HEAD_START)]
    runners = [Runner(clingo, steady=True)]
    searching = state_search(run)
    if searching is not None:
        past = SOON if len(os.sched_getaffinity(0)) > 1 else LATE
        runners.append(Runner(searching, past=past, nice=True))
    if not run.problem.program.theory:
        runners += _solvers(run, clingo, solver)
    return runners


def _solvers(
    run: AnyRun,
    clingo: Method,
    solver: Method,
) -> Iterator[Runner]:
    """Yield the solvers that join clingo."""
    program = run.problem.program
    options = _asp_options(clingo)
    asp_run = replace(run, options=options)
    if takes_turns(asp_run, program):
        # clingo begins with branch and bound, and gives most turns to it.
        guided = replace(options, clingo=(OPTIMIZATION, *options.clingo))
        joining = replace(clingo, name=f"{clingo.name} {OPTIMIZATION}", options=guided)
        yield Runner(joining, delay=SECOND, nice=True)
    if program.plan_part or program.optimizes:
        return
    if may_choose_configuration(asp_run, program):
        (jumpy,) = parse_methods(JUMPY, run.options)
        yield Runner(jumpy, delay=SECOND, nice=True)
    is_fixed = options.no_rewrite or options.invariants
    if not is_fixed and is_transition_system(program):
        solve = partial(_solve_with_invariants, clingo, solver)
        solver = replace(solver, name="another solver", solve=solve)
    yield Runner(solver, delay=LATER, leaves=LEFT, nice=True)


def _asp_options(clingo: Method) -> AspOptions:
    assert isinstance(clingo.options, AspOptions)
    return clingo.options


def _solve_with_invariants(
    clingo: Method,
    solver: Method,
    run: AnyRun,
) -> Result:
    """Solve by clingo with invariants, if there are some; else by the SAT solver."""
    program = run.problem.program
    try:
        has_invariants = with_invariants(program, run.problem.user_constants) is not program
    except InputError:  # its rules are a transition system's, but it counts
        has_invariants = False
    if not has_invariants:
        return solver.solve(run)
    options = replace(_asp_options(clingo), invariants=True)
    return clingo.solve(replace(run, options=options))
