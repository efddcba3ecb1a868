"""A PDDL task in normal form, before it is grounded.

Preconditions, axiom bodies and the goal become conjunctions of literals. A disjunction in the
precondition of an action splits it into several schemas. A variable of `exists` becomes a further
parameter. A negated `exists`, or a disjunction with too many alternatives, becomes an auxiliary
derived predicate (Helmert, Concise Finite-Domain Representations for PDDL Planning Tasks, 2009,
section 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from asplan.pddl.language import conditions, syntax
from asplan.pddl.language.conditions import (
    Condition,
    Literal,
    Ranges,
    Some,
)
from asplan.pddl.language.syntax import (
    GroundAtom,
    Row,
    TaskText,
)

AUXILIARY = "axiom"
"""The functor of auxiliary derived predicates in terms; no predicate of a task has this name."""


@dataclass(frozen=True)
class Body:
    """A conjunction. Its variables are its own, with their ranges, or those of the outer body."""

    ranges: Ranges
    literals: tuple[Literal, ...]

    @property
    def variables(self) -> Row:
        """The variables of its own."""
        return tuple(variable for variable, _ in self.ranges)


@dataclass(frozen=True)
class Rule:
    """A rule for a derived predicate. The arguments of the head are variables of the body."""

    head: GroundAtom
    body: Body


@dataclass(frozen=True)
class SchemaEffect:
    """An atom that is added or deleted for all objects for which the body holds."""

    body: Body
    positive: bool
    atom: GroundAtom


@dataclass(frozen=True)
class Schema:
    """An action, or one of several that replace it. Its parameters are the first variables."""

    action: syntax.Action
    body: Body
    effects: tuple[SchemaEffect, ...]


@dataclass(frozen=True)
class LiftedTask:
    """A task in normal form.

    Attributes
    ----------
    fluents
        The predicates whose atoms may change, derived ones included.
    derived
        The derived predicates, auxiliary ones included.
    """

    text: TaskText
    schemas: tuple[Schema, ...]
    rules: tuple[Rule, ...]
    goal: tuple[Literal, ...]
    fluents: frozenset[str]
    derived: frozenset[str]


def normalize(text: TaskText) -> LiftedTask:
    """Return a task in normal form."""
    bodies = _Bodies(text)
    schemas = tuple(_schemas_of(text, bodies))
    _add_rules(text, bodies)
    goal = _goal_of(text, bodies)
    derived = text.derived | bodies.auxiliary
    return LiftedTask(
        text,
        schemas,
        tuple(bodies.rules),
        goal,
        text.fluents | derived,
        derived,
    )


def _schemas_of(
    text: TaskText,
    bodies: _Bodies,
) -> Iterator[Schema]:
    for action in text.domain.actions:
        normal = bodies.normalizer.schema(action)
        bodies.ranges.update(normal.ranges)
        effects = list[SchemaEffect]()
        for change in normal.changes:
            for body in bodies.split(change.condition, change.ranges):
                effects.append(
                    SchemaEffect(
                        body,
                        change.positive,
                        change.atom,
                    )
                )
        for body in bodies.split(normal.condition, normal.ranges):
            yield Schema(action, body, tuple(effects))


def _add_rules(text: TaskText, bodies: _Bodies) -> None:
    """Add the rules of the derived predicates that the domain declares."""
    normalizer = bodies.normalizer
    for rule in text.domain.rules:
        bound, ranges = normalizer.bind(rule.parameters, {})
        head = (rule.name.key, *bound.values())
        condition = normalizer.condition(rule.body, bound)
        for body in bodies.split(condition, ranges):
            bodies.rules.append(Rule(head, body))


def _goal_of(
    text: TaskText,
    bodies: _Bodies,
) -> tuple[Literal, ...]:
    condition = bodies.normalizer.condition(text.problem.goal, {})
    parts, ranges = conditions.conjuncts(condition)
    if ranges:
        parts = (
            Some(
                True,
                ranges,
                conditions.Junction(True, parts),
            ),
        )
    return tuple(map(bodies.literal, parts))


class _Bodies:
    """A converter of conditions to conjunctions, with the auxiliary rules that this needs."""

    def __init__(self, text: TaskText) -> None:
        self.normalizer = conditions.Normalizer(text)
        self.ranges: dict[str, Row] = {}
        self.rules: list[Rule] = []
        self.auxiliary: set[str] = set()

    def split(
        self,
        condition: Condition,
        ranges: Ranges = (),
    ) -> Iterator[Body]:
        """Yield conjunctions whose disjunction is the condition."""
        self.ranges.update(ranges)
        for alternative in conditions.alternatives(condition):
            parts, inner = conditions.conjuncts(alternative)
            self.ranges.update(inner)
            yield Body((*ranges, *inner), tuple(map(self.literal, parts)))

    def literal(self, condition: Condition) -> Literal:
        """Return a literal that is equivalent to the condition."""
        if isinstance(condition, Literal):
            return condition
        return self._auxiliary_literal(condition)

    def _auxiliary_literal(self, condition: Condition) -> Literal:
        """Return a literal of a new derived predicate, and add its rules."""
        positive = True
        if isinstance(condition, Some) and not condition.positive:
            positive = False
            condition = Some(True, condition.ranges, condition.body)
        arguments = sorted(condition.variables)
        predicate = f"{AUXILIARY}@{len(self.auxiliary)}"
        self.auxiliary.add(predicate)
        ranges = tuple((variable, self.ranges[variable]) for variable in arguments)
        for body in list(self.split(condition, ranges)):
            self.rules.append(Rule((predicate, *arguments), body))
        return Literal(positive, predicate, tuple(arguments))
