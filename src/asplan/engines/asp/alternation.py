"""The choice between two ways to ground a converted program: step by step, or a horizon anew.

A program without parts can be converted into parts. Its parts are grounded step by step, so a
horizon costs one more step, and one solver keeps its lemmas for all horizons. As written, the
program is grounded anew for each horizon. That costs a whole grounding. But clasp simplifies a
program better that it solves only once, and its conflicts are then several times cheaper.

So easy horizons are solved in parts, and a horizon that promises to be hard is solved anew. Effort
is counted in conflicts, not by a clock. So a program has the same plan each time, even on a busy
machine. A larger program takes more time for each conflict, too. So a new grounding is worth about
the same number of conflicts for small and large programs.
"""

from typing import NamedTuple

from asplan.engines.asp.opening import PlanningRun
from asplan.problem.kinds import SingleShotProgram
from asplan.program.incremental import Program

DEAR = 400  # conflicts at a horizon that take about as much time as grounding the next one anew


class LastHorizon(NamedTuple):
    """The evidence on which the choice for the next horizon depends.

    `conflicts` is the number of conflicts at the last horizon that clingo has solved. `is_refuted`
    is true if another search has refuted the next horizon.
    """

    conflicts: int
    is_refuted: bool


def grounds_anew(evidence: LastHorizon) -> bool:
    """Return whether to ground the next horizon anew; else it is grounded step by step.

    A refuted horizon is not solved at all, but the parts of later horizons need its step.

    >>> grounds_anew(LastHorizon(conflicts=DEAR, is_refuted=False))
    True
    """
    return evidence.conflicts >= DEAR and not evidence.is_refuted


def written_alternative(run: PlanningRun) -> Program | None:
    """Return the program as its author wrote it, to be grounded anew for a hard horizon.

    Return None if the program is not converted, has an objective or theory atoms, or if an option
    affects the order of horizons or clingo's search.
    """
    problem = run.problem
    options = run.options
    if not isinstance(problem, SingleShotProgram) or not problem.is_converted:
        return None
    if not options.by_clingo or options.clingo or options.first or options.schedule:
        return None
    program = problem.program
    if program.optimizes or program.theory or program.written.minimized:
        return None
    return problem.written_program
