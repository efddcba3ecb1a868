"""The engine `asp`: incremental, one of the one-shot modes, or the least cost of all plans."""

from __future__ import annotations

import time
from typing import Any

from asplan.core.errors import UsageError
from asplan.engines.asp.controller import incremental
from asplan.engines.asp.options import AspOptions
from asplan.engines.run import Run
from asplan.result import Outcome, Result


def solve(run: Run[AspOptions]) -> Result:
    """Solve in the mode that the options name."""
    try:
        if run.options.optimal and not run.problem.program.written.minimized:
            from asplan.engines.asp.bounding import cheapest

            return cheapest(run)
        check_exact(run)
        if run.problem.finds and run.options.takes_any(run.limits) and (soon := _find_soon(run)):
            return soon
        if run.options.mode in ("fixed", "minimize"):
            from asplan.engines.asp import oneshot

            return oneshot.fixed(run) if run.options.mode == "fixed" else oneshot.minimize(run)
        return incremental(run)
    except MemoryError:
        return run.out_of_memory(run.doing)


SOON = 30.0
"""Seconds, or half of what is left, that the source's own search for any plan has at most."""

_TELL_EVERY = 0.25


def _find_soon(run: Run[AspOptions]) -> Result | None:
    """The plan that the source's own search finds; None if it finds none soon."""
    until = time.monotonic() + min(SOON, run.left / 2)
    told = 0.0

    def goes_on(doing: str) -> bool:
        nonlocal told
        now = time.monotonic()
        if now - told > _TELL_EVERY:
            told = now
            run.tell(doing)
        return now < until

    assert run.problem.finds is not None
    plan = run.problem.finds(goes_on)
    if plan is None:
        return None
    if not plan:
        reason = "the goal holds at the start"
        return run.result(outcome=Outcome.OPTIMAL, plans=(plan,), horizon=0, reason=reason)
    reason = "any plan, by a search through states; shorter ones may exist"
    return run.result(outcome=Outcome.PLAN, plans=(plan,), horizon=len(plan), reason=reason)


def check_exact(run: Run[Any]) -> None:
    """Raise `UsageError` for a program whose answers need not be plans."""
    if run.problem.program.written.estimates:
        raise UsageError(
            f"{run.problem.encoding} estimates what lies beyond its horizon, so its answers need "
            "not be plans",
            hint="say --optimal actions or --optimal cost, or take another encoding",
        )
