"""The choice between two ways to ground a converted program: step by step, or anew.

A program without parts can be converted into parts. Its parts are grounded step by step, so a
horizon costs one more step, and one solver keeps its lemmas for all horizons. As written, the
program is grounded anew for each horizon, which costs a whole grounding. But clasp simplifies a
program better if it solves the program only once. Its conflicts are then several times cheaper.

So easy horizons are solved in parts. A horizon is grounded anew if it is probably hard, compared
with the effort of grounding it. The measure of effort is conflicts and rules, not seconds, so that
a program has the same plan on each machine.
"""

from asplan.engines.asp.effort import conflicts_worth
from asplan.engines.asp.opening import PlanningRun
from asplan.problem.problem import Grounding
from asplan.program.incremental import Program

DEAR = 400  # conflicts of a hard horizon, at least; with 0, every horizon counts as hard


def grounds_anew(
    conflicts: int,
    rules: int,
    is_refuted: bool,
) -> bool:
    """Return whether to ground the next horizon anew, rather than step by step.

    `conflicts` is the number of conflicts at the last horizon that clingo has solved, and `rules`
    is the number of ground rules there. `is_refuted` is true if another search has refuted the next
    horizon. A refuted horizon is grounded step by step: it is not solved, but later horizons need
    its step. A horizon is hard if its conflicts are worth the grounding of so many rules.

    >>> grounds_anew(conflicts=1_000, rules=25_000, is_refuted=False)
    True
    >>> grounds_anew(conflicts=1_000, rules=50_000, is_refuted=False)
    False
    """
    least = max(DEAR, conflicts_worth(rules)) if DEAR else 0
    return conflicts >= least and not is_refuted


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
