"""The multi-shot controller: it grounds and solves horizon after horizon until a plan is found.

Its loop is that of clingo's incremental mode, with schedules, limits and proofs around it:

    for horizon in count():
        control.ground([("check", [horizon]), ("step", [horizon])])
        control.assign_external(query(horizon), True)
        if control.solve().satisfiable:
            break
        control.release_external(query(horizon))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from asplan.core.budget import Budget, OutOfBudget
from asplan.core.child import FORKS
from asplan.core.choices import Mode
from asplan.core.limits import Stop
from asplan.engines import find_engine
from asplan.engines.asp.answer import MORE_PLANS, UNDECIDED, Answer
from asplan.engines.asp.multishot import MultiShot
from asplan.engines.asp.opening import (
    Opener,
    PlanningRun,
    begin,
    can_search_states,
    check_exact,
    loop_limits,
    may_choose_configuration,
    open_solver,
    prepare,
    wanted_models,
)
from asplan.engines.asp.progress import Account, Progress
from asplan.engines.asp.schedules import FAST, Attempt, Schedule, parse_schedule
from asplan.engines.asp.solver import ClingoSolver
from asplan.program.incremental import Program
from asplan.program.reading.contract import next_bound
from asplan.result import Evidence, Outcome, Phase, Refuter, Reliance, Result

if TYPE_CHECKING:
    from asplan.engines.asp.beside import States
    from asplan.engines.scheduling import Scheduler


def solve(run: PlanningRun) -> Result:
    """Run the engine `asp` in the mode that the options name.

    If the domain has a fast search of its own for the requested `--first` or `--optimal`, run the
    engine `auto` instead, in which this search races against clingo.
    """
    if _is_raced(run):
        auto = find_engine("auto")
        auto.load()  # or each process would import it
        return auto.run(replace(run, options=auto.options.of_aim(run.options.aim)))
    try:
        return _solve_in_mode(run)
    except MemoryError:
        return run.out_of_memory(run.activity)


def _is_raced(run: PlanningRun) -> bool:
    """Return whether a fast search of the domain is to run in parallel with clingo.

    The search of the domain has no options of its own. So it runs only if the user has set
    `--first` or `--optimal`, but no other option of the engine.
    """
    domain = run.problem.domain
    aim = run.options.aim
    is_plain = replace(run.options, first=None, optimal=None) == type(run.options)()
    if domain is None or not FORKS or not is_plain or (aim.any_plan and aim.objective):
        return False
    if aim.objective:
        return domain.prover is not None and not run.has_chosen_encoding
    finds = domain.finder is not None or domain.finding_program is not None
    return aim.any_plan and finds


def _solve_in_mode(run: PlanningRun) -> Result:
    program = run.problem.program
    mode = run.options.mode
    if run.options.optimal and not program.written.minimized:
        from asplan.engines.asp.bounding import cheapest

        return cheapest(run)
    check_exact(run)
    if mode == Mode.MINIMIZE and program.horizon is not None:
        limits = replace(run.limits, max_horizon=run.options.horizon)
        return incremental(replace(run, limits=limits))
    if mode is None or mode == Mode.INCREMENTAL:
        return incremental(run)
    from asplan.engines.asp import modes

    return modes.fixed(run) if mode == Mode.FIXED else modes.minimize(run)


def incremental(run: PlanningRun, opener: Opener = open_solver) -> Result:
    """Find a plan at the least horizon, by solving horizon after horizon."""
    program = run.problem.program
    if run.problem.domain is None and program.derives_in_check:
        from asplan.engines.asp.displaying import without_display_rules

        program = without_display_rules(run)
    account = Account(run, prepare(run, program), Progress(run.lower_bound))
    try:
        return _try_bounds(account, opener)
    except MemoryError:
        return account.run.out_of_memory(account.run.activity, **account.fields())


def _try_bounds(account: Account, opener: Opener) -> Result:
    """Find a plan at the least horizon, by iterative deepening if the program has a bound.

    A program may have a constant `bound`, and leave out atoms that no plan of at most `bound` steps
    needs. When all its horizons are refuted, start the program again with the next bound; horizons
    below this bound count as refuted.
    """
    solver = opener(account.run, account.program)
    while True:
        deepening, schedule = _begin_pass(account, solver, opener)
        end = deepening.try_horizons(schedule)
        if isinstance(end, Result):
            return end
        account.progress = Progress(end.bound)
        effort = deepening.solver.effort
        solver = opener(account.run, account.program, effort, bound=str(end.bound))


def _begin_pass(
    account: Account,
    solver: ClingoSolver,
    opener: Opener,
) -> tuple[_Deepening, Schedule]:
    """Ground `base` and `check(0)`; return a new pass over the horizons, and its schedule."""
    run = account.run
    may_choose = may_choose_configuration(run, account.program)
    joining = _open_joining(account)
    account.announce("grounding horizon 0", Phase.GROUNDING)
    contract = begin(run, solver, Mode.INCREMENTAL)
    account.progress = account.progress.start_from(contract.least)
    is_fast = run.options.first and contract.monotone
    make_schedule = parse_schedule(run.options.schedule or (FAST if is_fast else "linear"))
    limits = loop_limits(solver, run.limits)
    schedule = make_schedule(max(limits.min_horizon, contract.least), contract.monotone)
    shots = MultiShot(account, opener, solver, limits, contract.monotone)
    return _Deepening(account, shots, joining, may_choose), schedule


def _open_joining(account: Account) -> Scheduler[States] | None:
    """Return the scheduler of state searches beside clingo; None if they cannot help this run."""
    if not can_search_states(account.run, account.program):
        return None
    from asplan.engines.asp.beside import open_joining

    return open_joining(account)


class _Restart(NamedTuple):
    """The end of a pass, with the value of the constant `bound` for the next pass."""

    bound: int


@dataclass
class _Deepening:
    """One pass over the horizons of a program, with the state searches that run beside clingo.

    Attributes
    ----------
    account
        The run, its program and its progress.
    shots
        The solver that grounds and solves one horizon after the other.
    joining
        The state searches beside clingo; None if they cannot help.
    may_choose
        True while asplan may still change clasp's configuration in this run.
    """

    account: Account
    shots: MultiShot
    joining: Scheduler[States] | None
    may_choose: bool

    @property
    def solver(self) -> ClingoSolver:
        """The present clingo solver; it is replaced if clingo is started again."""
        return self.shots.solver

    @property
    def states(self) -> Sequence[States]:
        """The state searches that have begun."""
        return self.joining.running if self.joining else ()

    @property
    def program(self) -> Program:
        """The program of the run, rewritten for grounding."""
        return self.account.program

    def try_horizons(self, schedule: Schedule) -> Result | _Restart:
        """Ground and solve the horizons of a schedule, and return the result.

        Return a `_Restart` if the program has to start again with a greater bound.
        """
        attempt = next(schedule)
        while True:
            stopped = self.shots.ground_to(attempt.horizon)
            if stopped:
                return self._end(stopped)
            horizon = min(attempt.horizon, self.shots.grounded)
            end = self._search_states(horizon)
            if end:
                return end
            answer = self._solve(horizon, attempt.conflicts)
            if answer.satisfiable is None and self._gives_up(attempt):
                return self._end(Stop.TIME)
            if answer.satisfiable is False:
                refutation = self._refute_all(horizon, answer)
                if refutation:
                    return refutation
                self._reconsider(horizon)
            try:
                attempt = schedule.send(answer.satisfiable)
            except StopIteration:
                return self._complete()

    def _gives_up(self, attempt: Attempt) -> bool:
        """Return whether the search ends with this attempt, which was stopped without an answer.

        An attempt without a limit of conflicts is stopped only by the budget.
        """
        return attempt.conflicts is None or self.solver.budget.is_spent()

    def _complete(self) -> Result:
        """Return the result after the last attempt.

        First solve again if the plan must still be optimized, or found by the part `plan`.
        """
        stopped = self._complete_plan()
        if stopped is None and self.account.progress.is_cut:
            stopped = Stop.TIME
        return self._end(stopped)

    def _complete_plan(self) -> Stop | None:
        """Solve again at the goal's horizon if the plan is incomplete or its cost not proven least.

        Return the limit that has stopped this, or None.
        """
        program = self.program
        horizon = self.account.progress.goal_at
        is_minimized = program.written.minimized and not self.account.run.options.first
        if program.optimizes or is_minimized:
            from asplan.engines.asp.optimization import complete_plan

            return complete_plan(self.shots)
        if program.plan_part and horizon is not None:
            return self.shots.read_plan_off(horizon)
        return None

    def _search_states(self, horizon: int) -> Result | None:
        """Continue the state searches.

        Return the result if one proves that there is no plan, or if the time is up; else None.
        """
        if self.joining is None:
            return None
        spent = self.solver.effort
        try:
            self.joining.advance(spent.worth, spent.size[1] or 0, horizon)
        except OutOfBudget:
            return self._end(Stop.TIME)
        for states in self.states:
            spent.expanded = states.expanded or None
            if states.end:
                evidence = Evidence((Refuter.STATES,))
                own = {"evidence": evidence, "method": "state search"}
                return self.account.run.unsolvable(states.end, **self.account.fields() | own)
        return None

    def _is_refuted_elsewhere(self, horizon: int) -> bool:
        """Return whether a parallel run or a state search has refuted a horizon."""
        by_states = max((states.bound for states in self.states), default=0)
        return horizon < max(by_states, self.account.run.shared.proven())

    def _solve(self, horizon: int, conflicts: int | None) -> Answer:
        """Search for a plan at a grounded horizon, and record the answer in the progress.

        `conflicts` is the number after which to give up; None means never.
        """
        if self._is_refuted_elsewhere(horizon):
            return self._accept_refutation(horizon)
        self.account.announce(f"solving horizon {horizon}", Phase.SOLVING)
        answer = self._follow_path(horizon)
        if answer.satisfiable is None:
            answer = self.shots.solve(horizon, self._budget(horizon), conflicts)
        if answer.satisfiable is None and self._is_refuted_elsewhere(horizon):
            answer = Answer(False)
        if answer.satisfiable is False:
            self.solver.forbid(horizon)
            self._add_refutation(horizon)
        elif answer.satisfiable:
            self._add_plan(horizon, answer)
        return answer

    def _add_plan(self, horizon: int, answer: Answer) -> None:
        """Record an answer in which the goal holds at a horizon.

        If the program has a part `plan`, the answer has no plan yet: record only the horizon.
        """
        progress = self.account.progress.find_goal(horizon)
        if not self.program.plan_part:
            progress = progress.find_plan(horizon, answer)
        self.account.progress = progress

    def _accept_refutation(self, horizon: int) -> Answer:
        """Record the refutation of a horizon by a state search or a parallel run."""
        by_states = any(horizon < states.bound for states in self.states)
        for states in self.states:
            states.is_used = True
        self.solver.forbid(horizon)
        self._raise_bound(horizon + 1, Refuter.STATES if by_states else Refuter.METHODS)
        progress = self.account.progress
        self.account.progress = replace(progress, exact=max(progress.exact, horizon + 1))
        return Answer(False)

    def _add_refutation(self, horizon: int) -> None:
        """Record clingo's refutation of a horizon.

        Raise the lower bound above this horizon if all smaller ones are refuted, too.
        """
        progress = self.account.progress
        if horizon == progress.exact == self.shots.grounded:
            self.account.progress = replace(progress, exact=horizon + 1)
        if self.shots.monotone or horizon == progress.refuted:
            self._raise_bound(horizon + 1, Refuter.SOLVER)

    def _raise_bound(self, bound: int, by: Refuter) -> None:
        """Raise the lower bound on the length of plans to `bound`, proven by the method `by`.

        If the program has left out atoms because of its constant `bound`, raise the lower bound at
        most to the next value of this constant.
        """
        if self.program.written.cuts:
            cut_at = next_bound(self.solver.claims(), None)
            bound = bound if cut_at is None else min(bound, cut_at)
        self.account.raise_bound(bound, by)

    def _budget(self, horizon: int) -> Budget:
        """Return a budget that is also spent once another search has refuted the horizon."""
        return self.account.run.budget.until(partial(self._is_refuted_elsewhere, horizon))

    def _follow_path(self, horizon: int) -> Answer:
        """Search for an answer set with the states of the path that a state search has found.

        clingo adds the actions between the states, and the other shown atoms. Return `UNDECIDED` if
        there is no path or no such answer set, or if the program or the user wants other plans.
        """
        with_path = [states for states in self.states if states.path]
        if not with_path or self.program.optimizes or wanted_models(self.account.run) != 1:
            return UNDECIDED
        answer = self.solver.solve(horizon, self.account.run.budget, assumptions=with_path[0].path)
        with_path[0].path = ()
        return answer if answer.satisfiable else UNDECIDED

    def _refute_all(self, horizon: int, answer: Answer) -> Result | _Restart | None:
        """Return the end of the pass if neither `horizon` nor any later horizon can have a plan.

        Return None if later horizons may have a plan. `answer` is clingo's refutation of `horizon`.
        """
        if self.shots.exhausted and horizon == self.shots.grounded:
            present = self.solver.control.get_const("bound")
            bound = next_bound(self.solver.claims(), present)
            if bound is not None:
                return _Restart(bound)
            claim = f"from step {horizon} on nothing new can be reached"
            return self._no_plan(claim, Reliance.EXHAUSTED)
        is_power_of_two = horizon & (horizon - 1) == 0
        is_suspicious = self.program.only_query and (answer.empty_core or is_power_of_two)
        if is_suspicious and self.solver.is_inconsistent(horizon):
            return self._no_plan(f"the program has no answer set from step {horizon} on")
        return None

    def _no_plan(self, claim: str, *relies_on: Reliance) -> Result:
        """Return the result of a proof about the last grounded horizon and all later ones.

        `claim` is the proof in words, and `relies_on` has its assumptions. The outcome is
        `unsolvable` only if all smaller horizons are refuted, too.
        """
        progress = self.account.progress
        if progress.refuted <= self.shots.grounded:
            reason = f"{claim}, but smaller horizons were not tried"
            return self.account.result(stopped=Stop.HORIZON, reason=reason)
        evidence = progress.evidence.with_methods(Refuter.PROGRAM).relying_on(*relies_on)
        return self.account.result(
            outcome=Outcome.UNSOLVABLE,
            reason=f"no plan exists: {claim}{progress.relying}",
            evidence=replace(evidence, claim=claim),
        )

    def _reconsider(self, refuted: int) -> None:
        """Start clingo again, at most once, if another configuration is likely to be faster.

        `refuted` is the last refuted horizon; the new configuration begins at the next one.
        """
        if not self.may_choose:
            return
        from asplan.engines.asp.configuration import ENOUGH, better_configuration, read_signs

        effort = self.solver.effort
        if effort.last_conflicts < ENOUGH:
            return
        self.may_choose = False
        configuration = better_configuration(read_signs(self.solver.control), effort.conflicts)
        if configuration is None:
            return
        begins = f"{configuration.name} from horizon {refuted + 1} on"
        effort.configuration = f"{begins}: {configuration.reason}"
        self.shots.reopen(configuration.option)

    def _end(self, stopped: Stop | None) -> Result:
        """Return the result of the progress so far; `stopped` is the limit that ended the run."""
        used = (states.report() for states in self.states if states.is_used)
        reasons = [*self._limit_reasons(stopped), *self.account.claims("; ".join(used))]
        return self.account.result(stopped=stopped, reason="; ".join(reasons))

    def _limit_reasons(self, stopped: Stop | None) -> list[str]:
        if not stopped:
            return []
        limits = self.shots.limits
        if self.account.progress.is_cut:
            return [limits.time_reason(MORE_PLANS)]
        if stopped == Stop.TIME:
            return [f"{limits.time_reason()} at horizon {self.shots.grounded}"]
        return [f"maximal horizon {limits.max_horizon} reached"]
