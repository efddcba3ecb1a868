"""What a plan is: steps whose actions can be executed one after the other.

>>> plan = Plan((("pick_up(a)",), ("stack(a,b)", "open(door)")), names={"pick_up(a)": "pick-up(a)"})
>>> len(plan), plan.actions
(2, ('pick_up(a)', 'stack(a,b)', 'open(door)'))
>>> print(plan)
1. pick-up(a)
2. stack(a,b)  open(door)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from asplan.core.registry import entries


class Shown:
    """A base of plain data that people look at."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The data as a piece of a page, for a notebook."""
        return str(entries("asplan.displays")["html"].load()(self))

    def to_frame(self) -> Any:
        """The data as a `pandas.DataFrame`; docs/notebooks.md names its columns."""
        return entries("asplan.displays")["frame"].load()(self)


Steps = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Plan(Shown):
    """Steps 1, 2, …; each holds the actions of that step as terms. The steps alone make a plan."""

    steps: Steps = ()
    """Where a step has several actions they stand in an order in which they can be executed one
    after the other, as far as the check of the plan can tell: a model and a program that says
    `asplan(ordered)` are asked; for other programs they happen at the same time."""
    cost: tuple[int, ...] | None = field(default=None, compare=False)
    """What it costs, priority by priority, where the problem gives costs."""
    names: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Actions whose source writes them in another way than clingo can, with that way."""
    chosen: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What else was chosen in the answer that it was read from, where a program chooses more than
    actions: with it the check finds that answer again without a search."""

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.steps)

    def __str__(self) -> str:
        width = len(str(len(self.steps)))
        lines = (
            f"{t:{width}}. {'  '.join(map(self.name, s))}" for t, s in enumerate(self.steps, 1)
        )
        return "\n".join(lines)

    @property
    def actions(self) -> tuple[str, ...]:
        """All actions in order."""
        return tuple(action for step in self.steps for action in step)

    def name(self, action: str) -> str:
        """An action as its source writes it."""
        return self.names.get(action, action)
