"""The modes `fixed` and `minimize`: they ground all steps up to N, then solve once.

`fixed` finds a plan of at most N steps, `minimize` a shortest one of these. Both rely on the fact
`asplan(monotone)`, by which every plan can be prolonged to N steps. Without this fact `fixed` finds
plans of exactly N steps, and `minimize` cannot prove its plan shortest.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from asplan.core.choices import Mode
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.engines.asp.answer import (
    MORE_PLANS,
    RELYING,
    Answer,
    ShownAtoms,
    fields_of_result,
    read_plan,
    without_idle_end,
)
from asplan.engines.asp.opening import (
    Opener,
    PlanningRun,
    begin,
    open_solver,
    prepare,
    wanted_models,
)
from asplan.engines.asp.solver import ClingoSolver, Pin
from asplan.program.incremental import Program, query
from asplan.result import Evidence, Outcome, Phase, Refuter, Reliance, Result

_NOT_MONOTONE = "the program does not say asplan(monotone), so a shorter plan may exist"
_OBJECTIVE = """
:- not 1 { query(T) } 1.
#minimize { T@1000000 : query(T) }.
"""


def fixed(run: PlanningRun, opener: Opener = open_solver) -> Result:
    """Find a plan of at most N steps; of exactly N if the program is not monotone.

    N is the option `--horizon`; `opener` opens the clingo solver.
    """
    shot = _ground(run, Mode.FIXED, opener=opener)
    solver = shot.solver
    if solver.budget.is_spent():
        return run.out_of_time()
    models = wanted_models(run)
    answer = solver.solve(shot.horizon, run.budget, None, models, shot.program.optimizes)
    return shot.result_of_fixed(answer) if answer.satisfiable else shot.refuted(answer)


def minimize(run: PlanningRun) -> Result:
    """Find a shortest plan of at most N steps.

    clingo chooses one of the externals `query(t)` to be true, and minimizes its time t.
    """
    shot = _ground(run, Mode.MINIMIZE, _OBJECTIVE)
    solver = shot.solver
    if solver.budget.is_spent():
        return run.out_of_time()
    for t in range(shot.horizon + 1):
        solver.control.assign_external(query(t), None)
    answer = solver.search(
        shot.horizon,
        wanted_models(run),
        optimize=True,
        on_better=lambda better: run.report(shot.result_of_minimize(better)),
    )
    return shot.result_of_minimize(answer) if answer.models else shot.refuted(answer)


@dataclass(frozen=True)
class _Shot:
    """A program grounded up to the step `horizon`, ready to be solved once.

    `monotone` is true if the program has the fact `asplan(monotone)`.
    """

    run: PlanningRun
    program: Program
    solver: ClingoSolver
    monotone: bool
    horizon: int

    def cost_at(self, length: int, cost: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the cost of a plan of `length` steps, from the `cost` of its model.

        Return None if the plan is shorter than the horizon, because the model's cost may include
        later steps.
        """
        return cost if cost and length == self.horizon else None

    def least_among(self, answer: Answer, cost: tuple[int, ...] | None) -> int | None:
        """Return the horizon if `cost` is proven least among its plans; else None."""
        return self.horizon if answer.proven and cost else None

    def result_of_fixed(self, answer: Answer) -> Result:
        """Return the result of the mode `fixed` for an answer with a plan."""
        plans = self.plans(answer) if self.program.plans else ()
        horizon = len(plans[0]) if plans else self.horizon
        cost = self.cost_at(horizon, answer.cost)
        priced = [replace(plan, cost=self.cost_at(len(plan), answer.cost)) for plan in plans]
        fields = fields_of_result(answer, self.horizon, self.program, cost, priced)
        fields["horizon"] = horizon
        limit = "at most" if self.monotone else "exactly"
        claim = f"found with {limit} {amount(self.horizon, 'step')}"
        return self.run.result(
            outcome=Outcome.PLAN,
            stopped=Stop.TIME if answer.cut else None,
            reason=self.reason(f"{claim}; shorter ones were not looked for", answer),
            least_among=self.least_among(answer, cost),
            **fields,
        )

    def plans(self, answer: Answer) -> tuple[Plan, ...]:
        """Return the distinct plans of an answer.

        If the program is monotone, the empty steps after the goal are removed.
        """
        model_of: dict[Plan, ShownAtoms] = {}
        for shown in answer.models:
            plan = read_plan(shown, self.horizon, self.program.readings, answer.cost or None)
            if plan is not None:
                model_of.setdefault(plan, shown)
        if not self.monotone or self.program.plans_in_part:
            return tuple(model_of)  # a step that shows nothing may have hidden actions
        plans = (without_idle_end(p, partial(self._reaches, m)) for p, m in model_of.items())
        return tuple(dict.fromkeys(plans))

    def _reaches(self, shown: ShownAtoms, t: int) -> bool:
        """Return whether the goal holds at time t in a model with the actions and choices given."""
        self.solver.demand(t)
        answer = self.solver.search(self.horizon, assumptions=self._pins(shown))
        self.solver.drop(t)
        return bool(answer.satisfiable)

    def _pins(self, shown: ShownAtoms) -> Iterator[Pin]:
        """Yield assumptions that fix all actions and other chosen atoms as in a model."""
        actions = set(shown.actions)
        for action in self.solver.actions():
            yield action, action in actions
        chosen = set(shown.chosen)
        for atom in self.solver.chosen_atoms() if chosen else ():
            yield atom.symbol, atom.symbol in chosen

    def result_of_minimize(self, answer: Answer) -> Result:
        """Return the result of the mode `minimize` for the best model so far.

        The first number of the answer's cost is the length of the plan.
        """
        horizon, *rest = answer.cost
        cost = self.cost_at(horizon, tuple(rest))
        proven = answer.proven and self.monotone
        is_complete = answer.proven and not answer.cut
        return self.run.result(
            outcome=Outcome.OPTIMAL if proven else Outcome.PLAN,
            stopped=None if is_complete else Stop.TIME,
            reason=self.reason(self._claim_of_length(horizon, answer.proven), answer),
            evidence=_evidence(horizon),
            lower_bound=horizon if proven else 0,
            least_among=self.least_among(answer, cost),
            **fields_of_result(answer, horizon, self.program, cost),
        )

    def _claim_of_length(self, horizon: int, is_least: bool) -> str:
        """Return the claim of the mode `minimize` about a plan, for the reason of the result.

        `is_least` is true if clingo has proven that no model has a smaller length.
        """
        if not is_least:
            return "shorter plans were not refuted"
        if not self.monotone:
            return _NOT_MONOTONE
        relying = RELYING if horizon else ""
        return self.run.problem.claims.shortest(horizon) + relying

    def refuted(self, answer: Answer) -> Result:
        """Return the result of an answer without a model: a refutation, or a stopped search."""
        if answer.satisfiable is None:
            return self.run.out_of_time()
        for t in range(self.horizon + 1):
            self.solver.drop(t)
        is_fixed = self.run.options.mode == Mode.FIXED
        relying = RELYING if self.horizon else ""
        refutes_all = self.monotone and self.program.only_query and is_fixed
        if refutes_all and self.solver.is_inconsistent(self.horizon):
            reason = f"the program has no answer set from step {self.horizon} on{relying}"
            evidence = _evidence(self.horizon).with_methods(Refuter.PROGRAM)
            return self.run.unsolvable(reason, evidence, lower_bound=self.horizon + 1)
        steps = amount(self.horizon, "step")
        if self.monotone:
            reason = f"no plan of at most {steps}{relying}"
            bound = self.horizon + 1
            evidence = _evidence(self.horizon)
            return self.run.result(lower_bound=bound, evidence=evidence, reason=reason)
        missing = f"of exactly {steps}" if is_fixed else f"that can be prolonged to {steps}"
        return self.run.result(reason=f"no plan {missing}; {_NOT_MONOTONE}")

    def reason(self, claim: str, answer: Answer) -> str:
        """Return `claim`; if a limit ended the search for more plans, begin with a note on it."""
        return f"{self.run.limits.time_reason(MORE_PLANS)}; {claim}" if answer.cut else claim


def _evidence(horizon: int) -> Evidence:
    """Return the evidence if one call of clingo covers all horizons up to `horizon`."""
    return Evidence((Refuter.SOLVER,), (Reliance.MONOTONE,) if horizon else ())


def _ground(
    run: PlanningRun,
    mode: Mode,
    objective: str = "",
    opener: Opener = open_solver,
) -> _Shot:
    """Ground all steps up to N, the option `--horizon`, and then the rules in `objective`."""
    horizon = run.options.horizon
    assert horizon is not None, f"mode {mode} needs a horizon"
    program = prepare(run)
    if program.plan_part:
        raise UsageError(f"a program with a part plan(t) does not serve the mode {mode}")
    solver = opener(run, program)
    monotone = begin(run, solver, mode).monotone
    for t in solver.steps_to(horizon):
        if solver.budget.is_spent():
            break
        run.announce(f"grounding horizon {t}", Phase.GROUNDING)
        solver.ground_to(t)
    if objective:
        solver.control.add("asplan_objective", [], objective)
        solver.ground([("asplan_objective", [])])
    run.announce(f"solving horizon {horizon}", Phase.SOLVING)
    return _Shot(run, program, solver, monotone, horizon)
