"""The engines `portfolio` and `auto`: the choice of the methods that race on a problem.

The user names the methods of `portfolio`; tables of this module name the methods of `auto`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from asplan.core.child import FORKS
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, UsageError
from asplan.engines.asp import AspOptions
from asplan.engines.asp.clingo_options import OPTIMIZATION
from asplan.engines.asp.controller import solve as solve_by_clingo
from asplan.engines.asp.opening import may_choose_configuration, takes_turns
from asplan.engines.portfolio.domain_search import (
    finding,
    finding_by_program,
    joining_by_program,
    proving,
)
from asplan.engines.portfolio.methods import AnyRun, Method, parse_methods
from asplan.engines.portfolio.race import Race
from asplan.engines.portfolio.runner import Runner
from asplan.engines.portfolio.state_search import is_transition_system, state_search
from asplan.engines.scheduling import AT_ONCE, Entrant, Start
from asplan.problem.problem import Grounding
from asplan.result import Result
from asplan.statespace.invariants import with_invariants

JUMPY = "asp:jumpy"  # differs most from the default: often one is several times as fast


def race(run: AnyRun) -> Result:
    """Run the engine `portfolio`: the methods that the options name, side by side."""
    if _is_anew(run):
        return _solve_anew(run)
    if not FORKS:
        message = "methods race in forked processes, which this system does not have"
        raise UsageError(message, hint="use --engine asp or --engine sat")
    methods = parse_methods(run.options.methods or run.options.usual, run.options)
    for method in methods:
        method.check(run.problem)
    return Race(run, [Runner(method) for method in methods]).winner()


def auto(run: AnyRun) -> Result:
    """Run the engine `auto`: clingo, and beside it the methods of the first table that applies."""
    if _is_anew(run):
        return _solve_anew(run)
    runners = auto_runners(run)
    if len(runners) == 1:
        clingo = runners[0].method
        return clingo.solve(replace(run, options=clingo.options))
    return Race(run, runners).winner()


def _is_anew(run: AnyRun) -> bool:
    """Return whether the program is a single-shot program, grounded anew for each horizon."""
    return run.problem.grounding is Grounding.ANEW


def _solve_anew(run: AnyRun) -> Result:
    """Run engine `asp` alone: no other method can ground a program anew for each horizon."""
    options = AspOptions(**run.options.values(AspOptions))
    return solve_by_clingo(replace(run, options=options))


def auto_runners(run: AnyRun) -> list[Runner]:
    """Return the methods of `auto` for a run as runners, the leader first."""
    clingo, solver = parse_methods(run.options.usual, run.options)
    setting = Setting(run, clingo, solver)
    if not FORKS:
        return [Runner(clingo, steady=True)]
    table = next(table for table in TABLES if table[0].who(setting) is not None)
    pairs = ((row, row.who(setting)) for row in table)
    return [Runner(who, row.start, row.steady, row.nice) for row, who in pairs if who]


@dataclass(frozen=True)
class Setting:
    """A run of `auto`, with the methods `asp` and `sat` in their usual options.

    The functions of the tables take a setting. They return a method, or None if none applies.
    """

    run: AnyRun
    clingo: Method
    solver: Method

    @property
    def options(self) -> AspOptions:
        """The options of the method `asp`."""
        assert isinstance(self.clingo.options, AspOptions)
        return self.clingo.options

    @property
    def asp_run(self) -> AnyRun:
        """The run, with its options replaced by those of the method `asp`."""
        return replace(self.run, options=self.options)

    @property
    def has_other_solvers(self) -> bool:
        """True if solvers other than clingo can find plans of the program.

        They cannot solve theory atoms, the part `plan`, or objectives.
        """
        program = self.run.problem.program
        return not (program.theory or program.plan_part or program.optimizes)


def _best_first(setting: Setting) -> Method | None:
    """Return A* as a method if the domain has a search that proves plans best by the objective."""
    return proving(setting.run)


def _bounding(setting: Setting) -> Method:
    """Return clingo as a method that proves a plan best by lower bounds on the objective."""
    optimal = setting.run.options.optimal
    return replace(setting.clingo, options=replace(setting.options, optimal=optimal))


def _program(setting: Setting) -> Method | None:
    """Return a program of others that finds any plan as a method; None if none is installed."""
    return finding_by_program(setting.run)


def _joining_program(setting: Setting) -> Method | None:
    """Return a program of others that joins the domain's search; None if none is installed."""
    return joining_by_program(setting.run)


