"""Multi-shot grounding: a session that is grounded step by step."""

from dataclasses import dataclass, replace

from asplan.core.limits import Limits, Stop
from asplan.engines.asp.opening import Opener, PlanningRun, begin
from asplan.engines.asp.session import Session
from asplan.program.contract import exhausted
from asplan.program.incremental import Program, plan


@dataclass
class MultiShot:
    """A session of a run that is grounded step by step, and can be opened again.

    `tried` is the horizon of the last attempt. The program is `exhausted` if the last step has the
    fact `asplan(exhausted(t))`: then no further step is grounded.
    """

    run: PlanningRun
    program: Program
    opener: Opener
    session: Session
    limits: Limits
    monotone: bool
    tried: int = -1
    exhausted: bool = False

    @property
    def grounded(self) -> int:
        """The last grounded step."""
        return self.session.grounded

    def ground_to(self, horizon: int) -> Stop | None:
        """Ground the steps up to a horizon; return the limit that ends it, if there is one."""
        most = self.limits.max_horizon
        if most is not None and horizon > most:
            return Stop.HORIZON
        for t in self.session.steps_to(horizon):
            if self.exhausted:
                break
            if self.tried < t - 1 and not self.monotone:
                self.session.settle()
            self.run.tell(f"grounding horizon {t}")
            self.session.ground_step(t)
            self.exhausted = self.session.is_fact(exhausted(t))
            if self.session.overdue():
                return Stop.TIME
        return None

    def demand_plan(self, horizon: int) -> None:
        """Ground the part that describes the plan, and demand the goal."""
        if self.program.plan_part:
            self.session.ground([plan(horizon)])
        self.session.demand(horizon)

    def reopen(self, option: str) -> None:
        """Begin again in a fresh session with one more option of clingo."""
        options = self.run.options
        self.run.options = replace(options, clingo=(*options.clingo, option))
        self.session = self.opener(self.run, self.program, self.session.effort)
        self.tried = -1
        self.exhausted = False
        begin(self.run, self.session, "incremental")
