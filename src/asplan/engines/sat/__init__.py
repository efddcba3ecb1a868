"""The ground program as clauses, and SAT solvers on them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from asplan.core.errors import UsageError
from asplan.core.files import check_writable
from asplan.core.limits import Limits
from asplan.core.registry import Later
from asplan.engines.asp import PlanningOptions
from asplan.engines.run import Engine, option
from asplan.result import Result

SOLVERS = ("cadical195", "cadical300", "glucose42", "maplechrono", "minisat22")
"""Those that solve again with more clauses and other assumptions, and in turns."""

_GROUNDING = ("-W", "--warn", "--keep-facts", "--preserve-facts", "--rewrite-minimize")
"""Options of clingo that are about grounding."""

_WARN = _GROUNDING[:2]  # those whose value may be the next word


@dataclass(frozen=True)
class SatOptions(PlanningOptions):
    solver: str | None = option("Solve with this SAT solver.", choices=SOLVERS)
    proof: str | None = option("Write the refutation of a shorter plan.", metavar="F.drat")

    def check(self, limits: Limits) -> None:
        super().check(limits)
        if self.mode == "minimize":
            hint = "it finds shortest plans in --mode incremental; or say --engine asp"
            raise UsageError("engine sat has no --mode minimize", hint=hint)
        if self.proof is not None:
            if self.invariants:
                what = "--proof certifies clauses of the program, so it has no --invariants"
                raise UsageError(what)
            path = Path(self.proof)
            if path.suffix != ".drat":
                raise UsageError(f"--proof {self.proof}: the name of a proof ends with .drat")
            check_writable(path)
            check_writable(path.with_suffix(".cnf"))
        for before, word in pairwise(("", *self.clingo)):
            if not word.startswith(_GROUNDING) and before not in _WARN:
                raise UsageError(
                    f"{word}: engine sat takes only those of clingo's options that are about "
                    f"grounding: {', '.join(_GROUNDING)}",
                    hint="for options of clingo's solver say --engine asp",
                )


def _solve() -> Callable[..., Result]:
    from asplan.engines.sat.engine import solve

    return solve


ENGINE = Engine(Later(_solve), SatOptions, False, "a SAT solver on what clingo grounds")
