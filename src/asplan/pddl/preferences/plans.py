"""Plans of tasks with constraints and preferences: what answers mean."""

from __future__ import annotations

from dataclasses import replace

from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.pddl.preferences.ground import Demanding
from asplan.result import Result


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
