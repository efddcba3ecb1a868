"""The engine `asp`: incremental, or one of the one-shot modes."""

from __future__ import annotations

from asplan.asp.planning.controller import incremental
from asplan.asp.planning.oneshot import fixed, minimize
from asplan.asp.planning.options import AspOptions
from asplan.result import Result
from asplan.run import Run

_MODES = {"incremental": incremental, "fixed": fixed, "minimize": minimize}


def solve(run: Run[AspOptions]) -> Result:
    """Solve in the mode that the options name."""
    try:
        return _MODES[run.options.mode or "incremental"](run)
    except MemoryError:
        return run.out_of_memory(run.doing)
