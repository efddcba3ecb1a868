"""The identity of plans: equal plans, plans that begin with another, and minimal plans.

Plans that differ only in empty steps are the same, because waiting is no action. A plan that begins
with a shorter plan is not listed.

>>> known = KnownPlans()
>>> known.add(Plan((("a",), ("b",))))
True
>>> known.add(Plan((("a",), (), ("b",)))), known.add(Plan((("a",), ("b",), ("c",))))
(False, False)
>>> known.is_minimal(Plan((("a",), ("c",), ("b",))))
False
"""

from __future__ import annotations

from dataclasses import dataclass, field

from asplan.core.plan import Plan, Steps


def order_of(plan: Plan) -> Steps:
    """Return the steps of a plan that have actions, each in a fixed order."""
    return tuple(tuple(sorted(step)) for step in plan.steps if step)


def actions_of(plan: Plan) -> tuple[str, ...]:
    """Return the actions of a plan in a fixed order, each as often as it occurs."""
    return tuple(sorted(plan.actions))


@dataclass
class KnownPlans:
    """The plans found so far, with their lengths; add shorter plans before longer ones."""

    _lengths: dict[Steps, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, plan: Plan) -> bool:
        """Add a plan; return False if it is known, or begins with a shorter known plan."""
        order = order_of(plan)
        if order in self._lengths or self._begins_with_plan(order, len(plan)):
            return False
        self._lengths[order] = len(plan)
        return True

    def _begins_with_plan(self, order: Steps, length: int) -> bool:
        parts = (order[:end] for end in range(len(order)))
        return any(self._lengths.get(part, length) < length for part in parts)

    def is_minimal(self, plan: Plan) -> bool:
        """Return False if removing actions from this plan can leave another known plan."""
        order = order_of(plan)
        others = (other for other in self._lengths if other != order)
        return not any(_remains(other, order) for other in others)


def _remains(part: Steps, whole: Steps) -> bool:
    """Return whether removing actions from the steps `whole` can leave the steps `part`."""
    left = map(set, whole)
    return all(any(step <= other for other in left) for step in map(set, part))
