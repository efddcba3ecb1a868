"""SAT solvers of python-sat that a deadline and Ctrl-C can stop.

A solver works in short turns: after some conflicts it returns, and the clock is checked. It keeps
its learnt clauses between turns.
"""

from __future__ import annotations

import importlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import (
    Thread,
    current_thread,
    main_thread,
)
from typing import (
    Any,
    Protocol,
    TypeVar,
)

import numpy as np
from numpy.typing import NDArray

from asplan.core.budget import Budget
from asplan.core.dataclass import dataclass
from asplan.core.errors import needs_extra
from asplan.core.files import atomic_file

TURN = 0.2  # seconds that a turn should take
FIRST_TURN = 200  # conflicts of the first one

CADICAL = {"lucky": 0, "walk": 0, "elimocclim": 20}
"""Options of CaDiCaL. It does not guess models, because a horizon below the shortest plan has none.
It eliminates only variables with few occurrences, because variables of the last state occur again
in the next step."""

TRUE = 1  # the variable that is true; constants are this literal and its negation

PIECE = 100_000  # clauses that are converted to lists at a time

PROVER = "cadical195"  # the default solver, which writes the proofs of all solvers

Clause = Sequence[int]
_T = TypeVar("_T")


class _Solver(Protocol):
    """The methods of python-sat's solvers that this module calls."""

    def configure(self, parameters: dict[str, int]) -> None: ...

    def add_clause(self, clause: Clause) -> object: ...

    def conf_budget(self, budget: int) -> None: ...

    def solve_limited(self, assumptions: Clause) -> bool | None: ...

    def get_model(self) -> list[int]: ...

    def get_core(self) -> list[int] | None: ...

    def get_proof(self) -> list[str]: ...

    def accum_stats(self) -> dict[str, int]: ...


class Sat:
    """A SAT solver and its clauses; raises `MissingExtra` if python-sat is not installed.

    A clause is a list of literals: a positive number is a variable, a negative one its negation.

    Parameters
    ----------
    name
        The name of the solver in python-sat.
    budget
        The budget; the solver stops after a turn if it is spent.
    keep
        Whether to keep all clauses in `kept`, for proofs.

    Attributes
    ----------
    add
        A function that adds a clause.
    kept
        All clauses that were added, if they are kept; else empty.
    top
        The greatest variable in use. Variable 1 is always true.
    """

    def __init__(
        self,
        name: str,
        budget: Budget,
        keep: bool = False,
    ) -> None:
        self._solver = solver = _import_solvers().Solver(name=name)
        if name.startswith("cadical"):
            solver.configure(CADICAL)
        self._budget = budget
        self.kept: list[Clause] = []

        def keep_and_add(clause: Clause) -> None:
            self.kept.append(clause)
            add(clause)

        add = solver.solver.add_clause  # without the layer that dispatches by solver
        self.add: Callable[[Clause], object] = keep_and_add if keep else add
        self.top = TRUE
        self.add([TRUE])

    def add_all(self, clauses: NDArray[np.int64]) -> None:
        """Add each row of an array as a clause."""
        for start in range(0, len(clauses), PIECE):
            deque(map(self.add, clauses[start : start + PIECE].tolist()), maxlen=0)

    def new(self) -> int:
        """Return a new variable."""
        self.top += 1
        return self.top

    def new_ones(self, count: int) -> NDArray[np.int64]:
        """Return `count` new variables as an array."""
        self.top += count
        return np.arange(self.top - count, self.top) + 1

    def solve(
        self,
        assumptions: Clause = (),
        conflicts: int | None = None,
    ) -> bool | None:
        """Return whether the clauses have a model in which the assumptions are true.

        Return None if the budget is spent, or after the number of `conflicts`, if it is given.
        """
        return _solve_in_turns(self._solver, self._budget, assumptions, conflicts)

    def model(self) -> set[int]:
        """Return the true literals of the last model; variables in no clause are false."""
        model = self._solver.get_model()
        return {*model, *range(-self.top, -len(model))}

    def core(self) -> list[int]:
        """Return assumptions of the last refuted call that cannot be true together."""
        return self._solver.get_core() or []

    def counts(self) -> tuple[int, int, int]:
        """Return the numbers of decisions, conflicts and restarts so far."""
        counted = self._solver.accum_stats()
        return counted["decisions"], counted["conflicts"], counted["restarts"]


def _solve_in_turns(
    solver: _Solver,
    budget: Budget,
    assumptions: Clause = (),
    conflicts: int | None = None,
) -> bool | None:
    """Return whether a solver's clauses have a model in which the assumptions are true.

    Return None if the budget is spent, or after the number of `conflicts`, if it is given.
    """
    assumed = list(assumptions)
    left = float("inf") if conflicts is None else conflicts
    turn = FIRST_TURN
    while left > 0 and not budget.is_spent():
        solver.conf_budget(int(min(turn, left)))
        start = time.monotonic()
        answer = _call_aside(lambda: solver.solve_limited(assumptions=assumed))
        if answer is not None:
            return answer
        left -= turn
        seconds = time.monotonic() - start
        if not TURN / 2 < seconds < TURN * 2:
            turn = max(10, turn * 2 if seconds < TURN else turn // 2)
    return None


def _call_aside(call: Callable[[], _T]) -> _T:
    """Call a function in another thread, so that Ctrl-C does not interrupt python-sat."""
    if current_thread() is not main_thread():
        return call()
    result: list[_T] = []
    thread = Thread(target=lambda: result.append(call()))
    thread.start()
    thread.join()
    return result[0]


def _import_solvers() -> Any:  # noqa: ANN401  a module without types
    with needs_extra("engine sat needs python-sat, which is not installed", "sat"):
        return importlib.import_module("pysat.solvers")


@dataclass(frozen=True)
class Refutation:
    """Clauses without a model: the clauses of a SAT solver, and its assumptions as unit clauses.

    `top` is the greatest variable.
    """

    clauses: Sequence[Clause]
    top: int


def write_proof(
    refutation: Refutation,
    name: str,
    budget: Budget,
) -> str | None:
    """Refute clauses again, and write a DRAT proof to the file `name`.

    The clauses go into a file beside it that ends with .cnf. Independent checkers read DRAT
    (Wetzler, Heule and Hunt, DRAT-trim, 2014). The proof certifies that the clauses have no model,
    but not that they are the right translation of the program.

    Returns
    -------
    str or None
        A sentence that names the files; None if the budget was spent before the refutation.
    """
    path = Path(name)
    formula = path.with_suffix(".cnf")
    with _import_solvers().Solver(name=PROVER, with_proof=True) as solver:
        for clause in refutation.clauses:
            solver.add_clause(clause)
        if _solve_in_turns(solver, budget) is None:
            return None
        with atomic_file(formula) as file:
            file.write(f"p cnf {refutation.top} {len(refutation.clauses)}\n".encode())
            for clause in refutation.clauses:
                file.write(f"{' '.join(map(str, clause))} 0\n".encode())
        with atomic_file(path) as file:
            for line in solver.get_proof():
                file.write(f"{line}\n".encode())
    return f"{path} refutes {formula}"
