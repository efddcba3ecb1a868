"""Solvers, which ground a program up to a horizon, and search for plans of that horizon.

A solver does not choose horizons: the controller and the one-shot modes are loops that do. A
`PartsSolver` grounds the parts of a program step by step. An `AnewSolver` (in `anew`) grounds a
single-shot program anew for each horizon. The engine `sat` has a `PartsSolver` that searches by a
SAT solver. Each of them interprets theory atoms by a `Meaning`.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol

from asplan.clingo import (
    Control,
    Model,
    Number,
    SolveHandle,
    SolveResult,
    Symbol,
    SymbolicAtom,
    control_options,
    open_control,
    read_counters,
)
from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.errors import InputError, UsageError
from asplan.core.limits import Stop, hold_interrupts, is_interrupted
from asplan.engines.asp.answer import Answer, ModelCollector
from asplan.engines.asp.clingo_options import require_allowed
from asplan.engines.asp.effort import ClingoEffort
from asplan.program.ground import Part, ground
from asplan.program.incremental import COPY, START, Program, base, check, query, step
from asplan.program.reading.contract import CONTRACT
from asplan.program.reading.source import reporting
from asplan.program.reading.unit import messages_of
from asplan.program.syntax import Signature
from asplan.program.theory import Meaning, NoTheory, Package, reporting_theory

_POLL = 0.25  # seconds between looks at the clock in a solve call; Ctrl-C may wait as long

_NO_LOOK = "1,umax"  # one conflict, for a call whose answer is not used
_QUICK_LOOK = 1000  # conflicts of a check for any answer set
_BRIEF = "5000,umax"  # conflicts of a call in the caller's thread, where Ctrl-C has to wait

Pin = tuple[Symbol, bool]  # an atom with its truth value


class _Ending(NamedTuple):
    """The end of a search in a thread.

    `is_complete` is False if the budget or Ctrl-C stopped the search. `core` has literals of
    assumptions that cannot hold together; it is empty unless the search proved that.
    """

    result: SolveResult
    is_complete: bool
    core: tuple[int, ...]


class Solver(Protocol):
    """A program that can be grounded and solved, horizon after horizon."""

    def ground_to(self, horizon: int) -> Stop | None:
        """Ground the program for a horizon; return the limit that has prevented it, or None."""

    def solve(
        self,
        horizon: int,
        budget: Budget,
        conflicts: int | None = None,
    ) -> Answer:
        """Search for a plan of a grounded horizon.

        Give up when the budget is spent, or after this number of `conflicts`, if it is given.
        """


class ClingoSolver(Solver, ABC):
    """A control of clingo that grounds and solves a program.

    Its answers contain actions, and the true atoms of the predicates in `watched`. If
    `keeps_all_atoms` is set, they contain all true atoms. `grounded` is the last grounded step.

    Parameters
    ----------
    program
        The program to ground.
    constants
        The values of its constants.
    options
        Options of clingo.
    budget
        The limits of time; a solve call stops when the budget is spent.
    brief
        True if solve calls are expected to end at once. Each then searches briefly in the caller's
        thread, and starts a thread only if that gives no answer.
    effort
        The counts of seconds and conflicts to continue; by default new ones.
    make_meaning
        A function that returns an object to interpret theory atoms; by default the package of the
        theory interprets them.
    """

    control: Control

    settles = False
    """True if `ground_to` has to call `settle` before each step, for atoms that the step reads."""

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, str],
        options: Iterable[str] = (),
        budget: Budget = ENDLESS,
        brief: bool = False,
        effort: ClingoEffort | None = None,
        make_meaning: Callable[[], Meaning] | None = None,
    ) -> None:
        self.program = program
        self.budget = budget
        self.brief = brief
        self.effort = effort or ClingoEffort()
        self.watched: Collection[Signature] = ()
        self.keeps_all_atoms = False
        self.grounded = 0  # the last step
        self.searched = -1  # the horizon of the last search
        self._constants = constants
        self._options = list(options)
        require_allowed(self._options)
        self._make_meaning = make_meaning or partial(_meaning_of, program.theory)
        self._messages = messages_of(program.sections)
        self._functions = program.functions()
        self._open_first()

    def _open_first(self) -> None:
        self._open(self._constants)

    def _open(self, constants: Mapping[str, str]) -> None:
        """Make a control with the values of constants, and add the program to it."""
        options = [*self._options, *control_options(constants)]
        try:
            with reporting(self._messages):
                self.control = open_control(options, self._messages)
        except InputError as error:
            raise UsageError(f"clingo refuses its options: {error.message}") from error
        self._settings: dict[str, object] = {}
        solving = self.control.configuration.solve
        self._limit = str(solving.solve_limit)  # type: ignore[union-attr]
        with reporting(self._messages):
            self.meaning = self._make_meaning()
            self.meaning.register(self.control)
            self.program.add_to(self.control, self.meaning.add if self.program.theory else None)

    def ground(self, parts: list[Part]) -> None:
        """Ground program parts in one call; raise `InputError` if clingo reports an error."""
        start = time.monotonic()
        try:
            with reporting(self._messages):
                ground(self.control, parts, self._functions)
                self.meaning.grounded(self.control, self.grounded)
        finally:
            self.effort.ground_seconds += time.monotonic() - start

    def atoms(self, name: str, arity: int) -> list[Symbol]:
        """Return all grounded atoms of a predicate, true or not."""
        return [atom.symbol for atom in self.control.symbolic_atoms.by_signature(name, arity)]

    def actions(self) -> list[Symbol]:
        """Return all grounded atoms of actions, true or not."""
        atoms: list[Symbol] = []
        for _, name, arity in sorted(self.program.actions):
            atoms += self.atoms(name, arity)
        return atoms

    def chosen_atoms(self) -> list[SymbolicAtom]:
        """Return the grounded atoms of the predicates in `watched`."""
        atoms: list[SymbolicAtom] = []
        for sign, name, arity in self.watched:
            atoms += self.control.symbolic_atoms.by_signature(name, arity, not sign)
        return atoms

    def claims(self) -> list[Symbol]:
        """Return the grounded facts `asplan(…)`."""
        atoms = self.control.symbolic_atoms.by_signature(CONTRACT, 1)
        return [atom.symbol for atom in atoms if atom.is_fact]

    def is_fact(self, symbol: Symbol) -> bool:
        """Return whether an atom is grounded as a fact."""
        atom = self.control.symbolic_atoms[symbol]
        return atom is not None and atom.is_fact

    @abstractmethod
    def ground_first(self) -> None:
        """Ground the program for horizon 0, or the least horizon."""

    @abstractmethod
    def steps_to(self, horizon: int) -> Iterable[int]:
        """Return the numbers of the steps that are still to ground for a horizon."""

    @abstractmethod
    def ground_step(self, t: int) -> None:
        """Ground the step t, for t from 1."""

    def ground_to(self, horizon: int) -> Stop | None:
        """Ground the steps up to a horizon; stop after a step if the budget is spent."""
        for t in self.steps_to(horizon):
            if self.settles and self.searched < t - 1:
                self.settle()
            self.ground_step(t)
            if self.budget.is_spent():
                return Stop.TIME
        return None

    @abstractmethod
    def demand(self, t: int) -> None:
        """Demand the goal at time t."""

    @abstractmethod
    def drop(self, t: int) -> None:
        """Stop demanding the goal at time t."""

    @abstractmethod
    def forbid(self, t: int) -> None:
        """Make it impossible to demand the goal at time t from now on."""

    @abstractmethod
    def settle(self, assumptions: Iterable[Pin] = ()) -> None:
        """Make atoms that have no rule yet false for good, as clingo's incremental mode does."""

    def solve(
        self,
        horizon: int,
        budget: Budget,
        conflicts: int | None = None,
        models: int = 1,
        optimize: bool = False,
        assumptions: Iterable[Pin] = (),
        on_better: Reporter[Answer] = ignore_report,
    ) -> Answer:
        """Search for plans of a grounded horizon, and demand the goal there during this search.

        The parameters are those of `search`.
        """
        self.demand(horizon)
        answer = self.search(horizon, models, optimize, conflicts, assumptions, on_better, budget)
        self.drop(horizon)
        return answer

    def search(
        self,
        horizon: int,
        models: int = 1,
        optimize: bool = False,
        conflicts: int | None = None,
        assumptions: Iterable[Pin] = (),
        on_better: Reporter[Answer] = ignore_report,
        budget: Budget | None = None,
        cost: Sequence[int] = (),
    ) -> Answer:
        """Search until enough models are found, none is left, or the budget is spent.

        The goal is demanded at the times for which `demand` was called.

        Parameters
        ----------
        horizon
            The horizon under which the effort of this call is counted.
        models
            The number of models to find; 0 means all.
        optimize
            True to search for optimal models; False to ignore the program's objective.
        conflicts
            The number of conflicts after which the search stops; by default the user's limit.
        assumptions
            Atoms with the truth values that they must have in this call.
        on_better
            A function that receives each better answer during an optimization.
        budget
            The budget of the search; by default the solver's budget.
        cost
            An upper bound on the cost, a number for each priority; empty for no bound.
        """
        budget = budget or self.budget
        self.searched = horizon
        self._set_models(models, optimize, cost)
        pins = list(assumptions)
        start = time.monotonic()
        answer = self._solve_at_once(models, pins) if self.brief and not optimize else None
        if answer is None:
            collector = self._collector(models, optimize, on_better, budget)
            answer = self._find_models(collector, pins, conflicts, budget)
        seconds = time.monotonic() - start
        counters = self._search_counters()
        size = read_counters(self.control, ("problem", "lp"), ("atoms", "rules"))
        self.effort.count(horizon, seconds, counters, size)
        return answer

    def _set_models(
        self,
        models: int,
        optimize: bool,
        cost: Sequence[int],
    ) -> None:
        """Set clingo's options for the number of models, and for optimization up to a cost."""
        self._set("models", 0 if optimize else models)
        if self.program.optimizes or optimize:
            mode = "ignore"
            if optimize:
                mode = "opt" if models == 1 else "optN"
            self._set("opt_mode", ",".join([mode, *map(str, cost)]))

    def _collector(
        self,
        models: int,
        optimize: bool = False,
        on_better: Reporter[Answer] = ignore_report,
        budget: Budget = ENDLESS,
    ) -> ModelCollector:
        return ModelCollector(
            models,
            optimize,
            self.program.is_action,
            self.watched,
            on_better=on_better,
            budget=budget,
            keeps_all=self.keeps_all_atoms,
            meaning=self.meaning,
            reads=self.program.display.reads if self.program.display else None,
        )

    def _search_counters(self) -> Sequence[int]:
        """Return the choices, conflicts and restarts of the last solve call."""
        names = ("choices", "conflicts", "restarts")
        return read_counters(self.control, ("solving", "solvers"), names)

    def _find_models(
        self,
        collector: ModelCollector,
        assumptions: list[Pin],
        conflicts: int | None,
        budget: Budget,
    ) -> Answer:
        """Search in a thread for as many models as the collector wants."""
        self._set("solve_limit", self._limit if conflicts is None else f"{conflicts},umax")
        ending = self._solve_in_thread(assumptions, collector.take, budget)
        is_satisfiable = ending.result.satisfiable
        is_exhausted = bool(ending.result.exhausted)
        is_known = ending.is_complete or is_satisfiable
        return replace(
            collector.answer(),
            satisfiable=is_satisfiable if is_known else None,
            proven=collector.proven or bool(is_satisfiable and is_exhausted),
            cut=bool(is_satisfiable) and collector.is_cut(is_exhausted),
            empty_core=ending.is_complete and is_satisfiable is False and not ending.core,
            core=ending.core,
        )

    def _solve_in_thread(
        self,
        assumptions: list[Pin],
        on_model: Callable[[Model], bool | None],
        budget: Budget,
    ) -> _Ending:
        """Search in a thread, which the budget and Ctrl-C can stop; return its end."""
        with (
            hold_interrupts(),
            reporting_theory(self.program.theory),
            self.control.solve(assumptions, on_model=on_model, async_=True) as handle,
        ):
            is_complete = _wait(handle, budget)
            result = handle.get()
            is_refuted = is_complete and result.satisfiable is False
            core = tuple(handle.core()) if is_refuted else ()
        return _Ending(result, is_complete, core)

    def _solve_at_once(self, models: int, assumptions: list[Pin]) -> Answer | None:
        """Return the answer of a brief search in this thread.

        Return None if the search reaches its conflict limit, or if it finds a model and several are
        wanted.
        """
        collector = self._collector(models)
        core: list[int] = []
        self._set("solve_limit", _BRIEF)
        with hold_interrupts(), reporting_theory(self.program.theory):
            result = self.control.solve(assumptions, on_model=collector.take, on_core=core.extend)
        if result.satisfiable is False:
            return Answer(False, empty_core=not core)
        return collector.answer() if result.satisfiable and models == 1 else None

    def possible(self, assumptions: Iterable[Pin]) -> set[Symbol] | None:
        """Return the shown brave consequences: atoms of at least one answer set, under assumptions.

        Return None if there is no answer set, or if the search was stopped.
        """
        self._set("models", 0)
        self._set("opt_mode", "ignore")
        self._set("solve_limit", self._limit)
        self._set("enum_mode", "brave")
        atoms: set[Symbol] = set()
        try:
            ending = self._solve_in_thread(
                list(assumptions),
                lambda model: atoms.update(model.symbols(shown=True)),
                self.budget,
            )
        finally:
            self._set("enum_mode", "auto")
        result = ending.result
        return atoms if ending.is_complete and result.satisfiable and result.exhausted else None

    def is_inconsistent(self, horizon: int) -> bool:
        """Return whether a short search proves that the program has no answer set.

        No goal may be demanded during the call. The effort counts for `horizon`.
        """
        return self.search(horizon, conflicts=_QUICK_LOOK).satisfiable is False

    def fix(self, pins: Iterable[Pin]) -> None:
        """Make grounded atoms true or false for good, by constraints; later steps get smaller."""
        with self.control.backend() as backend:
            for symbol, value in pins:
                atom = self.control.symbolic_atoms[symbol]
                assert atom is not None
                if atom.literal:
                    backend.add_rule([], [-atom.literal if value else atom.literal])
                elif value:
                    backend.add_rule([])  # no answer set is left: the atom is false already

    def _set(self, option: str, value: object) -> None:
        """Set an option of clingo's search; skip an unchanged value, because setting it is slow."""
        if self._settings.get(option) != value:
            setattr(self.control.configuration.solve, option, value)
            self._settings[option] = value


