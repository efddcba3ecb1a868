"""The ground program as clauses, and SAT solvers on them."""

from collections.abc import Callable

from asplan.core.registry import Later
from asplan.engines.run import Engine
from asplan.engines.sat.options import SatOptions
from asplan.result import Result


def _solve() -> Callable[..., Result]:
    from asplan.engines.sat.engine import solve

    return solve


ENGINE = Engine(Later(_solve), SatOptions, False, "a SAT solver on what clingo grounds")
