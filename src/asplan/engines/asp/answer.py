"""What a solve call finds: the models that count, and the plans that are read from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from clingo import Function, Model, Symbol, SymbolType

from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.program.incremental import Program, Reading
from asplan.program.roles import roles_of
from asplan.program.syntax import Signature, predicate
from asplan.program.theory import ByTime, Meaning, NoTheory, Values, by_time, in_order, time_places
from asplan.program.unit import is_helper
from asplan.result import Texts, Trajectory

if TYPE_CHECKING:
    from asplan.program.horizon import Horizon


@dataclass(frozen=True)
class ShownAtoms:
    """What a model shows: atoms and terms, and which of the atoms are actions.

    `chosen` is what else the program let the solver choose, whether it is shown or not, and `whole`
    all atoms, where they are wanted. `values` are those of the variables of a theory.
    """

    symbols: tuple[Symbol, ...]
    actions: tuple[Symbol, ...]
    chosen: tuple[Symbol, ...] = ()
    whole: Sequence[Symbol] = ()
    values: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """The answer of one solve call; neither True nor False where it was stopped.

    `models` is what each that counts shows: the optimal ones of an optimizing program; `cost` is
    that of the last one, `proven` whether it is optimal, and `cut` whether the search for more was
    given up. With an `empty_core` there is none whatever externals say; the `core` is literals of
    assumptions.
    """

    satisfiable: bool | None
    models: tuple[ShownAtoms, ...] = ()
    cost: tuple[int, ...] = ()
    proven: bool = False
    cut: bool = False
    empty_core: bool = False
    core: tuple[int, ...] = ()


@dataclass
class Wanted:
    """Keeps the models that count: the first `number` (0 is all), or the optimal ones.

    `choices` are the predicates whose atoms are kept although not shown; with `whole` all are. With
    a deadline, further models are looked for in a quarter of the time left after the first one.
    """

    number: int
    optimize: bool
    is_action: Callable[[Symbol], bool]
    choices: Collection[Signature] = ()
    on_better: Callable[[Answer], None] = lambda answer: None
    deadline: float | None = None
    cost: tuple[int, ...] = ()
    whole: bool = False
    meaning: Meaning = NoTheory()
    proven: bool = False
    found: list[ShownAtoms] = field(default_factory=list)
    _plans: set[tuple[Symbol, ...]] = field(default_factory=set)
    _enough_at: float = float("inf")

    def take(self, model: Model) -> bool:
        """Called by clingo for each model; says whether to go on."""
        atoms = tuple(s for s in model.symbols(shown=True) if not is_helper(s))
        values = self.meaning.values(model)
        cost = self.meaning.cost(model) or tuple(model.cost)
        # Without a cost, as where no tuple of the objective counts, every model is a best one.
        proven = model.optimality_proven or not cost
        first_proven = proven and not self.proven
        self.cost, self.proven = cost, proven
        if self.optimize and (first_proven or not self.proven):
            self.found.clear()
            self._plans.clear()
        actions = tuple(s for s in atoms if self.is_action(s) and model.contains(s))
        chosen: tuple[Symbol, ...] = ()
        if self.choices and actions not in self._plans:  # one plan is made of all of its models
            self._plans.add(actions)
            chosen = tuple(s for s in model.symbols(atoms=True) if predicate(s) in self.choices)
        whole = model.symbols(atoms=True) if self.whole else ()
        self.found.append(ShownAtoms(atoms, actions, chosen, whole, values))
        if self.optimize and not self.proven:
            self.on_better(self.answer())
            return True
        return self.wants_more()

    def wants_more(self) -> bool:
        """Whether to go on after a model that counts was found."""
        if len(self.found) == self.number:
            return False
        now = time.monotonic()
        if self.deadline is not None and self._enough_at == float("inf"):
            self._enough_at = now + (self.deadline - now) / 4
        return now < self._enough_at

    def answer(self) -> Answer:
        return Answer(True, tuple(self.found), self.cost, self.proven)

    def is_cut(self, exhausted: bool) -> bool:
        """Whether models that count are missing; `exhausted` says that none is left to be found."""
        return not exhausted and len(self.found) != self.number


def read_plan(
    shown: ShownAtoms, horizon: int, known: tuple[Reading, ...], cost: tuple[int, ...] | None = None
) -> Plan | None:
    """The plan that the actions among atoms describe, steps 1 to `horizon`; None without one.

    Of several readings the first is taken by which all speak of these steps. Actions of a step
    stand in clingo's order of terms, once each, even if shown as an atom and as a term.
    """
    actions = set(shown.actions)
    if not actions and any(map(known[0].is_action, shown.symbols)):
        return None
    for reading in known:
        read = [_read_atom(reading, atom) for atom in actions]
        if len(known) == 1 or all(0 < (step or 0) <= horizon for step, _ in read):
            steps: list[list[Symbol]] = [[] for _ in range(horizon)]
            for step, action in read:
                if step is not None and 1 <= step <= horizon:
                    steps[step - 1].append(action)
            written = tuple(tuple(map(str, sorted(step))) for step in steps)
            return Plan(written, cost, chosen=tuple(map(str, shown.chosen)), values=shown.values)
    return None


@lru_cache(maxsize=1 << 14)
def _read_atom(reading: Reading, atom: Symbol) -> tuple[int | None, Symbol]:
    """The step and the action that an atom speaks of; thousands of plans have the same atoms."""
    return reading.step(atom), reading.action(atom)


def found_in(
    answer: Answer,
    horizon: int,
    program: Program,
    cost: tuple[int, ...] | None,
    plans: Iterable[Plan | None] | None = None,
) -> dict[str, Any]:
    """The fields of a result that an answer gives: its plans, once each, and what one shows."""
    shown = answer.models[0].symbols
    if plans is None:
        plans = (read_plan(model, horizon, program.readings, cost) for model in answer.models)
    distinct = dict.fromkeys(plan for plan in plans if plan is not None) if program.plans else ()
    return {
        "horizon": horizon,
        "cost": cost,
        "plans": tuple(distinct),
        "atoms": tuple(map(str, shown)),
        "trajectory": passage(shown, horizon, program, values=answer.models[0].values),
    }


RELYING = ", relying on asplan(monotone)"  # if more steps were grounded than a plan has
MORE_PLANS = "looking for more plans"  # what is cut when there is a first plan


def shortest(horizon: int, bound: Horizon | None = None) -> str:
    """In words: a plan of this length is proven shortest, or for this `bound` of the author's."""
    if horizon == 0:
        return "the goal holds at the start"
    if bound is not None and not bound.is_own:
        name, value = bound.constant, bound.value(horizon)
        if horizon == bound.least:
            return f"shortest: {name}={value} found, and that is the first"
        return f"shortest: {name}={value - 1} refuted, {name}={value} found"
    return f"shortest: {amount(horizon - 1, 'step')} refuted, {horizon} found"


