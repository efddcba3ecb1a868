"""The explanation of the difference between a user's plan and a better one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite

from asplan.contrasting.actions import find_actions
from asplan.contrasting.by_solving import HorizonSearch
from asplan.contrasting.by_states import GraphSearch
from asplan.contrasting.detours import Passage, count_common, find_detours
from asplan.contrasting.facts import FactSearch, find_facts, with_removable_facts
from asplan.contrasting.outlook import ContrastSearch, Outlook, losses_of
from asplan.core.budget import Budget
from asplan.core.errors import AsplanError, InvalidPlan, UsageError
from asplan.core.limits import Limits
from asplan.core.plan import Plan, Steps
from asplan.engines import make_options
from asplan.engines.asp.replay import replay
from asplan.enumeration.by_states import make_estimate
from asplan.enumeration.graph import PlanGraph, estimate_nothing
from asplan.enumeration.identity import order_of
from asplan.enumeration.run import open_plans
from asplan.enumeration.wanted import Wanted
from asplan.explaining.contrast import Contrast, Detour, Loss, PlanChange
from asplan.explaining.encodings import refuse_frontier
from asplan.explaining.explainer import Explainer, explain_refused
from asplan.explaining.explanation import Explanation
from asplan.planner import Request
from asplan.problem import Inputs, Problem
from asplan.problem.problem import Grounding
from asplan.program.incremental import Reading
from asplan.statespace.space import state_space
from asplan.validation import Checked, check


def explain_contrast(
    work: Explainer,
    inputs: Inputs,
    plan: Plan,
    against: Plan | None,
) -> Explanation:
    """Explain how a plan differs from a shortest plan, or from the plan `against`.

    If the plan is refused, explain why instead. `inputs` are those of the problem.
    """
    _require_actions(work.problem)
    comparison = _Comparison(work, inputs)
    work.announce("checking the plan")
    try:
        mine = comparison.check(plan)
    except InvalidPlan:
        return explain_refused(work, plan)
    comparison.run(mine, len(plan), against)
    return work.so_far


def _require_actions(problem: Problem) -> None:
    """Raise `UsageError` for a program that shows no actions."""
    if problem.model is None and not problem.program.plans:
        raise UsageError(
            "the program shows no actions, so its plans cannot be compared",
            hint="--action NAME/ARITY names a predicate of actions",
        )


@dataclass
class _Comparison:
    """A comparison in progress.

    Attributes
    ----------
    work
        The explanation; it receives the results so far.
    inputs
        The inputs of the problem.
    contrast
        The results so far.
    """

    work: Explainer
    inputs: Inputs
    contrast: Contrast = Contrast(Plan())

    @property
    def problem(self) -> Problem:
        """The problem of the plans."""
        return self.work.problem

    @property
    def uses_states(self) -> bool:
        """True if the states are those of a model in Python, and each step has one action."""
        problem = self.problem
        if self.inputs.encoding is not None or self.inputs.steps is not None:
            return False
        model = problem.model
        return model is not None and not problem.is_replayed and model.unexplored() is None

    def check(self, plan: Plan) -> Checked:
        """Check a plan; raise `InvalidPlan` if it is not valid.

        If the states are those of a model, each action becomes a separate step.
        """
        checked = check(self.problem, plan)
        if not self.uses_states or all(len(step) == 1 for step in checked.plan):
            return checked
        steps = tuple((action,) for action in checked.plan.actions)
        return check(self.problem, replace(plan, steps=steps))

    def update(self, **results: object) -> None:
        """Add results to the comparison, and report it."""
        self.contrast = replace(self.contrast, **results)  # type: ignore[arg-type]
        self.work.update(contrast=self.contrast)

    def budget(self) -> Budget:
        """Return a budget with half of the remaining time."""
        return self.work.budget.within(max(0.0, self.work.budget.remaining) / 2)

    def run(self, mine: Checked, steps: int, against: Plan | None) -> None:
        """Compare a plan; `steps` is the number of steps that the user wrote.

        If `against` is given, it is the plan to compare with.
        """
        length = len(mine.plan)
        self.work.update(horizon=length, accepted=True)
        self.update(mine=self._named(mine.priced), left_out=max(0, steps - length))
        if against is not None:
            self._part(mine, self._check_other(against))
        self.work.announce("looking for shorter plans")
        search = self._open(mine.plan)
        outlook = search.measure()
        losses = map(self._name_loss, losses_of(mine.plan, outlook.lengths))
        self.update(
            least=outlook.least,
            is_best=outlook.is_best,
            lengths=outlook.lengths,
            losses=tuple(losses),
        )
        if outlook.is_best:
            self._find_another(mine, against)
        if outlook.best is None:
            return
        if against is None:
            self._part(mine, self.check(outlook.best))
        self._find_changes(mine, search, outlook)

    def _check_other(self, plan: Plan) -> Checked:
        """Check the user's other plan; raise `InvalidPlan` if it is not valid."""
        try:
            return self.check(plan)
        except InvalidPlan as error:
            message = f"the plan to compare with is none: {error.message}"
            raise InvalidPlan(message, hint=error.hint) from None

    def _part(self, mine: Checked, other: Checked) -> None:
        """Add the other plan, and the parts in which the two plans differ."""
        detours = find_detours(_passage(mine), _passage(other))
        self.update(
            other=self._named(other.priced),
            begins=count_common(mine.plan.steps, other.plan.steps),
            detours=tuple(map(self._name_detour, detours)),
        )

    def _find_another(self, mine: Checked, against: Plan | None) -> None:
        """Add another plan that is as short as the user's, or record that there is none.

        Add the parts in which the plans differ, unless the user has named a plan `against`.
        """
        self.work.announce("looking for another plan of this length")
        remaining = self.budget().remaining
        limits = Limits(remaining) if isfinite(remaining) else Limits()
        request = Request(self.inputs, "asp", make_options("asp", {}, limits), limits)
        lister, _ = open_plans(request, Wanted(number=2, within=0))
        if lister is None:
            return
        for checked in lister:
            if order_of(checked.plan) != order_of(mine.plan):
                self.update(another=self._named(checked.priced), is_only=False)
                if against is None:
                    self._part(mine, self.check(checked.priced))
                return
        self.update(is_only=True if lister.listing.is_complete else None)

    def _find_changes(self, mine: Checked, search: ContrastSearch, outlook: Outlook) -> None:
        """Add the fewest changes that make the user's plan a best one."""
        assert outlook.best is not None
        self.work.announce("looking for actions to forbid")
        search.limit(self.budget())
        change = find_actions(search, mine.plan, outlook.best)
        self.update(actions=self._name_change(change))
        if self.problem.model is None:
            self.work.announce("looking for facts to remove")
            reading = _reading_of(self.problem, mine.plan)
            removable = HorizonSearch(
                self.problem, mine.plan, reading, self.budget(), with_removable_facts
            )
            self.update(facts=find_facts(FactSearch(removable)))

    def _open(self, plan: Plan) -> ContrastSearch:
        """Return a search for plans that are shorter than a plan."""
        if self.uses_states:
            domain, model = state_space(self.problem, self.work.budget)
            estimate = make_estimate(domain, model) or estimate_nothing
            return GraphSearch(PlanGraph(model, budget=self.budget(), estimate=estimate), plan)
        refuse_frontier(self.problem)
        reading = _reading_of(self.problem, plan)
        return HorizonSearch(self.problem, plan, reading, self.budget())

    def _named(self, plan: Plan) -> Plan:
        return self.problem.name_actions(plan)

    def _name_step(self, step: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.problem.write_action, step))

    def _name_steps(self, steps: Steps) -> Steps:
        return tuple(map(self._name_step, steps))

    def _name_loss(self, loss: Loss) -> Loss:
        return replace(loss, actions=self._name_step(loss.actions))

    def _name_detour(self, detour: Detour) -> Detour:
        return replace(
            detour,
            steps=self._name_steps(detour.steps),
            other_steps=self._name_steps(detour.other_steps),
        )

    def _name_change(self, change: PlanChange) -> PlanChange:
        obstacle = change.obstacle
        return replace(
            change,
            members=self._name_step(change.members),
            obstacle=None if obstacle is None else self._named(obstacle),
        )


def _passage(checked: Checked) -> Passage:
    states = [frozenset(state) for state in checked.trajectory.states]
    return Passage(checked.plan.steps, states if any(states) else [])


def _reading_of(problem: Problem, plan: Plan) -> Reading:
    """Return the reading of atoms as actions under which a program accepts a plan."""
    if problem.grounding is Grounding.CONVERTED:
        problem = problem.without_conversion("plans are compared")
    readings = problem.program.readings
    if len(readings) == 1:
        return readings[0]
    try:
        return replay(problem.program, problem.user_constants, plan).reading
    except AsplanError:  # a replay may need idle steps at the end
        return readings[0]
