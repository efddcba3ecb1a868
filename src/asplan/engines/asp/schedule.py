"""Schedules: which horizons are tried, and in which order.

A schedule is a generator: it yields attempts and is sent what came of each: True where a plan was
found, False where there is none, None where the attempt was given up. It ends when nothing is left
to learn, or a plan is all that was wanted.
"""

from collections.abc import Callable, Generator
from itertools import count
from typing import NamedTuple

from asplan.core.errors import UsageError, nearest
from asplan.core.text import LARGEST, whole


class Attempt(NamedTuple):
    """A horizon to try, and after how many conflicts to give it up; None is never."""

    horizon: int
    conflicts: int | None = None


Schedule = Generator[Attempt, bool | None, None]

CONFLICTS = 2000  # of an attempt among several horizons that share the time, in the first round
PATIENCE = 1.5  # by how much an attempt may be longer in each round than in the one before


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

    One that is refuted makes room for one beyond the others; the distances grow (Rintanen,
    Evaluation Strategies for Planning as Satisfiability, 2004, algorithm A). It needs a monotone
    program, where the refutation of one horizon is one of all that are less.
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


def parse_schedule(text: str) -> Callable[[int, bool], Schedule]:
    """The schedule that `linear`, `stride:K` or `parallel:B` names."""
    name, _, argument = text.partition(":")
    if name == "linear" and not argument:
        return lambda first, monotone: linear(first)
    forms = {"stride": "K in stride:K", "parallel": "B in parallel:B"}
    if name not in forms:
        known = ["linear", "stride:K", "parallel:B"]
        raise UsageError(f"unknown schedule {text!r}", hint=nearest(text, known, noun="schedules"))
    width = whole(argument)
    if not width:
        raise UsageError(f"schedule {text!r}: {forms[name]} is a number from 1 to {LARGEST}")

    def make(first: int, monotone: bool) -> Schedule:
        if name == "stride":
            return stride(first, width, monotone)
        if not monotone:
            raise UsageError(
                "schedule parallel:B: the refutation of a horizon must be one of all that are less",
                hint="it is for programs that say asplan(monotone).",
            )
        return parallel(first, width)

    return make
