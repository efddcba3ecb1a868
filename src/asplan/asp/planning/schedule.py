"""Which horizons are tried, and in which order.

A schedule is a generator: it yields a horizon and is sent whether a plan was found there. It ends
when nothing is left to learn. `first` is the least horizon to try.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from itertools import count

from clingo import SymbolType

from asplan.asp.planning.session import Session
from asplan.errors import UsageError, nearest
from asplan.limits import Limits
from asplan.numbers import LARGEST, whole

Schedule = Generator[int, bool, None]


def linear(first: int) -> Schedule:
    """Every horizon in turn, until a plan is found."""
    for horizon in count(first):
        if (yield horizon):
            return


def stride(first: int, width: int, monotone: bool) -> Schedule:
    """Every `width`-th horizon; once a plan is found, downward until one is refuted.

    Going down needs a monotone program: for others a smaller horizon is a different program.
    """
    horizon, refuted = first, first - 1
    while not (yield horizon):
        refuted, horizon = horizon, horizon + width
    while monotone and horizon - 1 > refuted:
        horizon -= 1
        if not (yield horizon):
            return


def parse_schedule(text: str) -> Callable[[int, bool], Schedule]:
    """The schedule that `linear` or `stride:K` names, as a function of first and monotone.

    Raises
    ------
    UsageError
        There is no such schedule.
    """
    name, _, argument = text.partition(":")
    if name == "linear" and not argument:
        return lambda first, monotone: linear(first)
    if name == "stride":
        width = whole(argument)
        if not width:
            raise UsageError(f"schedule {text!r}: K in stride:K is a number from 1 to {LARGEST}")
        return lambda first, monotone: stride(first, width, monotone)
    raise UsageError(
        f"unknown schedule {text!r}", mend=nearest(name, ["linear", "stride:K"], noun="schedules")
    )


def loop_limits(session: Session, limits: Limits) -> Limits:
    """The limits with what the constants of clingo's own loop say.

    That loop stops at the first plan once it has tried `imin` horizons, and tries `imax` of them,
    0 being the first. Limits that were set win.

    Raises
    ------
    UsageError
        A constant asks for what asplan does not do.
    """
    stop = session.control.get_const("istop")
    if stop is not None and str(stop).strip('"') != "SAT":
        raise UsageError(
            f"istop={stop} asks the loop to go on after a plan",
            mend="asplan stops at a plan; --min-horizon N says where to begin",
        )
    least, most = _count(session, "imin"), _count(session, "imax")
    if least and not limits.min_horizon:
        limits = replace(limits, min_horizon=least - 1)
    if most is not None and limits.max_horizon is None:
        limits = replace(limits, max_horizon=most - 1)
    return limits


def _count(session: Session, name: str) -> int | None:
    value = session.control.get_const(name)
    if value is None:
        return None
    if value.type != SymbolType.Number or value.number < 0:
        raise UsageError(f"{name}={value} is no number of horizons")
    return value.number
