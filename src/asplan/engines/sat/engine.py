"""The engine `sat`: the programs and the loop of engine `asp`, solved by a SAT solver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from asplan.engines.asp.controller import incremental
from asplan.engines.asp.engine import check_exact
from asplan.engines.asp.oneshot import fixed
from asplan.engines.asp.opening import OPTIMIZATION
from asplan.engines.asp.session import Effort
from asplan.engines.run import Run
from asplan.engines.sat.options import SOLVERS, SatOptions
from asplan.engines.sat.session import SatSession
from asplan.engines.sat.solver import write_proof
from asplan.program.incremental import Program
from asplan.result import Result


def solve(run: Run[SatOptions]) -> Result:
    """Solve in the mode that the options name; write the last refutation, if that is wanted."""
    options, sessions = run.options, list[SatSession]()

    def opener(
        run: Run[Any], program: Program, effort: Effort | None = None, **constants: str
    ) -> SatSession:
        session = SatSession(
            program,
            {**run.problem.given, **constants},
            options.solver or SOLVERS[0],
            options=[OPTIMIZATION, *options.clingo] if program.optimizes else options.clingo,
            deadline=run.deadline,
            effort=effort,
            keep=bool(options.proof),
        )
        sessions[:] = [session]
        return session

    try:
        check_exact(run)
        result = (fixed if options.mode == "fixed" else incremental)(run, opener)
        return _certified(run, result, sessions[0]) if options.proof else result
    except MemoryError:
        return run.out_of_memory(run.doing)


def _certified(run: Run[SatOptions], result: Result, session: SatSession) -> Result:
    """The same result, after the last refutation was written, if there is one."""
    # The mode fixed makes one call; what is refuted after a plan was found says where it may end.
    is_found = run.options.mode == "fixed" and bool(result.plans)
    refutation = None if is_found else session.answers.refutation()
    if refutation is None:
        written: str | None = "no proof is written, for nothing was refuted by the SAT solver"
    else:
        run.tell("writing the proof")
        written = write_proof(refutation, run.options.proof or "", session.overdue)
    late = "no proof is written, for the time is up"
    return replace(result, reason="; ".join(filter(None, [result.reason, written or late])))
