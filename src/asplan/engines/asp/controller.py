"""The multi-shot controller: ground, solve, until the goal holds or never can; see `opening`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from asplan.core.errors import InputError
from asplan.core.limits import Limits, Stop
from asplan.core.text import amount
from asplan.engines.asp import opening
from asplan.engines.asp.answer import MORE_PLANS, RELYING, Answer, fields_of_result, shortest_reason
from asplan.engines.asp.opening import Opener, chooses, parse_schedule
from asplan.engines.asp.session import Session
from asplan.engines.run import OutOfTime, Run
from asplan.program.contract import Contract, exhausted, next_bound
from asplan.program.incremental import Program, plan
from asplan.result import Outcome, Result

if TYPE_CHECKING:
    from asplan.engines.asp.model_search import ModelSearch
    from asplan.engines.asp.state_search import StateSearch

FAST = "parallel:8"  # the schedule for `--first`

SHORT_TURN, LONG_TURN = 5000, 200_000  # conflicts of first turns, half of those of second ones

LATE = 8000  # conflicts that clingo's search is worth before the states are searched
SOON = 500  # the same of a model's states, for which nothing has to be grounded


def solve(run: Run[Any]) -> Result:
    """The engine `asp`, in the mode that the options name."""
    mode, program = run.options.mode, run.problem.program
    bounds = run.options.optimal and not program.written.minimized
    try:
        if not bounds:
            opening.check_exact(run)
        if mode == "minimize" and program.horizon is not None:
            run = replace(run, limits=replace(run.limits, max_horizon=run.options.horizon))
        elif bounds or mode in ("fixed", "minimize"):
            from asplan.engines.asp import modes

            one_shot = modes.fixed if mode == "fixed" else modes.minimize
            return modes.cheapest(run) if bounds else one_shot(run)
        return incremental(run)
    except MemoryError:
        return run.out_of_memory(run.doing)


def incremental(run: Run[Any], opener: Opener = opening.open_session) -> Result:
    """Find a plan at the least horizon.

    A program that cuts at the constant `bound` is started again with the next bound when exhausted;
    only what is on no plan of at most `bound` steps may be cut, so horizons below are refuted.
    """
    program = opening.prepare(run)
    deepening = _Deepening(run, program, opener(run, program), opener)
    while True:
        result = deepening.deepen()
        if deepening.next_bound is None:
            return result
        run.lower_bound = deepening.next_bound
        bound, effort = str(deepening.next_bound), deepening.session.effort
        session = opener(run, program, effort, bound=bound)
        deepening = _Deepening(run, program, session, opener)


def _make_search(run: Run[Any], parallel: bool) -> StateSearch | ModelSearch:
    """Return a search through the states of the program, or of the model of a parallel domain."""
    if parallel:
        from asplan.engines.asp.model_search import ModelSearch

        return ModelSearch(run, run.shared)
    from asplan.engines.asp.state_search import StateSearch

    return StateSearch(run, run.shared)


@dataclass
class _Deepening:
    """One pass over the horizons. Every horizon below `run.lower_bound` is refuted.

    Those below `exact` were refuted with just as many steps grounded. The goal holds at `goal_at`,
    with the plan in `found`. The `opener` makes a session with another configuration.
    """

    run: Run[Any]
    program: Program
    session: Session
    opener: Opener
    grounded: int = 0
    tried: int = -1
    exhausted: bool = False
    next_bound: int | None = None
    found: tuple[int, Answer] | None = None
    goal_at: int | None = None
    exact: int = 0
    least: int | None = None
    states: StateSearch | ModelSearch | None = None
    chooses: bool = field(init=False)
    searches: bool = field(init=False)
    contract: Contract = field(init=False)
    limits: Limits = field(init=False)

    def deepen(self) -> Result:
        """Try the horizons of the schedule in turn."""
        self.run.found = self._in_hand
        self.chooses = chooses(self.run, self.program)
        self.searches = opening.can_search_states(self.run, self.program)
        self.run.tell("grounding horizon 0")
        self.contract = opening.begin(self.run, self.session, "incremental")
        monotone, least = self.contract.monotone, self.contract.least
        self.exact = self.run.lower_bound = max(self.run.lower_bound, least)
        usual = FAST if self.run.options.first and monotone else "linear"
        make = parse_schedule(self.run.options.schedule or usual)
        self.limits = opening.loop_limits(self.session, self.run.limits)
        schedule = make(max(self.limits.min_horizon, least), monotone)
        attempt = next(schedule)
        while True:
            if stopped := self._reach(attempt.horizon):
                return self._end(stopped)
            horizon = min(attempt.horizon, self.grounded)
            if ended := self._search_states(horizon):
                return ended
            answer = self._try(horizon, attempt.conflicts)
            given_up = answer.satisfiable is None
            if given_up and (attempt.conflicts is None or self.session.overdue()):
                return self._end(Stop.TIME)
            if answer.satisfiable is False:
                if never := self._never(horizon, answer):
                    return never
                self._reconsider(horizon)
            try:
                attempt = schedule.send(answer.satisfiable)
            except StopIteration:
                return self._end(self._read_off() or (Stop.TIME if self._is_cut() else None))

    def _reach(self, horizon: int) -> Stop | None:
        """Ground up to a horizon, or to where nothing new can be reached."""
        limit = self.limits.max_horizon
        if limit is not None and horizon > limit:
            return Stop.HORIZON
        while self.grounded < horizon and not self.exhausted:
            t = horizon if self.program.horizon else self.grounded + 1
            if self.tried < t - 1 and not self.contract.monotone:
                self.session.settle()
            self.run.tell(f"grounding horizon {t}")
            self.session.ground_step(t)
            self.grounded = t
            known = self.session.control.symbolic_atoms[exhausted(t)]
            self.exhausted = known is not None and known.is_fact
            if self.session.overdue():
                return Stop.TIME
        return None

    def _search_states(self, horizon: int) -> Result | None:
        """Let the states have their share; the result if they prove that there is no plan."""
        # How many conflicts are worth what was searched so far, which no clock has to tell.
        effort = self.session.effort.conflicts + opening.A_CALL * len(self.session.effort.steps)
        parallel = opening.is_parallel(self.run.problem)
        if not self.searches or effort < (SOON if parallel else LATE):
            return None
        if self.states is None:
            self.states = _make_search(self.run, parallel)
            self.run.shared = self.states
        try:
            self.states.go_on(effort, self.session.effort.size[1] or 0, horizon)
        except OutOfTime:
            return self._end(Stop.TIME)
        self.session.effort.expanded = self.states.expanded or None
        return self.run.unsolvable(self.states.end) if self.states.end else None

    def _try(self, horizon: int, conflicts: int | None) -> Answer:
        """Look for a plan of a horizon that is grounded, and note what that proves."""
        run, session, program = self.run, self.session, self.program
        if run.refuted_elsewhere(horizon):
            if self.states:
                self.states.is_used = True
            session.forbid(horizon)
            self._raise_bound(horizon + 1)
            self.exact = max(self.exact, horizon + 1)
            return Answer(False)
        self.run.tell(f"solving horizon {horizon}")
        session.demand(horizon)
        self.tried = horizon
        optimize = self._branches()
        later = program.plan_part or (program.optimizes and not optimize)
        models = 1 if later else opening.wanted_models(run)
        is_vain = partial(run.refuted_elsewhere, horizon)
        answer = Answer(None)
        if self.states and self.states.path and models == 1 and not program.optimizes:
            # clingo finds what happens between the states, and what else is shown
            answer = session.solve(horizon, assumptions=self.states.path)
            self.states.path = ()
            if not answer.satisfiable:
                answer = Answer(None)
        at_once = run.options.by_clingo and not program.plan_part
        if conflicts is None and at_once and opening.takes_turns(run, program):
            turn = self._first_turn()
            keep = partial(self._keep, horizon)
            answer = session.solve(horizon, 1, True, turn, on_better=keep, is_vain=is_vain)
        if answer.satisfiable is None and not (session.overdue() or is_vain()):
            answer = session.solve(horizon, models, optimize, conflicts=conflicts, is_vain=is_vain)
            if later:
                answer = replace(answer, proven=False)  # its cost was not looked at
        if answer.cut and conflicts is not None and not session.overdue():
            answer = session.solve(horizon, models, optimize)
        if answer.satisfiable is None and is_vain():
            answer = Answer(False)
        if answer.satisfiable is False:
            session.forbid(horizon)
            if horizon == self.exact == self.grounded:
                self.exact += 1
            if self.contract.monotone or horizon == run.lower_bound:
                self._raise_bound(horizon + 1)
        else:
            session.drop(horizon)
        if answer.satisfiable:
            self.goal_at = horizon
            if not program.plan_part:
                self.found = horizon, answer
        return answer

    def _reconsider(self, refuted: int) -> None:
        """Go on in a fresh clingo where another configuration is likely to be faster."""
        effort = self.session.effort
        if not self.chooses or effort.steps[-1].conflicts < opening.ENOUGH:
            return
        self.chooses = False
        chosen = opening.another(*opening.read_signs(self.session.control), effort.conflicts)
        if chosen is None:
            return
        word, why = chosen
        effort.configuration = f"{word.partition('=')[2]} from horizon {refuted + 1} on: {why}"
        self._reopen(word)

    def _reopen(self, word: str) -> None:
        """Begin in a fresh clingo, which gets one more word."""
        self.run.options = replace(self.run.options, clingo=(*self.run.options.clingo, word))
        self.session = self.opener(self.run, self.program, self.session.effort)
        self.grounded, self.tried = 0, -1
        opening.begin(self.run, self.session, "incremental")

    def _branches(self) -> bool:
        """Whether plans are made cheaper at once: core-guided search waits until there is one."""
        program = self.program
        return (
            program.optimizes
            and not program.plan_part
            and opening.branches(self.run.options.clingo)
        )

    def _raise_bound(self, bound: int) -> None:
        """Note that smaller horizons are refuted, as far as nothing was cut off below."""
        if self.program.written.cuts:
            cut_at = next_bound(self.session.claims(), None)
            bound = bound if cut_at is None else min(bound, cut_at)
        self.run.lower_bound = max(self.run.lower_bound, bound)
        self.run.shared.tell(self.run.lower_bound)

    def _read_off(self) -> Stop | None:
        """Solve once more where the goal was found, if a plan or its cost is still to be had."""
        horizon, program = self.goal_at, self.program
        if horizon is not None and program.written.minimized and not self.run.options.first:
            return self._lessen(horizon)
        if horizon is None or not (program.plan_part or program.optimizes):
            return None
        in_turns = opening.takes_turns(self.run, program)
        if self.found and self.found[1].proven and (self._branches() or in_turns):
            return self._find_others(horizon) if in_turns else None
        doing = "reading the plan off" if program.plan_part else "optimizing the cost at"
        self.run.tell(f"{doing} horizon {horizon}")
        self._demand_plan(horizon)
        if in_turns:
            answer = self._optimize_in_turns(horizon)
        else:
            answer = self.session.solve(horizon, opening.wanted_models(self.run), program.optimizes)
        if answer.satisfiable is False:
            raise InputError(
                f"the goal holds at {horizon}, but with the part plan({horizon}) there is no "
                "answer set",
                hint="the part may describe plans, but not exclude all of them",
            )
        if answer.models:
            self.found = horizon, answer
        done = answer.proven if program.optimizes else answer.satisfiable
        if done and in_turns:
            return self._find_others(horizon)
        return None if done else Stop.TIME

    def _find_others(self, horizon: int) -> Stop | None:
        """Find the other plans of the least cost, which is proven, as far as they are wanted."""
        wanted = opening.wanted_models(self.run)
        assert self.found is not None
        best = self.found[1]
        if wanted == 1 or not best.models:
            return None
        self.run.tell(f"looking for more plans of the least cost at horizon {horizon}")
        self.session.demand(horizon)
        answer = self.session.solve(horizon, wanted, True, cost=best.cost)
        known = answer if answer.proven and answer.models else replace(best, cut=True)
        self.found = horizon, known
        return Stop.TIME if known.cut else None

    def _demand_plan(self, horizon: int) -> None:
        """Demand the goal, and ground what describes the plan."""
        if self.program.plan_part:
            self.session.ground([plan(horizon)])
        self.session.demand(horizon)

    def _optimize_in_turns(self, horizon: int) -> Answer:
        """The best answer, by branch and bound and core-guided search in turns.

        Each is far ahead on some programs. The first turn is branch and bound's; core-guided
        search, where it is ahead, mostly ends after few conflicts. What one finds bounds the other.
        """
        best = self.found[1] if self.found and self.found[1].cost else Answer(None)
        sessions = [self.session]
        for turn in count(1 if best.models else 0):
            if turn == 1:
                if self.session.overdue():
                    break
                self._reopen(opening.OPTIMIZATION)
                if self._reach(horizon):
                    break
                self._demand_plan(horizon)
                sessions.append(self.session)
            session = sessions[turn % 2]
            first = SHORT_TURN if turn else self._first_turn()
            conflicts = LONG_TURN << turn // 2 if turn > 1 else first
            cost = best.cost if best.models else ()
            keep = partial(self._keep, horizon)
            answer = session.solve(horizon, 1, True, conflicts, on_better=keep, cost=cost)
            best = best if answer.satisfiable is None else answer
            if answer.satisfiable is False or answer.proven or session.overdue():
                break
        return best

    def _keep(self, horizon: int, answer: Answer) -> None:
        """Keep a plan that is cheaper than those before, and tell of it."""
        self.found = horizon, answer
        self.run.tell(self.run.doing)

    def _first_turn(self) -> int:
        """Four times the conflicts so far, and no less than grounding anew is worth."""
        effort = self.session.effort
        return max(SHORT_TURN, 4 * effort.conflicts, opening.conflicts_worth(effort.size[1] or 0))

    def _lessen(self, horizon: int) -> Stop | None:
        """Look for plans of one horizon with ever less of what the program minimizes."""
        from asplan.engines.asp.modes import lessen

        assert self.found is not None
        self.run.tell(f"minimizing {self.program.written.minimized} at horizon {horizon}")
        self.session.demand(horizon)
        for answer, least in lessen(self.session, horizon, self.found[1]):
            self.found, self.least = (horizon, answer), least
            self.run.tell(self.run.doing)
        return None if self.found[1].proven else Stop.TIME

    def _is_cut(self) -> bool:
        """Whether a limit ended the search for further plans."""
        return self.found is not None and self.found[1].cut

    def _never(self, horizon: int, answer: Answer) -> Result | None:
        """The result, if the refutation of a horizon refutes all later ones too."""
        if self.exhausted and horizon == self.grounded:
            present = self.session.control.get_const("bound")
            self.next_bound = next_bound(self.session.claims(), present)
            if self.next_bound is not None:
                return self.run.result()
            return self._no_plan(f"from step {horizon} on nothing new can be reached")
        powers_of_two = horizon & (horizon - 1) == 0
        suspicious = self.program.only_query and (answer.empty_core or powers_of_two)
        if suspicious and self.session.inconsistent(horizon):
            return self._no_plan(f"the program has no answer set from step {horizon} on")
        return None

    def _no_plan(self, proof: str) -> Result:
        if self.run.lower_bound > self.grounded:
            reason = f"no plan exists: {proof}{self._relying()}"
            return self.run.result(outcome=Outcome.UNSOLVABLE, reason=reason)
        reason = f"{proof}, but smaller horizons were not tried"
        return self.run.result(stopped=Stop.HORIZON, reason=reason)

    def _relying(self) -> str:
        return RELYING if self.run.lower_bound > self.exact else ""

    def _end(self, stopped: Stop | None) -> Result:
        """The result where no further horizon is tried."""
        reasons = []
        if stopped and self._is_cut():
            reasons.append(self.limits.time_reason(MORE_PLANS))
        elif stopped == Stop.TIME:
            reasons.append(f"{self.limits.time_reason()} at horizon {self.grounded}")
        elif stopped:
            reasons.append(f"maximal horizon {self.limits.max_horizon} reached")
        if self.found:
            horizon, answer = self.found
            reasons.append(self._proof(horizon))
            if (minimized := self.program.written.minimized) and answer.cost:
                open_ = "smaller ones" if self.least is None else f"with at least {self.least}"
                is_least = "the least" if answer.proven else f"{open_} possible"
                among = f"{is_least} of {amount(horizon, 'step')}"
                reasons.append(f"{minimized} {answer.cost[0]}, {among}")
            elif self.program.optimizes and not answer.proven:
                reasons.append("cheaper ones were not excluded")
            if not self.program.plans and len(answer.models) > 1:
                reasons.append(f"the first of {len(answer.models)} answer sets is shown")
        return self.run.result(stopped=stopped, reason="; ".join(reasons))

    def _proof(self, horizon: int) -> str:
        """In words: what is proven of a plan of this length."""
        lower = self.run.lower_bound
        if lower >= horizon == self.contract.least > 0:
            return f"shortest: asplan(least({horizon})) rules out fewer steps"
        if lower >= horizon:
            how = shortest_reason(horizon, self.run.problem.horizon) + self._relying()
            return f"{how}; {self.states.report()}" if self.states and self.states.is_used else how
        found = f"horizons {lower} to {horizon - 1} were not refuted"
        if lower == horizon - 1:
            found = f"horizon {lower} was not refuted"
        relying = self._relying()
        return f"{found}; smaller ones were{relying}" if relying else found

    def _in_hand(self) -> dict[str, object]:
        if self.found is None:
            return {}
        horizon, answer = self.found
        # What is minimized among the shortest plans has to be proven least as well.
        lessens = self.program.written.minimized and not self.run.options.first
        is_least = not lessens or (answer.proven and answer.cost)
        best = self.run.lower_bound >= horizon and is_least
        outcome = Outcome.OPTIMAL if best else Outcome.PLAN
        least_among = horizon if answer.proven and answer.cost else None
        found = fields_of_result(answer, horizon, self.program, answer.cost or None)
        return {"outcome": outcome, "least_among": least_among, **found}
