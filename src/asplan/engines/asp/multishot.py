"""Multi-shot solving: the solver of the horizon loop, on top of one or two clingo solvers."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

from asplan.core.budget import Budget
from asplan.core.choices import Mode
from asplan.core.errors import InputError
from asplan.core.limits import Limits, Stop
from asplan.engines.asp.answer import UNDECIDED, Answer
from asplan.engines.asp.opening import Opener, begin, optimizes_at_once, takes_turns, wanted_models
from asplan.engines.asp.progress import Account
from asplan.engines.asp.solver import ClingoSolver, Solver
from asplan.program.incremental import plan
from asplan.program.reading.contract import exhausted
from asplan.result import Phase


class _Wanted(NamedTuple):
    """The models that a solve call wants.

    `is_first_step` is true if the call leaves the objective, or the part `plan`, to a later call.
    """

    models: int
    optimize: bool
    is_first_step: bool


@dataclass
class MultiShot(Solver):
    """The solver of the horizon loop: a clingo solver with the limits and options of a run.

    `reopen` replaces the clingo solver by one with another option.

    Attributes
    ----------
    account
        The run, its program and its progress.
    opener
        The function that opens a solver.
    solver
        The present clingo solver.
    limits
        The limits on horizons.
    monotone
        True if the program has the fact `asplan(monotone)`.
    exhausted
        True if the last step t has the fact `asplan(exhausted(t))`. Then no further step is
        grounded.
    """

    account: Account
    opener: Opener
    solver: ClingoSolver
    limits: Limits
    monotone: bool
    exhausted: bool = False

    @property
    def grounded(self) -> int:
        """The number of the last grounded step."""
        return self.solver.grounded

    @cached_property
    def has_first_turn(self) -> bool:
        """True if branch and bound has the first turn, and core-guided search the next ones."""
        run = self.account.run
        program = self.account.program
        return run.options.by_clingo and not program.plan_part and takes_turns(run, program)

    @cached_property
    def wanted(self) -> _Wanted:
        """The models that a call wants; a single one if a later call completes the plan."""
        run = self.account.run
        program = self.account.program
        optimize = optimizes_at_once(run, program)
        is_first_step = bool(program.plan_part or (program.optimizes and not optimize))
        return _Wanted(1 if is_first_step else wanted_models(run), optimize, is_first_step)

    def ground_to(self, horizon: int) -> Stop | None:
        """Ground the steps up to a horizon, or up to an exhausted step.

        Return the limit that has prevented this, or None.
        """
        most = self.limits.max_horizon
        if most is not None and horizon > most:
            return Stop.HORIZON
        for t in self.solver.steps_to(horizon):
            if self.exhausted:
                break
            self.account.announce(f"grounding horizon {t}", Phase.GROUNDING)
            stopped = self.solver.ground_to(t)
            self.exhausted = self.solver.is_fact(exhausted(t))
            if stopped:
                return stopped
        return None

    def solve(
        self,
        horizon: int,
        budget: Budget,
        conflicts: int | None = None,
    ) -> Answer:
        """Search for a plan of a horizon, first by branch and bound if `has_first_turn`.

        Give up when the budget is spent, or after this number of `conflicts`, if it is given.
        """
        answer = UNDECIDED
        if conflicts is None:
            answer = self._take_first_turn(horizon, budget)
        if answer.satisfiable is None and not budget.is_spent():
            answer = self._find_models(horizon, budget, conflicts)
        return answer

    def _take_first_turn(self, horizon: int, budget: Budget) -> Answer:
        """Optimize by branch and bound, for a limited number of conflicts.

        Do so only if branch and bound and core-guided search take turns in this run. Otherwise
        return `UNDECIDED`, the answer of a search that has neither a model nor a refutation.
        """
        if not self.has_first_turn:
            return UNDECIDED
        return self.solver.solve(
            horizon,
            budget,
            self.solver.effort.first_turn,
            optimize=True,
            on_better=partial(self.account.keep, horizon),
        )

    def _find_models(self, horizon: int, budget: Budget, conflicts: int | None) -> Answer:
        """Search for as many models at a horizon as the user wants.

        Search for only one if a later call completes the plan or its cost. `conflicts` is the
        number after which to give up; None means never. If this limit has ended the search before
        all wanted models were found, search again without the limit.
        """
        models, optimize, is_first_step = self.wanted
        answer = self.solver.solve(horizon, budget, conflicts, models, optimize)
        if is_first_step:
            answer = replace(answer, proven=False)  # the objective was ignored
        if answer.cut and conflicts is not None and not self.solver.budget.is_spent():
            answer = self.solver.solve(horizon, self.account.run.budget, None, models, optimize)
        return answer

    def demand_plan(self, horizon: int) -> None:
        """Demand the goal at a horizon; first ground the part `plan` if the program has one."""
        if self.account.program.plan_part:
            self.solver.ground([plan(horizon)])
        self.solver.demand(horizon)

    def read_plan_off(self, horizon: int) -> Stop | None:
        """Find a plan with the part `plan` of the program, without optimizing its cost.

        Return the limit that has stopped this, or None.
        """
        account = self.account
        account.announce(f"reading the plan off horizon {horizon}")
        self.demand_plan(horizon)
        answer = self.solver.search(horizon, wanted_models(account.run))
        require_plan(answer, horizon)
        if answer.models:
            account.progress = account.progress.find_plan(horizon, answer)
        return None if answer.satisfiable else Stop.TIME

    def reopen(self, option: str) -> None:
        """Open a new solver with one more option of clingo; ground `base` and `check(0)` in it."""
        run = self.account.run
        options = replace(run.options, clingo=(*run.options.clingo, option))
        run = self.account.run = replace(run, options=options)
        self.solver = self.opener(run, self.account.program, self.solver.effort)
        self.exhausted = False
        begin(run, self.solver, Mode.INCREMENTAL)


def require_plan(answer: Answer, horizon: int) -> None:
    """Raise `InputError` if the goal holds at a horizon, but the part `plan` excludes all plans.

    `answer` is the answer of clingo with this part.
    """
    if answer.satisfiable is False:
        raise InputError(
            f"the goal holds at {horizon}, but with the part plan({horizon}) there is no answer "
            "set",
            hint="the part may describe plans, but not exclude all of them",
        )
