"""Which horizons are tried, and in which order.

A schedule is a generator: it yields attempts and is sent what came of each: True where a plan was
found, False where there is none, None where the attempt was given up. It ends when nothing is left
to learn, or a plan is all that was wanted. `first` is the least horizon to try.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from clingo import SymbolType

from asplan.asp.planning.session import Session
from asplan.errors import UsageError, nearest
from asplan.limits import Limits
from asplan.numbers import LARGEST, whole


class Attempt(NamedTuple):
    """A horizon to try, and after how many conflicts to give it up; None is never."""

    horizon: int
    conflicts: int | None = None


Schedule = Generator[Attempt, bool | None, None]

CONFLICTS = 2000
"""Of an attempt among several horizons that share the time, in the first round."""

PATIENCE = 1.5
"""By how much an attempt may be longer in each round than in the one before."""


def linear(first: int) -> Schedule:
    """Every horizon in turn, until a plan is found."""
    for horizon in count(first):
        if (yield Attempt(horizon)):
            return


def stride(first: int, width: int, monotone: bool) -> Schedule:
    """Every `width`-th horizon; once a plan is found, downward until one is refuted.

    Going down needs a monotone program: for others a smaller horizon is a different program.
    """
    horizon, refuted = first, first - 1
    while not (yield Attempt(horizon)):
        refuted, horizon = horizon, horizon + width
    while monotone and horizon - 1 > refuted:
        horizon -= 1
        if not (yield Attempt(horizon)):
            return


def parallel(first: int, width: int) -> Schedule:
    """Several horizons share the time, in rounds, until a plan is found at one of them.

    A horizon that is refuted makes room for one beyond the others; the distances grow. A plan is
    often found at a horizon that is not the least long before the one below the least is refuted:
    Rintanen, Evaluation Strategies for Planning as Satisfiability, 2004 (algorithm A). Needs a
    monotone program, where the refutation of one horizon is one of all that are less.
    """
    open_horizons, farthest, conflicts = [first], first, float(CONFLICTS)
    while True:
        while len(open_horizons) < width:
            farthest += 1 + farthest // 4
            open_horizons.append(farthest)
        for horizon in list(open_horizons):
            if horizon not in open_horizons:
                continue
            found = yield Attempt(horizon, int(min(conflicts, LARGEST)))
            if found:
                return
            if found is False:
                open_horizons = [h for h in open_horizons if h > horizon]
        conflicts *= PATIENCE


Make = Callable[[int, bool], Schedule]
"""From the first horizon, and whether the program is monotone, to a schedule."""


def parse_schedule(text: str) -> Make:
    """The schedule that `linear`, `stride:K` or `parallel:B` names.

    Raises
    ------
    UsageError
        There is no such schedule.
    """
    name, _, argument = text.partition(":")
    if name == "linear" and not argument:
        return lambda first, monotone: linear(first)
    if name == "stride":
        width = _number(text, "K in stride:K", argument)
        return lambda first, monotone: stride(first, width, monotone)
    if name == "parallel":
        return _parallel(_number(text, "B in parallel:B", argument))
    known = ["linear", "stride:K", "parallel:B"]
    raise UsageError(f"unknown schedule {text!r}", mend=nearest(text, known, noun="schedules"))


def _parallel(width: int) -> Make:
    def make(first: int, monotone: bool) -> Schedule:
        if not monotone:
            raise UsageError(
                "schedule parallel:B: the refutation of a horizon must be one of all that are less",
                mend="it is for programs that say asplan(monotone).",
            )
        return parallel(first, width)

    return make


def _number(text: str, what: str, argument: str) -> int:
    number = whole(argument)
    if not number:
        raise UsageError(f"schedule {text!r}: {what} is a number from 1 to {LARGEST}")
    return number


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
