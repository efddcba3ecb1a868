"""What a task means: states, actions and a goal, at the level of the PDDL text.

Nothing is translated or grounded beforehand, so this is slow to search in. It is made to check
plans, and to tell whether something faster is right.

>>> from clingo import Function
>>> from asplan.pddl.reading import task_of_texts
>>> from asplan.pddl.text import Source
>>> domain = '''(define (domain doors) (:predicates (open ?d) (key ?d))
...   (:action Open :parameters (?d) :precondition (key ?d) :effect (open ?d)))'''
>>> problem = '''(define (problem two) (:domain doors) (:objects A B)
...   (:init (key A)) (:goal (open A)))'''
>>> model = executed(task_of_texts(Source("d", domain), Source("p", problem)))
>>> [str(action) for action in model.actions(model.initial)]
['open(a)']
>>> model.why_not(model.initial, model.parse_action(Function("open", [Function("b")])))
'(key B) does not hold'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import groupby
from textwrap import fill
from typing import NamedTuple

from clingo import Symbol, parse_term

from asplan.pddl.derived import Layer, World, layers_of
from asplan.pddl.explain import why_false
from asplan.pddl.language import Action, Add, Cost, Delete
from asplan.pddl.names import Names, names_of
from asplan.pddl.normal import Normalizer
from asplan.pddl.operators import GroundAtom, Operator, operator_of
from asplan.pddl.query import Relation, Test, check_of
from asplan.pddl.scopes import inside
from asplan.pddl.task import Task
from asplan.text import shortened

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
class Executed:
    """A task whose actions can be executed; a `Model` (see `asplan.domains.base`)."""

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