def _any_plan(setting: Setting) -> Method | None:
    """Return the domain's search for any plan as a method; None if the user wants other plans."""
    return finding(setting.run)


def _clingo(setting: Setting) -> Method:
    return setting.clingo


def _states(setting: Setting) -> Method | None:
    return state_search(setting.run)


def _core_guided(setting: Setting) -> Method | None:
    """Return clingo with core-guided optimization alone, as a method.

    The method `asp` may take turns between this strategy and branch and bound, which gets most
    turns; then this method complements `asp`. Return None if `asp` does not take turns.
    """
    program = setting.run.problem.program
    if not takes_turns(setting.asp_run, program):
        return None
    options = replace(setting.options, clingo=(OPTIMIZATION, *setting.options.clingo))
    return replace(setting.clingo, name=f"{setting.clingo.name} {OPTIMIZATION}", options=options)


def _jumpy(setting: Setting) -> Method | None:
    """Return clingo in the configuration `jumpy`, if asplan may choose the configuration."""
    program = setting.run.problem.program
    if not setting.has_other_solvers or not may_choose_configuration(setting.asp_run, program):
        return None
    (jumpy,) = parse_methods(JUMPY, setting.run.options)
    return jumpy


def _other_solver(setting: Setting) -> Method | None:
    """Return the SAT solver, or for a transition system clingo with invariants.

    If no invariants are found, the SAT solver runs for a transition system, too.
    """
    if not setting.has_other_solvers:
        return None
    is_fixed = setting.options.no_rewrite or setting.options.invariants
    if is_fixed or not is_transition_system(setting.run.problem.program):
        return setting.solver
    solve = partial(_solve_with_invariants, setting)
    return replace(setting.solver, name="another solver", solve=solve)


def _solve_with_invariants(
    setting: Setting,
    run: AnyRun,
) -> Result:
    """Solve by clingo with invariants if the program has some, else by the SAT solver."""
    program = run.problem.program
    try:
        has_invariants = with_invariants(program, run.problem.user_constants) is not program
    except InputError:  # its rules are a transition system's, but it counts
        has_invariants = False
    if not has_invariants:
        return setting.solver.solve(run)
    options = replace(setting.options, invariants=True)
    return setting.clingo.solve(replace(run, options=options))


Table = Sequence[Entrant[Setting, Method]]

PROVING: Table = (
    Entrant(_best_first, steady=True),
    Entrant(_bounding, Start(race=3.0)),  # A* mostly has the least cost by then
)
"""The table for `--optimal`, if the domain has a search that proves the objective."""

FINDING_BY_PROGRAM: Table = (
    Entrant(_program),
    Entrant(_any_plan, Start(race=3.0)),  # the program mostly has a plan by then
    Entrant(_clingo, Start(race=2.0), steady=True),
)
"""The table for `--first`, if a program of others that finds any plan is installed.

The program has its own process, which works on when its runner is paused.
"""

FINDING: Table = (
    Entrant(_any_plan),
    Entrant(_joining_program, Start(race=0.5)),  # the search finds most of its plans by then
    Entrant(_clingo, Start(race=2.0), steady=True),  # the search mostly has a plan by then
)
"""The table for `--first`, if the domain has a search for any plan."""

USUAL: Table = (
    Entrant(_clingo, AT_ONCE, steady=True),
    Entrant(_states, Start(race=0.15, race_on_one_core=5.0), nice=True),
    Entrant(_core_guided, Start(searched=0.5), nice=True),
    Entrant(_jumpy, Start(searched=0.5), nice=True),
    Entrant(_other_solver, Start(searched=1.0, while_kept_up=3.0), nice=True),  # grounding counts
)
"""The table for all other runs: clingo keeps a core, and the other methods take turns."""

TABLES = (PROVING, FINDING_BY_PROGRAM, FINDING, USUAL)
"""The tables in order; `auto` uses the first one whose first row applies to the run."""
