"""The sizes of a program's rules after grounding, from the last run of `asplan profile`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, TypeAlias

from asplan.core.dataclass import dataclass

Json: TypeAlias = Any  # data of any shape

_MOST = 12  # times whose sizes are kept


@dataclass(frozen=True)
class RuleSizes:
    """The sizes of a rule after grounding.

    Attributes
    ----------
    instances
        The number of instances of the rule, added up over all times.
    by_time
        The numbers of instances at time 0, 1, …; empty if they are the same at all times, or if
        there are too many times to show.
    advice
        A remedy if the size grows from step to step; else empty.
    """

    instances: int
    by_time: tuple[int, ...] = ()
    advice: str = ""


@dataclass(frozen=True)
class RuleProfile:
    """The sizes of rules by (path, line), up to a horizon; lines count from 0."""

    horizon: int = 0
    sizes: Mapping[tuple[str, int], RuleSizes] = field(default_factory=dict)


def profile_of(data: Mapping[str, Json], horizon: int) -> RuleProfile:
    """Return the sizes of rules from the JSON object that `asplan profile --json` prints.

    `data` is the object, and `horizon` the last step that was grounded. If several rules begin in
    the same line, the result has the one with the most instances.
    """
    sizes: dict[tuple[str, int], RuleSizes] = {}
    for rule in sorted(data["rules"], key=lambda rule: rule["instantiations"]):
        by_time = tuple(rule["per_step"])
        if len(set(by_time)) < 2 or len(by_time) > _MOST:
            by_time = ()
        place = (rule["file"], rule["line"] - 1)
        sizes[place] = RuleSizes(rule["instantiations"], by_time, rule["advice"])
    return RuleProfile(horizon, sizes)


def instances(count: int) -> str:
    """Return a number of instances in words.

    >>> instances(1200)
    '1,200 instances'
    """
    return f"{count:,} instance{'' if count == 1 else 's'}"
