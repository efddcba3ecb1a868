"""A SAT solver of python-sat, by name, that a deadline and Ctrl-C can stop.

The solvers are asked in short turns: after some conflicts they hand back, and the clock is looked
at. What they have learnt stays.
"""

import importlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asplan.core.errors import needs_extra
from asplan.core.files import atomic_file

TURN = 0.2  # seconds that a turn should take
FIRST_TURN = 200  # conflicts of the first one

CADICAL = {"lucky": 0, "walk": 0, "elimocclim": 20}
"""Not to guess a model, where a plan that is too short has none; to eliminate only variables that
occur seldom, for those of the last state occur again in the next step."""

TRUE = 1  # the variable that is true; constants are this literal and its negation

PIECE = 100_000  # clauses that are lists at a time

Clause = Sequence[int]


class Sat:
    """Clauses, and a solver that knows them. Variables are counted from 1, which is true.

    `add` adds a clause; `kept` has all of them if `keep` is set. `top` is the last variable.
    Between its turns the solver asks whether it is `overdue`. Raises `MissingExtra` where
    python-sat is not installed.
    """

    def __init__(self, name: str, overdue: Callable[[], bool], keep: bool = False) -> None:
        self._solver = solver = _import_solvers().Solver(name=name)
        if name.startswith("cadical"):
            solver.configure(CADICAL)
        self._overdue = overdue
        self.kept: list[Clause] = []

        def keep_and_add(clause: Clause) -> None:
            self.kept.append(clause)
            add(clause)

        add = solver.solver.add_clause  # without the layer that asks which solver it is
        self.add: Callable[[Clause], object] = keep_and_add if keep else add
        self.top = TRUE
        self.add([TRUE])

    def add_all(self, clauses: NDArray[np.int64]) -> None:
        """Add the rows of an array as clauses."""
        for start in range(0, len(clauses), PIECE):
            deque(map(self.add, clauses[start : start + PIECE].tolist()), maxlen=0)

    def new(self) -> int:
        """A variable that no clause has yet."""
        self.top += 1
        return self.top

    def new_ones(self, count: int) -> NDArray[np.int64]:
        """So many variables that no clause has yet."""
        self.top += count
        return np.arange(self.top - count, self.top) + 1

    def solve(self, assumptions: Clause = (), conflicts: int | None = None) -> bool | None:
        """Whether there is a model in which the assumptions hold; None where it was stopped."""
        return _solve_in_turns(self._solver, self._overdue, assumptions, conflicts)

    def model(self) -> set[int]:
        """The literals that are true in the model found last; what no clause has yet is false."""
        known = self._solver.get_model()
        return {*known, *range(-self.top, -len(known))}

    def core(self) -> list[int]:
        """Assumptions that cannot hold together, of those that were refuted last."""
        return self._solver.get_core() or []

    def counts(self) -> tuple[int, int, int]:
        counted = self._solver.accum_stats()
        return counted["decisions"], counted["conflicts"], counted["restarts"]


def _solve_in_turns(
    solver: Any, overdue: Callable[[], bool], assumptions: Clause = (), conflicts: int | None = None
) -> bool | None:
    """Whether a solver of python-sat finds a model; None if stopped, or after the `conflicts`."""
    assumed, left = list(assumptions), float("inf") if conflicts is None else conflicts
    turn = FIRST_TURN
    while left > 0 and not overdue():
        solver.conf_budget(int(min(turn, left)))
        start = time.monotonic()
        answer: bool | None = _aside(lambda: solver.solve_limited(assumptions=assumed))
        if answer is not None:
            return answer
        left -= turn
        seconds = time.monotonic() - start
        if not TURN / 2 < seconds < TURN * 2:
            turn = max(10, turn * 2 if seconds < TURN else turn // 2)
    return None


def _aside(call: Callable[[], Any]) -> Any:
    """The result of a call that Ctrl-C would leave in pieces if python-sat jumped out of it."""
    if current_thread() is not main_thread():
        return call()
    result: list[Any] = []
    thread = Thread(target=lambda: result.append(call()))
    thread.start()
    thread.join()
    return result[0]


def _import_solvers() -> Any:
    with needs_extra("engine sat needs python-sat, which is not installed", "sat"):
        return importlib.import_module("pysat.solvers")


PROVER = "cadical195"  # the usual solver, which writes proofs whichever has refuted


@dataclass(frozen=True)
class Refutation:
    """Clauses, with assumptions as clauses of one literal, that contradict each other."""

    clauses: Sequence[Clause]
    top: int


def write_proof(refutation: Refutation, name: str, overdue: Callable[[], bool]) -> str | None:
    """Refute the clauses once more, and write them and a DRAT proof that they contradict.

    Checkers that share no code with any solver read DRAT (Wetzler, Heule and Hunt, DRAT-trim,
    2014). What is certified is that the clauses, beside it in a .cnf file, have no model; that they
    say what the program says is the translation's claim. In words what was written; None if time
    did not suffice.
    """
    path, formula = Path(name), Path(name).with_suffix(".cnf")
    with _import_solvers().Solver(name=PROVER, with_proof=True) as solver:
        for clause in refutation.clauses:
            solver.add_clause(clause)
        if _solve_in_turns(solver, overdue) is None:
            return None
        with atomic_file(formula) as file:
            file.write(f"p cnf {refutation.top} {len(refutation.clauses)}\n".encode())
            for clause in refutation.clauses:
                file.write(f"{' '.join(map(str, clause))} 0\n".encode())
        with atomic_file(path) as file:
            for line in solver.get_proof():
                file.write(f"{line}\n".encode())
    return f"{path} refutes {formula}"
