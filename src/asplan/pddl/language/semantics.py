"""What a task means: states, actions and a goal, at the level of the PDDL text.

Nothing is translated or grounded beforehand, so this is slow to search in. It is made to check
plans, and to tell whether something faster is right.

Negation in the rules of derived predicates must be stratified: none may depend on its own negation
(Thiebaux, Hoffmann and Nebel, In Defense of PDDL Axioms, Artificial Intelligence 168, 2005).

>>> from clingo import Function
>>> from asplan.pddl.language import PddlSource, task_of_sources
>>> domain = '''(define (domain doors) (:predicates (open ?d) (key ?d))
...   (:action Open :parameters (?d) :precondition (key ?d) :effect (open ?d)))'''
>>> problem = '''(define (problem two) (:domain doors) (:objects A B)
...   (:init (key A)) (:goal (open A)))'''
>>> model = TextModel(task_of_sources(PddlSource("d", domain), PddlSource("p", problem)))
>>> [str(action) for action in model.actions(model.initial)]
['open(a)']
>>> model.why_not(model.initial, model.parse_action(Function("open", [Function("b")])))
'(key B) does not hold'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import groupby
from textwrap import fill
from typing import NamedTuple

from clingo import Symbol, parse_term

from asplan.core.graphs import components
from asplan.core.text import amount, shortened
from asplan.domains.model import Model
from asplan.pddl.language import conditions, syntax
from asplan.pddl.language.conditions import EQUAL, Interpretation, Relation, check_of, query_of
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.names import PddlNames, names_of, number_text, written
from asplan.pddl.language.syntax import Formula, GroundAtom, Row, TaskText, substitute


@dataclass(frozen=True)
class _Rule:
    """The head of a rule, and the search for its rows.

    `again` finds those that are new if the round before has derived something; it is empty where
    the rule does not depend on its own layer.
    """

    predicate: str
    variables: tuple[str, ...]
    query: conditions.Query
    again: tuple[conditions.Query, ...]


Layer = tuple[_Rule, ...]


def layers_of(task: TaskText) -> tuple[Layer, ...]:
    """The rules of a task, layer by layer.

    Raises `InputError` if a predicate depends on its own negation.
    """
    normalizer = conditions.Normalizer(task)
    rules: list[tuple[str, conditions.Ranges, conditions.Condition]] = []
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
    found: list[list[_Rule]] = [[] for _ in layers]
    for head, ranges, body in rules:
        for layer, same in zip(found, layers, strict=True):
            if head in same:
                query, variables = query_of(ranges, body), tuple(variable for variable, _ in ranges)
                own = [
                    part
                    for part in conditions.conjuncts(body)[0]
                    if any(literal.predicate in same for literal in conditions.literals(part))
                ]
                atoms = [part for part in own if isinstance(part, conditions.Literal)]
                again = [query_of(ranges, body, first=part) for part in atoms]
                again = [query] if len(atoms) < len(own) else again
                layer.append(_Rule(head, variables, query, tuple(again)))
    return tuple(map(tuple, found))


class World(Interpretation):
    """A state with all that holds in it: what is the same in all states, and what is derived."""

    def __init__(
        self, model: TextModel, state: State, values: Mapping[GroundAtom, Fraction]
    ) -> None:
        super().__init__(values)
        self._state, self._static, self._fluents = state, model.static, model.task.fluents
        self._layers = model.layers
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


State = frozenset[GroundAtom]  # the atoms that hold, of predicates that actions change


class GroundAction(NamedTuple):
    """An action with its arguments, in lower case; `term` is what it is called in ASP."""

    name: str
    arguments: Row
    term: str

    def __str__(self) -> str:
        return self.term


class Compiled:
    """An action, compiled: `bound` gives its parameters names of their own."""

    def __init__(self, normalizer: conditions.Normalizer, action: syntax.Action) -> None:
        schema = normalizer.schema(action)
        self.action, self.bound, self.ranges = action, schema.bound, schema.ranges
        self.applies = check_of(schema.condition)
        self.query = query_of(self.ranges, schema.condition)
        variables = tuple(self.bound.values())
        self.changes = [(c, query_of(c.ranges, c.condition, variables)) for c in schema.changes]
        self.assignments = [
            (a, query_of(a.ranges, a.condition, variables)) for a in schema.assignments
        ]
        cost = action.cost
        self.cost = cost if isinstance(cost, int) else cost.ground(self.bound)

    def binding(self, arguments: Row) -> dict[str, str]:
        return dict(zip(self.bound.values(), arguments, strict=True))

    def changed(
        self, binding: dict[str, str], world: World
    ) -> tuple[set[GroundAtom], set[GroundAtom]]:
        """The atoms that it adds, and those that it deletes unless it adds them."""
        added: set[GroundAtom] = set()
        deleted: set[GroundAtom] = set()
        for change, query in self.changes:
            target = added if change.positive else deleted
            target.update(substitute(change.atom, found) for found in query(binding, world))
        return added, deleted


class TextModel(Model[State, GroundAction]):
    """A task whose actions can be executed; raises `InputError` if its rules are not stratified."""

    expansion_effort = 20.0

    def __init__(self, task: TaskText, names: PddlNames | None = None) -> None:
        self.task, self.names, self.layers = task, names or names_of(task), layers_of(task)
        self._given = [atom.ground() for atom in task.problem.initial]

    @property
    def has_costs(self) -> bool:
        return self.task.has_costs

    @cached_property
    def initial(self) -> State:
        return frozenset(atom for atom in self._given if atom[0] in self.task.fluents)

    def actions(self, state: State) -> Iterator[GroundAction]:
        """The actions that apply, in the order of their declaration and that of the objects."""
        order = {key: index for index, key in enumerate(self.task.objects)}
        for name in self._declared:
            schema = self._schema(name)
            variables = tuple(schema.bound.values())
            bindings = schema.query({}, self.world(state))
            found = {tuple([binding[variable] for variable in variables]) for binding in bindings}
            for arguments in sorted(found, key=lambda row: [order[key] for key in row]):
                if self._lacks(state, schema, arguments) is None:
                    yield self._instance(name, arguments)

    def apply(self, state: State, action: GroundAction) -> State:
        """The state that follows; what is both deleted and added holds."""
        schema = self._schema(action.name)
        added, deleted = schema.changed(schema.binding(action.arguments), self.world(state))
        return (state - deleted) | added

    def is_goal(self, state: State) -> bool:
        return self._goal({}, self.world(state))

    def why_not_goal(self, state: State) -> str | None:
        """The first part of the goal that does not hold; None if all of it does."""
        return self.why_false(self.world(state), self.task.problem.goal, {})

    def cost(self, state: State, action: GroundAction) -> int:
        """What an action costs: 1 where the problem does not minimize `total-cost`."""
        if not self.has_costs:
            return 1
        schema = self._schema(action.name)
        if isinstance(schema.cost, int):
            return schema.cost
        return int(self.task.values[substitute(schema.cost, schema.binding(action.arguments))])

    def parse_action(self, term: Symbol) -> GroundAction:
        return self.action(*self.names.action_of(term))

    def action(self, name: str, arguments: Row) -> GroundAction:
        """An action by its name and its arguments, in lower case.

        Raises `ValueError`, which says so, if their number or a type is wrong.
        """
        schema = self._schema(name)
        parameters = schema.action.parameters
        written = shortened(self.names.spelled(schema.action.name.text, *arguments), 100)
        if len(arguments) != len(parameters):
            takes = f"{schema.action.name} takes {amount(len(parameters), 'argument')}"
            raise ValueError(f"{written} is no action: {takes}, not {len(arguments)}")
        for word, typed, (_, objects) in zip(arguments, parameters, schema.ranges, strict=True):
            if word not in objects:
                spelled = self.names.objects.spelling[word]
                kind = " or ".join(map(str, typed.types))
                raise ValueError(f"{written}: {typed.name} is of type {kind}, {spelled} is not")
        return self._instance(name, arguments)

    def why_not(self, state: State, action: GroundAction) -> str | None:
        """The part of the precondition that does not hold, as PDDL; None if the action applies."""
        schema, world = self._schema(action.name), self.world(state)
        binding = schema.binding(action.arguments)
        if not schema.applies(binding, world):
            bound = {key: binding[variable] for key, variable in schema.bound.items()}
            return self.why_false(world, schema.action.precondition, bound)
        return self._lacks(state, schema, action.arguments)

    def fluents(self, state: State) -> Iterator[Symbol]:
        """All atoms that hold, also those that are static or derived."""
        yield from self._static_symbols
        derived = self.world(state).derived.items()
        rows = ((name, *row) for name, relation in derived for row in relation.rows)
        yield from map(self._symbol, sorted((*state, *rows)))

    def text(self, state: State) -> str:
        lines = (
            " ".join(self.names.written_atom(*atom) for atom in atoms)
            for _, atoms in groupby(sorted(state), key=lambda atom: atom[0])
        )
        return "\n".join(fill(line, 100, break_on_hyphens=False) for line in lines)

    @cached_property
    def world(self) -> Callable[[State], World]:
        """A state with all that holds in it."""
        return lru_cache(maxsize=4)(lambda state: self.world_with(state, {}))

    def world_with(self, state: State, values: Mapping[GroundAtom, Fraction]) -> World:
        """The same, where functions have values that the state does not know."""
        return World(self, state, values)

    @cached_property
    def static(self) -> dict[str, Relation]:
        """What is the same in all states."""
        fluents, derived = self.task.fluents, self.task.derived
        declared = (signature.name.key for signature in self.task.domain.predicates)
        static = {name: Relation() for name in declared if name not in fluents | derived}
        static[EQUAL] = Relation((key, key) for key in self.task.objects)
        for name, *row in self._given:
            if name in static:
                static[name].rows.add(tuple(row))
        return static

    @cached_property
    def _declared(self) -> dict[str, syntax.Action]:
        return {action.name.key: action for action in self.task.domain.actions}

    @cached_property
    def _schema(self) -> Callable[[str], Compiled]:
        """An action is compiled when it is first needed: a domain may have thousands of them."""
        normalizer = conditions.Normalizer(self.task)
        return cache(lambda name: Compiled(normalizer, self._declared[name]))

    @cached_property
    def _goal(self) -> conditions.Test:
        return check_of(conditions.Normalizer(self.task).condition(self.task.problem.goal, {}))

    def _lacks(self, state: State, schema: Compiled, arguments: Row) -> str | None:
        """What keeps an action from applying whose precondition holds: its cost has no value."""
        if not self.has_costs or isinstance(schema.cost, int):
            return None
        function = substitute(schema.cost, schema.binding(arguments))
        if function in self.task.values:
            return None
        if function[0].endswith("@"):  # made of an expression, see `plain`
            return "its cost has no value in (:init …)"
        return f"{self.names.written_atom(*function)} has no value, so it has no cost"

    def _instance(self, name: str, arguments: Row) -> GroundAction:
        return GroundAction(name, arguments, self.names.action(name, arguments))

    @cached_property
    def _static_symbols(self) -> list[Symbol]:
        static = {atom for atom in self._given if atom[0] not in self.task.fluents}
        return list(map(self._symbol, sorted(static)))

    @cached_property
    def _symbol(self) -> Callable[[GroundAtom], Symbol]:
        return cache(lambda atom: parse_term(self.names.atom(atom[0], atom[1:])))

    def holds(self, world: World, formula: Formula, bound: Mapping[str, str]) -> bool:
        """Whether a condition holds."""
        return check_of(conditions.Normalizer(self.task).condition(formula, bound))({}, world)

    def why_false(self, world: World, formula: Formula, bound: Mapping[str, str]) -> str | None:
        """The first part of a condition that does not hold; None if all of it does."""
        if self.holds(world, formula, bound):
            return None
        normalizer = conditions.Normalizer(self.task)
        match formula:
            case syntax.Compare():
                return self._why_unequal(world, formula, bound, "does not hold")
            case syntax.Connected("not", (syntax.Compare() as body,)):
                return self._why_unequal(world, body, bound, "holds")
            case syntax.Connected("and", parts):
                reasons = (self.why_false(world, part, bound) for part in parts)
                return next(why for why in reasons if why is not None)
            case syntax.Connected("not", (syntax.Atom() | syntax.Equal() as body,)):
                return f"{written(body, bound, self.names)} holds"
            case syntax.Connected("imply", (left, right)) if self.holds(world, left, bound):
                given = shortened(written(left, bound, self.names))
                return f"{self.why_false(world, right, bound)}, although {given} holds"
            case syntax.Quantified("forall", variables, body):
                inner, ranges = normalizer.bind(variables, bound)
                fails = query_of(ranges, normalizer.condition(body, inner, False, undefined=True))
                found = next(fails({}, world))
                values = {typed.name.key: found[inner[typed.name.key]] for typed in variables}
                return self.why_false(world, body, {**bound, **values})
        return f"{shortened(written(formula, bound, self.names))} does not hold"

    def _why_unequal(
        self, world: World, compare: syntax.Compare, bound: Mapping[str, str], how: str
    ) -> str:
        """What a comparison comes to, with what its functions are."""
        sides = compare.left, compare.right
        try:
            for side in sides:
                conditions.value_of(side, bound)({}, world)
        except (KeyError, ZeroDivisionError):
            how = "cannot be told"
        functions = (function.ground(bound) for function in syntax.functions(*sides))
        told = dict.fromkeys(self.told_value(world, function) for function in functions)
        text = shortened(written(compare, bound, self.names))
        return f"{text} {how}{': ' if told else ''}{' and '.join(told)}"

    def told_value(self, world: World, function: GroundAtom) -> str:
        """What a function is, in words."""
        text = function[0] if function[0][0] == "?" else self.names.written_atom(*function)
        try:
            return f"{text} is {number_text(world.value(function))}"
        except KeyError:
            return f"{text} has no value"
