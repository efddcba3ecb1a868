"""Plans of the least cost, proven by lower bounds that grow with the horizon.

A program with the fact `asplan(estimates)` adds to its n steps a relaxed rest: an estimate from
below of the cost to the goal. So its optimum for n steps is a lower bound on the cost of all plans.
If the rest is empty, the steps are a plan. Compare Robinson, Gretton, Pham and Sattar, Partial
Weighted MaxSAT for Optimal Planning, 2010.
"""

from dataclasses import dataclass
from functools import partial
from itertools import count

from asplan.core.choices import Mode, Objective
from asplan.core.errors import UsageError
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.domains.model import require_costs
from asplan.engines.asp.answer import Answer, read_plan
from asplan.engines.asp.opening import PlanningRun, begin, open_solver, prepare
from asplan.engines.asp.solver import ClingoSolver
from asplan.engines.run import ResultField
from asplan.result import LEAST, Evidence, Outcome, Phase, Refuter, Result


def cheapest(run: PlanningRun) -> Result:
    """Find a plan that is best by the measure in `--optimal`, among plans of any length.

    Raises `UsageError` if the encoding does not estimate costs beyond its horizon.
    """
    measure = run.options.aim.objective
    assert measure is not None
    program = prepare(run)
    if not program.written.estimates:
        encoding = run.problem.encoding
        raise UsageError(
            f"--optimal {measure}: {encoding} does not estimate costs beyond its horizon",
            hint="--engine astar proves it for domains with a model; for PDDL leave out -e",
        )
    if measure == Objective.COST:
        require_costs(run.problem.model)
    counted = Objective.ACTIONS if measure == Objective.ACTIONS else Objective.COST
    solver = open_solver(run, program, optimal=counted)
    return _Bounding(run, solver, measure).bound()


@dataclass
class _Bounding:
    """The search from horizon to horizon for a plan with the least `measure`.

    The measure is `actions`, `cost` or `metric`. Every plan is proven to cost at least `least`.
    `best` is the cheapest plan so far, as a pair of its cost and the plan.
    """

    run: PlanningRun
    solver: ClingoSolver
    measure: Objective
    least: int = 0
    best: tuple[int, Plan] | None = None

    def bound(self) -> Result:
        """Optimize horizon after horizon until a plan costs no more than the lower bound."""
        try:
            return self._try_horizons()
        except MemoryError:
            return self.run.out_of_memory(self.run.activity, **self._fields())

    def _try_horizons(self) -> Result:
        self._announce("grounding horizon 0", Phase.GROUNDING)
        begin(self.run, self.solver, Mode.INCREMENTAL)
        for horizon in count():
            self._ground_to(horizon)
            if self.solver.budget.is_spent():
                break
            answer = self._optimize(horizon)
            if answer.satisfiable is False:
                return self._out_of_reach(horizon)
            self._keep_better(horizon, answer)
            if not answer.proven:
                break
            self.solver.forbid(horizon)
            self._raise_bound(answer)
            if self.best is not None and self.best[0] <= self.least:
                reason = self._optimality(horizon, self.best[0])
                return self._result(outcome=Outcome.OPTIMAL, reason=reason)
        reason = f"{self.run.limits.time_reason()} while {self.run.activity}"
        return self._result(stopped=Stop.TIME, reason=reason)

    def _ground_to(self, horizon: int) -> None:
        for t in self.solver.steps_to(horizon):
            self._announce(f"grounding horizon {t}", Phase.GROUNDING)
            self.solver.ground_to(t)

    def _optimize(self, horizon: int) -> Answer:
        self._announce(f"bounding at horizon {horizon}")
        on_better = partial(self._keep_better, horizon)
        return self.solver.solve(horizon, self.run.budget, optimize=True, on_better=on_better)

    def _out_of_reach(self, horizon: int) -> Result:
        start = f"after {amount(horizon, 'parallel step')} " if horizon else ""
        why = f"{start}the goal is out of reach, even if nothing became false from then on"
        fields = self._fields()
        del fields["evidence"]  # the relaxation alone proves this
        return self.run.unsolvable(why, Evidence((Refuter.RELAXATION,)), **fields)

    def _raise_bound(self, answer: Answer) -> None:
        """Raise the lower bound to the first number of an answer's cost, a horizon's optimum."""
        self.least = max(self.least, *answer.cost[:1], 0)

    def _optimality(self, horizon: int, cost: int) -> str:
        """Return the reason why no plan costs less than `cost`, as proven at a horizon."""
        bounds = {
            Objective.ACTIONS: f"take at least {cost} actions",
            Objective.COST: f"cost at least {cost}",
        }
        bound = bounds.get(self.measure, "have no better one")
        return (
            f"{LEAST[self.measure]}: {horizon} parallel steps and the delete relaxation of the "
            f"rest {bound}"
        )

    def _keep_better(self, horizon: int, answer: Answer) -> None:
        """Keep the plan of an answer if it reaches the goal and is the cheapest so far."""
        if not answer.models:
            return
        cost, *missing = answer.cost or (0,)
        if any(missing) or (self.best is not None and self.best[0] <= cost):
            return
        plan = read_plan(answer.models[-1], horizon, self.solver.program.readings)
        if plan is None:
            return
        # Steps hold actions that can be executed in any order.
        steps = tuple((action,) for action in plan.actions)
        self.best = cost, Plan(steps, self._price(cost))
        self._announce(self.run.activity, self.run.phase)

    def _price(self, least: int) -> tuple[int, ...] | None:
        """Return `least` as the cost of a plan; None if the measure is the number of actions.

        If None is returned, the check of the plan adds up the costs of its actions.
        """
        return None if self.measure == Objective.ACTIONS else (least,)

    def _announce(self, activity: str, phase: Phase = Phase.PREPARING) -> None:
        """Begin an activity in a phase, and report it together with the progress."""
        fields = self._fields() if self.run.is_reported else {}
        self.run.announce(activity, phase, **fields)

    def _result(self, **fields: ResultField) -> Result:
        """Return a result with the bound and the best plan so far; `fields` override them."""
        return self.run.result(**{**self._fields(), **fields})

    def _fields(self) -> dict[str, ResultField]:
        """Return the fields of a result for the bound and the best plan so far."""
        bound = "lower_bound" if self.measure == Objective.ACTIONS else "lower_cost"
        proven = {
            "optimized": self.measure,
            bound: self.least,
            "evidence": Evidence((Refuter.SOLVER, Refuter.RELAXATION)),
        }
        if self.best is None:
            return proven
        cost, plan = self.best
        return {
            **proven,
            "outcome": Outcome.PLAN,
            "horizon": len(plan),
            "cost": self._price(cost),
            "plans": (plan,),
        }
