"""Preparation of a run: the rewritten program, a clingo solver, and the first ground call."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from asplan.catalog import find_encoding
from asplan.clingo import SymbolType
from asplan.core.choices import Mode
from asplan.core.errors import UsageError
from asplan.core.limits import Limits
from asplan.engines.asp.clingo_options import (
    OPTIMIZATION,
    names_strategy,
    preprocessing_options,
    uses_branch_and_bound,
)
from asplan.engines.asp.effort import ClingoEffort
from asplan.engines.asp.solver import ClingoSolver, PartsSolver
from asplan.engines.run import Run
from asplan.problem.problem import Problem
from asplan.program.incremental import LOOP_CONSTANTS, Program, with_query
from asplan.program.reading.contract import Contract, read_contract

PlanningRun = Run[Any]  # of several engines, whose options differ

WATCH_LEMMAS = "--stats=2"  # clasp counts the literals of its lemmas, which takes no time


def prepare(run: PlanningRun, program: Program | None = None) -> Program:
    """Return the program of a run, rewritten so that late steps ground as fast as early ones.

    Also add invariants if the options ask for them. If `program` is given, use it instead.
    """
    program = program or run.problem.program
    if run.options.invariants:
        from asplan.statespace.invariants import with_invariants

        run.announce("looking for invariants")
        program = with_invariants(program, run.problem.user_constants)
    return complete_program(run, program)


def complete_program(run: PlanningRun, program: Program) -> Program:
    """Return a program with the additions that grounding needs.

    Add the external `query(t)`, and for `asplan(minimize(Variable))` the part `BOUND`; then rewrite
    the program unless an option forbids it.
    """
    program = with_query(program)
    variable = program.written.minimized
    if variable is not None:
        from asplan.engines.asp.theory import with_bound

        program = with_bound(program, variable, run.options.aim)
    if run.options.no_rewrite or program.is_final:
        return program
    from asplan.program.transitions.rewrite import rewrite  # the fastest encodings are final

    return rewrite(program)


def make_solver(
    program: Program,
    *arguments: Any,  # noqa: ANN401  those of `ClingoSolver`
    **more: Any,  # noqa: ANN401  those of `ClingoSolver`
) -> ClingoSolver:
    """Return an `AnewSolver` for a single-shot program, else a `PartsSolver`.

    The further arguments are those of `ClingoSolver`.
    """
    if program.horizon is None:
        return PartsSolver(program, *arguments, **more)
    from asplan.engines.asp.anew import AnewSolver

    return AnewSolver(program, *arguments, **more)


Opener = Callable[..., ClingoSolver]
"""A function like `open_solver`; other engines pass one that opens another kind of solver."""


def open_solver(
    run: PlanningRun,
    program: Program,
    effort: ClingoEffort | None = None,
    **constants: str,
) -> ClingoSolver:
    """Return a solver for a run; the user's options of clingo override asplan's.

    `effort` has the counts of earlier solvers, to which the new solver adds its own. `constants`
    override the user's.
    """
    options = run.options
    clingo_options = preprocessing_options(options.clingo, program, bool(options.first))
    if program.weighs_values:
        from asplan.engines.asp.theory import require_one_plan

        require_one_plan(options.aim)
    if options.first and program.written.guide:
        constants = {program.written.guide: "1", **constants}
        clingo_options.append("--heuristic=Domain")
    clingo_options += _search_options(run, program)
    clingo_options += options.clingo
    given = {**run.problem.user_constants, **constants}
    return make_solver(program, given, clingo_options, budget=run.budget, effort=effort)


def _search_options(run: PlanningRun, program: Program) -> list[str]:
    """Return clingo's search options that follow from the options of the run."""
    options = run.options
    chosen: list[str] = []
    is_incremental = options.mode in (None, Mode.INCREMENTAL)
    is_free = is_incremental and not names_strategy(options.clingo)
    if program.optimizes and is_free and not takes_turns(run, program):
        chosen.append(OPTIMIZATION)
    if options.threads:
        chosen.append(f"--parallel-mode={options.threads}")
    if options.models not in (None, 1):
        chosen.append("--project=show")
    if may_choose_configuration(run, program):
        chosen.append(WATCH_LEMMAS)
    return chosen


def may_choose_configuration(run: PlanningRun, program: Program) -> bool:
    """Return whether asplan may change clasp's configuration during a run.

    This is allowed if the run looks for a shortest plan of a plain program in parts, and no option
    affects clingo's search.
    """
    options = run.options
    if not options.by_clingo or options.clingo or options.threads:
        return False
    if options.first or options.schedule or program.optimizes:
        return False
    return not (program.horizon or program.plan_part or program.theory or program.written.cuts)


