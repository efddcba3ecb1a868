r"""The semantics of tasks with numbers: functions with exact values, as fractions.

A comparison that reads a function without a value, or divides by 0, is neither true nor false. An
action does not apply if an effect does so.

>>> from clingo import Function
>>> from asplan.pddl.language import PddlSource, task_of_sources
>>> domain = '''(define (domain jugs) (:functions (filled ?j) (size ?j))
...   (:action pour :parameters (?a ?b)
...     :precondition (and (not (= ?a ?b)) (<= (+ (filled ?a) (filled ?b)) (size ?b)))
...     :effect (and (increase (filled ?b) (filled ?a)) (assign (filled ?a) 0))))'''
>>> problem = '''(define (problem two) (:domain jugs) (:objects A B)
...   (:init (= (size a) 3) (= (size b) 5) (= (filled a) 1.5) (= (filled b) 3))
...   (:goal (= (filled a) 0)) (:metric maximize (* 2 (filled b))))'''
>>> model = NumericModel(task_of_sources(PddlSource("d", domain), PddlSource("p", problem)))
>>> pour = model.parse_action(Function("pour", [Function("a"), Function("b")]))
>>> print(model.text(after := model.apply(model.initial, pour)))
(= (filled A) 0) (= (filled B) 4.5)
>>> model.is_goal(after), model.worth(after), str(next(model.fluents(after)))
(True, Fraction(9, 1), 'value(filled(a),0)')
>>> back = model.parse_action(Function("pour", [Function("b"), Function("a")]))
>>> print(*model.why_not(after, back).split(": "), sep="\n")
(<= (+ (filled B) (filled A)) (size A)) does not hold
(filled B) is 4.5 and (filled A) is 0 and (size A) is 3
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from textwrap import fill
from types import MappingProxyType

from asplan.clingo import Function, Number, String, Symbol, parse_term
from asplan.core.text import LARGEST
from asplan.pddl.language import syntax
from asplan.pddl.language.interpretation import value_of
from asplan.pddl.language.names import PddlNames, names_of, number_text
from asplan.pddl.language.semantics import CompiledAction, GroundAction, TextModel
from asplan.pddl.language.syntax import GroundAtom, Row, TaskText, substitute
from asplan.pddl.language.world import State, World

Values = Mapping[GroundAtom, Fraction]


class NumericState(frozenset[GroundAtom]):
    """A state with numbers: a set of true atoms, and the values of functions that actions change.

    Atoms of predicates that no action changes are left out.
    """

    values: frozenset[tuple[GroundAtom, Fraction]]

    def __new__(  # noqa: D102  the class documents it
        cls,
        atoms: Iterable[GroundAtom],
        values: Values,
    ) -> NumericState:
        state = super().__new__(cls, atoms)
        state.values = frozenset(values.items())
        return state

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, NumericState)
            and super().__eq__(other)
            and self.values == other.values
        )

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.values))

    def __repr__(self) -> str:
        return f"NumericState({sorted(self)}, {sorted(self.values)})"

    def __reduce__(self) -> tuple[type[NumericState], tuple[object, ...]]:
        return NumericState, (tuple(self), dict(self.values))


Changes = dict[GroundAtom, list[tuple[str, Fraction]]]
"""The changes of functions: for each one the words, such as `increase`, with their amounts."""


def number_changes(
    action: CompiledAction,
    binding: dict[str, str],
    world: World,
) -> Changes:
    """Return the changes of functions that an action makes in a world.

    `binding` has the values of the parameters (see `CompiledAction.binding`). If a function has no
    value, raise `KeyError` with this function as argument. May also raise `ZeroDivisionError`.
    """
    changes: Changes = {}
    for assignment, query in action.assignments:
        variables = [variable for variable, _ in assignment.ranges]
        seen: set[Row] = set()
        for values in query(binding, world):
            row = tuple([values[variable] for variable in variables])
            if row not in seen:  # a query may yield a solution several times
                seen.add(row)
                function = substitute(assignment.function, values)
                amount = assignment.amount(values, world)
                changes.setdefault(function, []).append((assignment.word, amount))
    return changes


_CHANGES: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "increase": lambda value, amount: value + amount,
    "decrease": lambda value, amount: value - amount,
    "scale-up": lambda value, amount: value * amount,
    "scale-down": lambda value, amount: value / amount,
}
ADDING = frozenset(("increase", "decrease"))
"""The words of changes that can be made at once in any order."""


def changed_values(
    changes: Changes,
    world: World,
) -> dict[GroundAtom, Fraction]:
    """Return the new values of the functions that change.

    `world` is the world before the changes. Raises the same errors as `number_changes`.
    """
    new: dict[GroundAtom, Fraction] = {}
    for function, several in changes.items():
        for word, amount in several:
            if word == "assign":
                new[function] = amount
            else:
                value = new[function] if function in new else world.value(function)
                new[function] = _CHANGES[word](value, amount)
    return new


class NumericModel(TextModel):
    """A task with numbers as a transition system. Its states are instances of `NumericState`."""

    @cached_property
    def initial(self) -> State:
        """The initial state: the state at time 0."""
        assigned = self.task.assigned
        values = {f: value for f, value in self.task.values.items() if f[0] in assigned}
        if syntax.TOTAL_COST in assigned:
            values.setdefault((syntax.TOTAL_COST,), Fraction(0))
        return NumericState(super().initial, values)

    @cached_property
    def constants(self) -> dict[GroundAtom, Fraction]:
        """The values of the functions that no action changes."""
        assigned = self.task.assigned
        return {f: value for f, value in self.task.values.items() if f[0] not in assigned}

    def world_with(
        self,
        state: State,
        values: Values,
    ) -> World:
        """Return the `World` of a state; `values` has values of functions outside of the state."""
        own = dict(state.values) if isinstance(state, NumericState) else {}
        every = ChainMap({**own, **values}, self.constants)
        return World(state, self.task.fluents, self.static, self.layers, every)

    def apply(
        self,
        state: State,
        action: GroundAction,
    ) -> State:
        """Return the successor state; an atom that is both deleted and added holds there."""
        assert isinstance(state, NumericState)
        schema = self._schema(action.name)
        world = self.world(state)
        changes = number_changes(schema, schema.binding(action.arguments), world)
        values = {**dict(state.values), **changed_values(changes, world)}
        return NumericState(super().apply(state, action), values)

    def _lacks(
        self,
        state: State,
        schema: CompiledAction,
        arguments: Row,
    ) -> str | None:
        """Return the reason why an action does not apply although its precondition holds.

        The reason is that an expression in its effects has no value, or that its changes conflict.
        Return None if the action applies.
        """
        _, why = self.computed(schema, schema.binding(arguments), self.world(state))
        return why

    def computed(
        self,
        schema: CompiledAction,
        binding: dict[str, str],
        world: World,
    ) -> tuple[Changes, str | None]:
        """Return the changes of functions by an action, and the reason why they are impossible.

        The reason is None if the changes are possible. `binding` has the values of the parameters
        (see `CompiledAction.binding`).
        """
        changes: Changes = {}
        try:
            changes = number_changes(schema, binding, world)
            changed_values(changes, world)
        except (KeyError, ZeroDivisionError) as error:
            return changes, self.why_undefined(error)
        for function, several in changes.items():
            if len(several) > 1 and any(word not in ADDING for word, _ in several):
                text = self.names.written_atom(*function)
                return changes, f"it changes {text} in two ways at once"
        return changes, None

    def why_undefined(self, error: KeyError | ZeroDivisionError) -> str:
        """Return the reason why an expression has no value, from the error of its evaluation."""
        if isinstance(error, ZeroDivisionError):
            return "it divides by 0"
        return f"{self.names.written_atom(*error.args[0])} has no value"

    def worth(
        self,
        state: State,
        values: Values = MappingProxyType({}),
    ) -> Fraction | None:
        """Return the value of the metric for a plan that ends in this state.

        Return None if there is no metric or it has no value. `values` has the values of further
        functions, such as `total-time`, which is 0 if it is not among them.
        """
        if self.task.problem.metric is None:
            return None
        world = self.world_with(state, {(syntax.TOTAL_TIME,): Fraction(0), **values})
        _, expression = self.task.problem.metric
        try:
            return value_of(expression, {})({}, world)
        except (KeyError, ZeroDivisionError):
            return None

    def fluents(self, state: State) -> Iterator[Symbol]:
        """Yield all true atoms of a state, and the values of functions, as ASP terms.

        For the value 5 of `(fuel truck)`, yield `value(fuel(truck),5)`. A value that is not an
        integer of clingo becomes a string.
        """
        assert isinstance(state, NumericState)
        values = {**self.constants, **dict(state.values)}
        for function, value in sorted(values.items()):
            term = parse_term(self.names.function(function[0], function[1:]))
            is_integer = value.denominator == 1 and abs(value) <= LARGEST
            number = Number(int(value)) if is_integer else String(str(value))
            yield Function("value", [term, number])
        yield from super().fluents(state)

    def text(self, state: State) -> str:
        """Return the atoms and the values of functions in a state as PDDL text."""
        assert isinstance(state, NumericState)
        values = " ".join(
            f"(= {self.names.written_atom(*function)} {number_text(value)})"
            for function, value in sorted(state.values)
        )
        lines = fill(values, 100, break_on_hyphens=False)
        return "\n".join(filter(None, (super().text(state), lines)))


def model_of(
    task: TaskText,
    names: PddlNames | None = None,
) -> TextModel:
    """Return the transition system of a task, with or without numbers."""
    model = NumericModel if task.has_numbers else TextModel
    return model(task, names or names_of(task))
