"""The lengths and the best of the plans that begin like a user's plan."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol

from asplan.core.budget import Budget
from asplan.core.dataclass import dataclass
from asplan.core.plan import Plan
from asplan.explaining.contrast import Lengths, Loss


@dataclass(frozen=True)
class Outlook:
    """The lengths of the shortest plans that begin like a user's plan.

    Attributes
    ----------
    lengths
        For each k the length of a shortest plan that begins with the first k steps; None if
        unknown. The lengths never decrease, and the last one is that of the user's plan.
    least
        The proven lower bound on the steps of all plans.
    best
        A shortest plan that begins like the user's plan for as many steps as possible; None if
        no shorter plan than the user's is known.
    """

    lengths: Lengths
    least: int = 0
    best: Plan | None = None

    @property
    def is_best(self) -> bool | None:
        """True if no plan is shorter than the user's; None if unknown."""
        if self.best is not None:
            return False
        return True if self.least == len(self.lengths) - 1 else None


class ContrastSearch(Protocol):
    """A search for plans that are shorter than a user's plan."""

    def limit(self, budget: Budget) -> None:
        """Set the budget of the searches that follow."""

    def measure(self) -> Outlook:
        """Find the lengths of shortest plans, as far as the budget allows."""

    def find_shorter(self, forbidden: Collection[str]) -> Plan | None:
        """Return a plan that is shorter than the user's and has no forbidden action.

        Return None if there is none. Raise `OutOfBudget` if the budget is too small.
        """


def losses_of(plan: Plan, lengths: Lengths) -> Iterator[Loss]:
    """Yield the steps that make a plan longer than necessary.

    For each k, `lengths` has the length of a shortest plan that begins with the first k steps. Step
    k is yielded if this length is greater for k than for k-1.
    """
    for step, actions in enumerate(plan, 1):
        before = lengths[step - 1]
        after = lengths[step]
        if before is not None and after is not None and after > before:
            yield Loss(step, actions, after - before, after - step)