def without_idle_end(plan: Plan, is_reached: Callable[[int], bool]) -> Plan:
    """The plan without the empty steps at its end that come after the goal `is_reached`."""
    busy = max((t for t, step in enumerate(plan, 1) if step), default=0)
    length = next((t for t in range(busy, len(plan)) if is_reached(t)), len(plan))
    if length == len(plan):
        return plan
    # The goal may have been reached there with other values of a theory's variables.
    return replace(plan, steps=plan.steps[:length], values={})


def passage(
    atoms: Iterable[Symbol],
    horizon: int,
    program: Program,
    facts: Callable[[], Iterable[Symbol]] = tuple,
    whole: Sequence[Symbol] = (),
    values: Values | None = None,
) -> Trajectory:
    """What an answer tells of time 0 to `horizon`, step by step, or all of it in order of time."""
    atoms = tuple(atoms)
    places = time_places(program.sections, roles_of(program).places) if values else {}
    return Trajectory(
        facts=Texts(lambda: map(str, facts())),
        states=Texts(lambda: _states(atoms, whole or atoms, horizon, program)),
        timed=() if program.plans else _by_time(atoms, program),
        values=by_time(values, places) if values else (),
        theory=program.theory.tool if program.theory and values else "",
        changing=Texts(lambda: changing_predicates(program)),
        columns=Texts(lambda: find_columns(program)),
    )


def changing_predicates(program: Program) -> Iterator[str]:
    """Yield the predicates whose atoms have a time, as NAME/ARITY."""
    for sign, name, arity in sorted(roles_of(program).places):
        if not sign:
            yield f"{name}/{arity}"


def find_columns(program: Program) -> Iterable[tuple[str, int, int]]:
    """Return the columns of cells that variables name; see `asplan.program.cells`."""
    from asplan.program import cells  # only drawings need it

    return cells.find_columns(program)


HOLDS: Signature = ("", "holds", 2)
DENIED: Signature = ("-", "holds", 2)


def _states(
    shown: Sequence[Symbol], whole: Sequence[Symbol], horizon: int, program: Program
) -> Iterable[tuple[str, ...]]:
    """The fluents at each time, as atoms without their time; nothing where there are none."""
    states: list[set[Symbol]] = [set() for _ in range(horizon + 1)]
    for step, fluent, _, _ in fluents_of(shown, whole, program):
        if step <= horizon:
            states[step].add(fluent)
    return (tuple(map(str, sorted(state))) for state in states) if any(states) else ()


def fluents_of(
    shown: Iterable[Symbol], whole: Iterable[Symbol], program: Program
) -> Iterator[tuple[int, Symbol, Symbol, int]]:
    """Yield step, fluent, atom and the place of its time for each fluent of an answer.

    Fluents are shown as `holds(Fluent,t)`, or are handed on from step to step. `holds(F,t)` gives
    `F`, every other atom itself without its time: `-holds(F,t)` gives `-holds(F)`.
    """
    places: Mapping[Signature, int] = {HOLDS: 1, DENIED: 1}
    found = [atom for atom in shown if _is_of(atom, places)]
    if not found:
        roles = roles_of(program)
        places = {key: roles.places[key] for key in roles.kept if key in roles.places}
        found = [atom for atom in whole if _is_of(atom, places)]
    start = 0 if program.horizon is None else program.horizon.start
    for atom in found:
        place = places[predicate(atom)]
        time = atom.arguments[place]
        if time.type == SymbolType.Number and time.number >= start:
            yield time.number - start, _without_time(atom, place), atom, place


def _is_of(atom: Symbol, keys: Collection[Signature]) -> bool:
    """Return whether an atom belongs to one of some predicates."""
    return atom.type == SymbolType.Function and predicate(atom) in keys


def _without_time(atom: Symbol, place: int) -> Symbol:
    """Return the fluent of an atom whose argument at `place` is the time."""
    rest = [*atom.arguments[:place], *atom.arguments[place + 1 :]]
    return rest[0] if predicate(atom) == HOLDS else Function(atom.name, rest, atom.positive)


def _by_time(atoms: Iterable[Symbol], program: Program) -> ByTime:
    """Atoms by their time, in clingo's order of terms; those without a time come last."""
    places, timed = roles_of(program).places, dict[int | None, list[Symbol]]()
    for atom in atoms:
        time = None
        if atom.type == SymbolType.Function and (key := predicate(atom)) in places:
            argument = atom.arguments[places[key]]
            time = argument.number if argument.type == SymbolType.Number else None
        timed.setdefault(time, []).append(atom)
    return in_order(timed)
