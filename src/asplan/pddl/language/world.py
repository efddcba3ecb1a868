"""States with their derived atoms.

The rules of derived predicates form layers: a rule negates only predicates of lower layers. Each
layer is evaluated semi-naively, in rounds: after the first round, a rule that depends on its own
layer is matched only with the rows (arguments of atoms) that the last round has derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from asplan.core.dataclass import dataclass
from asplan.core.graphs import components
from asplan.pddl.language.conditions import (
    Condition,
    Normalizer,
    PddlLiteral,
    Ranges,
    alternatives,
    conjuncts,
    literals,
)
from asplan.pddl.language.interpretation import Interpretation, RowIndex
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.queries import Query, query_of
from asplan.pddl.language.syntax import GroundAtom, Row, TaskText

State = frozenset[GroundAtom]  # the true atoms of predicates that actions change


@dataclass(frozen=True)
class CompiledRule:
    """A compiled rule of a derived predicate.

    Attributes
    ----------
    predicate
        The derived predicate.
    variables
        The variables of its arguments.
    query
        The query for all rows that the rule derives.
    again
        The queries for later rounds, which yield the rows that follow from new rows of the round
        before. Empty if the rule does not depend on its own layer.
    """

    predicate: str
    variables: tuple[str, ...]
    query: Query
    again: tuple[Query, ...]


Layer = tuple[CompiledRule, ...]


class _Clause(NamedTuple):
    """A rule whose body is a conjunction: one disjunct of a rule in the file.

    Attributes
    ----------
    head
        The derived predicate.
    ranges
        The variables of the head, each with the objects that may be its value.
    body
        The condition.
    """

    head: str
    ranges: Ranges
    body: Condition


def layers_of(task: TaskText) -> tuple[Layer, ...]:
    """Return the rules of a task in layers, the lowest layer first.

    Raises `InputError` if a predicate depends on its own negation.
    """
    clauses = list(_clauses_of(task))
    needs = list(_needs_of(clauses, task.derived))
    layers = _strata(clauses, needs)
    _check_stratified(task, layers, needs)
    return tuple(tuple(_rules_of(clauses, layer)) for layer in layers)


def _clauses_of(task: TaskText) -> Iterator[_Clause]:
    """Yield the clauses of all rules: one for each disjunct of a rule's body."""
    normalizer = Normalizer(task)
    for rule in task.domain.rules:
        bound, ranges = normalizer.bind(rule.parameters, {})
        body = normalizer.condition(rule.body, bound)
        for part in alternatives(body) or [body]:
            yield _Clause(rule.name.key, ranges, part)


def _needs_of(
    clauses: Iterable[_Clause],
    derived: frozenset[str],
) -> Iterator[tuple[str, PddlLiteral]]:
    """Yield the dependencies of derived predicates: a head, and a derived literal in its body."""
    for clause in clauses:
        for literal in literals(clause.body):
            if literal.predicate in derived:
                yield clause.head, literal


def _strata(
    clauses: Iterable[_Clause],
    needs: Iterable[tuple[str, PddlLiteral]],
) -> list[set[str]]:
    """Return sets of mutually dependent predicates.

    A set comes after all sets on which it depends. `needs` are the dependencies: pairs of a derived
    predicate, and a derived literal in the body of one of its rules.
    """
    heads = list(dict.fromkeys(clause.head for clause in clauses))
    numbers = {head: number for number, head in enumerate(heads)}
    below: list[list[int]] = [[] for _ in heads]
    for head, literal in needs:
        below[numbers[head]].append(numbers[literal.predicate])
    return [{heads[number] for number in part} for part in components(below)]


def _check_stratified(
    task: TaskText,
    layers: Iterable[set[str]],
    needs: Iterable[tuple[str, PddlLiteral]],
) -> None:
    """Raise `InputError` if a predicate depends on its own negation.

    `layers` are the sets of mutually dependent predicates, and `needs` the dependencies.
    """
    layer_of = {head: layer for layer in layers for head in layer}
    for head, literal in needs:
        if not literal.positive and literal.predicate in layer_of[head]:
            name = next(rule.name for rule in task.domain.rules if rule.name.key == head)
            hint = "a rule may negate only predicates that do not depend on its head"
            raise wrong(name, f"{name} depends on its own negation", hint)


