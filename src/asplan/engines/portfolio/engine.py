"""The engines `race` and `auto`: which methods work on a problem side by side."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import Any

from asplan.core.errors import InputError, UsageError
from asplan.core.process import FORKS
from asplan.engines.asp.opening import (
    OPTIMIZATION,
    chooses,
    takes_turns,
)
from asplan.engines.asp.options import AspOptions
from asplan.engines.portfolio.finding import finding, proving
from asplan.engines.portfolio.methods import Method, parse_methods
from asplan.engines.portfolio.options import USUAL
from asplan.engines.portfolio.race import Race, Runner
from asplan.engines.portfolio.state_search import is_transition_system, state_search
from asplan.engines.run import Run
from asplan.result import Result
from asplan.statespace.invariants import with_invariants

SECOND = 0.5
"""Seconds that clingo searches before another configuration of it joins in `auto`."""

LATER = 1.0
"""Seconds that clingo searches before `auto` lets a SAT solver join: where most of the time is
grounding, that would only ground and translate once more."""

JUMPY = "asp:jumpy"
"""The configuration that differs most from the default: on a program one of them is often several
times as fast as the other, and which is not known before."""

LEFT = 3.0
"""Seconds of clingo's search more that are left to a state search that keeps up with it."""

HEAD_START = 2.0
"""Seconds before clingo joins a search for any plan, which mostly has one by then."""

LEAD = 3.0
"""Seconds before clingo joins A*, which on most tasks has proven the least cost by then, if one of
them can."""

SOON, LATE = 0.15, 5.0
"""Seconds before a state search joins: where it has a core for itself, and where it takes turns."""


def race(run: Run[Any]) -> Result:
    """Start all methods at once.

    Raises `UsageError` where processes cannot share memory, or a method has steps of another kind.
    """
    if not FORKS:
        raise UsageError(
            "methods race in processes that start as forks, which this system has not",
            hint="say --engine asp or --engine sat",
        )
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
    """Who takes part in `auto`, clingo first.

    Clingo keeps a core, so that the others, who take turns, hardly make it slower.
    """
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
