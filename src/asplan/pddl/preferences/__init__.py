"""Ground tasks with constraints and preferences, and their plans in terms of the task.

Constraints and preferences are compiled away before grounding. One operator of the ground task, the
monitor, takes place beside every step. If the metric is to be optimized, plans end with closing
operators, which cost the weights of violated preferences.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from asplan.core.dataclass import dataclass
from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.pddl.grounding import translate
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.preferences.compilation import CompiledText, compile_demands
from asplan.pddl.preferences.prices import PricedText, price_actions
from asplan.pddl.preferences.variants import Variant
from asplan.pddl.task.plasp import words_of
from asplan.pddl.task.task import Operator, Task
from asplan.result import Result


@dataclass(frozen=True)
class CompiledTask:
    """A ground task that is equivalent to one with constraints or preferences.

    Attributes
    ----------
    task
        The ground task.
    closing
        The closing actions, which come at the end of each plan.
    priced
        The task with costs, which converts costs to values of the metric.
    constant
        The cost that is added to the cost of each plan, before the sum is converted to the metric.
    """

    task: Task
    closing: frozenset[str]
    priced: PricedText
    constant: Fraction

    def metric_of(
        self,
        cost: int,
    ) -> Fraction:
        """Return the metric of a plan; `cost` is the cost of the plan in the ground task."""
        return self.priced.metric_of(cost + self.constant)


def ground_compiled(
    task: TaskText,
    by_metric: bool,
    all_variables: bool = False,
) -> CompiledTask:
    """Compile and ground a task with constraints or preferences.

    If `by_metric`, the metric counts and preferences are compiled; otherwise they are dropped. If
    `all_variables`, keep also the state variables on which the goal does not depend.

    Raises
    ------
    UsageError
        If `by_metric` is set and the task has no metric.
    InputError
        If the metric or a preference of an action cannot be compiled, or if `translate` raises
        this error.
    """
    priced = price_actions(task, by_metric)
    compiled = compile_demands(priced.text, priced.weights if by_metric else {})
    names = names_of(compiled.text)
    # The grounder drops variables that nothing needs; constraints need them all.
    grounded = translate(compiled.text, names, all_variables or compiled.has_conditions)
    operators = _Operators(compiled, names)
    for operator in grounded.operators:
        operators.add(operator)
    hopeless = grounded.hopeless
    if compiled.has_conditions and operators.monitor is None and not grounded.is_stub:
        hopeless = "the initial state violates the constraints"
    return CompiledTask(
        task=replace(
            grounded,
            operators=tuple(operators.kept),
            monitor=operators.monitor,
            hopeless=hopeless,
        ),
        closing=frozenset(operators.closing),
        priced=priced,
        constant=compiled.constant,
    )


class _Operators:
    """The operators of a compiled task, grouped by their roles.

    Attributes
    ----------
    kept
        All operators except the monitor. A variant of an action has the action's name.
    closing
        The names of closing operators.
    monitor
        The operator that is applied together with every step; None if there is none.
    """

    def __init__(
        self,
        compiled: CompiledText,
        names: PddlNames,
    ) -> None:
        self.kept: list[Operator] = []
        self.closing: set[str] = set()
        self.monitor: Operator | None = None
        self._compiled = compiled
        self._names = names

    def add(
        self,
        operator: Operator,
    ) -> None:
        functor = words_of(operator.action)[0]
        key = self._names.actions.names[functor]
        if key == self._compiled.monitor:
            self.monitor = replace(operator, action="", cost=0)
        elif key in self._compiled.closing:
            self.closing.add(operator.action)
            self.kept.append(replace(operator, cost=int(self._compiled.closing[key])))
        elif key in self._compiled.variants:
            self.kept.append(self._original(operator, functor, self._compiled.variants[key]))
        else:
            self.kept.append(operator)

    def _original(
        self,
        operator: Operator,
        functor: str,
        variant: Variant,
    ) -> Operator:
        """Give the name of the original action to an operator of a variant.

        Also add the variant's penalty to its cost. `functor` is the name of the variant.
        """
        original = self._names.actions.terms[variant.original]
        return replace(
            operator,
            action=original + operator.action.removeprefix(functor),
            cost=operator.cost + int(variant.penalty),
        )


def without_closing(
    compiled: CompiledTask,
    result: Result,
) -> Result:
    """Remove the closing actions from the plans of a result, and replace its cost by the metric."""
    plans = tuple(_without_closing(compiled, plan) for plan in result.plans)
    metric = None if result.cost is None else compiled.metric_of(result.cost[0])
    reason = result.reason
    if result.lower_cost and result.cost is None:
        bound = decimal_text(compiled.metric_of(result.lower_cost))
        reason += f"; no metric is better than {bound}"
    return replace(
        result,
        reason=reason,
        plans=plans,
        horizon=len(plans[0]) if plans else result.horizon,
        metric=metric,
        cost=None,
        lower_cost=0,
    )


def _without_closing(
    compiled: CompiledTask,
    plan: Plan,
) -> Plan:
    """Return a plan without closing actions; steps without any other action are removed."""
    steps: list[tuple[str, ...]] = []
    for step in plan:
        kept = tuple(action for action in step if action not in compiled.closing)
        if kept:
            steps.append(kept)
    return replace(plan, steps=tuple(steps), cost=None, values={})
