"""A search through the states of a domain's model, which runs beside clingo.

It serves encodings whose steps may hold several actions. If there is no plan, clingo's search from
horizon to horizon never ends; this search proves it once it has seen all reachable states. It
refutes no horizon, because a state at distance n in the model may be reached in fewer steps.

Effort is counted in conflicts of clingo, not by a clock, as in `state_search`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asplan.core.search import Frontier
from asplan.domains.model import DomainAction, DomainState, Model
from asplan.engines.asp.opening import PlanningRun
from asplan.engines.asp.solver import Pin
from asplan.engines.asp.state_search import SHARE, SMALL_SHARE, most_states
from asplan.engines.scheduling import Lead

_BATCH = 64  # states that are expanded together
_A_SUCCESSOR = 0.1  # the effort for a successor, as a part of the effort to expand a state


@dataclass
class ModelSearch:
    """A breadth-first search through the states of a model, which works in portions.

    Attributes
    ----------
    bound, is_used, path
        The attributes that a `StateSearch` has, always with their defaults: this search refutes no
        horizon and finds no plan.
    end
        The reason why there is no plan, once that is proven; else empty.
    expanded
        The number of expanded states.
    spent
        The effort so far, in conflicts of clingo.
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
        """Return the result of the search so far, in words."""
        return f"a search through {self.expanded} states found no proof"

    def advance(self, lead: Lead) -> None:
        """Continue until the search has used its share of clingo's effort."""
        if self._search is None:
            model = self.run.problem.model
            assert model is not None
            self._search = self._breadth_first(model)
        while self.spent < lead.effort / (SMALL_SHARE if self._grows else SHARE):
            if next(self._search, self) is not None:
                return

    def _breadth_first(self, model: Model[DomainState, DomainAction]) -> Iterator[None]:
        """Visit the states layer by layer; yield after each batch, so that the caller can pause."""
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
        """Return the successors of a batch of states, and count the effort for them."""
        successors = model.expand(batch)
        self.expanded += len(batch)
        self.spent += model.expansion_effort * (len(batch) + _A_SUCCESSOR * len(successors))
        self.run.budget.check()
        return successors
