"""Derived predicates: their rules, layer by layer, and what they say of a state.

Negation must be stratified: no predicate may depend on its own negation (Thiebaux, Hoffmann and
Nebel, In Defense of PDDL Axioms, Artificial Intelligence 168, 2005). In a layer, rules are applied
until nothing new follows, each time to what was new the time before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from asplan.core.graphs import components
from asplan.pddl.language import conditions
from asplan.pddl.language.conditions import Condition, Interpretation, Literal, Query, Relation
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.syntax import GroundAtom, Row, TaskText


@dataclass(frozen=True)
class _Rule:
    """The head of a rule, and the search for its rows.

    `again` finds those that are new if the round before has derived something; it is empty where
    the rule does not depend on its own layer.
    """

    predicate: str
    variables: tuple[str, ...]
    query: Query
    again: tuple[Query, ...]


Layer = tuple[_Rule, ...]


def layers_of(task: TaskText) -> tuple[Layer, ...]:
    """The rules of a task, layer by layer.

    Raises `InputError` if a predicate depends on its own negation.
    """
    normalizer = conditions.Normalizer(task)
    rules: list[tuple[str, conditions.Ranges, Condition]] = []
    for rule in task.domain.rules:
        bound, ranges = normalizer.bind(rule.parameters, {})
        body = normalizer.condition(rule.body, bound)
        rules += ((rule.name.key, ranges, part) for part in conditions.alternatives(body) or [body])
    needs = [
        (head, literal)
        for head, _, body in rules
        for literal in conditions.literals(body)
        if literal.predicate in task.derived
    ]
    heads = [*dict.fromkeys(head for head, _, _ in rules)]
    below = [[heads.index(lit.predicate) for own, lit in needs if own == head] for head in heads]
    layers = [{heads[i] for i in part} for part in components(below)]
    for head, literal in needs:
        if not literal.positive and any({head, literal.predicate} <= same for same in layers):
            name = next(rule.name for rule in task.domain.rules if rule.name.key == head)
            hint = "rules may use negation only of what they do not help to derive"
            raise wrong(name, f"{name} depends on its own negation", hint)
    return tuple(tuple(_rule(*rule, same) for rule in rules if rule[0] in same) for same in layers)


def _rule(head: str, ranges: conditions.Ranges, body: Condition, same: Collection[str]) -> _Rule:
    query = conditions.query_of(ranges, body)
    own = [
        p
        for p in conditions.conjuncts(body)[0]
        if any(part.predicate in same for part in conditions.literals(p))
    ]
    atoms = [part for part in own if isinstance(part, Literal)]
    again = [conditions.query_of(ranges, body, first=part) for part in atoms]
    if len(atoms) < len(own):
        again = [query]
    return _Rule(head, tuple(variable for variable, _ in ranges), query, tuple(again))


class World(Interpretation):
    """A state with all that holds in it: what is the same in all states, and what is derived."""

    def __init__(
        self,
        state: frozenset[GroundAtom],
        static: Mapping[str, Relation],
        fluents: Collection[str],
        layers: tuple[Layer, ...],
        values: Mapping[GroundAtom, Fraction] = MappingProxyType({}),
    ) -> None:
        self._values = values
        self._state, self._static, self._fluents = state, static, fluents
        self._layers = layers
        self._relations: dict[str, Relation] = {}
        self._derived: dict[str, Relation] | None = None
        self._newest: dict[str, Relation] = {}

    def holds(self, predicate: str, row: Row) -> bool:
        if predicate in self._fluents:
            return (predicate, *row) in self._state
        return super().holds(predicate, row)

    def relation(self, predicate: str) -> Relation:
        if predicate in self._static:
            return self._static[predicate]
        if predicate not in self._fluents:
            return self.derived[predicate]
        if not self._relations:
            self._relations = {name: Relation() for name in self._fluents}
            for name, *row in self._state:
                self._relations[name].rows.add(tuple(row))
        return self._relations[predicate]

    def value(self, function: GroundAtom) -> Fraction:
        return self._values[function]

    def newest(self, predicate: str) -> Relation:
        return self._newest[predicate]

    @property
    def derived(self) -> dict[str, Relation]:
        if self._derived is None:
            self._derived = {rule.predicate: Relation() for layer in self._layers for rule in layer}
            for layer in self._layers:
                self._derive(layer, self._derived)
        return self._derived

    def _derive(self, layer: Layer, derived: dict[str, Relation]) -> None:
        jobs = [(rule, rule.query) for rule in layer]
        while jobs:
            newest = {rule.predicate: Relation() for rule in layer}
            for rule, query in jobs:
                known = derived[rule.predicate].rows
                for binding in query({}, self):
                    row = tuple([binding[variable] for variable in rule.variables])
                    if row not in known:
                        newest[rule.predicate].rows.add(row)
            for predicate, relation in newest.items():
                for row in relation.rows:
                    derived[predicate].add(row)
            self._newest = newest
            progress = any(relation.rows for relation in newest.values())
            jobs = [(rule, q) for rule in layer for q in rule.again] if progress else []
