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

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from asplan.core.limits import Stop
from asplan.engines.asp.answer import MORE_PLANS, Answer
from asplan.engines.asp.configuration import A_CALL, ENOUGH, better_configuration, read_signs
from asplan.engines.asp.multishot import MultiShot
from asplan.engines.asp.opening import (
    Opener,
    PlanningRun,
    begin,
    can_search_states,
    check_exact,
    is_parallel,
    loop_limits,
    may_choose_configuration,
    open_session,
    prepare,
    takes_turns,
    wanted_models,
)
from asplan.engines.asp.optimization import (
    complete_plan,
    conflicts_of_first_turn,
    optimizes_at_once,
)
from asplan.engines.asp.progress import Found, Progress
from asplan.engines.asp.schedules import FAST, Attempt, Schedule, parse_schedule
from asplan.engines.asp.session import Session
from asplan.engines.run import OutOfTime
from asplan.program.contract import next_bound
from asplan.program.incremental import Program
from asplan.result import Outcome, Result

if TYPE_CHECKING:
    from asplan.engines.asp.model_search import ModelSearch
    from asplan.engines.asp.state_search import StateSearch

LATE = 8000  # conflicts that clingo's search is worth before the states are searched
SOON = 500  # the same of a model's states, for which nothing has to be grounded


def solve(run: PlanningRun) -> Result:
    """Run the engine `asp` in the mode that the options name."""
    try:
        return _solve_in_mode(run)
    except MemoryError:
        return run.out_of_memory(run.doing)


def _solve_in_mode(run: PlanningRun) -> Result:
    program = run.problem.program
    mode = run.options.mode
    if run.options.optimal and not program.written.minimized:
        from asplan.engines.asp.bounding import cheapest

        return cheapest(run)
    check_exact(run)
    if mode == "minimize" and program.horizon is not None:
        limits = replace(run.limits, max_horizon=run.options.horizon)
        return incremental(replace(run, limits=limits))
    if mode in ("fixed", "minimize"):
        from asplan.engines.asp import modes

        return modes.fixed(run) if mode == "fixed" else modes.minimize(run)
    return incremental(run)


def incremental(run: PlanningRun, opener: Opener = open_session) -> Result:
    """Find a plan at the least horizon.

    A program that cuts at the constant `bound` is started again with the next bound when exhausted.
    It may cut only atoms that are on no plan of at most `bound` steps, so smaller horizons than the
    next bound are refuted.
    """
    program = prepare(run)
    session = opener(run, program)
    while True:
        deepening, schedule = _begin_pass(run, program, session, opener)
        result = deepening.try_horizons(schedule)
        bound = deepening.next_bound
        if bound is None:
            return result
        run.lower_bound = bound
        session = opener(run, program, deepening.session.effort, bound=str(bound))


def _begin_pass(
    run: PlanningRun,
    program: Program,
    session: Session,
    opener: Opener,
) -> tuple[_Deepening, Schedule]:
    """Ground the first parts; return a pass over the horizons and its schedule."""
    progress = Progress(run, program)
    run.found = progress.fields
    may_choose = may_choose_configuration(run, program)
    may_search_states = can_search_states(run, program)
    run.tell("grounding horizon 0")
    contract = begin(run, session, "incremental")
    progress.start_from(contract.least)
    is_fast = run.options.first and contract.monotone
    make_schedule = parse_schedule(run.options.schedule or (FAST if is_fast else "linear"))
    limits = loop_limits(session, run.limits)
    schedule = make_schedule(max(limits.min_horizon, contract.least), contract.monotone)
    shots = MultiShot(run, program, opener, session, limits, contract.monotone)
    return _Deepening(run, program, shots, progress, may_choose, may_search_states), schedule