def _rules_of(
    clauses: Iterable[_Clause],
    layer: set[str],
) -> Iterator[CompiledRule]:
    """Compile the clauses whose heads are in a layer."""
    for clause in clauses:
        if clause.head in layer:
            query = query_of(clause.ranges, clause.body)
            variables = tuple(variable for variable, _ in clause.ranges)
            again = tuple(_repeated(clause, query, layer))
            yield CompiledRule(clause.head, variables, query, again)


def _repeated(
    clause: _Clause,
    query: Query,
    layer: set[str],
) -> Iterator[Query]:
    """Yield queries for the rows that follow from new rows of the clause's own layer.

    If a part of the body that depends on the layer is not a literal, yield `query`, which finds all
    rows of the clause.
    """
    parts, _ = conjuncts(clause.body)
    own = [part for part in parts if _depends_on(part, layer)]
    if all(isinstance(part, PddlLiteral) for part in own):
        for part in own:
            assert isinstance(part, PddlLiteral)
            yield query_of(clause.ranges, clause.body, first=part)
    else:
        yield query


def _depends_on(
    condition: Condition,
    layer: set[str],
) -> bool:
    """Return whether a condition mentions a predicate of the layer."""
    return any(literal.predicate in layer for literal in literals(condition))


class World(Interpretation):
    """A state together with its static and derived atoms, and the values of functions.

    Parameters
    ----------
    state
        The true atoms of predicates that actions change.
    fluents
        The predicates that actions change.
    static
        The relations of predicates that nothing changes.
    layers
        The rules of derived predicates, in layers.
    values
        The values of functions.
    """

    def __init__(
        self,
        state: State,
        fluents: frozenset[str],
        static: Mapping[str, RowIndex],
        layers: tuple[Layer, ...],
        values: Mapping[GroundAtom, Fraction],
    ) -> None:
        super().__init__(values)
        self._state = state
        self._fluents = fluents
        self._static = static
        self._layers = layers
        self._relations: dict[str, RowIndex] = {}
        self._derived: dict[str, RowIndex] | None = None
        self._newest: dict[str, RowIndex] = {}

    def holds(
        self,
        predicate: str,
        row: Row,
    ) -> bool:
        """Return whether the predicate holds for the arguments in `row`."""
        if predicate in self._fluents:
            return (predicate, *row) in self._state
        return super().holds(predicate, row)

    def relation(self, predicate: str) -> RowIndex:
        """Return all rows of arguments for which a predicate holds."""
        if predicate in self._static:
            return self._static[predicate]
        if predicate not in self._fluents:
            return self.derived[predicate]
        if not self._relations:
            self._relations = {name: RowIndex() for name in self._fluents}
            for name, *row in self._state:
                self._relations[name].rows.add(tuple(row))
        return self._relations[predicate]

    def newest(self, predicate: str) -> RowIndex:
        """Return the rows of a derived predicate that the last round of rules has added."""
        return self._newest[predicate]

    @property
    def derived(self) -> dict[str, RowIndex]:
        """The relations of derived predicates, which are computed at the first use."""
        if self._derived is None:
            self._derived = {rule.predicate: RowIndex() for layer in self._layers for rule in layer}
            for layer in self._layers:
                self._derive(layer, self._derived)
        return self._derived

    def _derive(
        self,
        layer: Layer,
        derived: dict[str, RowIndex],
    ) -> None:
        """Evaluate the rules of a layer, round by round, and add the rows to `derived`."""
        jobs = [(rule, rule.query) for rule in layer]
        again = list(_again(layer))
        while jobs:
            newest = {rule.predicate: RowIndex() for rule in layer}
            for rule, query in jobs:
                old_rows = derived[rule.predicate].rows
                for binding in query({}, self):
                    row = tuple([binding[variable] for variable in rule.variables])
                    if row not in old_rows:
                        newest[rule.predicate].rows.add(row)
            self._newest = newest
            jobs = again if _add_rows(derived, newest) else []


def _again(layer: Layer) -> Iterator[tuple[CompiledRule, Query]]:
    """Yield each rule of a layer with each of its queries for later rounds."""
    for rule in layer:
        for query in rule.again:
            yield rule, query


def _add_rows(
    derived: Mapping[str, RowIndex],
    newest: Mapping[str, RowIndex],
) -> bool:
    """Add the new rows of a round to `derived`; return whether there were new rows."""
    for predicate, relation in newest.items():
        for row in relation.rows:
            derived[predicate].add(row)
    return any(relation.rows for relation in newest.values())
