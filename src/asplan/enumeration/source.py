"""The events of a source of plans: the plans, best first, and what is complete between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from asplan.core.plan import Plan


@dataclass(frozen=True)
class ValuedPlan:
    """A plan, with its length or its cost."""

    plan: Plan
    value: int


@dataclass(frozen=True)
class Complete:
    """The end of a level: no other plan has a length (or cost) of at most `value`.

    If `value` is None, no other plan exists at all, and `why` is the proof in words.
    """

    value: int | None
    why: str = ""


Source: TypeAlias = Iterator[ValuedPlan | Complete]
