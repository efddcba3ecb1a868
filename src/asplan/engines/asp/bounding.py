"""Bounds from below: of the cost of all plans, and of a theory's variable at one horizon.

A program that `estimates` completes its steps by a relaxed rest. Its optimum for n steps is a lower
bound for all plans, which grows with n; without a rest it is a plan. Compare Robinson, Gretton,
Pham and Sattar, Partial Weighted MaxSAT for Optimal Planning, 2010. A variable in
`asplan(minimize(VARIABLE)).` is minimized here, for no theory does it step by step.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from clingo import Function, Number

from asplan.core.errors import InputError, UsageError
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.core.text import LARGEST
from asplan.domains.model import refuse_free
from asplan.engines.asp.answer import Answer, read_plan
from asplan.engines.asp.opening import AT_MOST, BOUND, begin, open_session, prepare
from asplan.engines.asp.options import AspOptions
from asplan.engines.asp.session import Session
from asplan.engines.run import Run
from asplan.result import LEAST, Outcome, Result


def cheapest(run: Run[AspOptions]) -> Result:
    """Find a plan of the least cost, or with the fewest actions."""
    wanted = str(run.options.optimal)
    program = prepare(run)
    if not program.written.estimates:
        raise UsageError(
            f"--optimal {wanted}: {run.problem.encoding} says nothing of plans beyond its horizon",
            hint="--engine astar proves it for domains with a model; for PDDL leave out -e",
        )
    if wanted == "cost":
        refuse_free(run.problem.model)
    counted = "actions" if wanted == "actions" else "cost"
    return _Bounding(run, open_session(run, program, optimal=counted), wanted).bound()


@dataclass
class _Bounding:
    """One pass over the horizons; every plan costs at least `least`, and `best` costs so much."""

    run: Run[AspOptions]
    session: Session
    wanted: str
    least: int = 0
    best: tuple[int, Plan] | None = None

    def bound(self) -> Result:
        """Raise the bound from below until a plan meets it."""
        run, session = self.run, self.session
        run.found = self._in_hand
        run.tell("grounding horizon 0")
        begin(run, session, "incremental")
        for horizon in self._horizons():
            run.tell(f"bounding at horizon {horizon}")
            session.demand(horizon)
            better = partial(self._better, horizon)
            answer = session.solve(horizon, optimize=True, on_better=better)
            if answer.satisfiable is False:
                start = f"from whatever {horizon} parallel steps lead to, " if horizon else ""
                out = f"{start}the goal is out of reach, even if nothing were lost any more"
                return run.unsolvable(out)
            self._better(horizon, answer)
            if not answer.proven:
                break
            session.forbid(horizon)
            self.least = max(self.least, *answer.cost[:1], 0)
            if self.wanted == "actions":
                run.lower_bound = self.least
            else:
                run.lower_cost = self.least
            if self.best is not None and self.best[0] <= self.least:
                takes = {
                    "actions": f"take at least {self.best[0]} actions",
                    "cost": f"cost at least {self.best[0]}",
                }
                reason = (
                    f"{LEAST[self.wanted]}: {horizon} parallel steps and the delete relaxation of "
                    f"what may follow {takes.get(self.wanted, 'have no better one')}"
                )
                return run.result(outcome=Outcome.OPTIMAL, reason=reason)
        reason = f"{run.limits.time_reason()} while {run.doing}"
        return run.result(stopped=Stop.TIME, reason=reason)

    def _horizons(self) -> Iterator[int]:
        """The horizons as they are grounded, until the time is over."""
        horizon = 0
        while not self.session.overdue():
            yield horizon
            horizon += 1
            self.run.tell(f"grounding horizon {horizon}")
            self.session.ground_step(horizon)

    def _better(self, horizon: int, answer: Answer) -> None:
        """Keep the plan of an answer whose goal holds, if it is the cheapest so far."""
        if not answer.models:
            return
        cost, *missing = answer.cost or (0,)
        if any(missing) or (self.best is not None and self.best[0] <= cost):
            return
        plan = read_plan(answer.models[-1], horizon, self.session.program.readings)
        if plan is not None:
            # Steps hold actions that can be executed in any order.
            self.best = cost, Plan(tuple((action,) for action in plan.actions), self._price(cost))
            self.run.tell(self.run.doing)

    def _price(self, least: int) -> tuple[int, ...] | None:
        """What a plan costs; where actions were counted, whoever checks it knows their costs."""
        return None if self.wanted == "actions" else (least,)

    def _in_hand(self) -> dict[str, object]:
        if self.best is None:
            return {"optimized": self.wanted}
        cost, plan = self.best
        return {
            "optimized": self.wanted,
            "outcome": Outcome.PLAN,
            "horizon": len(plan),
            "cost": self._price(cost),
            "plans": (plan,),
        }


_CONFLICTS = 1000  # after which a bound stays open in the first round


def lessen(session: Session, horizon: int, answer: Answer) -> Iterator[tuple[Answer, int | None]]:
    """Ever better answers, the given one first, each with a value that none is below, if known.

    The goal is demanded at the horizon. Bounds halve what is open; one that stays open after some
    conflicts makes way for one nearer to the best value, and conflicts are more from round to
    round. The last answer is proven unless the time was over.
    """
    best, least, conflicts = _value(session, answer), None, _CONFLICTS
    gap = max(1, abs(best) // 2)
    while not session.overdue():
        proven = best == least
        yield replace(answer, cost=(best,), proven=proven), least
        if proven:
            return
        better = _at_most(session, horizon, best - gap, conflicts)
        if better.satisfiable:
            answer, best = better, _value(session, better)
        elif better.satisfiable is False:
            least = best - gap + 1
        elif gap == 1:
            conflicts *= 4
        open_values = 2 * best if least is None else best - least
        if better.satisfiable is None and gap > 1:
            gap //= 2
        else:
            gap = max(1, open_values // 2)


def _at_most(session: Session, horizon: int, bound: int, conflicts: int) -> Answer:
    """Look for a model in which the variable is at most so much."""
    session.ground([(BOUND, [Number(bound)])])
    wanted = Function(AT_MOST, [Number(bound)])
    session.control.assign_external(wanted, True)
    answer = session.solve(horizon, conflicts=min(conflicts, LARGEST))
    session.control.release_external(wanted)
    return answer


def _value(session: Session, answer: Answer) -> int:
    variable = str(session.program.written.minimized)
    value = answer.models[0].values.get(variable)
    if value is None:
        raise InputError(f"asplan(minimize({variable})): no theory atom gives it a value")
    return int(value)
