"""The choice between two ways to ground a converted program: step by step, or anew.

A program without parts can be converted into parts. Its parts are grounded step by step, so a
horizon costs one more step, and one solver keeps its lemmas for all horizons. As written, the
program is grounded anew for each horizon, which costs a whole grounding. But clasp simplifies a
program better if it solves the program only once. Its conflicts are then several times cheaper.

So easy horizons are solved in parts, and a horizon that is probably hard is grounded anew. The
measure of effort is conflicts, not seconds, so that a program has the same plan on each machine. In
a larger program, both a grounding and a conflict take more time. So a new grounding is worth about
the same number of conflicts in small and large programs.
"""

from asplan.engines.asp.opening import PlanningRun
from asplan.problem.problem import Grounding
from asplan.program.incremental import Program

DEAR = 400  # conflicts that take about as much time as grounding the next horizon anew


def grounds_anew(conflicts: int, is_refuted: bool) -> bool:
    """Return whether to ground the next horizon anew, rather than step by step.

    `conflicts` is the number of conflicts at the last horizon that clingo has solved. `is_refuted`
    is true if another search has refuted the next horizon. A refuted horizon is grounded step by
    step: it is not solved, but later horizons need its step.

    >>> grounds_anew(conflicts=DEAR, is_refuted=False)
    True
    """
    return conflicts >= DEAR and not is_refuted


def written_alternative(run: PlanningRun) -> Program | None:
    """Return a converted program as its author wrote it, to ground it anew for hard horizons.

    Return None if the program is not converted, has an objective or theory atoms, or if an option
    affects the order of horizons or clingo's search.
    """
    problem = run.problem
    options = run.options
    if problem.grounding is not Grounding.CONVERTED:
        return None
    if not options.by_clingo or options.clingo or options.first or options.schedule:
        return None
    program = problem.program
    if program.optimizes or program.theory or program.written.minimized:
        return None
    return problem.written_program
