"""One clingo control with a clock and counters around it, or one for each horizon.

A session grounds parts and solves under `query(t)`; it decides nothing. The controller and the
one-shot modes are loops over a session.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from clingo import Control, Model, Number, SolveHandle, SolveResult, Symbol, SymbolicAtom

from asplan.core.errors import InputError, UsageError
from asplan.core.limits import hold_interrupts, is_interrupted
from asplan.engines.asp.answer import Answer, ModelCollector
from asplan.program.contract import CONTRACT
from asplan.program.ground import Part, ground, read_counters
from asplan.program.incremental import Program, base, check, control_options, query, step
from asplan.program.rewrite import COPY, START
from asplan.program.source import reporting
from asplan.program.syntax import Signature
from asplan.program.theory import Meaning, NoTheory, Package, reporting_theory
from asplan.program.unit import messages_of
from asplan.result import Seconds, Statistics, StepStatistics

_POLL = 0.25  # seconds between looks at the clock in a solve call; Ctrl-C waits as long

_NO_LOOK = "1,umax"
_QUICK_LOOK = 1000
_BRIEF = "5000,umax"
"""Conflicts and restarts, where the answer matters little, or Ctrl-C has to wait."""

_CONSTANTS = "constants are set with asplan's own -c NAME=VALUE"
_WHOLE = "asplan solves again and again, and reads whole answer sets"
_VARIABLE = "the fact asplan(minimize(VARIABLE)). in the program does that"
_REFUSED = (
    ("--const", "-c", len("--cons"), _CONSTANTS),
    ("--single-shot", "--single-shot", len("--si"), _WHOLE),
    ("--enum-mode", "-e", len("--en"), _WHOLE),
    ("--minimize-variable", "--minimize-variable", len("--mini"), _VARIABLE),
)
"""Options of clingo that are refused: long, short, and how much of the long form is enough."""

Pin = tuple[Symbol, bool]  # an atom, and whether it is true


@dataclass
class Effort:
    """What clingo has cost a run so far; a run that starts again goes on with it."""

    ground_seconds: float = 0.0
    solve_seconds: float = 0.0
    before: float = 0.0
    restarts: int = 0
    size: Sequence[int | None] = (None, None)
    steps: list[StepStatistics] = field(default_factory=list)
    configuration: str | None = None
    expanded: int | None = None

    @property
    def conflicts(self) -> int:
        return sum(step.conflicts for step in self.steps)

    def __call__(self) -> tuple[Seconds, Statistics]:
        """Seconds and counters of all calls together."""
        atoms, rules = self.size
        statistics = Statistics(
            calls=len(self.steps),
            choices=sum(step.choices for step in self.steps),
            conflicts=self.conflicts,
            restarts=self.restarts,
            atoms=atoms,
            rules=rules,
            configuration=self.configuration,
            expanded=self.expanded,
            steps=tuple(self.steps),
        )
        return Seconds(ground=self.ground_seconds, solve=self.solve_seconds), statistics

    def count(
        self, horizon: int, seconds: float, searched: Sequence[int], size: Sequence[int]
    ) -> None:
        """Count a solve call that has just ended, with its choices, conflicts and restarts."""
        choices, conflicts, restarts = searched
        ground = round(self.ground_seconds - self.before, 6)
        solve = round(seconds, 6)
        self.steps.append(StepStatistics(horizon, ground, solve, conflicts, choices))
        self.solve_seconds += seconds
        self.restarts += restarts
        self.before, self.size = self.ground_seconds, size


def _never() -> bool:
    return False


class Session:
    """A control loaded with a program, which stops solving at `deadline`, a `time.monotonic()`.

    `options` are words for clingo. With `brief`, solve calls are expected to end where they begin
    and are made in this thread, for another one takes longer. `effort` is what to go on counting.
    Answers keep the chosen atoms of the predicates in `watched`, and where they are to be `whole`
    all atoms. Theory atoms mean what their package, or `make_meaning`, makes of them.
    """

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, str],
        options: Iterable[str] = (),
        deadline: float | None = None,
        brief: bool = False,
        effort: Effort | None = None,
        make_meaning: Callable[[], Meaning] | None = None,
    ) -> None:
        self.program, self.deadline, self.brief = program, deadline, brief
        self._make_meaning = make_meaning or partial(_meaning_of, program.theory)
        self._reached = 0
        self.effort = effort or Effort()
        self.watched: Collection[Signature] = ()
        self.keeps_all_atoms = False
        self._words, self._constants = _allowed(options), constants
        self._messages = messages_of(program.sections)
        self._is_vain = _never
        self._functions = program.functions()
        self._begin()

    def _begin(self) -> None:
        self.control = self._open(self._constants)

    def _open(self, constants: Mapping[str, str]) -> Control:
        words = [*self._words, *control_options(constants)]
        try:
            with reporting(self._messages):
                control = Control(words, logger=self._messages)
        except InputError as error:
            raise UsageError(f"clingo refuses its options: {error.message}") from error
        self._settings: dict[str, object] = {}
        self._limit = str(control.configuration.solve.solve_limit)  # type: ignore[union-attr]
        with reporting(self._messages):
            self.meaning = self._make_meaning()
            self.meaning.register(control)
            self.program.add_to(control, self.meaning.add if self.program.theory else None)
        return control

    def ground(self, parts: list[Part]) -> None:
        """Ground some parts in one call; raises `InputError` if clingo cannot."""
        start = time.monotonic()
        try:
            with reporting(self._messages):
                ground(self.control, parts, self._functions)
                self.meaning.grounded(self.control, self._reached)
        finally:
            self.effort.ground_seconds += time.monotonic() - start

    def ground_first(self) -> None:
        """Ground the part base and check 0, in one call as clingo's own loop does.

        A program with a part plan holds nothing but facts before that part: then clingo need not
        look for atoms that have become facts, and a solve call mostly ends where it begins.
        """
        if self.program.plan_part:
            self.control.enable_cleanup, self.brief = False, True
        copies = [(START, []), (COPY, [Number(0)])] if self.program.copied else []
        self.ground([base(), check(0), *copies])
        self.drop(0)

    def ground_step(self, t: int) -> None:
        """Ground step t and check t, for t from 1; in two calls if possible, which is faster."""
        self._reached = t
        if self.program.staged:
            self.ground([step(t)])
            self.ground([check(t)])
        else:
            self.ground([check(t), step(t)])
        if self.program.copied:
            self.ground([(COPY, [Number(t)])])
        self.drop(t)  # a program may declare its query true

    def atoms(self, name: str, arity: int) -> list[Symbol]:
        return [atom.symbol for atom in self.control.symbolic_atoms.by_signature(name, arity)]

    def actions(self) -> list[Symbol]:
        return [
            a for _, name, arity in sorted(self.program.actions) for a in self.atoms(name, arity)
        ]

    def chosen(self) -> list[SymbolicAtom]:
        known = self.control.symbolic_atoms
        return [
            atom
            for sign, name, arity in self.watched
            for atom in known.by_signature(name, arity, not sign)
        ]

    def claims(self) -> list[Symbol]:
        """The facts by which the program speaks to asplan."""
        atoms = self.control.symbolic_atoms.by_signature(CONTRACT, 1)
        return [atom.symbol for atom in atoms if atom.is_fact]

    def demand(self, t: int) -> None:
        self.control.assign_external(query(t), True)

    def drop(self, t: int) -> None:
        self.control.assign_external(query(t), False)

    def forbid(self, t: int) -> None:
        self.control.release_external(query(t))

    def overdue(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def solve(
        self,
        horizon: int,
        models: int = 1,
        optimize: bool = False,
        conflicts: int | None = None,
        assumptions: Iterable[Pin] = (),
        on_better: Callable[[Answer], None] = lambda answer: None,
        is_vain: Callable[[], bool] = _never,
        cost: Sequence[int] = (),
    ) -> Answer:
        """Search until so many models are found, none is left, or the deadline passes.

        0 models are all; with `optimize` optimal ones, which cost no more than `cost`, and
        `on_better` hears of each better one; else an objective is ignored. It ends after so many
        `conflicts`, or once its answer `is_vain`.
        """
        self._set("models", 0 if optimize else models)
        if self.program.optimizes or optimize:
            mode = "ignore" if not optimize else "opt" if models == 1 else "optN"
            self._set("opt_mode", ",".join([mode, *map(str, cost)]))
        literals = list(assumptions)
        start = time.monotonic()
        wanted = self._wanted(models, optimize, on_better=on_better, deadline=self.deadline)
        self._is_vain = is_vain
        at_once = self._at_once(models, literals) if self.brief and not optimize else None
        answer = at_once or self._search(wanted, literals, conflicts)
        self._is_vain = _never  # what is asked next is another matter
        seconds = time.monotonic() - start
        size = read_counters(self.control, ("problem", "lp"), ("atoms", "rules"))
        self.effort.count(horizon, seconds, self._searched(), size)
        return answer

    def _wanted(self, models: int, optimize: bool, **more: Any) -> ModelCollector:
        more |= {"meaning": self.meaning, "keeps_all": self.keeps_all_atoms}
        return ModelCollector(models, optimize, self.program.is_action, self.watched, **more)

    def _searched(self) -> Sequence[int]:
        """Choices, conflicts and restarts of the last solve call."""
        names = ("choices", "conflicts", "restarts")
        return read_counters(self.control, ("solving", "solvers"), names)

    def _search(
        self, wanted: ModelCollector, assumptions: list[Pin], conflicts: int | None
    ) -> Answer:
        self._set("solve_limit", self._limit if conflicts is None else f"{conflicts},umax")
        result, core, whole = self._solve(assumptions, wanted.take)
        satisfiable, exhausted = result.satisfiable, bool(result.exhausted)
        return replace(
            wanted.answer(),
            satisfiable=satisfiable if whole or satisfiable else None,
            proven=wanted.proven or bool(satisfiable and exhausted),
            cut=bool(satisfiable) and wanted.is_cut(exhausted),
            empty_core=whole and satisfiable is False and not core,
            core=core,
        )

    def _solve(
        self, assumptions: list[Pin], on_model: Callable[[Model], bool | None]
    ) -> tuple[SolveResult, tuple[int, ...], bool]:
        """Search in a thread that deadline and Ctrl-C can stop: what clingo says, and a core."""
        with (
            hold_interrupts(),
            reporting_theory(self.program.theory),
            self.control.solve(assumptions, on_model=on_model, async_=True) as handle,
        ):
            whole = self._wait(handle)
            result = handle.get()
            core = tuple(handle.core()) if whole and result.satisfiable is False else ()
        return result, core, whole

    def _at_once(self, models: int, assumptions: list[Pin]) -> Answer | None:
        """The answer, if it is found in this thread at once."""
        wanted, core = self._wanted(models, False), list[int]()
        self._set("solve_limit", _BRIEF)
        with hold_interrupts(), reporting_theory(self.program.theory):
            result = self.control.solve(assumptions, on_model=wanted.take, on_core=core.extend)
        if result.satisfiable is False:
            return Answer(False, empty_core=not core)
        return wanted.answer() if result.satisfiable and models == 1 else None

    def possible(self, assumptions: Iterable[Pin]) -> set[Symbol] | None:
        """What some answer set shows (its brave consequences); None if not all was found."""
        self._set("models", 0)
        self._set("opt_mode", "ignore")
        self._set("solve_limit", self._limit)
        self._set("enum_mode", "brave")
        seen: set[Symbol] = set()
        try:
            result, _, whole = self._solve(
                list(assumptions), lambda model: seen.update(model.symbols(shown=True))
            )
        finally:
            self._set("enum_mode", "auto")
        return seen if whole and result.satisfiable and result.exhausted else None

    def inconsistent(self, horizon: int) -> bool:
        """Whether the program is quickly seen to have no model at all while no goal is demanded."""
        return self.solve(horizon, conflicts=_QUICK_LOOK).satisfiable is False

    def settle(self, assumptions: Iterable[Pin] = ()) -> None:
        """Make false for good what is not derived yet, as clingo's own loop does."""
        self._set("solve_limit", _NO_LOOK)
        self._set("models", 1)
        with hold_interrupts(), reporting_theory(self.program.theory):
            self.control.solve(list(assumptions))

    def fix(self, pins: Iterable[Pin]) -> None:
        """Make known atoms true or false for good, by constraints, so that clingo grounds less."""
        with self.control.backend() as backend:
            for symbol, value in pins:
                atom = self.control.symbolic_atoms[symbol]
                assert atom is not None
                if atom.literal:
                    backend.add_rule([], [-atom.literal if value else atom.literal])
                elif value:
                    backend.add_rule([])  # clingo knows that the atom is false, and has no literal

    def _set(self, option: str, value: object) -> None:
        """Set an option of solving; clingo's configuration is slow to write."""
        if self._settings.get(option) != value:
            setattr(self.control.configuration.solve, option, value)
            self._settings[option] = value

    def _wait(self, handle: SolveHandle) -> bool:
        while True:
            left = _POLL if self.deadline is None else self.deadline - time.monotonic()
            if handle.wait(max(0.0, min(_POLL, left))):
                return True
            if self.overdue() or self._is_vain() or is_interrupted():
                handle.cancel()
                return False


