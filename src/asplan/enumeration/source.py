"""The events of a source of plans: the plans, best first, and the ends of levels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from asplan.core.dataclass import dataclass
from asplan.core.plan import Plan
from asplan.enumeration.graph import Uses


@dataclass(frozen=True)
class ValuedPlan:
    """A plan, with the length or the cost by which the source orders it.

    If the source compares plans by landmarks, `uses` has the plan's landmarks, each with the
    actions that make it true.
    """

    plan: Plan
    value: int
    uses: Uses = frozenset()


@dataclass(frozen=True)
class Complete:
    """The end of a level: the source has no further plan of length (or cost) up to `value`.

    If `value` is None, no other plan exists at all, and `why` is the proof in words.
    """

    value: int | None
    why: str = ""


Source: TypeAlias = Iterator[ValuedPlan | Complete]
