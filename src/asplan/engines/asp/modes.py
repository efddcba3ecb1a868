"""Modes beside the incremental one, and bounds from below.

The one-shot modes ground all steps up to N, then solve once: `fixed` asks for a plan of at most N
steps, `minimize` for the shortest of them. Both rely on the program being monotone: a plan that
cannot be prolonged to N steps is overlooked. Where it does not say so, `fixed` speaks about exactly
N steps, and `minimize` cannot call its plan shortest.

A program that `estimates` completes its steps by a relaxed rest. Its optimum for n steps is a lower
bound for all plans, which grows with n; without a rest it is a plan. Compare Robinson, Gretton,
Pham and Sattar, Partial Weighted MaxSAT for Optimal Planning, 2010. A variable in
`asplan(minimize(VARIABLE)).` is minimized here, for no theory does it step by step.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from clingo import Function, Number

from asplan.core.errors import InputError, UsageError
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.core.text import LARGEST, amount
from asplan.domains.model import require_costs
from asplan.engines.asp.answer import (
    MORE_PLANS,
    RELYING,
    Answer,
    ShownAtoms,
    fields_of_result,
    read_plan,
    shortest_reason,
    without_idle_end,
)
from asplan.engines.asp.opening import (
    AT_MOST,
    BOUND,
    Opener,
    begin,
    open_session,
    prepare,
    wanted_models,
)
from asplan.engines.asp.session import Session
from asplan.engines.run import Run
from asplan.program.incremental import Program, query
from asplan.result import LEAST, Outcome, Result

_NOT_MONOTONE = "the program does not say asplan(monotone), so a shorter plan may exist"
_OBJECTIVE = """
:- not 1 { query(T) } 1.
#minimize { T@1000000 : query(T) }.
"""


def fixed(run: Run[Any], opener: Opener = open_session) -> Result:
    """A plan of at most N steps (of exactly N, if the program is not monotone)."""
    shot = _ground(run, "fixed", opener=opener)
    session, n = shot.session, shot.horizon
    if session.overdue():
        return run.out_of_time()
    session.demand(n)
    answer = session.solve(n, wanted_models(run), shot.program.optimizes)
    if not answer.satisfiable:
        return shot.refuted(answer)
    plans = shot.plans(answer) if shot.program.plans else ()
    found = f"found with {'at most' if shot.monotone else 'exactly'} {amount(n, 'step')}"
    horizon = len(plans[0]) if plans else n
    cost = shot.cost_at(horizon, answer.cost)
    plans = tuple(replace(plan, cost=shot.cost_at(len(plan), answer.cost)) for plan in plans)
    fields = fields_of_result(answer, n, shot.program, cost, plans)
    return run.result(
        outcome=Outcome.PLAN,
        stopped=Stop.TIME if answer.cut else None,
        reason=shot.reason(f"{found}; shorter ones were not looked for", answer),
        **{**fields, "horizon": horizon, "least_among": shot.least_among(answer, cost)},
    )


def minimize(run: Run[Any]) -> Result:
    """The shortest plan of at most N steps: `query` is left open, and its time minimized."""
    shot = _ground(run, "minimize", _OBJECTIVE)
    session, n = shot.session, shot.horizon
    if session.overdue():
        return run.out_of_time()
    for t in range(n + 1):
        session.control.assign_external(query(t), None)
    answer = session.solve(
        n, wanted_models(run), optimize=True, on_better=lambda found: run.report(shot.best(found))
    )
    return shot.best(answer) if answer.models else shot.refuted(answer)


@dataclass(frozen=True)
class _Shot:
    run: Run[Any]
    program: Program
    session: Session
    monotone: bool
    horizon: int

    def cost_at(self, horizon: int, cost: tuple[int, ...]) -> tuple[int, ...] | None:
        """The cost of a plan of so many steps; None where what comes after it counts as well."""
        return cost if cost and horizon == self.horizon else None

    def least_among(self, answer: Answer, cost: tuple[int, ...] | None) -> int | None:
        """Return the number of steps of the plans among which a cost is proven least."""
        return self.horizon if answer.proven and cost else None

    def plans(self, answer: Answer) -> tuple[Plan, ...]:
        """The plans of the models, without the idle steps after the goal of a monotone program."""
        known, cost, read = self.program.readings, answer.cost or None, dict[Plan, ShownAtoms]()
        for shown in answer.models:
            if (plan := read_plan(shown, self.horizon, known, cost)) is not None:
                read.setdefault(plan, shown)
        if not self.monotone or self.program.plans_in_part:
            return tuple(read)  # a step that shows nothing may have hidden actions
        self.session.drop(self.horizon)
        plans = (without_idle_end(p, partial(self._reaches, shown)) for p, shown in read.items())
        return tuple(dict.fromkeys(plans))

    def _reaches(self, shown: ShownAtoms, t: int) -> bool:
        """Whether the goal holds at t in the model, as far as what it shows and chose tells."""
        actions, chosen, session = set(shown.actions), set(shown.chosen), self.session
        pins = [(atom, atom in actions) for atom in session.actions()]
        if chosen:
            pins += [(atom.symbol, atom.symbol in chosen) for atom in session.chosen()]
        session.demand(t)
        answer = session.solve(self.horizon, assumptions=pins)
        session.drop(t)
        return bool(answer.satisfiable)

    def best(self, answer: Answer) -> Result:
        """The result for the best model so far."""
        horizon, *rest = answer.cost
        cost = self.cost_at(horizon, tuple(rest))
        proven = answer.proven and self.monotone
        reason = shortest_reason(horizon, self.run.problem.horizon) + (RELYING if horizon else "")
        if not proven:
            reason = _NOT_MONOTONE if answer.proven else "shorter plans were not refuted"
        return self.run.result(
            outcome=Outcome.OPTIMAL if proven else Outcome.PLAN,
            stopped=None if answer.proven and not answer.cut else Stop.TIME,
            reason=self.reason(reason, answer),
            lower_bound=horizon if proven else 0,
            least_among=self.least_among(answer, cost),
            **fields_of_result(answer, horizon, self.program, cost),
        )

    def refuted(self, answer: Answer) -> Result:
        """The result where there is no model, or the search was stopped."""
        run, n = self.run, self.horizon
        if answer.satisfiable is None:
            return run.out_of_time()
        relying, is_fixed = RELYING if n else "", run.options.mode == "fixed"
        for t in range(n + 1):
            self.session.drop(t)
        speaks_of_all = self.monotone and self.program.only_query and is_fixed
        if speaks_of_all and self.session.inconsistent(n):
            why = f"the program has no answer set from step {n} on{relying}"
            return run.unsolvable(why, lower_bound=n + 1)
        steps = amount(n, "step")
        if self.monotone:
            return run.result(lower_bound=n + 1, reason=f"no plan of at most {steps}{relying}")
        missing = f"of exactly {steps}" if is_fixed else f"that can be prolonged to {steps}"
        return run.result(reason=f"no plan {missing}; {_NOT_MONOTONE}")

    def reason(self, reason: str, answer: Answer) -> str:
        """A reason, and that there may be more plans where the search for them was cut."""
        return f"{self.run.limits.time_reason(MORE_PLANS)}; {reason}" if answer.cut else reason


def _ground(run: Run[Any], mode: str, objective: str = "", opener: Opener = open_session) -> _Shot:
    n = run.options.horizon
    assert n is not None, f"mode {mode} needs a horizon"
    program = prepare(run)
    if program.plan_part:
        raise UsageError(f"a program with a part plan(t) does not serve the mode {mode}")
    session = opener(run, program)
    monotone = begin(run, session, mode).monotone
    for t in range(1, n + 1):
        if session.overdue():
            break
        run.tell(f"grounding horizon {t}")
        if not monotone:
            session.settle()
        session.ground_step(t)
    if objective:
        session.control.add("asplan_objective", [], objective)
        session.ground([("asplan_objective", [])])
    run.tell(f"solving horizon {n}")
    return _Shot(run, program, session, monotone, n)


def cheapest(run: Run[Any]) -> Result:
    """Find a plan of the least cost, or with the fewest actions."""
    wanted = str(run.options.optimal)
    program = prepare(run)
    if not program.written.estimates:
        raise UsageError(
            f"--optimal {wanted}: {run.problem.encoding} says nothing of plans beyond its horizon",
            hint="--engine astar proves it for domains with a model; for PDDL leave out -e",
        )
    if wanted == "cost":
        require_costs(run.problem.model)
    counted = "actions" if wanted == "actions" else "cost"
    return _Bounding(run, open_session(run, program, optimal=counted), wanted).bound()


@dataclass
class _Bounding:
    """One pass over the horizons; every plan costs at least `least`, and `best` costs so much."""

    run: Run[Any]
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
        for horizon in count():
            if horizon:
                run.tell(f"grounding horizon {horizon}")
                session.ground_step(horizon)
            if session.overdue():
                break
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
        bound = [Number(best - gap)]  # look for a model in which the variable is at most so much
        session.ground([(BOUND, bound)])
        session.control.assign_external(Function(AT_MOST, bound), True)
        better = session.solve(horizon, conflicts=min(conflicts, LARGEST))
        session.control.release_external(Function(AT_MOST, bound))
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


def _value(session: Session, answer: Answer) -> int:
    variable = str(session.program.written.minimized)
    value = answer.models[0].values.get(variable)
    if value is None:
        raise InputError(f"asplan(minimize({variable})): no theory atom gives it a value")
    return int(value)
