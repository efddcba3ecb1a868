"""The answer sets of what clingo has grounded so far, found by a SAT solver.

A model of the completion is an answer set if no atoms support each other in a circle, and no edges
go round. A model that fails adds clauses that exclude it, and the search goes on.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from clingo import Symbol, TruthValue

from asplan.engines.asp.answer import Answer, Shown, Wanted
from asplan.engines.asp.session import Effort, Session
from asplan.engines.sat.completion import Circles, Completion, Edges
from asplan.engines.sat.solver import TRUE, Clause, Refutation, Sat
from asplan.errors import InputError
from asplan.program.ground import Ground
from asplan.program.incremental import Program
from asplan.program.scripts import Part
from asplan.program.unit import first_disjunction


class AnswerSets:
    """A ground program as clauses of a solver.

    Parameters
    ----------
    solver
        One of `SOLVERS`.
    overdue
        Whether to stop.
    keep
        Whether a refutation is wanted in writing.

    Attributes
    ----------
    ground
        The observer that clingo tells what it grounds.
    """

    def __init__(self, solver: str, overdue: Callable[[], bool], keep: bool = False) -> None:
        self.ground = Ground()
        self._sat = Sat(solver, overdue, keep)
        self._completion = Completion(self._sat)
        self._circles, self._edges = Circles(self._completion), Edges(self._completion)
        self._atoms: list[tuple[Symbol, int]] = []
        self._terms: list[tuple[Symbol, int]] = []
        self._counted = (0, 0, 0)
        self._refuted: tuple[int, Clause] = 0, ()

    def add(self) -> None:
        """Add what was grounded since the last call; clingo has completed it."""
        ground = self.ground
        ground.define()
        for part in (self._completion, self._circles, self._edges):
            part.add(ground)
        literal, all_of = self._completion.literal, self._completion.all_of
        self._atoms += [(symbol, literal(atom) if atom else TRUE) for symbol, atom in ground.shown]
        self._terms += [(symbol, all_of(condition)) for symbol, condition in ground.terms]
        self._completion.settle(ground)
        ground.clear()

    def search(
        self,
        assumptions: Iterable[tuple[int, bool]],
        wanted: Wanted,
        conflicts: int | None = None,
        chosen: Callable[[], Iterable[tuple[Symbol, int]]] = tuple,
        number_of: Callable[[Symbol], int] = lambda symbol: 0,
    ) -> Answer:
        """Find answer sets that differ in what they show.

        Parameters
        ----------
        assumptions
            Literals of the program, and whether each is to be true.
        wanted
            Keeps what is found, and says when it is enough.
        conflicts
            After how many to give up; None is never.
        chosen
            Called once for atoms that are told of a model whether it shows them or not.
        number_of
            The literal of an atom; 0 where there is no such atom, or it is false.
        """
        literal = self._completion.literal
        assumed = [*self._external(), *(literal(n if true else -n) for n, true in assumptions)]
        found = wanted.found
        others: list[tuple[Symbol, int]] = []
        actions: dict[Symbol, int] = {}
        another = 0
        while satisfiable := self._solve(assumed, conflicts):
            if not found:
                others = [(symbol, literal(number)) for symbol, number in chosen()]
                actions = self._actions(number_of)
            shown, differs = self._shown(others, actions)
            found.append(shown)
            if not wanted.wants_more():
                break
            if not another:
                another = self._sat.new()
                assumed.append(another)
            self._sat.add([-another, *differs])
        if found:
            return replace(wanted.answer(), cut=wanted.is_cut(satisfiable is False))
        if satisfiable is False:
            self._refuted = len(self._sat.kept), assumed
        return Answer(satisfiable, empty_core=satisfiable is False and not self._sat.core())

    def refutation(self) -> Refutation | None:
        """What was refuted last, if clauses are kept and something was."""
        count, assumed = self._refuted
        if not count:
            return None
        return Refutation([*self._sat.kept[:count], *([a] for a in assumed)], self._sat.top)

    def counted(self) -> tuple[int, int, int]:
        """Decisions, conflicts and restarts since this was asked last."""
        before, self._counted = self._counted, self._sat.counts()
        changes = (now - old for now, old in zip(self._counted, before, strict=True))
        decisions, conflicts, restarts = changes
        return decisions, conflicts, restarts

    def _external(self) -> list[int]:
        """The literals that the values of the external atoms demand."""
        return [
            self._completion.literal(atom if value == TruthValue.True_ else -atom)
            for atom, value in self.ground.externals.items()
            if value != TruthValue.Free
        ]

    def _solve(self, assumed: list[int], conflicts: int | None) -> bool | None:
        """Whether there is an answer set; it is the model of the solver then."""
        while True:
            satisfiable = self._sat.solve(assumed, conflicts)
            if not satisfiable:
                return satisfiable
            model = self._sat.model()
            clauses = [*self._circles.violated(model), *self._edges.violated(model)]
            if not clauses:
                return True
            for clause in clauses:
                self._sat.add(clause)

    def _actions(self, number_of: Callable[[Symbol], int]) -> dict[Symbol, int]:
        """The literals of the actions that are shown, as atoms or as terms that are atoms, too."""
        actions = [symbol for symbol, _ in self._terms if symbol.match("occurs", 2)]
        numbers = {symbol: number_of(symbol) for symbol in actions}
        found = {s: self._completion.literal(number) for s, number in numbers.items() if number}
        return found | {s: literal for s, literal in self._atoms if s.match("occurs", 2)}

    def _shown(
        self, chosen: Iterable[tuple[Symbol, int]], actions: Mapping[Symbol, int]
    ) -> tuple[Shown, list[int]]:
        """What the model found last shows, and a clause for those that show something else."""
        model = self._sat.model()
        atoms = [symbol for symbol, literal in self._atoms if literal in model]
        terms = [symbol for symbol, literal in self._terms if literal in model]
        symbols = tuple(dict.fromkeys(atoms + terms))
        occurring = tuple(symbol for symbol in symbols if actions.get(symbol) in model)
        differs = [
            -literal if literal in model else literal for _, literal in self._atoms + self._terms
        ]
        others = tuple(symbol for symbol, literal in chosen if literal in model)
        return Shown(symbols, occurring, others), differs


# A session that grounds with clingo and solves with a SAT solver.
#
# clingo's own solver is told all that is grounded, too: it sees which atoms have become facts, so
# that later steps are grounded as ever, and it minimizes where an objective counts. The search for a
# plan is the SAT solver's.


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
        return self.answers.search(numbers, wanted, conflicts, chosen, self._number_of)

    def _chosen(self) -> list[tuple[Symbol, int]]:
        # What has become a fact since may be none when the plan is checked.
        return [(atom.symbol, atom.literal) for atom in self.chosen() if atom.literal]

    def _number_of(self, symbol: Symbol) -> int:
        atom = self.control.symbolic_atoms[symbol]
        return 0 if atom is None else atom.literal

    def _searched(self) -> tuple[int, int, int]:
        return self.answers.counted()


def _disjunction(program: Program) -> InputError:
    return InputError(
        "a disjunction in the head of a rule is beyond a SAT solver",
        at=first_disjunction(program.sections),
        hint="say --engine asp, which solves it, or write a choice",
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
