"""The engine `sat`: clingo grounds, the ground program becomes clauses, a SAT solver searches."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from asplan.core.choices import Mode
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.files import check_writable
from asplan.core.limits import Limits
from asplan.core.registry import Later
from asplan.engines import Engine
from asplan.engines.asp import PlanningOptions
from asplan.engines.options import option

if TYPE_CHECKING:
    from asplan.result import Result

SOLVERS = ("cadical195", "cadical300", "glucose42", "maplechrono", "minisat22")
"""Incremental solvers of python-sat that can solve with a budget of conflicts."""

_GROUNDING = ("-W", "--warn", "--keep-facts", "--preserve-facts", "--rewrite-minimize")
"""Options of clingo that concern grounding: the only ones that engine `sat` accepts."""

_WARN = _GROUNDING[:2]  # options whose value may be the next word


@dataclass(frozen=True)
class SatOptions(PlanningOptions):
    """The options of engine `sat`."""

    solver: str | None = option("Solve with this SAT solver.", choices=SOLVERS)
    proof: str | None = option("Write the refutation of a shorter plan.", metavar="F.drat")

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if options are missing, or contradict each other or the limits."""
        super().check(limits)
        if self.mode == Mode.MINIMIZE:
            hint = "use --mode incremental for shortest plans, or --engine asp"
            raise UsageError("engine sat has no --mode minimize", hint=hint)
        if self.proof is not None:
            self._check_proof(self.proof)
        for before, word in pairwise(("", *self.clingo)):
            if not word.startswith(_GROUNDING) and before not in _WARN:
                options = ", ".join(_GROUNDING)
                message = f"{word}: engine sat takes only clingo's options for grounding: {options}"
                raise UsageError(message, hint="use --engine asp for options of clingo's solver")

    def _check_proof(self, name: str) -> None:
        if self.invariants:
            message = (
                "--proof cannot be combined with --invariants: a proof covers only the program"
            )
            raise UsageError(message)
        path = Path(name)
        if path.suffix != ".drat":
            raise UsageError(f"--proof {name}: the name must end with .drat")
        check_writable(path)
        check_writable(path.with_suffix(".cnf"))


def _solve() -> Callable[..., Result]:
    from asplan.engines.sat.engine import solve

    return solve


ENGINE = Engine(Later(_solve), SatOptions, False, "a SAT solver on the ground program")
