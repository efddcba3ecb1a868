"""The engine `sat`: the loop over horizons of engine `asp`, with a SAT solver for the search.

clingo grounds the program. Its own solver gets the ground program as well: it derives which atoms
are facts, so that later steps are grounded as usual, and it minimizes objectives. The SAT solver
searches for plans.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import replace
from typing import Any

from asplan.clingo import Control, Symbol, TruthValue
from asplan.core.budget import ENDLESS, Budget
from asplan.core.choices import Mode
from asplan.core.errors import InputError
from asplan.core.limits import pause_collector
from asplan.engines.asp.answer import (
    Answer,
    ModelCollector,
    ShownAtoms,
)
from asplan.engines.asp.clingo_options import OPTIMIZATION, names_strategy
from asplan.engines.asp.controller import incremental
from asplan.engines.asp.effort import ClingoEffort
from asplan.engines.asp.modes import fixed
from asplan.engines.asp.opening import check_exact, takes_turns
from asplan.engines.asp.solver import PartsSolver, Pin
from asplan.engines.run import Run
from asplan.engines.sat.completion import Completion, Grounded
from asplan.engines.sat.cycles import Cycles, Edges
from asplan.engines.sat.solver import (
    FIRST_TURN,
    PROVER,
    TRUE,
    Clause,
    Refutation,
    Sat,
    write_proof,
)
from asplan.program.incremental import Program
from asplan.program.reading.unit import first_disjunction
from asplan.result import Result


def solve(run: Run[Any]) -> Result:
    """Solve in the mode that the options name.

    If they name a proof file, write a proof of the last refutation to it.
    """
    options = run.options
    solvers: list[SatSolver] = []

    def opener(
        run: Run[Any],
        program: Program,
        effort: ClingoEffort | None = None,
        **constants: str,
    ) -> SatSolver:
        words = run.options.clingo
        if program.optimizes and not (names_strategy(words) or takes_turns(run, program)):
            words = (OPTIMIZATION, *words)
        solver = SatSolver(
            program,
            {**run.problem.user_constants, **constants},
            options.solver or PROVER,
            options=words,
            budget=run.budget,
            effort=effort,
            keep=bool(options.proof),
        )
        if constants:
            solvers.clear()  # other constants make another program
        if options.proof:
            solvers.append(solver)
        return solver

    solve_in_mode = fixed if options.mode == Mode.FIXED else incremental
    try:
        check_exact(run)
        result = solve_in_mode(run, opener)
        return _certified(run, result, solvers) if options.proof else result
    except MemoryError:
        return run.out_of_memory(run.activity)


def _certified(
    run: Run[Any],
    result: Result,
    solvers: Sequence[SatSolver],
) -> Result:
    """Write a proof of the last refutation; return the result with the proof in its reason.

    `solvers` are the solvers of the run, in order.
    """
    refutation = _last_refutation(run, result, solvers)
    if refutation is None:
        proof = "no proof is written: the SAT solver refuted nothing"
    else:
        run.announce("writing the proof")
        written = write_proof(refutation, run.options.proof or "", run.budget)
        proof = written or "no proof is written: the time limit was reached"
    return replace(result, reason="; ".join(filter(None, [result.reason, proof])))


def _last_refutation(
    run: Run[Any],
    result: Result,
    solvers: Sequence[SatSolver],
) -> Refutation | None:
    """Return the last refutation of a horizon by the SAT solver; None if there is none."""
    # Mode `fixed` makes one call; a refutation after a plan only bounds its end.
    if run.options.mode == Mode.FIXED and result.plans:
        return None
    # If a plan is made cheaper, the last solver has refuted nothing.
    refutations = (solver.answers.refutation() for solver in reversed(solvers))
    return next(filter(None, refutations), None)


class AnswerSets:
    """The answer sets of a ground program, found by a SAT solver.

    The clauses are Clark's completion of the program. Some models of it are no answer sets: they
    violate a loop formula, or make `#edge` statements form a cycle. Then a new clause excludes the
    model, and the search goes on.

    Parameters
    ----------
    control
        The control that grounds the program.
    solver
        The name of the solver in python-sat.
    budget
        The budget; the solver stops when it is spent.
    keep
        Whether to keep all clauses, so that `refutation` can return them.
    """

    def __init__(
        self,
        control: Control,
        solver: str,
        budget: Budget,
        keep: bool = False,
    ) -> None:
        self.ground = Grounded(control)
        self._sat = Sat(solver, budget, keep)
        self._completion = Completion(self._sat)
        self._cycles = Cycles(self._completion)
        self._edges = Edges(self._completion)
        self._atoms: list[tuple[Symbol, int]] = []
        self._terms: list[tuple[Symbol, int]] = []
        self._counted: Sequence[int] = (0, 0, 0)
        self._refuted: tuple[int, Clause] = (0, ())

    def add(self) -> bool:
        """Add the rules grounded since the last call; return False if one has a disjunction."""
        ground = self.ground
        step = ground.step()
        if step.disjunctive:
            return False
        self._cycles.add(step, self._completion.add(step))
        self._edges.add(step)
        literal = self._completion.literal
        all_of = self._completion.all_of
        self._atoms += [(symbol, literal(atom) if atom else TRUE) for symbol, atom in ground.shown]
        self._terms += [(symbol, all_of(condition)) for symbol, condition in ground.terms]
        self._completion.settle(ground)
        if ground.contradicts and self._sat.solve(conflicts=FIRST_TURN) is not False:
            self._sat.add([])  # clingo may not have written the contradicting rules
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
        """Find answer sets that differ in their shown symbols.

        Parameters
        ----------
        assumptions
            Literals of the ground program with their truth values.
        wanted
            The collector of the answer sets, which knows the number of wanted ones.
        conflicts
            The number of conflicts after which to give up; None means never.
        chosen
            A function that returns further atoms to collect, with their literals in the ground
            program.
        number_of
            A function from an atom to its literal in the ground program; 0 if it has none.
        """
        literal = self._completion.literal
        assumed = self._assumed_externals()
        assumed += [literal(number if true else -number) for number, true in assumptions]
        models = wanted.models
        others: list[tuple[Symbol, int]] = []
        actions: dict[Symbol, int] = {}
        switch = 0  # assumed, so that clauses that exclude a model can be switched off
        while satisfiable := self._solve(assumed, conflicts):
            if not models:
                others = [(symbol, literal(number)) for symbol, number in chosen()]
                actions = self._actions(wanted, number_of)
            shown, differs = self._shown(others, actions)
            models.append(shown)
            if not wanted.wants_more():
                break
            if not switch:
                switch = self._sat.new()
                assumed.append(switch)
            self._sat.add([-switch, *differs])
        if models:
            return replace(wanted.answer(), cut=wanted.is_cut(satisfiable is False))
        if satisfiable is False:
            self._refuted = len(self._sat.kept), assumed
        return Answer(satisfiable, empty_core=satisfiable is False and not self._sat.core())

    def _assumed_externals(self) -> list[int]:
        """Return assumptions for the external atoms that are set to true or false."""
        literals: list[int] = []
        for atom, value in self.ground.externals.items():
            if value != TruthValue.Free:
                number = atom if value == TruthValue.True_ else -atom
                literals.append(self._completion.literal(number))
        return literals

    def _actions(
        self,
        wanted: ModelCollector,
        number_of: Callable[[Symbol], int],
    ) -> dict[Symbol, int]:
        """Return the solver's literal of each action that is shown, as an atom or as a term."""
        actions: dict[Symbol, int] = {}
        for symbol, _ in self._terms:
            number = number_of(symbol) if wanted.is_action(symbol) else 0
            if number:
                actions[symbol] = self._completion.literal(number)
        actions |= {symbol: own for symbol, own in self._atoms if wanted.is_action(symbol)}
        return actions

    def refutation(self) -> Refutation | None:
        """Return the clauses of the last refuted search; None if there is none.

        Also return None if clauses are not kept.
        """
        count, assumed = self._refuted
        if not count:
            return None
        units = ([literal] for literal in assumed)
        return Refutation([*self._sat.kept[:count], *units], self._sat.top)

    def counted(self) -> list[int]:
        """Return the numbers of decisions, conflicts and restarts since the last call."""
        before = self._counted
        self._counted = self._sat.counts()
        return [now - old for now, old in zip(self._counted, before, strict=True)]

    def _solve(
        self,
        assumed: list[int],
        conflicts: int | None,
    ) -> bool | None:
        """Return whether there is an answer set under assumptions; None if the search was stopped.

        The answer set is then the last model of the solver.
        """
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
        self,
        chosen: Iterable[tuple[Symbol, int]],
        actions: Mapping[Symbol, int],
    ) -> tuple[ShownAtoms, list[int]]:
        """Return the shown atoms of the last model, and a clause that excludes equal models.

        `chosen` has further atoms to collect, with their literals, and `actions` has the literals
        of the shown actions.
        """
        model = self._sat.model()
        atoms = [symbol for symbol, literal in self._atoms if literal in model]
        terms = [symbol for symbol, literal in self._terms if literal in model]
        symbols = tuple(dict.fromkeys(atoms + terms))
        occurring = tuple(symbol for symbol in symbols if actions.get(symbol) in model)
        literals = (literal for _, literal in self._atoms + self._terms)
        differs = [-literal if literal in model else literal for literal in literals]
        others = tuple(symbol for symbol, literal in chosen if literal in model)
        return ShownAtoms(symbols, occurring, others), differs


