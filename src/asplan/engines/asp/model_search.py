"""A search through the states of a domain's model, beside an encoding with parallel steps.

Such an encoding goes from horizon to horizon and never ends where there is no plan. Its steps may
hold several actions, so how far a state is from the start refutes no horizon. That no state that
can be reached is a goal proves that there is no plan, whatever a step may hold.

As in `state_search`, effort is counted in conflicts of clingo, and no clock is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from asplan.domains.model import Model
from asplan.engines.asp.session import Pin
from asplan.engines.asp.state_search import A_MEGABYTE, MOST_STATES, SHARE, SMALL_SHARE
from asplan.engines.run import Run, Shared

_BATCH = 64  # states that are expanded together
_A_SUCCESSOR = 0.1  # of what it takes to expand a state


@dataclass
class ModelSearch(Shared):
    """A breadth-first search through the states of a model, which can be continued.

    `end` says why there is no plan, once that is proven. It refutes no horizon and finds no plan.
    """

    run: Run[Any]
    inner: Shared
    is_used: bool = False
    end: str = ""
    path: Sequence[Pin] = ()
    expanded: int = 0
    spent: float = 0.0
    _grows: bool = True
    _search: Iterator[None] | None = None

    def proven(self) -> int:
        return self.inner.proven()

    def tell(self, bound: int) -> None:
        self.inner.tell(bound)

    def report(self) -> str:
        """Return what the states have shown, in words."""
        return f"a search through {self.expanded} states found no proof"

    def go_on(self, effort: int, rules: int, horizon: int) -> None:
        """Go on while the states have their share of clingo's effort, in conflicts."""
        model = self.run.problem.model
        assert model is not None
        if self._search is None:
            self._search = self._breadth_first(model)
        while self.spent < effort / (SMALL_SHARE if self._grows else SHARE):
            if next(self._search, self) is not None:
                return

    def _breadth_first(self, model: Model[Any, Any]) -> Iterator[None]:
        """See the states layer by layer, with a break after each batch."""
        megabytes = self.run.limits.megabytes
        most = MOST_STATES if megabytes is None else min(MOST_STATES, A_MEGABYTE * megabytes)
        most = int(most / max(1.0, model.expansion_effort))
        layer = list(model.initials)
        seen = set(layer)
        while layer and len(seen) <= most:
            if any(map(model.is_goal, layer)):
                return
            fresh: dict[Any, None] = {}
            for first in range(0, len(layer), _BATCH):
                batch = layer[first : first + _BATCH]
                found = model.expand(batch)
                self.expanded += len(batch)
                self.spent += model.expansion_effort * (len(batch) + _A_SUCCESSOR * len(found))
                self.run.look()
                fresh.update((state, None) for state in found if state not in seen)
                yield
            self._grows = len(fresh) > len(layer)
            layer = list(fresh)
            seen.update(layer)
        if not layer:
            self.end = f"none of the {len(seen)} reachable states is a goal"
