"""From a program to an answer with clingo.

`engine` chooses the mode: `controller` grounds and solves horizon by horizon, `engine` itself in a
single call, and `bounding` looks for the cheapest plan of all. `opening` gives its options to a
`session`, which is clingo with a clock; `answer` reads plans from what it finds. `replay` checks a
plan in a fresh clingo.
"""

from collections.abc import Callable

from asplan.core.registry import Later
from asplan.engines.asp.options import AspOptions
from asplan.engines.run import Engine
from asplan.result import Result


def _solve() -> Callable[..., Result]:
    from asplan.engines.asp.engine import solve

    return solve


ENGINE = Engine(
    Later(_solve), AspOptions, False, "multi-shot clingo on an encoding", knows_theories=True
)
