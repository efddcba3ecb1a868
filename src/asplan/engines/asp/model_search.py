"""A search through the states of a domain's model, beside an encoding with parallel steps.

The search from horizon to horizon with such an encoding never ends if there is no plan. Its steps
may hold several actions, so the distance of a state from the start refutes no horizon. But if no
reachable state is a goal, there is no plan at all.

As in `state_search`, effort is counted in conflicts of clingo, and no clock is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asplan.core.search import Frontier
from asplan.domains.model import DomainAction, DomainState, Model
from asplan.engines.asp.opening import PlanningRun
from asplan.engines.asp.session import Pin
from asplan.engines.asp.state_search import SHARE, SMALL_SHARE, most_states
from asplan.engines.scheduling import Lead

_BATCH = 64  # states that are expanded together
_A_SUCCESSOR = 0.1  # of the effort to expand a state


@dataclass
class ModelSearch:
    """A breadth-first search through the states of a model, which can be continued.

    `end` is the reason why there is no plan, once that is proven. The search refutes no horizon, so
    its `bound` stays 0, and finds no plan.
    """

    run: PlanningRun
    bound: int = 0
    is_used: bool = False
    end: str = ""
    path: Sequence[Pin] = ()
    expanded: int = 0
    spent: float = 0.0
    _grows: bool = True
    _search: Iterator[None] | None = None

    def report(self) -> str:
        """Return the result of the search so far, as text."""
        return f"a search through {self.expanded} states found no proof"

    def advance(self, lead: Lead) -> None:
        """Continue while the states have less than their share of clingo's effort, in conflicts."""
        if self._search is None:
            model = self.run.problem.model
            assert model is not None
            self._search = self._breadth_first(model)
        while self.spent < lead.effort / (SMALL_SHARE if self._grows else SHARE):
            if next(self._search, self) is not None:
                return

    def _breadth_first(self, model: Model[DomainState, DomainAction]) -> Iterator[None]:
        """Visit the states layer by layer, with a break after each batch."""
        most = int(most_states(self.run.limits) / max(1.0, model.expansion_effort))
        frontier = Frontier(model.initials)
        layer = list(model.initials)
        while layer and frontier.states <= most:
            if any(map(model.is_goal, layer)):
                return
            successors: dict[DomainState, None] = {}
            for first in range(0, len(layer), _BATCH):
                batch = layer[first : first + _BATCH]
                successors.update(dict.fromkeys(self._expand(model, batch)))
                yield
            frontier.advance(set(successors))
            self._grows = len(frontier.layer) > len(layer)
            layer = list(filter(frontier.layer.__contains__, successors))  # always the same order
        if not layer:
            self.end = f"none of the {frontier.states} reachable states is a goal"

    def _expand(
        self, model: Model[DomainState, DomainAction], batch: Sequence[DomainState]
    ) -> Sequence[DomainState]:
        """Return the successors of some states, and count the effort for them."""
        successors = model.expand(batch)
        self.expanded += len(batch)
        self.spent += model.expansion_effort * (len(batch) + _A_SUCCESSOR * len(successors))
        self.run.budget.check()
        return successors