def can_search_states(run: PlanningRun, program: Program) -> bool:
    """Return whether a search through states may help the search from horizon to horizon."""
    options = run.options
    problem = run.problem
    if not options.by_clingo or options.no_states or options.clingo:
        return False
    if options.first or options.schedule or _bounds_loop(problem):
        return False
    if is_parallel(problem):
        return _has_states_of_encoding(problem) and _has_plain_horizons(program)
    return not program.theory and _has_plain_horizons(program)


def _bounds_loop(problem: Problem) -> bool:
    """Return whether a constant of clingo's own incremental mode, such as `imax`, is set."""
    constants = set(problem.user_constants).union(*(unit.definitions for unit in problem.units))
    return not constants.isdisjoint(LOOP_CONSTANTS)


def _has_plain_horizons(program: Program) -> bool:
    """Return whether each answer set of a program at horizon n is a plan of n steps.

    The program must also be grounded step by step. Excluded are single-shot programs, programs with
    a part `plan`, and programs that cut at a bound or estimate the rest of a plan.
    """
    written = program.written
    return not (program.horizon or program.plan_part or written.cuts or written.estimates)


def is_parallel(problem: Problem) -> bool:
    """Return whether a step of the problem's domain may have several actions at once."""
    return problem.domain is not None and problem.domain.parallel


def _has_states_of_encoding(problem: Problem) -> bool:
    """Return whether the domain's model in Python has the same states as the encoding.

    This is known only of the encodings that asplan ships for the domain.
    """
    model = problem.model
    domain = problem.domain
    encoding = problem.encoding
    if model is None or domain is None or encoding is None or problem.is_replayed:
        return False
    return model.unexplored() is None and find_encoding(encoding, domain.name).domain == domain.name


def takes_turns(run: PlanningRun, program: Program) -> bool:
    """Return whether branch and bound and core-guided search take turns in a run.

    They do if the program has an objective and no option chooses one of them.
    """
    options = run.options
    if program.theory or names_strategy(options.clingo):
        return False
    if options.by_clingo and (options.optimal or options.threads):
        return False
    return program.optimizes


def optimizes_at_once(run: PlanningRun, program: Program) -> bool:
    """Return whether the solve call that finds the first plan also optimizes the plan.

    Branch and bound does so; core-guided search waits until there is a plan.
    """
    if not program.optimizes or program.plan_part:
        return False
    return uses_branch_and_bound(run.options.clingo)


def begin(
    run: PlanningRun,
    solver: ClingoSolver,
    mode: Mode,
) -> Contract:
    """Ground `base` and `check(0)`; return the contract: the facts `asplan(…)` of the program.

    From now on the run reports the solver's effort. `mode` must be among the program's modes.
    """
    run.effort = solver.effort.totals
    if run.problem.is_replayed:
        solver.watched = solver.program.choices
    elif run.problem.domain is not None:
        solver.watched = run.problem.domain.operators
    solver.ground_first()
    contract = read_contract(solver.claims(), lambda fact: run.problem.facts.at(fact), mode)
    solver.settles = not contract.monotone
    return contract


def check_exact(run: PlanningRun) -> None:
    """Raise `UsageError` if the program estimates the rest of a plan beyond its horizon.

    Then an answer of the program need not be a plan.
    """
    if run.problem.program.written.estimates:
        raise UsageError(
            f"encoding {run.problem.encoding} estimates costs beyond its horizon, so its answers "
            "need not be plans",
            hint="use --optimal actions or --optimal cost, or another encoding",
        )


def wanted_models(run: PlanningRun) -> int:
    """Return the number of models to find, by default 1; 0 means all."""
    return 1 if run.options.models is None else run.options.models


def loop_limits(solver: ClingoSolver, limits: Limits) -> Limits:
    """Return the limits, completed by the constants `imin` and `imax` of clingo's incremental mode.

    These constants are the least and the greatest number of horizons to try. The user's limits
    override them.
    """
    stop = solver.control.get_const("istop")
    if stop is not None and str(stop).strip('"') != "SAT":
        raise UsageError(
            f"istop={stop} asks the loop to go on after a plan",
            hint="asplan stops at a plan; --min-horizon N sets the first horizon",
        )
    least = _loop_constant(solver, "imin")
    most = _loop_constant(solver, "imax")
    if least and not limits.min_horizon:
        limits = replace(limits, min_horizon=least - 1)
    if most is not None and limits.max_horizon is None:
        limits = replace(limits, max_horizon=most - 1)
    return limits


def _loop_constant(solver: ClingoSolver, name: str) -> int | None:
    """Return the value of a constant that counts horizons, such as `imax`; None if undefined."""
    value = solver.control.get_const(name)
    if value is None:
        return None
    if value.type != SymbolType.Number or value.number < 0:
        raise UsageError(f"{name}={value} is not a number of horizons")
    return value.number
