"""What constraints and preferences mean: a plan is judged by all states that it passes.

What the states are like is looked up in their sequence, word for word as Gerevini and Long define
it (Plan Constraints and Preferences in PDDL3, 2005); nothing is remembered from one to the next.

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
from typing import Any, NamedTuple

from clingo import Symbol

from asplan.core.text import shortened
from asplan.domains.model import Model
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import Normalizer, Ranges, Test, check_of
from asplan.pddl.language.names import PddlNames, written
from asplan.pddl.language.numbers import NumericModel, model_of
from asplan.pddl.language.semantics import GroundAction, State, TextModel, World
from asplan.pddl.language.syntax import Demand, GroundAtom, Passing, Row, TaskText, bind

_REMEMBERED = 10_000  # states of which is kept what holds in them


class _Compiled(NamedTuple):
    """A demand: the names that its variables have, and what they and those of each part may be."""

    bound: Mapping[str, str]
    ranges: Ranges
    parts: tuple[tuple[Passing, Mapping[str, str], Ranges, tuple[Test, ...]], ...]


class Trail(NamedTuple):
    """All states from the start on, and the actions between them."""

    states: tuple[State, ...]
    actions: tuple[GroundAction, ...] = ()


_PASSING: dict[str, Callable[..., bool]] = {
    "always": all,
    "sometime": any,
    "at end": lambda row: row[-1],
    "at-most-once": lambda row: sum(b and not a for a, b in pairwise((False, *row))) <= 1,
    "sometime-after": lambda row, then: all(any(then[i:]) for i, at in enumerate(row) if at),
    "sometime-before": lambda row, before: all(any(before[:i]) for i, at in enumerate(row) if at),
}
"""What the words of constraints mean, by the rows of their conditions."""


def _of_last(name: str) -> Any:
    """A method of the model without constraints and preferences, for the last state."""
    return lambda self, trail, *rest: getattr(self.base, name)(trail.states[-1], *rest)


class TrailModel(Model[Trail, GroundAction]):
    """A task with constraints or preferences, whose actions can be executed."""

    is_whole = True
    actions, cost, why_not = map(_of_last, ("actions", "cost", "why_not"))
    why_not_goal, fluents, text = map(_of_last, ("why_not_goal", "fluents", "text"))

    def __init__(self, base: TextModel) -> None:
        self.base, self.task = base, base.task

    @cached_property
    def initial(self) -> Trail:
        return Trail((self.base.initial,))

    @property
    def has_costs(self) -> bool:
        return self.base.has_costs

    def apply(self, state: Trail, action: GroundAction) -> Trail:
        after = self.base.apply(state.states[-1], action)
        return Trail((*state.states, after), (*state.actions, action))

    def parse_action(self, term: Symbol) -> GroundAction:
        return self.base.parse_action(term)

    def action(self, name: str, arguments: Row) -> GroundAction:
        """An action by its name and its arguments, in lower case, as `TextModel` has it."""
        return self.base.action(name, arguments)

    def is_goal(self, state: Trail) -> bool:
        return self.base.is_goal(state.states[-1]) and self.why_no_plan(state) is None

    def why_no_plan(self, state: Trail) -> str | None:
        """The place and the values of the first constraint that is violated; None if none is."""
        for demand in self.task.demands:
            if demand.name is None:
                for part, bound in self._violations(demand, state.states, {}):
                    said = (written(formula, bound, self.base.names) for formula in part.parts)
                    text = shortened(f"({' '.join([part.word, *said])})")
                    return f"{part.at.at}: the constraint {text} is violated"
        return None

    def violated(self, state: Trail) -> dict[str, int]:
        """How often each preference is violated that has a name, and is violated at all."""
        found = Counter[str]()
        for demand in (*self.task.domain.demands, *self.task.problem.demands):
            if demand.name:
                found[demand.key] += sum(1 for _ in self._violations(demand, state.states, {}))
        declared = {action.name.key: action for action in self.task.domain.actions}
        for before, action in zip(state.states, state.actions, strict=False):
            schema = declared[action.name]
            values = bind(schema.parameters, action.arguments)
            for demand in schema.preferences:
                if demand.name:
                    found[demand.key] += sum(1 for _ in self._violations(demand, (before,), values))
        return {name: found[key] for key, name in self._names.items() if found[key]}

    @cached_property
    def _names(self) -> dict[str, str]:
        """The names of preferences as they are first written, by their keys, in order."""
        named = {demand.key: demand.name for demand in reversed(self.task.demands) if demand.name}
        return dict(sorted(named.items()))

    def worth(self, state: Trail) -> Fraction | None:
        """What the metric of the problem comes to; None if to nothing."""
        if self.task.problem.metric is None or not isinstance(self.base, NumericModel):
            return None
        counts = self.violated(state)
        values: dict[GroundAtom, Fraction] = {
            (syntax.IS_VIOLATED, key): Fraction(counts.get(name, 0))
            for key, name in self._names.items()
        }
        return self.base.worth(state.states[-1], values)

    def _violations(
        self, demand: Demand, states: Sequence[State], values: Mapping[str, str]
    ) -> Iterator[tuple[Passing, dict[str, str]]]:
        """A part that is violated for each value of the variables for which there is one.

        With it come the values of all its variables; `values` are those around the demand.
        """
        demanded = self._compiled(demand)
        worlds = [self._world(state) for state in states]
        names = demanded.bound
        given = {names[key]: value for key, value in values.items() if key in names}
        for row in _rows(demanded.ranges):
            binding = given | row
            for part, bound, ranges, tests in demanded.parts:
                wrong = (
                    values
                    for inner in _rows(ranges)
                    for values in [binding | inner]
                    if not _PASSING[part.word](*([t({**values}, w) for w in worlds] for t in tests))
                )
                if (first := next(wrong, None)) is not None:
                    yield part, {key: first[name] for key, name in bound.items()}
                    break

    @cached_property
    def _world(self) -> Callable[[State], World]:
        return lru_cache(maxsize=_REMEMBERED)(self.base.world)

    @cached_property
    def _compiled(self) -> Callable[[Demand], _Compiled]:
        normalizer = Normalizer(self.task)
        parameters = {
            demand: action.parameters
            for action in self.task.domain.actions
            for demand in action.preferences
        }

        def compiled(demand: Demand) -> _Compiled:
            around, _ = normalizer.bind(parameters.get(demand, ()), {})
            outer, ranges = normalizer.bind(demand.variables, around)
            parts = []
            for part in demand.parts:
                inner, own = normalizer.bind(part.variables, outer)
                tests = tuple(check_of(normalizer.condition(f, inner)) for f in part.parts)
                parts.append((part, inner, own, tests))
            return _Compiled(outer, ranges, tuple(parts))

        return cache(compiled)


def _rows(ranges: Ranges) -> Iterator[dict[str, str]]:
    """All ways to give variables values."""
    names = [name for name, _ in ranges]
    rows = product(*(objects for _, objects in ranges))
    return (dict(zip(names, row, strict=True)) for row in rows)


def judged(task: TaskText, names: PddlNames) -> Model[Any, GroundAction]:
    """A task whose actions can be executed, and whose plans are judged by all that it demands."""
    model = model_of(task, names)
    return TrailModel(model) if task.demands else model
