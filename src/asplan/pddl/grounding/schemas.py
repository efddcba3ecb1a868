"""Actions, derived predicates and goal of a task as conjunctions of literals, for a grounder.

A disjunction in the precondition of an action makes several schemas of it; a variable of `exists`
becomes one more of its parameters. What a negated `exists` says, or a disjunction that would make
too many schemas, becomes a derived predicate of our own (Helmert, Concise Finite-Domain
Representations for PDDL Planning Tasks, 2009, section 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import (
    Condition,
    Junction,
    Literal,
    Normalizer,
    Ranges,
    Some,
    alternatives,
    conjuncts,
)
from asplan.pddl.language.syntax import GroundAtom, Row, TaskText

MADE = "axiom"
"""What derived predicates are called that are made here; no predicate of a task is, as terms."""


@dataclass(frozen=True)
class Body:
    """A conjunction; each of its variables is one of the ranges', or of what is around it."""

    ranges: Ranges
    literals: tuple[Literal, ...]

    @property
    def variables(self) -> Row:
        return tuple(variable for variable, _ in self.ranges)


@dataclass(frozen=True)
class Rule:
    """A derived predicate, whose arguments are variables of the body."""

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
    """An action, or one of several that stand for it; the first variables are its parameters."""

    action: syntax.Action
    body: Body
    effects: tuple[SchemaEffect, ...]

    @property
    def parameters(self) -> Row:
        return self.body.variables[: len(self.action.parameters)]


@dataclass(frozen=True)
class Lifted:
    """A task before it is ground. `moving` are the predicates whose atoms may change."""

    text: TaskText
    schemas: tuple[Schema, ...]
    rules: tuple[Rule, ...]
    goal: tuple[Literal, ...]
    moving: frozenset[str]
    derived: frozenset[str]


def lifted(text: TaskText) -> Lifted:
    """The actions, rules and goal of a task."""
    bodies = _Bodies(text)
    normalizer = bodies.normalizer
    schemas = list[Schema]()
    for action in text.domain.actions:
        found = normalizer.schema(action)
        bodies.ranges.update(found.ranges)
        effects = tuple(
            SchemaEffect(body, change.positive, change.atom)
            for change in found.changes
            for body in bodies.of(change.condition, change.ranges)
        )
        schemas += (
            Schema(action, body, effects) for body in bodies.of(found.condition, found.ranges)
        )
    for rule in text.domain.rules:
        bound, ranges = normalizer.bind(rule.parameters, {})
        head = (rule.name.key, *bound.values())
        for body in bodies.of(normalizer.condition(rule.body, bound), ranges):
            bodies.rules.append(Rule(head, body))
    parts, some = conjuncts(normalizer.condition(text.problem.goal, {}))
    if some:
        parts = (Some(True, some, Junction(True, parts)),)
    goal = tuple(part if isinstance(part, Literal) else bodies.derive(part) for part in parts)
    derived = text.derived | bodies.made
    return Lifted(text, tuple(schemas), tuple(bodies.rules), goal, text.fluents | derived, derived)


class _Bodies:
    """Makes conjunctions of conditions, and rules for what is none."""

    def __init__(self, text: TaskText) -> None:
        self.normalizer = Normalizer(text)
        self.ranges: dict[str, Row] = {}
        self.rules: list[Rule] = []
        self.made: set[str] = set()

    def of(self, condition: Condition, ranges: Ranges = ()) -> Iterator[Body]:
        """Conjunctions of which one holds where the condition does."""
        self.ranges.update(ranges)
        for one in alternatives(condition):
            parts, inner = conjuncts(one)
            self.ranges.update(inner)
            literals = tuple(
                part if isinstance(part, Literal) else self.derive(part) for part in parts
            )
            yield Body((*ranges, *inner), literals)

    def derive(self, condition: Condition) -> Literal:
        """A literal that holds where the condition does, by rules for its predicate."""
        positive = True
        if isinstance(condition, Some) and not condition.positive:
            positive, condition = False, Some(True, condition.ranges, condition.body)
        free = sorted(condition.variables)
        head = (f"{MADE}@{len(self.made)}", *free)
        self.made.add(head[0])
        ranges = tuple((variable, self.ranges[variable]) for variable in free)
        for body in list(self.of(condition, ranges)):
            self.rules.append(Rule(head, body))
        return Literal(positive, head[0], head[1:])


def is_made(predicate: str) -> bool:
    """Whether a predicate was made here: names in PDDL hold no such sign."""
    return predicate.startswith(f"{MADE}@")
