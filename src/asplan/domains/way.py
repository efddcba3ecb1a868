"""From the states on a way to the plan that leads along it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from asplan.domains.base import Model, successors_of
from asplan.plan import Plan


def plan_along(model: Model[Any, Any], states: Sequence[Any]) -> Plan:
    """The plan that leads through a sequence of states."""
    successors = successors_of(model)

    def action(before: Any, after: Any) -> Any:
        pairs = zip(model.actions(before), successors(before), strict=True)
        return next(action for action, state in pairs if state == after)

    return Plan(tuple((str(action(before, after)),) for before, after in pairwise(states)))
