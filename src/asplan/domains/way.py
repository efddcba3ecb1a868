"""From the states on a way to the plan that leads along it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from asplan.domains.model import Model, between_of, has_costs, terms_of
from asplan.plan import Plan


def plan_along(model: Model[Any, Any], states: Sequence[Any]) -> Plan:
    """The plan that leads through a sequence of states; a cheapest one, where costs count."""
    actions, priced = between_of(model), has_costs(model)
    cost: Callable[[Any, Any], int] = getattr(model, "cost", lambda state, action: 0)

    def action(before: Any, after: Any) -> Any:
        leading = iter(actions(before, after))
        return min(leading, key=partial(cost, before)) if priced else next(leading)

    way = [(before, action(before, after)) for before, after in pairwise(states)]
    total = (sum(cost(before, action) for before, action in way),) if priced else None
    terms = terms_of(model)
    return Plan(tuple(terms(action) for _, action in way), total)
