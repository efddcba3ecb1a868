"""Derived predicates: their rules, layer by layer, and what they say of a state.

Negation must be stratified: no predicate may depend on its own negation (Thiebaux, Hoffmann and
Nebel, In Defense of PDDL Axioms, Artificial Intelligence 168, 2005). In a layer, rules are applied
until nothing new follows, each time to what was new the time before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import groupby
from textwrap import fill
from typing import NamedTuple

from clingo import Symbol, parse_term

from asplan.domains.model import Model
from asplan.pddl.language.conditions import (
    Binding,
    Change,
    Condition,
    Facts,
    Literal,
    Normalizer,
    Objects,
    Query,
    Ranges,
    Relation,
    Row,
    Test,
    alternatives,
    check_of,
    conjuncts,
    literals,
    query_of,
)
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.names import Names, names_of
from asplan.pddl.language.syntax import (
    Action,
    Add,
    And,
    Atom,
    Cost,
    Delete,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Increase,
    Not,
    Or,
    Typed,
    inside,
)
from asplan.pddl.language.task import Task
from asplan.text import shortened


@dataclass(frozen=True)
class Deriving:
    """A rule: its head, the search for rows, and the same with one atom among the newest.

    Attributes
    ----------
    again
        What finds all rows that are new if the round before has derived something; None where the
        rule does not depend on its own layer.
    """

    predicate: str
    variables: tuple[str, ...]
    query: Query
    again: tuple[Query, ...]

    def rows(self, query: Query, facts: Facts) -> Iterator[Row]:
        """The rows that a search finds."""
        for binding in query({}, facts):
            yield tuple([binding[variable] for variable in self.variables])


Layer = tuple[Deriving, ...]


def layers_of(task: Task) -> tuple[Layer, ...]:
    """The rules of a task, layer by layer.

    Raises
    ------
    InputError
        A predicate depends on its own negation.
    """
    normalizer = Normalizer(task)
    rules: list[tuple[str, Ranges, Condition]] = []
    for rule in task.domain.rules:
        bound, ranges = normalizer.bind(rule.parameters, {})
        body = normalizer.condition(rule.body, bound)
        rules += ((rule.name.key, ranges, part) for part in alternatives(body) or [body])
    levels = _levels(task, [(head, body) for head, _, body in rules])
    return tuple(
        tuple(
            _deriving(head, ranges, body, {p for p, at in levels.items() if at == level})
            for head, ranges, body in rules
            if levels[head] == level
        )
        for level in sorted(set(levels.values()))
    )


def _levels(task: Task, rules: list[tuple[str, Condition]]) -> dict[str, int]:
    """The layer of each derived predicate, from 0."""
    levels = {head: 0 for head, _ in rules}
    needs = {
        (head, literal.predicate, literal.positive)
        for head, body in rules
        for literal in literals(body)
        if literal.predicate in levels
    }
    changed = True
    while changed:
        changed = False
        for head, below, positive in needs:
            if levels[head] < (least := levels[below] + (not positive)):
                if least >= len(levels):
                    name = next(r.name for r in task.domain.rules if r.name.key == head)
                    hint = "rules may use negation only of what they do not help to derive"
                    raise wrong(name, f"{name} depends on its own negation", hint)
                levels[head], changed = least, True
    return levels


def _deriving(head: str, ranges: Ranges, body: Condition, same: Collection[str]) -> Deriving:
    query = query_of(ranges, body)
    parts, _ = conjuncts(body)
    again: tuple[Query, ...] = ()
    inside = [p for p in parts if any(literal.predicate in same for literal in literals(p))]
    if all(isinstance(part, Literal) for part in inside):
        again = tuple(query_of(ranges, body, first=p) for p in inside if isinstance(p, Literal))
    else:
        again = (query,)
    return Deriving(head, tuple(variable for variable, _ in ranges), query, again)


class World:
    """A state with all that holds in it: what is the same in all states, and what is derived."""

    def __init__(
        self,
        state: frozenset[Row],
        static: Mapping[str, Relation],
        fluent: Collection[str],
        layers: tuple[Layer, ...],
    ) -> None:
        self._state, self._static, self._fluent = state, static, fluent
        self._layers = layers
        self._relations: dict[str, Relation] = {}
        self._derived: dict[str, Relation] | None = None
        self._newest: dict[str, Relation] = {}

    def holds(self, predicate: str, row: Row) -> bool:
        """Whether an atom holds."""
        if predicate in self._fluent:
            return (predicate, *row) in self._state
        return row in self.relation(predicate).rows

    def relation(self, predicate: str) -> Relation:
        """All rows of a predicate."""
        if predicate in self._static:
            return self._static[predicate]
        if predicate in self._fluent:
            if not self._relations:
                self._relations = {name: Relation() for name in self._fluent}
                for name, *row in self._state:
                    self._relations[name].rows.add(tuple(row))
            return self._relations[predicate]
        return self.derived[predicate]

    def newest(self, predicate: str) -> Relation:
        """The rows that the round before has derived."""
        return self._newest[predicate]

    @property
    def derived(self) -> dict[str, Relation]:
        """All derived predicates."""
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
                newest[rule.predicate].rows.update(
                    row for row in rule.rows(query, self) if row not in known
                )
            for predicate, relation in newest.items():
                for row in relation.rows:
                    derived[predicate].add(row)
            self._newest = newest
            progress = any(relation.rows for relation in newest.values())
            jobs = [(rule, q) for rule in layer for q in rule.again] if progress else []


# Actions made ready to be executed.


GroundAtom = tuple[str, ...]
"""A predicate with its arguments, in lower case."""


@dataclass(frozen=True)
class Operator:
    """An action.

    Attributes
    ----------
    variables
        The parameters, each under a name of its own.
    ranges
        The objects that each parameter may be.
    applies
        Whether the precondition holds.
    search
        The arguments for which it does.
    changes
        What is added or deleted, each with the search for the objects for which it is.
    cost
        A number, or a function that gives one; 0 where the action says nothing.
    """

    action: Action
    variables: tuple[str, ...]
    ranges: tuple[Objects, ...]
    applies: Test
    search: Query
    changes: tuple[tuple[Change, Query], ...]
    cost: int | Cost

    def binding(self, arguments: Row) -> Binding:
        """The values of the parameters."""
        return dict(zip(self.variables, arguments, strict=True))

    def changed(self, binding: Binding, facts: Facts) -> tuple[set[GroundAtom], set[GroundAtom]]:
        """The atoms that are added, and those that are deleted."""
        added: set[GroundAtom] = set()
        deleted: set[GroundAtom] = set()
        for change, search in self.changes:
            target = added if change.positive else deleted
            for found in search(binding, facts):
                words = [found.get(word, word) for word in change.arguments]
                target.add((change.predicate, *words))
        return added, deleted

    def key_of(self, arguments: Row) -> GroundAtom:
        """The function on which the cost depends, with its arguments."""
        assert isinstance(self.cost, Cost)
        values = {
            typed.name.key: value
            for typed, value in zip(self.action.parameters, arguments, strict=True)
        }
        return self.cost.function.key, *(values.get(w.key, w.key) for w in self.cost.arguments)


def operator_of(normalizer: Normalizer, action: Action) -> Operator:
    """An action made ready; all variables of a task come from one normalizer."""
    bound, ranges = normalizer.bind(action.parameters, {})
    condition = normalizer.condition(action.precondition, bound)
    known = tuple(variable for variable, _ in ranges)
    changes = normalizer.changes(action.effect, bound)
    return Operator(
        action=action,
        variables=known,
        ranges=tuple(objects for _, objects in ranges),
        applies=check_of(condition),
        search=query_of(ranges, condition),
        changes=tuple((c, query_of(c.ranges, c.condition, known)) for c in changes),
        cost=next(_increases(action), 0),
    )


def _increases(action: Action) -> Iterator[int | Cost]:
    return (p.amount for p, _ in inside(action.effect, {}) if isinstance(p, Increase))


# Conditions as PDDL text, with objects in place of variables.


def written(formula: Formula, bound: Mapping[str, str], names: Names) -> str:
    """A condition in which variables that have a value are replaced by it."""

    def inner(*parts: Formula) -> str:
        return " ".join(written(part, bound, names) for part in parts)

    match formula:
        case Atom(predicate, arguments):
            words = [bound.get(word.key, word.key) for word in arguments]
            return names.written_atom(predicate.key, words)
        case Equal(left, right):
            return names.spelled("=", [bound.get(word.key, word.key) for word in (left, right)])
        case Not(body):
            return f"(not {inner(body)})"
        case And(parts):
            return f"(and {inner(*parts)})"
        case Or(parts):
            return f"(or {inner(*parts)})"
        case Imply(left, right):
            return f"(imply {inner(left, right)})"
        case Exists(variables, body) | Forall(variables, body):
            own = {typed.name.key for typed in variables}
            outer = {key: value for key, value in bound.items() if key not in own}
            word = "exists" if isinstance(formula, Exists) else "forall"
            return f"({word} ({_list(variables)}) {written(body, outer, names)})"


def _list(variables: tuple[Typed, ...]) -> str:
    return " ".join(f"{typed.name}{_types(typed)}" for typed in variables)


def _types(typed: Typed) -> str:
    if not typed.types:
        return ""
    types = " ".join(map(str, typed.types))
    return f" - {types}" if len(typed.types) == 1 else f" - (either {types})"


# Why a condition does not hold: the part of it that fails, as PDDL text.


def why_false(
    task: Task, names: Names, facts: Facts, formula: Formula, bound: Mapping[str, str]
) -> str | None:
    """The first part of a condition that does not hold; None if all of it does.

    Parameters
    ----------
    bound
        The objects that its free variables stand for.
    """
    if check_of(Normalizer(task).condition(formula, bound))({}, facts):
        return None

    def because(part: Formula, bound: Mapping[str, str]) -> str | None:
        return why_false(task, names, facts, part, bound)

    match formula:
        case And(parts):
            return next(why for part in parts if (why := because(part, bound)) is not None)
        case Not(Atom() | Equal() as body):
            return f"{written(body, bound, names)} holds"
        case Imply(left, right):
            given = shortened(written(left, bound, names))
            return f"{because(right, bound)}, although {given} holds"
        case Forall(variables, body):
            inner, ranges = Normalizer(task).bind(variables, bound)
            fails = query_of(ranges, Normalizer(task).condition(body, inner, positive=False))
            found = next(fails({}, facts))
            values = {typed.name.key: found[inner[typed.name.key]] for typed in variables}
            return because(body, {**bound, **values})
    return f"{shortened(written(formula, bound, names))} does not hold"


# What a task means: states, actions and a goal, at the level of the PDDL text.
#
# Nothing is translated or grounded beforehand, so this is slow to search in. It is made to check
# plans, and to tell whether something faster is right.
#
# >>> from clingo import Function
# >>> from asplan.pddl.language.reading import task_of_texts
# >>> from asplan.pddl.language.lexer import Source
# >>> domain = '''(define (domain doors) (:predicates (open ?d) (key ?d))
# ...   (:action Open :parameters (?d) :precondition (key ?d) :effect (open ?d)))'''
# >>> problem = '''(define (problem two) (:domain doors) (:objects A B)
# ...   (:init (key A)) (:goal (open A)))'''
# >>> model = executed(task_of_texts(Source("d", domain), Source("p", problem)))
# >>> [str(action) for action in model.actions(model.initial)]
# ['open(a)']
# >>> model.why_not(model.initial, model.parse_action(Function("open", [Function("b")])))
# '(key B) does not hold'


State = frozenset[GroundAtom]
"""The atoms that hold, of predicates that actions change."""


class GroundAction(NamedTuple):
    """An action with its arguments, in lower case; `term` is what it is called in ASP."""

    name: str
    arguments: tuple[str, ...]
    term: str

    def __str__(self) -> str:
        return self.term


def executed(task: Task, names: Names | None = None) -> Executed:
    """The model of a task; raises `InputError` if its rules are not stratified."""
    return Executed(task, names or names_of(task), layers_of(task))


@dataclass(frozen=True)
class Executed(Model[State, GroundAction]):
    """A task whose actions can be executed."""

    task: Task
    names: Names
    layers: tuple[Layer, ...]

    @property
    def has_costs(self) -> bool:
        """Whether the costs of actions count."""
        return self.task.problem.minimizes_cost

    @cached_property
    def initial(self) -> State:
        """The state at time 0."""
        return frozenset(atom for atom in self._given if atom[0] in self._fluent)

    def actions(self, state: State) -> Iterator[GroundAction]:
        """The actions that apply, in the order of their declaration and that of the objects."""
        order = {key: index for index, key in enumerate(self.task.objects)}
        for name in self._actions:
            operator = self._operator(name)
            found = {
                tuple([binding[variable] for variable in operator.variables])
                for binding in operator.search({}, self.world(state))
            }
            for arguments in sorted(found, key=lambda row: [order[key] for key in row]):
                if self._has_cost(operator, arguments):
                    yield self._action(name, arguments)

    def apply(self, state: State, action: GroundAction) -> State:
        """The state that follows; what is both deleted and added holds."""
        operator = self._operator(action.name)
        binding = operator.binding(action.arguments)
        added, deleted = operator.changed(binding, self.world(state))
        return (state - deleted) | added

    def is_goal(self, state: State) -> bool:
        """Whether the goal holds."""
        return self._goal({}, self.world(state))

    def why_not_goal(self, state: State) -> str | None:
        """The first part of the goal that does not hold; None if all of it does."""
        return why_false(self.task, self.names, self.world(state), self.task.problem.goal, {})

    def cost(self, state: State, action: GroundAction) -> int:
        """What an action costs: 1 where the problem does not minimize `total-cost`."""
        if not self.task.problem.minimizes_cost:
            return 1
        operator = self._operator(action.name)
        if isinstance(operator.cost, Cost):
            return self._values[operator.key_of(action.arguments)]
        return operator.cost

    def parse_action(self, term: Symbol) -> GroundAction:
        """The action that a term names; raises `ValueError` if it names none."""
        return self.action(*self.names.action_of(term))

    def action(self, name: str, arguments: tuple[str, ...]) -> GroundAction:
        """An action by its name and its arguments, in lower case.

        Raises
        ------
        ValueError
            Their number or a type is wrong; the message says so.
        """
        operator = self._operator(name)
        parameters = operator.action.parameters
        written = shortened(self.names.spelled(operator.action.name.text, arguments), 100)
        if len(arguments) != len(parameters):
            raise ValueError(
                f"{written} is no action: {operator.action.name} takes {len(parameters)} "
                f"argument{'' if len(parameters) == 1 else 's'}, not {len(arguments)}"
            )
        for word, typed, objects in zip(arguments, parameters, operator.ranges, strict=True):
            if word not in objects:
                spelled = self.names.objects.spelling[word]
                kind = " or ".join(map(str, typed.types))
                raise ValueError(f"{written}: {typed.name} is of type {kind}, {spelled} is not")
        return self._action(name, arguments)

    def why_not(self, state: State, action: GroundAction) -> str | None:
        """The part of the precondition that does not hold, as PDDL; None if the action applies."""
        operator = self._operator(action.name)
        if not operator.applies(operator.binding(action.arguments), self.world(state)):
            keys = (typed.name.key for typed in operator.action.parameters)
            bound = dict(zip(keys, action.arguments, strict=True))
            condition = operator.action.precondition
            return why_false(self.task, self.names, self.world(state), condition, bound)
        if not self._has_cost(operator, action.arguments):
            function, *words = operator.key_of(action.arguments)
            return f"{self.names.spelled(function, words)} has no value, so it has no cost"
        return None

    def fluents(self, state: State) -> Iterator[Symbol]:
        """All atoms that hold, also those that are static or derived."""
        yield from self._static_symbols
        rows = (
            (name, *row)
            for name, relation in self.world(state).derived.items()
            for row in relation.rows
        )
        yield from map(self._symbol, sorted((*state, *rows)))

    def text(self, state: State) -> str:
        """The atoms that actions change, a line for each predicate."""
        lines = (
            " ".join(self.names.written_atom(name, words) for _, *words in atoms)
            for name, atoms in groupby(sorted(state), key=lambda atom: atom[0])
        )
        return "\n".join(fill(line, 100, break_on_hyphens=False) for line in lines)

    @property
    def world(self) -> Callable[[State], World]:
        """A state with all that holds in it."""
        return self._worlds

    @cached_property
    def _worlds(self) -> Callable[[State], World]:
        static = {
            signature.name.key: Relation()
            for signature in self.task.domain.predicates
            if signature.name.key not in self._fluent | self._derived
        }
        for name, *row in self._given:
            if name in static:
                static[name].rows.add(tuple(row))
        return lru_cache(maxsize=4)(lambda state: World(state, static, self._fluent, self.layers))

    @cached_property
    def _given(self) -> list[GroundAtom]:
        return [
            (atom.predicate.key, *(word.key for word in atom.arguments))
            for atom in self.task.problem.initial
        ]

    @cached_property
    def _actions(self) -> dict[str, Action]:
        return {action.name.key: action for action in self.task.domain.actions}

    @cached_property
    def _operator(self) -> Callable[[str], Operator]:
        """An action made ready when it is first needed: a domain may have thousands of them."""
        normalizer = Normalizer(self.task)
        return cache(lambda name: operator_of(normalizer, self._actions[name]))

    @cached_property
    def _fluent(self) -> frozenset[str]:
        """The predicates that actions change."""
        parts = (part for a in self._actions.values() for part, _ in inside(a.effect, {}))
        return frozenset(p.atom.predicate.key for p in parts if isinstance(p, Add | Delete))

    @cached_property
    def _derived(self) -> frozenset[str]:
        return frozenset(rule.name.key for rule in self.task.domain.rules)

    @cached_property
    def _goal(self) -> Test:
        return check_of(Normalizer(self.task).condition(self.task.problem.goal, {}))

    @cached_property
    def _values(self) -> dict[GroundAtom, int]:
        """The functions on which costs depend."""
        return {
            (cost.function.key, *(word.key for word in cost.arguments)): value
            for cost, value in self.task.problem.values
        }

    def _has_cost(self, operator: Operator, arguments: tuple[str, ...]) -> bool:
        return (
            not self.task.problem.minimizes_cost
            or isinstance(operator.cost, int)
            or operator.key_of(arguments) in self._values
        )

    def _action(self, name: str, arguments: tuple[str, ...]) -> GroundAction:
        return GroundAction(name, arguments, self.names.action(name, arguments))

    @cached_property
    def _static_symbols(self) -> list[Symbol]:
        return [
            self._symbol(atom) for atom in sorted(set(self._given)) if atom[0] not in self._fluent
        ]

    @cached_property
    def _symbols(self) -> dict[GroundAtom, Symbol]:
        return {}

    def _symbol(self, atom: GroundAtom) -> Symbol:
        if atom not in self._symbols:
            self._symbols[atom] = parse_term(self.names.atom(atom[0], atom[1:]))
        return self._symbols[atom]
