"""The engine `sat`: the programs and the loop of engine `asp`, solved by a SAT solver.

clingo's own solver is told all that is grounded, too: it sees which atoms have become facts, so
that later steps are grounded as ever, and it minimizes where an objective counts. The search for a
plan is the SAT solver's.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from clingo import Control, Symbol, TruthValue

from asplan.core.errors import InputError
from asplan.engines.asp.answer import Answer, ModelCollector, ShownAtoms
from asplan.engines.asp.controller import incremental
from asplan.engines.asp.modes import fixed
from asplan.engines.asp.opening import OPTIMIZATION, check_exact, names_strategy, takes_turns
from asplan.engines.asp.session import Effort, Pin, Session
from asplan.engines.run import Run
from asplan.engines.sat.completion import Completion, Grounded
from asplan.engines.sat.cycles import Cycles, Edges
from asplan.engines.sat.solver import FIRST_TURN, PROVER, TRUE, Clause, Refutation, Sat, write_proof
from asplan.program.incremental import Program
from asplan.program.unit import first_disjunction
from asplan.result import Result


def solve(run: Run[Any]) -> Result:
    """Solve in the mode that the options name; write the last refutation, if that is wanted."""
    options, sessions = run.options, list[SatSession]()

    def opener(
        run: Run[Any], program: Program, effort: Effort | None = None, **constants: str
    ) -> SatSession:
        words = run.options.clingo
        if program.optimizes and not (names_strategy(words) or takes_turns(run, program)):
            words = (OPTIMIZATION, *words)
        session = SatSession(
            program,
            {**run.problem.given, **constants},
            options.solver or PROVER,
            options=words,
            deadline=run.deadline,
            effort=effort,
            keep=bool(options.proof),
        )
        if constants:
            sessions.clear()  # what is refuted with others is another program
        if options.proof:
            sessions.append(session)
        return session

    try:
        check_exact(run)
        result = (fixed if options.mode == "fixed" else incremental)(run, opener)
        return _certified(run, result, sessions) if options.proof else result
    except MemoryError:
        return run.out_of_memory(run.doing)


def _certified(run: Run[Any], result: Result, sessions: Sequence[SatSession]) -> Result:
    """The same result, after the last refutation was written, if there is one."""
    # The mode fixed makes one call; what is refuted after a plan was found says where it may end.
    is_found = run.options.mode == "fixed" and bool(result.plans)
    # Where a plan is made cheaper, the session that comes last has refuted nothing.
    refutations = (session.answers.refutation() for session in reversed(sessions))
    refutation = None if is_found else next(filter(None, refutations), None)
    if refutation is None:
        written: str | None = "no proof is written, for nothing was refuted by the SAT solver"
    else:
        run.tell("writing the proof")
        written = write_proof(refutation, run.options.proof or "", sessions[-1].overdue)
    late = "no proof is written, for the time is up"
    return replace(result, reason="; ".join(filter(None, [result.reason, written or late])))


class AnswerSets:
    """The answer sets of what clingo has grounded so far, found by a SAT solver.

    A model of the completion in which atoms support each other in a cycle, or edges form one, adds
    clauses that exclude it, and the search goes on. `ground` is what the `control` grounds. The
    `solver` stops if `overdue()` says so, and keeps clauses for a refutation.
    """

    def __init__(
        self, control: Control, solver: str, overdue: Callable[[], bool], keep: bool = False
    ) -> None:
        self.ground = Grounded(control)
        self._sat = Sat(solver, overdue, keep)
        self._completion = Completion(self._sat)
        self._cycles, self._edges = Cycles(self._completion), Edges(self._completion)
        self._atoms: list[tuple[Symbol, int]] = []
        self._terms: list[tuple[Symbol, int]] = []
        self._counted: Sequence[int] = (0, 0, 0)
        self._refuted: tuple[int, Clause] = 0, ()

    def add(self) -> bool:
        """Add what was grounded and solved since; False if it has a disjunction."""
        ground = self.ground
        step = ground.step()
        if step.disjunctive:
            return False
        self._cycles.add(step, self._completion.add(step))
        self._edges.add(step)
        literal, all_of = self._completion.literal, self._completion.all_of
        self._atoms += [(symbol, literal(atom) if atom else TRUE) for symbol, atom in ground.shown]
        self._terms += [(symbol, all_of(condition)) for symbol, condition in ground.terms]
        self._completion.settle(ground)
        if ground.contradicts and self._sat.solve(conflicts=FIRST_TURN) is not False:
            self._sat.add([])  # what contradicts may not have been written
        ground.clear()
        return True

    def search(
        self,
        assumptions: Iterable[tuple[int, bool]],
        wanted: ModelCollector,
        conflicts: int | None = None,
        chosen: Callable[[], Iterable[tuple[Symbol, int]]] = tuple,
        number_of: Callable[[Symbol], int] = lambda symbol: 0,
    ) -> Answer:
        """Find answer sets that differ in what they show, where literals are as in `assumptions`.

        The search is given up after so many `conflicts`. `chosen` is called for atoms that are kept
        whether shown or not; `number_of` gives the literal of an atom, 0 if there is none.
        """
        literal = self._completion.literal
        assumed = [
            literal(atom if value == TruthValue.True_ else -atom)
            for atom, value in self.ground.externals.items()
            if value != TruthValue.Free
        ]
        assumed += [literal(number if true else -number) for number, true in assumptions]
        found = wanted.models
        others: list[tuple[Symbol, int]] = []
        actions: dict[Symbol, int] = {}
        another = 0
        while satisfiable := self._solve(assumed, conflicts):
            if not found:
                others = [(symbol, literal(number)) for symbol, number in chosen()]
                # Those that are shown as atoms, or as terms that are atoms, too.
                occurring = [symbol for symbol, _ in self._terms if wanted.is_action(symbol)]
                numbers = {symbol: number_of(symbol) for symbol in occurring}
                actions = {symbol: literal(number) for symbol, number in numbers.items() if number}
                actions |= {atom: own for atom, own in self._atoms if wanted.is_action(atom)}
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

    def counted(self) -> list[int]:
        """Decisions, conflicts and restarts since the last call."""
        before, self._counted = self._counted, self._sat.counts()
        return [now - old for now, old in zip(self._counted, before, strict=True)]

    def _solve(self, assumed: list[int], conflicts: int | None) -> bool | None:
        """Whether there is an answer set; it is the model of the solver then."""
        while True:
            satisfiable = self._sat.solve(assumed, conflicts)
            if not satisfiable:
                return satisfiable
            model = self._sat.model()
            clauses = [*self._cycles.violated(model), *self._edges.violated(model)]
            if not clauses:
                return True
            for clause in clauses:
                self._sat.add(clause)

    def _shown(
        self, chosen: Iterable[tuple[Symbol, int]], actions: Mapping[Symbol, int]
    ) -> tuple[ShownAtoms, list[int]]:
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
        return ShownAtoms(symbols, occurring, others), differs


class SatSession(Session):
    """A session whose search is a SAT solver's; see `Session` and `AnswerSets`."""

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
        self.answers = AnswerSets(self.control, solver, self.overdue, keep)

    def _search(
        self, wanted: ModelCollector, assumptions: list[Pin], conflicts: int | None
    ) -> Answer:
        """A search for models that differ in what they show; an objective is clingo's."""
        if wanted.optimize:
            return super()._search(wanted, assumptions, conflicts)
        with _collecting_later():
            self.settle(assumptions)
            if not self.answers.add():
                what = "a disjunction in the head of a rule is beyond a SAT solver"
                hint = "say --engine asp, which solves it, or write a choice"
                raise InputError(what, at=first_disjunction(self.program.sections), hint=hint)
        known = self.control.symbolic_atoms
        atoms = [(known[symbol], true) for symbol, true in assumptions]
        if any(atom is None and true for atom, true in atoms):
            return Answer(False)
        numbers = [(atom.literal, true) for atom, true in atoms if atom is not None]

        def chosen() -> list[tuple[Symbol, int]]:
            # What has become a fact since may be none when the plan is checked.
            return [(atom.symbol, atom.literal) for atom in self.chosen() if atom.literal]

        def number_of(symbol: Symbol) -> int:
            atom = known[symbol]
            return 0 if atom is None else atom.literal

        watched = chosen if wanted.choices else tuple
        return self.answers.search(numbers, wanted, conflicts, watched, number_of)

    def _searched(self) -> Sequence[int]:
        return self.answers.counted()


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
