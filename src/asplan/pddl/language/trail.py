"""The semantics of constraints and preferences on the trajectory of a plan.

Each demand is evaluated on the whole sequence of states, literally as Gerevini and Long define it
(Plan Constraints and Preferences in PDDL3, 2005).

>>> from clingo import Function
>>> from asplan.pddl.language import PddlSource, task_of_sources
>>> domain = '''(define (domain lamp) (:predicates (on))
...   (:action press :precondition (not (on)) :effect (on))
...   (:action pull :precondition (on) :effect (not (on))))'''
>>> problem = '''(define (problem dark) (:domain lamp) (:init)
...   (:goal (and (not (on)) (preference bright (on))))
...   (:constraints (sometime (on))) (:metric minimize (* 3 (is-violated bright))))'''
>>> model = TrailModel(model_of(task_of_sources(PddlSource("d", domain), PddlSource("p", problem))))
>>> model.why_no_plan(model.initial)
'p:3:17: the constraint (sometime (on)) is violated'
>>> after = model.initial
>>> for name in ("press", "pull"):
...     after = model.apply(after, model.parse_action(Function(name)))
>>> model.why_no_plan(after), model.worth(after), model.violated(after)
(None, Fraction(3, 1), {'bright': 1})
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import pairwise, product
from typing import NamedTuple

from asplan.clingo import Symbol
from asplan.core.text import shortened
from asplan.domains.model import Model
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import Normalizer, Ranges
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.numbers import NumericModel, model_of
from asplan.pddl.language.queries import Test, check_of
from asplan.pddl.language.semantics import GroundAction, TextModel
from asplan.pddl.language.syntax import (
    GroundAtom,
    Passing,
    Row,
    TaskText,
    TrajectoryDemand,
    bind,
)
from asplan.pddl.language.world import State, World
from asplan.pddl.language.writing import written

_CACHED_WORLDS = 10_000


class _CompiledPart(NamedTuple):
    """A compiled constraint.

    Attributes
    ----------
    part
        The constraint as its file defines it.
    bound
        The unique names of all variables in the constraint's scope, outer variables included.
    ranges
        The variables of the constraint itself, each with the objects that may be its value.
    tests
        The tests of its conditions.
    """

    part: Passing
    bound: Mapping[str, str]
    ranges: Ranges
    tests: tuple[Test, ...]

    def is_violated(
        self,
        values: Mapping[str, str],
        worlds: Sequence[World],
    ) -> bool:
        """Return whether the constraint is violated on a trajectory.

        `values` has the values of all variables in the constraint's scope, by their unique names.
        `worlds` are the states of the trajectory.
        """
        rows = [[test({**values}, world) for world in worlds] for test in self.tests]
        return not CONSTRAINTS[self.part.word](*rows)


class _CompiledDemand(NamedTuple):
    """A compiled constraint or preference.

    Attributes
    ----------
    bound
        The unique names of all variables in the demand's scope, outer variables included.
    ranges
        The variables of the demand itself, each with the objects that may be its value.
    parts
        The constraints of the demand.
    """

    bound: Mapping[str, str]
    ranges: Ranges
    parts: tuple[_CompiledPart, ...]


class Trail(NamedTuple):
    """A trajectory, as a state of `TrailModel`: all states so far, and the actions between them."""

    states: tuple[State, ...]
    actions: tuple[GroundAction, ...] = ()


CONSTRAINTS: dict[str, Callable[..., bool]] = {
    "always": all,
    "sometime": any,
    "at end": lambda row: row[-1],
    "at-most-once": lambda row: sum(b and not a for a, b in pairwise((False, *row))) <= 1,
    "sometime-after": lambda row, then: all(any(then[i:]) for i, at in enumerate(row) if at),
    "sometime-before": lambda row, before: all(any(before[:i]) for i, at in enumerate(row) if at),
}
"""Functions that tell whether a constraint holds, by its word.