def _allowed(options: Iterable[str]) -> list[str]:
    """The words for clingo; raises `UsageError` where one of them breaks what asplan relies on."""
    words = list(options)
    for word in words:
        name = word.partition("=")[0]
        for long, short, least, why in _REFUSED:
            if word.startswith(short) or (len(name) >= least and long.startswith(name)):
                raise UsageError(f"{word}: {why}")
    return words


def _meaning_of(package: Package | None) -> Meaning:
    if package is None:
        return NoTheory()
    from asplan.engines.asp.theory import meaning_of

    return meaning_of(package)


class FreshSession(Session):
    """A session for a single-shot program, whose control is made anew for each horizon."""

    def _begin(self) -> None:
        assert self.program.horizon is not None
        self._horizon = self.program.horizon
        self._at, self._grounded = self._horizon.least, -1

    @property
    def control(self) -> Control:
        """The control of the present horizon, grounded."""
        if self._grounded != self._at:
            self._grounded = self._at
            value = str(self._horizon.value(self._at))
            self._control = self._open({**self._constants, self._horizon.constant: value})
            self.ground([base()])
        return self._control

    @control.setter
    def control(self, control: Control) -> None:
        self._control = control

    def ground_first(self) -> None:
        """Begin with the least horizon."""
        self._at = self._horizon.least

    def ground_step(self, t: int) -> None:
        """Go on to a horizon; those below the least are not asked for."""
        self._at = max(t, self._horizon.least)

    def demand(self, t: int) -> None:
        """The goal is demanded at the present horizon, always."""

    drop = forbid = demand

    def _set(self, option: str, value: object) -> None:
        self.control  # noqa: B018  a new one has nothing set
        super()._set(option, value)

    def settle(self, assumptions: Iterable[Pin] = ()) -> None:
        """Each horizon stands by itself."""


def session_of(program: Program, *arguments: Any, **more: Any) -> Session:
    """A session for a program of either kind; the arguments are those of `Session`."""
    kind = Session if program.horizon is None else FreshSession
    return kind(program, *arguments, **more)
