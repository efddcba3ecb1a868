"""A refutation in writing: the clauses of a horizon, and a DRAT proof that they contradict.

DRAT is the format of the SAT competitions; checkers that share no code with any solver read it
(Wetzler, Heule and Hunt, DRAT-trim: Efficient Checking and Trimming Using Expressive Clausal
Proofs, 2014). What is certified is that the clauses have no model; that they say what the program
says is the translation's claim.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from asplan.errors import UsageError
from asplan.files import check_writable, whole_file
from asplan.sat.solver import Clause, import_solvers, in_turns

PROVER = "cadical195"
"""The solver that writes the proof, whichever has found the refutation."""


@dataclass(frozen=True)
class Refutation:
    """Clauses, with assumptions as clauses of one literal, that contradict each other."""

    clauses: Sequence[Clause]
    top: int


def check_proof_file(name: str) -> None:
    """Raise `UsageError` for a file that a proof cannot be written to."""
    path = Path(name)
    if path.suffix != ".drat":
        raise UsageError(f"--proof {name}: the name of a proof ends with .drat")
    check_writable(path)
    check_writable(path.with_suffix(".cnf"))


def write_proof(refutation: Refutation, name: str, overdue: Callable[[], bool]) -> str | None:
    """Refute the clauses once more, and write them and the proof.

    Parameters
    ----------
    name
        The file for the proof; the clauses go to one beside it that ends with .cnf.
    overdue
        Whether to stop.

    Returns
    -------
    str | None
        In words what was written; None if the time did not do.
    """
    path, formula = Path(name), Path(name).with_suffix(".cnf")
    with import_solvers().Solver(name=PROVER, with_proof=True) as solver:
        for clause in refutation.clauses:
            solver.add_clause(clause)
        if in_turns(solver, overdue) is None:
            return None
        with whole_file(formula) as file:
            file.write(f"p cnf {refutation.top} {len(refutation.clauses)}\n".encode())
            for clause in refutation.clauses:
                file.write(f"{' '.join(map(str, clause))} 0\n".encode())
        with whole_file(path) as file:
            for line in solver.get_proof():
                file.write(f"{line}\n".encode())
    return f"{path} refutes {formula}"
