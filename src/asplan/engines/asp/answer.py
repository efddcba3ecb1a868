"""Answers of solve calls: the models that are kept, and the plans that they contain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import Any

from asplan.clingo import Model, Symbol
from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.dataclass import dataclass
from asplan.core.plan import Plan, Steps
from asplan.engines.asp.trajectory import read_trajectory
from asplan.program.incremental import Program, Reading
from asplan.program.reading.unit import is_helper
from asplan.program.syntax import Signature, predicate
from asplan.program.theory import Meaning, NoTheory, Values


@dataclass(frozen=True)
class ShownAtoms:
    """The shown atoms of a model, and the actions among them.

    Attributes
    ----------
    symbols
        The shown atoms and terms.
    actions
        The shown atoms that are actions.
    chosen
        The true atoms of choices that are no actions, shown or not, if the caller wants them.
    all_atoms
        All true atoms, if the solver keeps them; else empty.
    values
        The values of a theory's variables.
    read
        The true atoms that the program's display rules read, if they are still to be applied.
    """

    symbols: tuple[Symbol, ...]
    actions: tuple[Symbol, ...]
    chosen: tuple[Symbol, ...] = ()
    all_atoms: Sequence[Symbol] = ()
    values: Values = field(default_factory=dict)
    read: tuple[Symbol, ...] | None = None


@dataclass(frozen=True)
class Answer:
    """The answer of one solve call.

    Attributes
    ----------
    satisfiable
        Whether a model exists; None if the call was stopped before that was known.
    models
        The models found; in optimization only the best ones.
    cost
        The cost of the last model.
    proven
        True if no model costs less.
    cut
        True if a limit ended the search for more models.
    empty_core
        True if no model exists, whatever the values of external atoms.
    core
        If no model exists: literals of assumptions that cannot hold together; else empty.
    """

    satisfiable: bool | None
    models: tuple[ShownAtoms, ...] = ()
    cost: tuple[int, ...] = ()
    proven: bool = False
    cut: bool = False
    empty_core: bool = False
    core: tuple[int, ...] = ()


UNDECIDED = Answer(None)
"""The answer of a call that was left out, or was stopped before anything was known."""


@dataclass
class ModelCollector:
    """Collector of the first `number` models of a solve call (0 is all), or of the optimal ones.

    Of each model it keeps the shown symbols, the true atoms of the predicates in `choices` and in
    `reads`, and all atoms if `keeps_all`. `on_better` receives the answer at each better model of
    an optimization.
    After the first model, the search for further ones gets a quarter of the remaining time.
    """

    number: int
    optimize: bool
    is_action: Callable[[Symbol], bool]
    choices: Collection[Signature] = ()
    on_better: Reporter[Answer] = ignore_report
    budget: Budget = ENDLESS
    cost: tuple[int, ...] = ()
    keeps_all: bool = False
    meaning: Meaning = NoTheory()
    reads: Collection[Signature] | None = None
    proven: bool = False
    models: list[ShownAtoms] = field(default_factory=list)
    _plans: set[tuple[Symbol, ...]] = field(default_factory=set)
    _rest: Budget | None = None

    def take(self, model: Model) -> bool:
        """Collect a model, as a callback of clingo; return whether clingo should search on."""
        atoms = tuple(symbol for symbol in model.symbols(shown=True) if not is_helper(symbol))
        values = self.meaning.values(model)
        self._set_cost(self.meaning.cost(model) or tuple(model.cost), model.optimality_proven)
        actions = tuple(s for s in atoms if self.is_action(s) and model.contains(s))
        shown = ShownAtoms(
            symbols=atoms,
            actions=actions,
            chosen=self._chosen_atoms(model, actions),
            all_atoms=model.symbols(atoms=True) if self.keeps_all else (),
            values=values,
            read=None if self.reads is None else _true_atoms(model, self.reads),
        )
        self.models.append(shown)
        if self.optimize and not self.proven:
            self.on_better(self.answer())
            return True
        return self.wants_more()

    def _set_cost(self, cost: tuple[int, ...], is_optimal: bool) -> None:
        """Set the cost of a new model; in optimization, drop earlier models that are worse."""
        # A model without a cost is optimal: no weighted tuple of the objective holds in it.
        proven = is_optimal or not cost
        is_first_proven = proven and not self.proven
        self.cost = cost
        self.proven = proven
        if self.optimize and (is_first_proven or not proven):
            self.models.clear()
            self._plans.clear()

    def _chosen_atoms(self, model: Model, actions: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
        """Return a model's true atoms of the predicates in `choices`.

        Return `()` if an earlier model had the same actions.
        """
        if not self.choices or actions in self._plans:  # one plan is made of all of its models
            return ()
        self._plans.add(actions)
        return _true_atoms(model, self.choices)

    def wants_more(self) -> bool:
        """Return whether to search for another model: more are wanted, and there is time."""
        if len(self.models) == self.number:
            return False
        if self._rest is None:
            self._rest = self.budget.within(self.budget.remaining / 4)
        return not self._rest.is_spent()

    def answer(self) -> Answer:
        """Return a satisfiable answer with the models collected so far."""
        return Answer(True, tuple(self.models), self.cost, self.proven)

    def is_cut(self, exhausted: bool) -> bool:
        """Return whether the search has ended before all wanted models were found.

        `exhausted` is true if clingo has shown that no further model exists.
        """
        return not exhausted and len(self.models) != self.number


def _true_atoms(model: Model, keys: Collection[Signature]) -> tuple[Symbol, ...]:
    return tuple(s for s in model.symbols(atoms=True) if predicate(s) in keys)


def read_plan(
    shown: ShownAtoms,
    horizon: int,
    readings: tuple[Reading, ...],
    cost: tuple[int, ...] | None = None,
) -> Plan | None:
    """Return the plan with the actions of a model at the steps 1 to `horizon`.

    A reading maps an action atom to an action and a step. Of several readings, use the first one
    that puts all actions at these steps; return None if none does, or if actions are shown that
    the model does not contain. The actions of a step are sorted as clingo sorts terms.
    """
    actions = set(shown.actions)
    if not actions and any(map(readings[0].is_action, shown.symbols)):
        return None
    for reading in readings:
        timed_actions = [_read_atom(reading, atom) for atom in actions]
        if len(readings) == 1 or _are_within(horizon, timed_actions):
            steps = _group_by_step(horizon, timed_actions)
            return Plan(steps, cost, chosen=tuple(map(str, shown.chosen)), values=shown.values)
    return None


TimedAction = tuple[int | None, Symbol]  # the step of an action, and the action


@lru_cache(maxsize=1 << 14)
def _read_atom(reading: Reading, atom: Symbol) -> TimedAction:
    """Return the step and the action of an atom; results are cached, as plans share many atoms."""
    return reading.step(atom), reading.action(atom)


def _are_within(horizon: int, timed_actions: Iterable[TimedAction]) -> bool:
    return all(step is not None and 1 <= step <= horizon for step, _ in timed_actions)


def _group_by_step(horizon: int, timed_actions: Iterable[TimedAction]) -> Steps:
    steps: list[list[Symbol]] = [[] for _ in range(horizon)]
    for step, action in timed_actions:
        if step is not None and 1 <= step <= horizon:
            steps[step - 1].append(action)
    return tuple(tuple(map(str, sorted(step))) for step in steps)


def fields_of_result(
    answer: Answer,
    horizon: int,
    program: Program,
    cost: tuple[int, ...] | None,
    plans: Iterable[Plan | None] | None = None,
) -> dict[str, Any]:  # fields of a `Result`
    """Return the fields of a result for an answer: its distinct plans and its first model.

    By default the plans are read from the models, and each costs `cost`.
    """
    first = answer.models[0]
    symbols = first.symbols
    if program.display is not None and first.read is not None:
        symbols += program.display.atoms(horizon, first.read)
    if plans is None:
        plans = (read_plan(model, horizon, program.readings, cost) for model in answer.models)
    distinct = dict.fromkeys(plan for plan in plans if plan is not None) if program.plans else ()
    return {
        "horizon": horizon,
        "cost": cost,
        "plans": tuple(distinct),
        "atoms": tuple(map(str, symbols)),
        "trajectory": read_trajectory(symbols, horizon, program, values=first.values),
    }


RELYING = ", relying on asplan(monotone)"  # ends a claim if more steps were grounded than needed
MORE_PLANS = "looking for more plans"  # names the search that a limit ends after a first plan


def without_idle_end(plan: Plan, is_reached: Callable[[int], bool]) -> Plan:
    """Return the plan without empty steps after the goal, which holds at t if `is_reached(t)`."""
    busy = max((t for t, step in enumerate(plan, 1) if step), default=0)
    length = next((t for t in range(busy, len(plan)) if is_reached(t)), len(plan))
    if length == len(plan):
        return plan
    # The goal may have been reached there with other values of a theory's variables.
    return replace(plan, steps=plan.steps[:length], values={})
