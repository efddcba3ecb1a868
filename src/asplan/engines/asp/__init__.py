"""From a program to an answer.

`engine` chooses the mode: `controller` grounds and solves horizon by horizon, `oneshot` in a single
call. `session` is clingo with a clock, `opening` gives it its options, `answer` and `plans` read
what it finds. `replay` checks a plan in a fresh clingo, and `order` puts its actions in order.
"""

from __future__ import annotations

from collections.abc import Callable

from asplan.engines.asp.options import AspOptions
from asplan.engines.run import Engine
from asplan.registry import Later
from asplan.result import Result


def _solve() -> Callable[..., Result]:
    from asplan.engines.asp.engine import solve

    return solve


ENGINE = Engine(Later(_solve), AspOptions, False, "multi-shot clingo on an encoding")
