"""The semantics of a task: states, actions and a goal, at the level of the PDDL text.

Nothing is translated or grounded, so searches in this model are slow. It checks plans, and serves
as an oracle for faster models.

Rules of derived predicates must be stratified: no predicate may depend on its own negation
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
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from textwrap import fill
from typing import NamedTuple

from asplan.clingo import Symbol, parse_term
from asplan.core.text import amount, shortened
from asplan.domains.model import Model
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import EQUAL, Normalizer
from asplan.pddl.language.interpretation import RowIndex, value_of
from asplan.pddl.language.names import PddlNames, names_of, number_text
from asplan.pddl.language.plain import MADE_COST
from asplan.pddl.language.queries import Test, check_of, query_of
from asplan.pddl.language.syntax import (
    Formula,
    GroundAtom,
    Row,
    TaskText,
    Typed,
    substitute,
)
from asplan.pddl.language.world import State, World, layers_of
from asplan.pddl.language.writing import written


class GroundAction(NamedTuple):
    """An action with its arguments, all in lower case; `term` is the action as an ASP term."""

    name: str
    arguments: Row
    term: str

    def __str__(self) -> str:
        return self.term


class CompiledAction:
    """An action whose conditions and effects are compiled to functions.

    Variables get unique names, so that nested quantifiers cannot confuse them.

    Attributes
    ----------
    action
        The action as its file defines it.
    bound
        The unique name of each parameter, by its name in the file.
    ranges
        The unique names of the parameters, each with the objects that may be its value.
    applies
        A test of the precondition for given arguments.
    query
        A query for the arguments that satisfy the precondition.
    changes, assignments
        The effects on atoms and on functions. With each effect comes a query for the choices of
        objects for which the effect happens.
    cost
        The cost: a number, or a function of the parameters' unique names.
    """

    def __init__(
        self,
        normalizer: Normalizer,
        action: syntax.PddlAction,
    ) -> None:
        schema = normalizer.schema(action)
        self.action = action
        self.bound = schema.bound
        self.ranges = schema.ranges
        self.applies = check_of(schema.condition)
        self.query = query_of(self.ranges, schema.condition)
        variables = tuple(self.bound.values())
        self.changes = [
            (change, query_of(change.ranges, change.condition, variables))
            for change in schema.changes
        ]
        self.assignments = [
            (assignment, query_of(assignment.ranges, assignment.condition, variables))
            for assignment in schema.assignments
        ]
        cost = action.cost
        self.cost = cost if isinstance(cost, int) else cost.ground(self.bound)

    def binding(self, arguments: Row) -> dict[str, str]:
        """Return a map from the unique name of each parameter to the parameter's argument."""
        return dict(zip(self.bound.values(), arguments, strict=True))

    def changed(
        self,
        binding: dict[str, str],
        world: World,
    ) -> tuple[set[GroundAtom], set[GroundAtom]]:
        """Return the sets of added and of deleted atoms; an atom in both sets holds afterwards.

        `binding` is the result of the method `binding`; `world` is the state before the action.
        """
        added: set[GroundAtom] = set()
        deleted: set[GroundAtom] = set()
        for change, query in self.changes:
            target = added if change.positive else deleted
            target.update(substitute(change.atom, solution) for solution in query(binding, world))
        return added, deleted