Their arguments are rows of truth values, one row for each condition of the constraint. A row has
the truth values of the condition in all states of the trajectory.
"""


class TrailModel(Model[Trail, GroundAction]):
    """A task with constraints or preferences as a transition system, whose states are trajectories.

    `base` is the transition system of the task without constraints and preferences.
    """

    is_whole = True

    def __init__(self, base: TextModel) -> None:
        self.base = base
        self.task = base.task

    @cached_property
    def initial(self) -> Trail:
        """The trail with only the initial state."""
        return Trail((self.base.initial,))

    @property
    def has_costs(self) -> bool:
        """True if the problem minimizes the costs of actions."""
        return self.base.has_costs

    def actions(self, state: Trail) -> Iterator[GroundAction]:
        """Yield the actions that apply in the last state of the trail."""
        return self.base.actions(state.states[-1])

    def apply(
        self,
        state: Trail,
        action: GroundAction,
    ) -> Trail:
        """Return the trail that continues with an action and the state after it."""
        after = self.base.apply(state.states[-1], action)
        return Trail((*state.states, after), (*state.actions, action))

    def cost(
        self,
        state: Trail,
        action: GroundAction,
    ) -> int:
        """Return the cost of an action; 1 if the problem does not minimize `total-cost`."""
        return self.base.cost(state.states[-1], action)

    def parse_action(self, term: Symbol) -> GroundAction:
        """Return the action that an ASP term names; raise `ValueError` if it names none."""
        return self.base.parse_action(term)

    def action(
        self,
        name: str,
        arguments: Row,
    ) -> GroundAction:
        """Return the action with this name and these arguments; see `TextModel.action`."""
        return self.base.action(name, arguments)

    def why_not(
        self,
        state: Trail,
        action: GroundAction,
    ) -> str | None:
        """Return why an action does not apply in the last state; None if the action applies."""
        return self.base.why_not(state.states[-1], action)

    def is_goal(self, state: Trail) -> bool:
        """Return True if the goal holds in the last state and no constraint is violated."""
        return self.base.is_goal(state.states[-1]) and self.why_no_plan(state) is None

    def why_not_goal(self, state: Trail) -> str | None:
        """Return the first false part of the goal as text for a message; None if the goal holds."""
        return self.base.why_not_goal(state.states[-1])

    def fluents(self, state: Trail) -> Iterator[Symbol]:
        """Yield all true atoms of the last state as ASP terms."""
        return self.base.fluents(state.states[-1])

    def text(self, state: Trail) -> str:
        """Return the last state as PDDL text."""
        return self.base.text(state.states[-1])

    def why_no_plan(self, state: Trail) -> str | None:
        """Return a sentence about the first violated constraint.

        Return None if no constraint is violated.
        """
        for demand in self.task.demands:
            if demand.name is not None:
                continue
            for part, bound in self._violations(demand, state.states, {}):
                formulas = (written(formula, bound, self.base.names) for formula in part.parts)
                text = shortened(f"({' '.join([part.word, *formulas])})")
                return f"{part.at.at}: the constraint {text} is violated"
        return None

    def violated(self, state: Trail) -> dict[str, int]:
        """Return the number of violations of each violated preference.

        Preferences without a name are left out.
        """
        counts = Counter[str]()
        for demand in (*self.task.domain.demands, *self.task.problem.demands):
            counts[demand.key] += self._count(demand, state.states, {})
        declared = {action.name.key: action for action in self.task.domain.actions}
        for before, action in zip(state.states, state.actions, strict=False):
            schema = declared[action.name]
            values = bind(schema.parameters, action.arguments)
            for demand in schema.preferences:
                counts[demand.key] += self._count(demand, (before,), values)
        return {name: counts[key] for key, name in self._names.items() if counts[key]}

    def _count(
        self,
        demand: TrajectoryDemand,
        states: Sequence[State],
        values: Mapping[str, str],
    ) -> int:
        """Return how often a preference is violated on a trajectory; 0 if it has no name.

        `values` has the objects of variables around the preference: the parameters of its action.
        """
        if not demand.name:
            return 0
        return sum(1 for _ in self._violations(demand, states, values))

    @cached_property
    def _names(self) -> dict[str, str]:
        """The sorted names of preferences in lower case, each with its first spelling.

        Preferences without a name are left out.
        """
        named = {demand.key: demand.name for demand in reversed(self.task.demands) if demand.name}
        return dict(sorted(named.items()))

    def worth(self, state: Trail) -> Fraction | None:
        """Return the metric of a plan with this trail; None if the metric has no value."""
        if self.task.problem.metric is None or not isinstance(self.base, NumericModel):
            return None
        counts = self.violated(state)
        values: dict[GroundAtom, Fraction] = {
            (syntax.IS_VIOLATED, key): Fraction(counts.get(name, 0))
            for key, name in self._names.items()
        }
        return self.base.worth(state.states[-1], values)

    def _violations(
        self,
        demand: TrajectoryDemand,
        states: Sequence[State],
        values: Mapping[str, str],
    ) -> Iterator[tuple[Passing, dict[str, str]]]:
        """Yield a violated constraint for each choice of objects for the demand's variables.

        If a choice violates several constraints, yield only the first one; if none, yield nothing.
        With each constraint come the objects of all variables in its scope. `values` has the
        objects of variables around the demand.
        """
        compiled = self._compiled(demand)
        worlds = [self._world(state) for state in states]
        names = compiled.bound
        outer = {names[key]: value for key, value in values.items() if key in names}
        for row in _rows(compiled.ranges):
            violation = _first_violation(compiled.parts, outer | row, worlds)
            if violation is not None:
                yield violation

    @cached_property
    def _world(self) -> Callable[[State], World]:
        """A function from a state to its `World`, which can evaluate conditions.

        Up to `_CACHED_WORLDS` worlds are cached.
        """
        return lru_cache(maxsize=_CACHED_WORLDS)(self.base.world)

    @cached_property
    def _compiled(self) -> Callable[[TrajectoryDemand], _CompiledDemand]:
        """A function from a demand to the compiled demand, which compiles it at the first call."""
        normalizer = Normalizer(self.task)
        parameters: dict[TrajectoryDemand, tuple[syntax.Typed, ...]] = {}
        for action in self.task.domain.actions:
            parameters.update(dict.fromkeys(action.preferences, action.parameters))

        def compiled(demand: TrajectoryDemand) -> _CompiledDemand:
            around, _ = normalizer.bind(parameters.get(demand, ()), {})
            return _compile(normalizer, demand, around)

        return cache(compiled)


def _compile(
    normalizer: Normalizer,
    demand: TrajectoryDemand,
    around: Mapping[str, str],
) -> _CompiledDemand:
    """Compile a demand; `around` has the unique names of the parameters of its action, if any."""
    outer, ranges = normalizer.bind(demand.variables, around)
    parts: list[_CompiledPart] = []
    for part in demand.parts:
        inner, own = normalizer.bind(part.variables, outer)
        conditions = (normalizer.condition(formula, inner) for formula in part.parts)
        parts.append(_CompiledPart(part, inner, own, tuple(map(check_of, conditions))))
    return _CompiledDemand(outer, ranges, tuple(parts))


def _first_violation(
    parts: Sequence[_CompiledPart],
    outer: Mapping[str, str],
    worlds: Sequence[World],
) -> tuple[Passing, dict[str, str]] | None:
    """Return the first violated constraint with the objects of its variables.

    Return None if no constraint is violated. `outer` has the objects of the variables around the
    constraints.
    """
    for compiled in parts:
        for row in _rows(compiled.ranges):
            values = {**outer, **row}
            if compiled.is_violated(values, worlds):
                return compiled.part, {key: values[name] for key, name in compiled.bound.items()}
    return None


def _rows(ranges: Ranges) -> Iterator[dict[str, str]]:
    """Return an iterator over all choices of objects for the variables."""
    names = [name for name, _ in ranges]
    rows = product(*(objects for _, objects in ranges))
    return (dict(zip(names, row, strict=True)) for row in rows)


def referee_of(
    task: TaskText,
    names: PddlNames,
) -> TextModel | TrailModel:
    """Return the transition system that checks plans, including all constraints of the task."""
    model = model_of(task, names)
    return TrailModel(model) if task.demands else model
