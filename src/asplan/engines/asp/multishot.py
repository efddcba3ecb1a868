"""Multi-shot grounding: a clingo session that is grounded step by step and solved in between."""

from dataclasses import dataclass, replace

from asplan.core.errors import InputError
from asplan.core.limits import Limits, Stop
from asplan.engines.asp.answer import Answer
from asplan.engines.asp.opening import Opener, begin, wanted_models
from asplan.engines.asp.progress import Account
from asplan.engines.asp.session import Session
from asplan.program.contract import exhausted
from asplan.program.incremental import plan
from asplan.result import Phase


@dataclass
class MultiShot:
    """A clingo session that is grounded step by step, and that can be opened again.

    Attributes
    ----------
    account
        The run, its program and its progress.
    opener
        The function that opens a session.
    session
        The present session.
    limits
        The limits on horizons.
    monotone
        True if the program has the fact `asplan(monotone)`.
    tried
        The horizon that was solved last; -1 before the first.
    exhausted
        True if the last step t has the fact `asplan(exhausted(t))`: then no further step is
        grounded.
    """

    account: Account
    opener: Opener
    session: Session
    limits: Limits
    monotone: bool
    tried: int = -1
    exhausted: bool = False

    @property
    def grounded(self) -> int:
        """The number of the last grounded step."""
        return self.session.grounded

    def ground_to(self, horizon: int) -> Stop | None:
        """Ground the steps up to a horizon, or up to an exhausted step.

        Return the limit that has prevented this, or None.
        """
        most = self.limits.max_horizon
        if most is not None and horizon > most:
            return Stop.HORIZON
        for t in self.session.steps_to(horizon):
            if self.exhausted:
                break
            if self.tried < t - 1 and not self.monotone:
                self.session.settle()
            self.account.announce(f"grounding horizon {t}", Phase.GROUNDING)
            self.session.ground_step(t)
            self.exhausted = self.session.is_fact(exhausted(t))
            if self.session.budget.is_spent():
                return Stop.TIME
        return None

    def demand_plan(self, horizon: int) -> None:
        """Demand the goal at a horizon; first ground the part `plan` if the program has one."""
        if self.account.program.plan_part:
            self.session.ground([plan(horizon)])
        self.session.demand(horizon)

    def read_plan_off(self, horizon: int) -> Stop | None:
        """Find a plan that the part `plan` describes at a horizon, without optimizing its cost.

        Return the limit that has stopped this, or None.
        """
        account = self.account
        account.announce(f"reading the plan off horizon {horizon}")
        self.demand_plan(horizon)
        answer = self.session.solve(horizon, wanted_models(account.run))
        require_plan(answer, horizon)
        if answer.models:
            account.progress = account.progress.find_plan(horizon, answer)
        return None if answer.satisfiable else Stop.TIME

    def reopen(self, option: str) -> None:
        """Open a new session with one more option of clingo; ground `base` and `check(0)` in it."""
        run = self.account.run
        options = replace(run.options, clingo=(*run.options.clingo, option))
        run = self.account.run = replace(run, options=options)
        self.session = self.opener(run, self.account.program, self.session.effort)
        self.tried = -1
        self.exhausted = False
        begin(run, self.session, "incremental")


def require_plan(answer: Answer, horizon: int) -> None:
    """Raise `InputError` if the part `plan` excludes all plans of a horizon with the goal."""
    if answer.satisfiable is False:
        raise InputError(
            f"the goal holds at {horizon}, but with the part plan({horizon}) there is no answer "
            "set",
            hint="the part may describe plans, but not exclude all of them",
        )
