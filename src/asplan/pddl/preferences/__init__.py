"""Ground tasks with constraints and preferences, and the plans of their answers.

`plain` compiles constraints and preferences away, and `prices` the metric. The ground task has a
monitor, an operator that happens beside every step. If the metric is optimized, its plans end with
operators that pay for violated preferences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.pddl.grounding import translate
from asplan.pddl.language.names import names_of
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.preferences.plain import Plain
from asplan.pddl.preferences.prices import Priced, priced
from asplan.pddl.task.plasp import words_of
from asplan.pddl.task.task import Operator, Task
from asplan.result import Result


@dataclass(frozen=True)
class Demanding:
    """A ground task whose plans end with auxiliary actions.

    Attributes
    ----------
    ends
        The auxiliary actions.
    price
        The relation of costs to the metric.
    constant
        The metric of a plan without costs.
    """

    task: Task
    ends: frozenset[str]
    price: Priced
    constant: Fraction

    def metric_of(self, cost: int) -> Fraction:
        """Return the metric of the original task for a plan of this cost."""
        total = cost * self.price.factor + self.constant
        return -total if self.price.is_maximized else total


def ground(
    task: TaskText,
    by_metric: bool,
    all_variables: bool = False,
) -> Demanding:
    """Ground a task with constraints or preferences; raise as `priced` and `translate` do.

    Preferences are ignored unless `by_metric` is set.
    """
    price = priced(task, by_metric)
    plain = Plain(price.text, price.weights if by_metric else {})
    names = names_of(plain.text)
    # Grounding leaves out an action without needed effects, so the watching monitor needs all.
    translated = translate(plain.text, names, all_variables or plain.watches)
    monitor: Operator | None = None
    operators = list[Operator]()
    ends = set[str]()
    for operator in translated.operators:
        head = words_of(operator.action)[0]
        key = names.actions.names[head]
        if key == plain.monitor:
            monitor = replace(operator, action="", cost=0)
        elif key in plain.ends:
            ends.add(operator.action)
            operators.append(replace(operator, cost=int(plain.ends[key])))
        elif key in plain.variants:
            own, extra = plain.variants[key]
            action = names.actions.terms[own] + operator.action.removeprefix(head)
            operators.append(
                replace(
                    operator,
                    action=action,
                    cost=operator.cost + int(extra),
                )
            )
        else:
            operators.append(operator)
    hopeless = translated.hopeless
    if plain.watches and monitor is None and not translated.is_stub:
        hopeless = "the initial state violates the constraints"
    ground_task = replace(
        translated, operators=tuple(operators), monitor=monitor, hopeless=hopeless
    )
    constant = price.constant + plain.constant * price.factor
    return Demanding(ground_task, frozenset(ends), price, constant)


def without_ends(demanding: Demanding, result: Result) -> Result:
    """Return a result without the auxiliary actions, with the metric of the original task."""
    plans = list[Plan]()
    for plan in result.plans:
        steps = list[tuple[str, ...]]()
        for step in plan:
            own = tuple(action for action in step if action not in demanding.ends)
            if own:
                steps.append(own)
        plans.append(
            replace(
                plan,
                steps=tuple(steps),
                cost=None,
                values={},
            )
        )
    metric = None if result.cost is None else demanding.metric_of(result.cost[0])
    reason = result.reason
    if result.lower_cost and result.cost is None:
        best = decimal_text(demanding.metric_of(result.lower_cost))
        reason += f"; no metric is better than {best}"
    return replace(
        result,
        reason=reason,
        plans=tuple(plans),
        horizon=len(plans[0]) if plans else result.horizon,
        metric=metric,
        cost=None,
        lower_cost=0,
    )
