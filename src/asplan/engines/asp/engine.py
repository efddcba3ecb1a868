"""The engine `asp`: incremental, one of the one-shot modes, or the least cost of all plans."""

from __future__ import annotations

from typing import Any

from asplan.core.errors import UsageError
from asplan.engines.asp.controller import incremental
from asplan.engines.asp.options import AspOptions
from asplan.engines.run import Run
from asplan.result import Result


def solve(run: Run[AspOptions]) -> Result:
    """Solve in the mode that the options name."""
    try:
        if run.options.optimal and not run.problem.program.written.minimized:
            from asplan.engines.asp.bounding import cheapest

            return cheapest(run)
        check_exact(run)
        if run.options.mode in ("fixed", "minimize"):
            from asplan.engines.asp import oneshot

            return oneshot.fixed(run) if run.options.mode == "fixed" else oneshot.minimize(run)
        return incremental(run)
    except MemoryError:
        return run.out_of_memory(run.doing)


def check_exact(run: Run[Any]) -> None:
    """Raise `UsageError` for a program whose answers need not be plans."""
    if run.problem.program.written.estimates:
        raise UsageError(
            f"{run.problem.encoding} estimates what lies beyond its horizon, so its answers need "
            "not be plans",
            hint="say --optimal actions or --optimal cost, or take another encoding",
        )
