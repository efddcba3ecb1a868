"""The engines `race` and `auto`: several methods at once, in processes of their own.

They work on one program, so that what one of them refutes is refuted for all. The first that has an
answer wins, and the others are stopped. Where there are fewer cores than methods, these take turns,
and the turns become longer.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from asplan.engines.asp.opening import BRANCH_AND_BOUND, NO_PREPROCESSING, names_strategy
from asplan.engines.asp.options import AspOptions
from asplan.engines.portfolio.contest import Race
from asplan.engines.portfolio.methods import Method, check_joining, parse_methods
from asplan.engines.portfolio.options import USUAL
from asplan.engines.portfolio.runner import Runner
from asplan.engines.portfolio.state_search import is_transition_system, look_out
from asplan.engines.run import Run
from asplan.errors import InputError, UsageError
from asplan.process import FORKS
from asplan.result import Result
from asplan.statespace.invariants import with_lemmas

LATER = 1.0
"""Seconds that clingo searches before `auto` lets a SAT solver join: where most of the time is
grounding, that would only ground and translate once more."""


LEFT = 3.0
"""Seconds of clingo's search more that are left to a look-out that keeps up with it."""

SOON, LATE = 0.15, 5.0
"""Seconds before a look-out joins: where it has a core for itself, and where it takes turns."""


def race(run: Run[Any]) -> Result:
    """Start all methods at once.

    Raises
    ------
    UsageError
        Processes cannot share memory here, or a method works on steps of another kind.
    """
    if not FORKS:
        raise UsageError(
            "methods race in processes that start as forks, which this system has not",
            hint="say --engine asp or --engine sat",
        )
    methods = parse_methods(run.options.methods or USUAL, run.options)
    check_joining(methods, run.problem)
    return Race(run, [Runner(method, 0.0) for method in methods]).winner()


def auto(run: Run[Any]) -> Result:
    """Start clingo, then a look-out, and another solver once clingo has searched for a while."""
    runners = auto_runners(run)
    if len(runners) == 1:
        clingo = runners[0].method
        return clingo.solve(replace(run, options=clingo.options))
    return Race(run, runners).winner()


def auto_runners(run: Run[Any]) -> list[Runner]:
    """Who takes part in `auto`, clingo first.

    One keeps a core, so that the others, who take turns, hardly make it slower: clingo, or where
    there is an objective what its own loop does.
    """
    clingo, solver = parse_methods(USUAL, run.options)
    program = run.problem.program
    in_two_ways = program.optimizes and not names_strategy(run.options.clingo)
    runners = [Runner(clingo, steady=not in_two_ways)]
    if not FORKS:
        return runners
    if (looking := look_out(run)) is not None:
        runners.append(Runner(looking, past=SOON if len(os.sched_getaffinity(0)) > 1 else LATE))
    if in_two_ways:
        runners.append(Runner(_as_the_loop_does(clingo), steady=True))
    if not (program.plan_part or program.optimizes):
        as_written = run.options.no_rewrite or run.options.invariants
        if not as_written and is_transition_system(program):
            solver = replace(solver, name="another solver", solve=_Another(clingo, solver))
        runners.append(Runner(solver, delay=LATER, leaves=LEFT))
    return runners


@dataclass(frozen=True)
class _Another:
    """clingo with lemmas, where some are found; else the SAT solver."""

    clingo: Method
    solver: Method

    def __call__(self, run: Run[Any]) -> Result:
        options = self.clingo.options
        assert isinstance(options, AspOptions)
        program = run.problem.program
        try:
            found = with_lemmas(program, run.problem.given) is not program
        except InputError:  # its rules are a transition system's, and still it counts
            found = False
        if found:
            return self.clingo.solve(replace(run, options=replace(options, invariants=True)))
        return self.solver.solve(run)


def _as_the_loop_does(clingo: Method) -> Method:
    """clingo with nothing that asplan adds, as in its own loop."""
    assert isinstance(clingo.options, AspOptions)
    words = (BRANCH_AND_BOUND, NO_PREPROCESSING, *clingo.options.clingo)
    options = replace(clingo.options, clingo=words, no_rewrite=True)
    return replace(clingo, name=f"{clingo.name} {BRANCH_AND_BOUND}", options=options)
