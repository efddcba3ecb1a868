"""The choice of programs whose display rules wait until there is a plan."""

from asplan.engines.asp.opening import PlanningRun, wanted_models
from asplan.program.incremental import Program
from asplan.program.transitions.display import without_display


def without_display_rules(run: PlanningRun) -> Program:
    """Return the program of a run; leave out its display rules if they may wait for a plan.

    They may not if the user wants several models, whose shown atoms must differ, or if horizons are
    not grounded one after the other.
    """
    program = run.problem.program
    options = run.options
    if not options.by_clingo or options.clingo or options.no_rewrite or program.is_final:
        return program
    if options.first or options.schedule or program.plan_part or program.written.cuts:
        return program
    if wanted_models(run) != 1:
        return program
    return without_display(program, run.problem.user_constants)
