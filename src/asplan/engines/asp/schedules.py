"""Schedules: the order in which horizons are tried.

A schedule is a generator of attempts. The caller sends it the answer of each attempt: True if a
plan was found, False if the horizon has none, None if the attempt was given up. A schedule ends
after a plan, once no further attempt would help.

>>> schedule = stride(0, 4, monotone=True)
>>> [next(schedule).horizon, *(schedule.send(found).horizon for found in (False, True, True))]
[0, 4, 3, 2]
"""

from collections.abc import Callable, Generator
from itertools import count
from typing import NamedTuple

from asplan.core.errors import UsageError, nearest
from asplan.core.text import LARGEST, parse_natural

FAST = "parallel:8"  # the schedule of a search for any plan

CONFLICTS = 2000  # conflicts of an attempt in the first round of `parallel`
PATIENCE = 1.5  # the factor by which attempts get longer from round to round


class Attempt(NamedTuple):
    """A horizon to try, and the number of conflicts after which to give up; None means never."""

    horizon: int
    conflicts: int | None = None


Schedule = Generator[Attempt, bool | None, None]


def linear(first: int) -> Schedule:
    """Yield the horizons from `first` on, one by one, until a plan is found."""
    for horizon in count(first):
        if (yield Attempt(horizon)):
            return


def stride(
    first: int,
    width: int,
    monotone: bool,
) -> Schedule:
    """Yield every `width`-th horizon from `first` on until a plan is found, then smaller ones.

    The smaller horizons follow one by one until one is refuted, which refutes all below it. If the
    program is not `monotone`, none follow, because a refutation says nothing about other horizons.
    """
    horizon = first
    refuted = first - 1
    while not (yield Attempt(horizon)):
        refuted = horizon
        horizon += width
    while monotone and horizon - 1 > refuted:
        horizon -= 1
        if not (yield Attempt(horizon)):
            return


def parallel(first: int, width: int) -> Schedule:
    """Yield `width` open horizons in turn, round after round, until a plan is found.

    Each attempt is given up after some conflicts, which grow from round to round. A refuted horizon
    is replaced by one beyond the others; the distances grow (Rintanen, Evaluation Strategies for
    Planning as Satisfiability, 2004, algorithm A). The program must be monotone, so that the
    refutation of a horizon refutes all smaller ones.
    """
    open_horizons = [first]
    farthest = first
    conflicts = float(CONFLICTS)
    while True:
        while len(open_horizons) < width:
            farthest += 1 + farthest // 4
            open_horizons.append(farthest)
        for horizon in list(open_horizons):
            if horizon not in open_horizons:
                continue
            is_found = yield Attempt(horizon, int(min(conflicts, LARGEST)))
            if is_found:
                return
            if is_found is False:
                open_horizons = [other for other in open_horizons if other > horizon]
        conflicts *= PATIENCE


_ARGUMENTS = {"stride": "K in stride:K", "parallel": "B in parallel:B"}
_FORMS = ["linear", "stride:K", "parallel:B"]


def parse_schedule(text: str) -> Callable[[int, bool], Schedule]:
    """Return a function that makes the schedule which a text such as `stride:4` names.

    The function takes the first horizon, and True if the program is monotone. It raises
    `UsageError` if the schedule needs a monotone program and the program is not.

    Raises
    ------
    UsageError
        If the text is none of `linear`, `stride:K` and `parallel:B`.
    """
    name, _, argument = text.partition(":")
    if name == "linear" and not argument:
        return lambda first, monotone: linear(first)
    if name not in _ARGUMENTS:
        raise UsageError(f"unknown schedule {text!r}", hint=nearest(text, _FORMS, noun="schedules"))
    width = parse_natural(argument)
    if not width:
        raise UsageError(f"schedule {text!r}: {_ARGUMENTS[name]} must be from 1 to {LARGEST}")
    if name == "stride":
        return lambda first, monotone: stride(first, width, monotone)

    def make(first: int, monotone: bool) -> Schedule:
        if not monotone:
            raise UsageError(
                "schedule parallel:B: the refutation of a horizon must refute all smaller ones",
                hint="use it for programs with the fact asplan(monotone).",
            )
        return parallel(first, width)

    return make
