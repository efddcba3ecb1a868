"""A task with constraints and preferences, ground: the finite-domain task that means the same, and
what its answers mean.

It has an operator that happens beside every step, the monitor. Where the metric is to be best, its
plans end by operators that pay for preferences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.pddl.grounding.translation import translate
from asplan.pddl.language.names import names_of
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.preferences.plain import Plain
from asplan.pddl.preferences.prices import Priced, priced
from asplan.pddl.task.facts import words_of
from asplan.pddl.task.task import Operator, Task
from asplan.result import Result


@dataclass(frozen=True)
class Demanding:
    """A ground task; its plans end by actions that are not the task's own.

    What they cost is the metric by `price`, besides `constant`.
    """

    task: Task
    ends: frozenset[str]
    price: Priced
    constant: Fraction

    def worth(self, cost: int) -> Fraction:
        """The metric, as the task has it, of a plan that costs so much."""
        total = cost * self.price.factor + self.constant
        return -total if self.price.is_maximized else total


def ground(task: TaskText, by_metric: bool, all_variables: bool = False) -> Demanding:
    """Ground a task with constraints or preferences.

    Where it is not `by_metric`, preferences have no part in it. Raises as `priced` and `translate`
    do.
    """
    price = priced(task, by_metric)
    plain = Plain(price.text, price.weights if by_metric else {})
    names = names_of(plain.text)
    # Grounding leaves out an action whose effects nothing needs.
    found = translate(plain.text, names, all_variables or plain.watches)
    keys = {names.actions.terms[key]: key for key in names.actions.terms}
    monitor, operators, ends = None, list[Operator](), set[str]()
    for operator in found.operators:
        head = words_of(operator.action)[0]
        key = keys[head]
        if key == plain.monitor:
            monitor = replace(operator, action="", cost=0)
            continue
        if key in plain.ends:
            ends.add(operator.action)
            operator = replace(operator, cost=int(plain.ends[key]))
        elif key in plain.variants:
            own, extra = plain.variants[key]
            action = names.actions.terms[own] + operator.action.removeprefix(head)
            operator = replace(operator, action=action, cost=operator.cost + int(extra))
        operators.append(operator)
    hopeless = found.hopeless
    if plain.watches and monitor is None and not found.is_stub:
        hopeless = "the start is not as the constraints want it"
    ground_task = replace(found, operators=tuple(operators), monitor=monitor, hopeless=hopeless)
    constant = price.constant + plain.constant * price.factor
    return Demanding(ground_task, frozenset(ends), price, constant)


def without_ends(demanding: Demanding, result: Result) -> Result:
    """A result whose plans pay for preferences at their end, as the task speaks of it."""
    plans = tuple(_without_ends(demanding, plan) for plan in result.plans)
    metric = None if result.cost is None else demanding.worth(result.cost[0])
    reason = result.reason
    if result.lower_cost and result.cost is None:
        reason += f"; no metric is better than {decimal_text(demanding.worth(result.lower_cost))}"
    return replace(
        result,
        reason=reason,
        plans=plans,
        horizon=len(plans[0]) if plans else result.horizon,
        metric=metric,
        cost=None,
        lower_cost=0,
    )


def _without_ends(demanding: Demanding, plan: Plan) -> Plan:
    steps = (tuple(a for a in step if a not in demanding.ends) for step in plan)
    return replace(plan, steps=tuple(step for step in steps if step), cost=None, values={})
