"""The engine `asp`: incremental, one of the one-shot modes, or the least cost of all plans."""

from __future__ import annotations

import time
from typing import Any

from asplan.core.errors import UsageError
from asplan.engines.asp.bounding import cheapest
from asplan.engines.asp.controller import incremental
from asplan.engines.asp.oneshot import fixed, minimize
from asplan.engines.asp.options import AspOptions
from asplan.engines.run import Run, ignore_report
from asplan.result import Outcome, Result

_MODES = {"incremental": incremental, "fixed": fixed, "minimize": minimize}


def solve(run: Run[AspOptions]) -> Result:
    """Solve in the mode that the options name."""
    try:
        if run.options.optimal and not run.problem.program.written.minimized:
            return cheapest(run)
        check_exact(run)
        if run.problem.finds and run.options.takes_any(run.limits) and (soon := _find_soon(run)):
            return soon
        return _MODES[run.options.mode or "incremental"](run)
    except MemoryError:
        return run.out_of_memory(run.doing)


SOON = 30.0
"""Seconds, or half of what is left, that the source's own search for any plan has at most."""


def _find_soon(run: Run[AspOptions]) -> Result | None:
    """The plan that the source's own search finds; None if it finds none soon."""
    until = time.monotonic() + min(SOON, run.left / 2)

    def goes_on(doing: str) -> bool:
        if run.report is not ignore_report and doing:
            run.tell(doing)
        return time.monotonic() < until

    assert run.problem.finds is not None
    plan = run.problem.finds(goes_on)
    if plan is None:
        return None
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
