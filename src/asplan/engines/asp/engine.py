"""The engine `asp`: incremental, one of the one-shot modes, or the least cost of all plans.

The one-shot modes ground all steps up to N, then solve once: `fixed` asks for a plan of at most N
steps, `minimize` for the shortest of them. Both rely on the program being monotone: a plan that
cannot be prolonged to N steps is overlooked. Where it does not say so, `fixed` speaks about exactly
N steps, and `minimize` cannot call its plan shortest.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from asplan.core.errors import UsageError
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.engines.asp.answer import Answer, ShownAtoms, found_in, read_plan, without_idle_end
from asplan.engines.asp.controller import MORE_PLANS, RELYING, incremental, shortest
from asplan.engines.asp.opening import Opener, begin, open_session, prepare, wanted_models
from asplan.engines.asp.options import AspOptions
from asplan.engines.asp.session import Session
from asplan.engines.run import Run
from asplan.program.incremental import Program, query
from asplan.result import Outcome, Result


def solve(run: Run[AspOptions]) -> Result:
    try:
        if run.options.optimal and not run.problem.program.written.minimized:
            from asplan.engines.asp.bounding import cheapest

            return cheapest(run)
        check_exact(run)
        if run.options.mode in ("fixed", "minimize"):
            return fixed(run) if run.options.mode == "fixed" else minimize(run)
        return incremental(run)
    except MemoryError:
        return run.out_of_memory(run.doing)


def check_exact(run: Run[Any]) -> None:
    """Raise `UsageError` for a program whose answers need not be plans."""
    if run.problem.program.written.estimates:
        raise UsageError(
            f"{run.problem.encoding} estimates what lies beyond its horizon, so its answers need "
            "not be plans",
            hint="say --optimal actions or --optimal cost, or take another encoding",
        )


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
    found = f"found with {'at most' if shot.monotone else 'exactly'} {n} steps"
    horizon = len(plans[0]) if plans else n
    cost = shot.cost_at(horizon, answer.cost)
    plans = tuple(replace(plan, cost=shot.cost_at(len(plan), answer.cost)) for plan in plans)
    fields = found_in(answer, n, shot.program, cost, plans)
    return run.result(
        outcome=Outcome.PLAN,
        stopped=Stop.TIME if answer.cut else None,
        reason=shot.reason(f"{found}; shorter ones were not looked for", answer),
        **{**fields, "horizon": horizon},
    )


def minimize(run: Run[AspOptions]) -> Result:
    """The shortest plan of at most N steps: `query` is left open, and its time minimized."""
    if run.problem.program.horizon is not None:
        return incremental(
            replace(run, limits=replace(run.limits, max_horizon=run.options.horizon))
        )
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
        proven = answer.proven and self.monotone
        reason = shortest(horizon, self.run.problem.horizon) + (RELYING if horizon else "")
        if not proven:
            reason = _NOT_MONOTONE if answer.proven else "shorter plans were not refuted"
        return self.run.result(
            outcome=Outcome.OPTIMAL if proven else Outcome.PLAN,
            stopped=None if answer.proven and not answer.cut else Stop.TIME,
            reason=self.reason(reason, answer),
            lower_bound=horizon if proven else 0,
            **found_in(answer, horizon, self.program, self.cost_at(horizon, tuple(rest))),
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
        if self.monotone:
            return run.result(lower_bound=n + 1, reason=f"no plan of at most {n} steps{relying}")
        missing = f"of exactly {n} steps" if is_fixed else f"that can be prolonged to {n} steps"
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
