"""A session that grounds with clingo and solves with a SAT solver.

clingo's own solver is told all that is grounded, too: it sees which atoms have become facts, so
that later steps are grounded as ever, and it minimizes where an objective counts. The search for a
plan is the SAT solver's.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from clingo import Symbol

from asplan.asp.planning.answer import Answer, Wanted
from asplan.asp.planning.effort import Effort
from asplan.asp.planning.session import Session
from asplan.errors import InputError
from asplan.program.incremental import Program
from asplan.program.scripts import Part
from asplan.program.unit import first_disjunction
from asplan.sat.answers import AnswerSets


class SatSession(Session):
    """A session whose search is a SAT solver's; see `Session`.

    Parameters
    ----------
    solver
        One of `SOLVERS`.
    keep
        Whether a refutation is wanted in writing.

    Raises
    ------
    MissingExtra
        python-sat is not installed.
    """

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, str],
        solver: str,
        options: Iterable[str] = (),
        deadline: float | None = None,
        effort: Effort | None = None,
        keep: bool = False,
    ) -> None:
        super().__init__(program, constants, options, deadline, effort=effort)
        self.answers = AnswerSets(solver, self.overdue, keep)
        self.control.register_observer(self.answers.ground)

    def ground(self, parts: list[Part]) -> None:
        """Ground some parts in one call; what is grounded is noted, a rule at a time."""
        with _collecting_later():
            super().ground(parts)

    def _search(
        self, wanted: Wanted, assumptions: list[tuple[Symbol, bool]], conflicts: int | None
    ) -> Answer:
        """A search for models that differ in what they show; an objective is clingo's."""
        if wanted.optimize:
            return super()._search(wanted, assumptions, conflicts)
        with _collecting_later():
            self.settle(assumptions)
            if self.answers.ground.disjunctive:
                raise _disjunction(self.program)
            self.answers.add()
        known = self.control.symbolic_atoms
        atoms = [(known[symbol], true) for symbol, true in assumptions]
        if any(atom is None and true for atom, true in atoms):
            return Answer(False)
        numbers = [(atom.literal, true) for atom, true in atoms if atom is not None]
        chosen = self._chosen if wanted.choices else tuple
        return self.answers.search(numbers, wanted.number, conflicts, chosen)

    def _chosen(self) -> list[tuple[Symbol, int]]:
        # What has become a fact since may be none when the plan is checked.
        return [(atom.symbol, atom.literal) for atom in self.chosen() if atom.literal]

    def _searched(self) -> tuple[int, int, int]:
        return self.answers.counted()


def _disjunction(program: Program) -> InputError:
    return InputError(
        "a disjunction in the head of a rule is beyond a SAT solver",
        at=first_disjunction(program.sections),
        mend="say --engine asp, which solves it, or write a choice",
    )


@contextmanager
def _collecting_later() -> Iterator[None]:
    """Without the collector of garbage, which would look at a million rules again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