def _wait(handle: SolveHandle, budget: Budget) -> bool:
    """Wait for the end of a search; return False if the budget or Ctrl-C has stopped it."""
    while True:
        if handle.wait(max(0.0, min(_POLL, budget.remaining))):
            return True
        if budget.is_spent() or is_interrupted():
            handle.cancel()
            return False


def _meaning_of(package: Package | None) -> Meaning:
    if package is None:
        return NoTheory()
    from asplan.engines.asp.theory import meaning_of

    return meaning_of(package)


class PartsSolver(ClingoSolver):
    """A solver for a program in parts, which one control grounds step by step."""

    def ground_first(self) -> None:
        """Ground `base` and `check(0)`, in one call as clingo's incremental mode does.

        If the program has a part `plan`, its other parts derive only facts. Then clingo need not
        search for atoms that have become facts, and most solve calls are expected to end at once.
        """
        if self.program.plan_part:
            self.control.enable_cleanup = False
            self.brief = True
        copies = [(START, []), (COPY, [Number(0)])] if self.program.copied else []
        self.ground([base(), check(0), *copies])
        self.drop(0)

    def steps_to(self, horizon: int) -> Iterable[int]:
        """Return the numbers of the steps that are still to ground for a horizon."""
        return range(self.grounded + 1, horizon + 1)

    def ground_step(self, t: int) -> None:
        """Ground `step(t)` and `check(t)`, for t from 1.

        Two calls are faster than one, but only some programs (`staged`) allow them.
        """
        self.grounded = t
        if self.program.staged:
            self.ground([step(t)])
            self.ground([check(t)])
        else:
            self.ground([check(t), step(t)])
        if self.program.copied:
            self.ground([(COPY, [Number(t)])])
        self.drop(t)  # a program may declare its query true

    def demand(self, t: int) -> None:
        """Demand the goal at time t: set the external `query(t)` to true."""
        self.control.assign_external(query(t), True)

    def drop(self, t: int) -> None:
        """Stop demanding the goal at time t: set the external `query(t)` to false."""
        self.control.assign_external(query(t), False)

    def forbid(self, t: int) -> None:
        """Make `query(t)` false for good, so that the goal cannot be demanded at time t again."""
        self.control.release_external(query(t))

    def settle(self, assumptions: Iterable[Pin] = ()) -> None:
        """Make atoms that have no rule yet false for good, as clingo's incremental mode does.

        clingo does so in a solve call under `assumptions`, which ends after one conflict at most.
        """
        self._set("solve_limit", _NO_LOOK)
        self._set("models", 1)
        with hold_interrupts(), reporting_theory(self.program.theory):
            self.control.solve(list(assumptions))
