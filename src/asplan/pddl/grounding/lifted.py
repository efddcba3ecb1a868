"""A PDDL task in normal form, before it is grounded.

Preconditions, bodies of axioms and the goal become conjunctions of literals. An action whose
precondition is a disjunction is split into several schemas. A variable of `exists` becomes a
further parameter. A negated `exists`, or a disjunction with too many alternatives, is replaced by
an auxiliary derived predicate (Helmert, Concise Finite-Domain Representations for PDDL Planning
Tasks, 2009, section 4).
"""

from __future__ import annotations

from collections.abc import Iterator

from asplan.core.dataclass import dataclass
from asplan.pddl.language import conditions, syntax
from asplan.pddl.language.conditions import (
    Condition,
    PddlLiteral,
    Ranges,
    Some,
)
from asplan.pddl.language.syntax import (
    GroundAtom,
    Row,
    TaskText,
)

AUXILIARY = "axiom"
"""The name of all auxiliary derived predicates in ASP terms; no predicate of a task has it."""


@dataclass(frozen=True)
class LiftedBody:
    """A conjunction of literals.

    Attributes
    ----------
    ranges
        The variables that the conjunction introduces, each with its objects. The literals may also
        have variables of an outer body: the conditions of effects have parameters of the action.
    literals
        The literals.
    """

    ranges: Ranges
    literals: tuple[PddlLiteral, ...]

    @property
    def variables(self) -> Row:
        """The variables that the conjunction introduces, without variables of an outer body."""
        return tuple(variable for variable, _ in self.ranges)


@dataclass(frozen=True)
class LiftedRule:
    """A rule for a derived predicate: the head holds for all objects for which the body holds.

    The arguments of the head are variables of the body.
    """

    head: GroundAtom
    body: LiftedBody


@dataclass(frozen=True)
class SchemaEffect:
    """An effect that adds an atom (if `positive`) or deletes it.

    It happens for all objects that satisfy `body`.
    """

    body: LiftedBody
    positive: bool
    atom: GroundAtom


@dataclass(frozen=True)
class LiftedSchema:
    """An action, or one of the schemas into which an action is split.

    The first variables of the body are the parameters of the action.
    """

    action: syntax.PddlAction
    body: LiftedBody
    effects: tuple[SchemaEffect, ...]


@dataclass(frozen=True)
class LiftedTask:
    """A task in normal form.

    Attributes
    ----------
    text
        The task as its files give it.
    fluents
        The predicates whose atoms may change, derived ones included.
    derived
        The derived predicates, auxiliary ones included.
    """

    text: TaskText
    schemas: tuple[LiftedSchema, ...]
    rules: tuple[LiftedRule, ...]
    goal: tuple[PddlLiteral, ...]
    fluents: frozenset[str]
    derived: frozenset[str]


def normalize(text: TaskText) -> LiftedTask:
    """Bring a task into normal form."""
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
) -> Iterator[LiftedSchema]:
    """Yield the schemas of each action."""
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
            yield LiftedSchema(action, body, tuple(effects))


def _add_rules(text: TaskText, bodies: _Bodies) -> None:
    """Add the rules that the domain declares for derived predicates."""
    normalizer = bodies.normalizer
    for rule in text.domain.rules:
        bound, ranges = normalizer.bind(rule.parameters, {})
        head = (rule.name.key, *bound.values())
        condition = normalizer.condition(rule.body, bound)
        for body in bodies.split(condition, ranges):
            bodies.rules.append(LiftedRule(head, body))


def _goal_of(
    text: TaskText,
    bodies: _Bodies,
) -> tuple[PddlLiteral, ...]:
    """Return the goal as literals. A goal with `exists` becomes one auxiliary literal."""
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
    """A converter of conditions to conjunctions, which collects the rules of auxiliary predicates.

    Attributes
    ----------
    ranges
        The objects of each variable that has occurred so far.
    rules
        The rules of auxiliary predicates.
    auxiliary
        The auxiliary predicates.
    """

    def __init__(self, text: TaskText) -> None:
        self.normalizer = conditions.Normalizer(text)
        self.ranges: dict[str, Row] = {}
        self.rules: list[LiftedRule] = []
        self.auxiliary: set[str] = set()

    def split(
        self,
        condition: Condition,
        ranges: Ranges = (),
    ) -> Iterator[LiftedBody]:
        """Yield conjunctions whose disjunction is equivalent to the condition.

        `ranges` are the variables that each conjunction introduces, each with its objects.
        """
        self.ranges.update(ranges)
        for alternative in conditions.alternatives(condition):
            parts, inner = conditions.conjuncts(alternative)
            self.ranges.update(inner)
            yield LiftedBody((*ranges, *inner), tuple(map(self.literal, parts)))

    def literal(self, condition: Condition) -> PddlLiteral:
        """Return a literal that is equivalent to the condition.

        If the condition is not a literal itself, it is replaced by a new auxiliary predicate.
        """
        if isinstance(condition, PddlLiteral):
            return condition
        return self._auxiliary_literal(condition)

    def _auxiliary_literal(self, condition: Condition) -> PddlLiteral:
        """Return a literal of a new auxiliary predicate that is equivalent to the condition.

        The rules of the predicate are added to `rules`.
        """
        positive = True
        if isinstance(condition, Some) and not condition.positive:
            positive = False
            condition = Some(True, condition.ranges, condition.body)
        arguments = sorted(condition.variables)
        predicate = f"{AUXILIARY}@{len(self.auxiliary)}"
        self.auxiliary.add(predicate)
        ranges = tuple((variable, self.ranges[variable]) for variable in arguments)
        for body in list(self.split(condition, ranges)):
            self.rules.append(LiftedRule((predicate, *arguments), body))
        return PddlLiteral(positive, predicate, tuple(arguments))