class TextModel(Model[State, GroundAction]):
    """A task without numbers and durations as a transition system.

    A state is the set of true atoms of the predicates that actions change. `InputError` is raised
    if the rules of derived predicates are not stratified.
    """

    expansion_effort = 20.0

    def __init__(
        self,
        task: TaskText,
        names: PddlNames | None = None,
    ) -> None:
        self.task = task
        self.names = names or names_of(task)
        self.layers = layers_of(task)
        self._initial_atoms = [atom.ground() for atom in task.problem.initial]

    @property
    def has_costs(self) -> bool:
        """True if the problem minimizes the costs of actions."""
        return self.task.has_costs

    @cached_property
    def initial(self) -> State:
        """The initial state: the state at time 0."""
        return frozenset(atom for atom in self._initial_atoms if atom[0] in self.task.fluents)

    def actions(self, state: State) -> Iterator[GroundAction]:
        """Yield the applicable actions, in the declared order of actions and objects."""
        order = {key: index for index, key in enumerate(self.task.objects)}
        for name in self._declared:
            schema = self._schema(name)
            variables = tuple(schema.bound.values())
            solutions = schema.query({}, self.world(state))
            rows = {tuple([binding[variable] for variable in variables]) for binding in solutions}
            for arguments in sorted(rows, key=lambda row: [order[key] for key in row]):
                if self._lacks(state, schema, arguments) is None:
                    yield self._instance(name, arguments)

    def apply(
        self,
        state: State,
        action: GroundAction,
    ) -> State:
        """Return the successor state; an atom that is both deleted and added holds there."""
        schema = self._schema(action.name)
        added, deleted = schema.changed(schema.binding(action.arguments), self.world(state))
        return (state - deleted) | added

    def is_goal(self, state: State) -> bool:
        """Return whether the goal holds in a state."""
        return self._goal({}, self.world(state))

    def why_not_goal(self, state: State) -> str | None:
        """Return the first false part of the goal as text for a message; None if the goal holds."""
        return self.why_false(self.world(state), self.task.problem.goal, {})

    def cost(
        self,
        state: State,
        action: GroundAction,
    ) -> int:
        """Return the cost of an action; 1 if the problem does not minimize `total-cost`."""
        if not self.has_costs:
            return 1
        schema = self._schema(action.name)
        if isinstance(schema.cost, int):
            return schema.cost
        function = substitute(schema.cost, schema.binding(action.arguments))
        return int(self.task.values[function])

    def parse_action(self, term: Symbol) -> GroundAction:
        """Return the action that an ASP term names; raise `ValueError` if it names none."""
        return self.action(*self.names.action_of(term))

    def action(
        self,
        name: str,
        arguments: Row,
    ) -> GroundAction:
        """Return the action with this name and these arguments, all in lower case.

        Raises `ValueError` if the number of arguments or the type of one is wrong.
        """
        schema = self._schema(name)
        parameters = schema.action.parameters
        text = shortened(self.names.spelled(schema.action.name.text, *arguments), 100)
        if len(arguments) != len(parameters):
            takes = f"{schema.action.name} takes {amount(len(parameters), 'argument')}"
            raise ValueError(f"{text} is not an action: {takes}, not {len(arguments)}")
        for word, typed, (_, objects) in zip(arguments, parameters, schema.ranges, strict=True):
            if word not in objects:
                raise ValueError(f"{text}: {self._wrong_type(typed, word)}")
        return self._instance(name, arguments)

    def _wrong_type(
        self,
        parameter: Typed,
        word: str,
    ) -> str:
        """Return text for a message: the object `word` does not have the type of a parameter."""
        kind = " or ".join(map(str, parameter.types))
        return f"{parameter.name} is of type {kind}, {self.names.objects.spelling[word]} is not"

    def why_not(
        self,
        state: State,
        action: GroundAction,
    ) -> str | None:
        """Return why an action does not apply in a state; None if the action applies.

        The reason is the first part of the precondition that does not hold.
        """
        schema = self._schema(action.name)
        world = self.world(state)
        binding = schema.binding(action.arguments)
        if schema.applies(binding, world):
            return self._lacks(state, schema, action.arguments)
        bound = {key: binding[variable] for key, variable in schema.bound.items()}
        return self.why_false(world, schema.action.precondition, bound)

    def fluents(self, state: State) -> Iterator[Symbol]:
        """Yield all true atoms of a state as ASP terms, including static and derived atoms."""
        yield from self._static_symbols
        atoms = list(state)
        for name, relation in self.world(state).derived.items():
            atoms += ((name, *row) for row in relation.rows)
        yield from map(self._symbol, sorted(atoms))

    def text(self, state: State) -> str:
        """Return the atoms of a state as PDDL text, one line for each predicate."""
        lines: list[str] = []
        for _, atoms in groupby(sorted(state), key=itemgetter(0)):
            line = " ".join(self.names.written_atom(*atom) for atom in atoms)
            lines.append(fill(line, 100, break_on_hyphens=False))
        return "\n".join(lines)

    @cached_property
    def world(self) -> Callable[[State], World]:
        """A function from a state to its `World`, which can evaluate conditions."""
        return lru_cache(maxsize=4)(lambda state: self.world_with(state, {}))

    def world_with(
        self,
        state: State,
        values: Mapping[GroundAtom, Fraction],
    ) -> World:
        """Return the `World` of a state, with the values of functions in `values`."""
        return World(state, self.task.fluents, self.static, self.layers, values)

    @cached_property
    def static(self) -> dict[str, RowIndex]:
        """The relations of predicates that nothing changes, equality included."""
        changing = self.task.fluents | self.task.derived
        declared = (signature.name.key for signature in self.task.domain.predicates)
        static = {name: RowIndex() for name in declared if name not in changing}
        static[EQUAL] = RowIndex((key, key) for key in self.task.objects)
        for name, *row in self._initial_atoms:
            if name in static:
                static[name].rows.add(tuple(row))
        return static

    @cached_property
    def _declared(self) -> dict[str, syntax.PddlAction]:
        """The actions of the domain by name."""
        return {action.name.key: action for action in self.task.domain.actions}

    @cached_property
    def _schema(self) -> Callable[[str], CompiledAction]:
        """A function from the name of an action to the compiled action.

        An action is compiled at the first call, because a domain may have thousands of actions.
        """
        normalizer = Normalizer(self.task)
        return cache(lambda name: CompiledAction(normalizer, self._declared[name]))

    @cached_property
    def _goal(self) -> Test:
        """A test whether the goal holds."""
        condition = Normalizer(self.task).condition(self.task.problem.goal, {})
        return check_of(condition)

    def _lacks(
        self,
        state: State,
        schema: CompiledAction,
        arguments: Row,
    ) -> str | None:
        """Return the reason why an action does not apply although its precondition holds.

        The reason is that its cost has no value. Return None if the action applies.
        """
        if not self.has_costs or isinstance(schema.cost, int):
            return None
        function = substitute(schema.cost, schema.binding(arguments))
        if function in self.task.values:
            return None
        if function[0].endswith(MADE_COST):
            return "its cost has no value in (:init …)"
        return f"{self.names.written_atom(*function)} has no value, so it has no cost"

    def _instance(
        self,
        name: str,
        arguments: Row,
    ) -> GroundAction:
        """Return an action with its ASP term."""
        return GroundAction(name, arguments, self.names.action(name, arguments))

    @cached_property
    def _static_symbols(self) -> list[Symbol]:
        """The true atoms of static predicates as ASP terms."""
        static = {atom for atom in self._initial_atoms if atom[0] not in self.task.fluents}
        return list(map(self._symbol, sorted(static)))

    @cached_property
    def _symbol(self) -> Callable[[GroundAtom], Symbol]:
        """A function from an atom to its ASP term."""
        return cache(lambda atom: parse_term(self.names.atom(atom[0], atom[1:])))

    # Reasons.

    def holds(
        self,
        world: World,
        formula: Formula,
        bound: Mapping[str, str],
    ) -> bool:
        """Return whether a condition holds; `bound` has the values of its free variables."""
        condition = Normalizer(self.task).condition(formula, bound)
        return check_of(condition)({}, world)

    def why_false(
        self,
        world: World,
        formula: Formula,
        bound: Mapping[str, str],
    ) -> str | None:
        """Return the first false part of a condition as text for a message.

        For example, return `(on a b) does not hold`. Return None if the condition holds.
        `bound` has the values of the condition's free variables.
        """
        if self.holds(world, formula, bound):
            return None
        match formula:
            case syntax.Compare():
                return self._why_unequal(world, formula, bound, "does not hold")
            case syntax.Connected("not", (syntax.Compare() as body,)):
                return self._why_unequal(world, body, bound, "holds")
            case syntax.Connected("and", parts):
                reasons = (self.why_false(world, part, bound) for part in parts)
                return next(filter(None, reasons))
            case syntax.Connected("not", (syntax.Atom() | syntax.Equal() as body,)):
                return f"{written(body, bound, self.names)} holds"
            case syntax.Connected("imply", (left, right)) if self.holds(world, left, bound):
                premise = shortened(written(left, bound, self.names))
                return f"{self.why_false(world, right, bound)}, although {premise} holds"
            case syntax.Quantified("forall"):
                return self._why_not_all(world, formula, bound)
        return f"{shortened(written(formula, bound, self.names))} does not hold"

    def _why_not_all(
        self,
        world: World,
        formula: syntax.Quantified,
        bound: Mapping[str, str],
    ) -> str | None:
        """Return the reason why a `forall` does not hold, as text for a message.

        The reason is the first choice of objects for which the body is false.
        """
        normalizer = Normalizer(self.task)
        inner, ranges = normalizer.bind(formula.variables, bound)
        negated = normalizer.condition(formula.body, inner, positive=False, undefined=True)
        violation = next(query_of(ranges, negated)({}, world))
        keys = (typed.name.key for typed in formula.variables)
        values = {key: violation[inner[key]] for key in keys}
        return self.why_false(world, formula.body, {**bound, **values})

    def _why_unequal(
        self,
        world: World,
        compare: syntax.Compare,
        bound: Mapping[str, str],
        verb: str,
    ) -> str:
        """Return a comparison and the values of its functions as text for a message.

        `verb` follows the comparison in this text: "holds" or "does not hold".
        """
        sides = (compare.left, compare.right)
        if not self._have_values(world, sides, bound):
            verb = "cannot be evaluated"
        functions = (function.ground(bound) for function in syntax.functions(*sides))
        values = dict.fromkeys(self.value_text(world, function) for function in functions)
        text = shortened(written(compare, bound, self.names))
        return f"{text} {verb}{': ' if values else ''}{' and '.join(values)}"

    def _have_values(
        self,
        world: World,
        expressions: tuple[syntax.Expression, ...],
        bound: Mapping[str, str],
    ) -> bool:
        """Return whether all expressions have a value."""
        try:
            for expression in expressions:
                value_of(expression, bound)({}, world)
        except (KeyError, ZeroDivisionError):
            return False
        return True

    def value_text(
        self,
        world: World,
        function: GroundAtom,
    ) -> str:
        """Return the value of a function as text: `(fuel a) is 5` or `(fuel a) has no value`."""
        is_variable = function[0][0] == "?"
        text = function[0] if is_variable else self.names.written_atom(*function)
        try:
            return f"{text} is {number_text(world.value(function))}"
        except KeyError:
            return f"{text} has no value"