class SatSolver(PartsSolver):
    """A solver in which clingo grounds and a SAT solver searches for answer sets."""

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, str],
        solver: str,
        options: Iterable[str] = (),
        budget: Budget = ENDLESS,
        effort: ClingoEffort | None = None,
        keep: bool = False,
    ) -> None:
        super().__init__(program, constants, options, budget, effort=effort)
        self.answers = AnswerSets(self.control, solver, budget, keep)

    def _find_models(
        self,
        wanted: ModelCollector,
        assumptions: list[Pin],
        conflicts: int | None,
        budget: Budget,
    ) -> Answer:
        """Search for models with different shown symbols; if it is an optimization, use clingo."""
        if wanted.optimize:
            return super()._find_models(wanted, assumptions, conflicts, budget)
        with pause_collector():
            self.settle(assumptions)
            self._add_steps()
        symbolic_atoms = self.control.symbolic_atoms
        atoms = [(symbolic_atoms[symbol], true) for symbol, true in assumptions]
        if any(atom is None and true for atom, true in atoms):
            return Answer(False)
        numbers = [(atom.literal, true) for atom, true in atoms if atom is not None]

        def chosen() -> list[tuple[Symbol, int]]:
            # An atom that is a fact by now may be none when the plan is checked.
            return [(atom.symbol, atom.literal) for atom in self.chosen_atoms() if atom.literal]

        def number_of(symbol: Symbol) -> int:
            atom = symbolic_atoms[symbol]
            return 0 if atom is None else atom.literal

        watched = chosen if wanted.choices else tuple
        return self.answers.search(numbers, wanted, conflicts, watched, number_of)

    def _add_steps(self) -> None:
        """Add the newly grounded rules to the SAT solver; raise `InputError` at a disjunction."""
        if not self.answers.add():
            message = "a SAT solver cannot solve a disjunction in the head of a rule"
            hint = "use --engine asp, or write a choice"
            raise InputError(message, at=first_disjunction(self.program.sections), hint=hint)

    def _search_counters(self) -> Sequence[int]:
        return self.answers.counted()