@dataclass
class _Deepening:
    """One pass over the horizons.

    `next_bound` is the bound to start again with, if the program cut at its constant `bound`.
    """

    run: PlanningRun
    program: Program
    shots: MultiShot
    progress: Progress
    may_choose: bool
    may_search_states: bool
    states: StateSearch | ModelSearch | None = None
    next_bound: int | None = None

    @property
    def session(self) -> Session:
        """The present session."""
        return self.shots.session

    def try_horizons(self, schedule: Schedule) -> Result:
        """Ground and solve the horizons of a schedule, until a plan is found or none can be."""
        attempt = next(schedule)
        while True:
            stopped = self.shots.ground_to(attempt.horizon)
            if stopped:
                return self._end(stopped)
            horizon = min(attempt.horizon, self.shots.grounded)
            proof = self._search_states(horizon)
            if proof:
                return proof
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
        """Return whether no other attempt follows one that was stopped."""
        return attempt.conflicts is None or self.session.overdue()

    def _complete(self) -> Result:
        """Return the result of a schedule that has ended, with the plan completed."""
        stopped = complete_plan(self.shots, self.progress)
        if stopped is None and self.progress.is_cut:
            stopped = Stop.TIME
        return self._end(stopped)

    def _search_states(self, horizon: int) -> Result | None:
        """Continue the search through states; return its proof that no plan exists, if any."""
        # The effort is counted in conflicts, so that no clock decides.
        spent = self.session.effort
        effort = spent.conflicts + A_CALL * len(spent.steps)
        parallel = is_parallel(self.run.problem)
        if not self.may_search_states or effort < (SOON if parallel else LATE):
            return None
        if self.states is None:
            self.states = _make_search(self.run, parallel)
            self.run.shared = self.states
        try:
            self.states.go_on(effort, spent.size[1] or 0, horizon)
        except OutOfTime:
            return self._end(Stop.TIME)
        spent.expanded = self.states.expanded or None
        return self.run.unsolvable(self.states.end) if self.states.end else None

    def _solve(self, horizon: int, conflicts: int | None) -> Answer:
        """Look for a plan of a grounded horizon, and note the outcome."""
        if self.run.refuted_elsewhere(horizon):
            return self._accept_refutation(horizon)
        self.run.tell(f"solving horizon {horizon}")
        self.session.demand(horizon)
        self.shots.tried = horizon
        answer = self._search(horizon, conflicts)
        if answer.satisfiable is None and self.run.refuted_elsewhere(horizon):
            answer = Answer(False)
        if answer.satisfiable is False:
            self.session.forbid(horizon)
            self._note_refutation(horizon)
            return answer
        self.session.drop(horizon)
        if answer.satisfiable:
            self.progress.goal_at = horizon
            if not self.program.plan_part:
                self.progress.best = Found(horizon, answer)
        return answer

    def _accept_refutation(self, horizon: int) -> Answer:
        """Note a horizon that another search has refuted."""
        if self.states:
            self.states.is_used = True
        self.session.forbid(horizon)
        self._raise_bound(horizon + 1)
        self.progress.exact = max(self.progress.exact, horizon + 1)
        return Answer(False)

    def _note_refutation(self, horizon: int) -> None:
        """Raise the bounds after the refutation of a horizon."""
        if horizon == self.progress.exact == self.shots.grounded:
            self.progress.exact += 1
        if self.shots.monotone or horizon == self.run.lower_bound:
            self._raise_bound(horizon + 1)

    def _raise_bound(self, bound: int) -> None:
        """Raise the lower bound, to the constant `bound` at most if the program cut there."""
        if self.program.written.cuts:
            cut_at = next_bound(self.session.claims(), None)
            bound = bound if cut_at is None else min(bound, cut_at)
        self.progress.raise_bound(bound)

    def _search(self, horizon: int, conflicts: int | None) -> Answer:
        """Search along the path of states, then in a first turn of optimization, then as usual."""
        answer = self._follow_path(horizon)
        if answer.satisfiable is None and conflicts is None:
            answer = self._take_first_turn(horizon)
        if answer.satisfiable is None and not self._is_vain(horizon):
            answer = self._search_models(horizon, conflicts)
        return answer

    def _is_vain(self, horizon: int) -> bool:
        """Return whether a search cannot help any more."""
        return self.session.overdue() or self.run.refuted_elsewhere(horizon)

    def _follow_path(self, horizon: int) -> Answer:
        """Search for an answer set along the path that the search through states has found.

        clingo finds the actions between the states, and the other shown atoms.
        """
        path = self.states.path if self.states else ()
        if not path or self.program.optimizes or wanted_models(self.run) != 1:
            return Answer(None)
        assert self.states is not None
        answer = self.session.solve(horizon, assumptions=path)
        self.states.path = ()
        return answer if answer.satisfiable else Answer(None)

    def _take_first_turn(self, horizon: int) -> Answer:
        """Optimize by branch and bound from the start, if both strategies take turns."""
        by_clingo = self.run.options.by_clingo and not self.program.plan_part
        if not (by_clingo and takes_turns(self.run, self.program)):
            return Answer(None)
        return self.session.solve(
            horizon,
            optimize=True,
            conflicts=conflicts_of_first_turn(self.session.effort),
            on_better=partial(self.progress.keep, horizon),
            is_vain=partial(self.run.refuted_elsewhere, horizon),
        )

    def _search_models(self, horizon: int, conflicts: int | None) -> Answer:
        """Search for the wanted models; for a single one if a plan is completed later."""
        optimize = optimizes_at_once(self.run, self.program)
        is_first_step = self.program.plan_part or (self.program.optimizes and not optimize)
        models = 1 if is_first_step else wanted_models(self.run)
        is_vain = partial(self.run.refuted_elsewhere, horizon)
        answer = self.session.solve(horizon, models, optimize, conflicts=conflicts, is_vain=is_vain)
        if is_first_step:
            answer = replace(answer, proven=False)  # the objective was ignored
        if answer.cut and conflicts is not None and not self.session.overdue():
            answer = self.session.solve(horizon, models, optimize)
        return answer

    def _refute_all(self, horizon: int, answer: Answer) -> Result | None:
        """Return the result if the refutation of a horizon refutes all later ones too."""
        if self.shots.exhausted and horizon == self.shots.grounded:
            present = self.session.control.get_const("bound")
            self.next_bound = next_bound(self.session.claims(), present)
            if self.next_bound is not None:
                return self.run.result()
            return self._no_plan(f"from step {horizon} on nothing new can be reached")
        is_power_of_two = horizon & (horizon - 1) == 0
        is_suspicious = self.program.only_query and (answer.empty_core or is_power_of_two)
        if is_suspicious and self.session.is_inconsistent(horizon):
            return self._no_plan(f"the program has no answer set from step {horizon} on")
        return None

    def _no_plan(self, proof: str) -> Result:
        """Return the result of a proof about all horizons from the grounded one on."""
        if self.run.lower_bound <= self.shots.grounded:
            reason = f"{proof}, but smaller horizons were not tried"
            return self.run.result(stopped=Stop.HORIZON, reason=reason)
        return self.run.result(
            outcome=Outcome.UNSOLVABLE,
            reason=f"no plan exists: {proof}{self.progress.relying}",
            refutation=proof,
            relies_on_monotone=self.progress.relies_on_monotone,
        )

    def _reconsider(self, refuted: int) -> None:
        """Continue in a fresh clingo if another configuration is likely to be faster."""
        effort = self.session.effort
        if not self.may_choose or effort.last_conflicts < ENOUGH:
            return
        self.may_choose = False
        configuration = better_configuration(read_signs(self.session.control), effort.conflicts)
        if configuration is None:
            return
        begins = f"{configuration.name} from horizon {refuted + 1} on"
        effort.configuration = f"{begins}: {configuration.reason}"
        self.shots.reopen(configuration.option)

    def _end(self, stopped: Stop | None) -> Result:
        """Return the result if no further horizon is tried."""
        progress = self.progress
        state_report = self.states.report() if self.states and self.states.is_used else ""
        reasons = [*self._limit_reasons(stopped), *progress.claims(state_report)]
        is_relying = progress.relies_on_monotone and not progress.rests_on_least
        return self.run.result(
            stopped=stopped,
            reason="; ".join(reasons),
            relies_on_monotone=progress.best is not None and is_relying,
        )

    def _limit_reasons(self, stopped: Stop | None) -> list[str]:
        if not stopped:
            return []
        limits = self.shots.limits
        if self.progress.is_cut:
            return [limits.time_reason(MORE_PLANS)]
        if stopped == Stop.TIME:
            return [f"{limits.time_reason()} at horizon {self.shots.grounded}"]
        return [f"maximal horizon {limits.max_horizon} reached"]


def _make_search(run: PlanningRun, parallel: bool) -> StateSearch | ModelSearch:
    """Return a search through the states of the program, or of the model of a parallel domain."""
    if parallel:
        from asplan.engines.asp.model_search import ModelSearch

        return ModelSearch(run, run.shared)
    from asplan.engines.asp.state_search import StateSearch

    return StateSearch(run, run.shared)
