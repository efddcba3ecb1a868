r"""What numbers mean: functions of which a state has the values, exactly, as fractions.

A comparison that reads a function without a value, or divides by 0, holds neither way; an action
does not apply where an effect does so.

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
from typing import Any

from clingo import Function, Number, String, Symbol, parse_term

from asplan.core.text import LARGEST
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import value_of
from asplan.pddl.language.names import PddlNames, names_of, number_text
from asplan.pddl.language.semantics import Compiled, GroundAction, State, TextModel, World
from asplan.pddl.language.syntax import GroundAtom, Row, TaskText, substitute

Values = Mapping[GroundAtom, Fraction]


class NumericState(frozenset[GroundAtom]):
    """The atoms that hold, of predicates that actions change, and the values of such functions."""

    values: frozenset[tuple[GroundAtom, Fraction]]

    def __new__(cls, atoms: Iterable[GroundAtom], values: Values) -> NumericState:
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

    def __reduce__(self) -> tuple[Any, ...]:
        return NumericState, (tuple(self), dict(self.values))


Changes = dict[GroundAtom, list[tuple[str, Fraction]]]
"""How functions change: all words, such as `increase`, with their amounts."""


def number_changes(action: Compiled, binding: dict[str, str], world: World) -> Changes:
    """How an action changes functions.

    Raises `KeyError` with a function that has no value, and `ZeroDivisionError`.
    """
    found: Changes = {}
    for assignment, query in action.assignments:
        variables, seen = [variable for variable, _ in assignment.ranges], set[Row]()
        for values in query(binding, world):
            row = tuple([values[variable] for variable in variables])
            if row not in seen:  # a solution may come several times, and would count as often
                seen.add(row)
                function = substitute(assignment.function, values)
                amount = assignment.amount(values, world)
                found.setdefault(function, []).append((assignment.word, amount))
    return found


_CHANGES: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "increase": lambda value, amount: value + amount,
    "decrease": lambda value, amount: value - amount,
    "scale-up": lambda value, amount: value * amount,
    "scale-down": lambda value, amount: value / amount,
}
ADDING = frozenset(("increase", "decrease"))
"""Changes of which several may happen at once; their order makes no difference."""


def changed_values(changes: Changes, world: World) -> dict[GroundAtom, Fraction]:
    """The values of the functions that change; raises as `number_changes` does."""
    found: dict[GroundAtom, Fraction] = {}
    for function, several in changes.items():
        for word, amount in several:
            if word == "assign":
                found[function] = amount
            else:
                value = found[function] if function in found else world.value(function)
                found[function] = _CHANGES[word](value, amount)
    return found


class NumericModel(TextModel):
    """A task with numbers whose actions can be executed; its states are of `NumericState`."""

    @cached_property
    def initial(self) -> State:
        assigned = self.task.assigned
        values = {f: value for f, value in self.task.values.items() if f[0] in assigned}
        if syntax.TOTAL_COST in assigned:
            values.setdefault((syntax.TOTAL_COST,), Fraction(0))
        return NumericState(super().initial, values)

    @cached_property
    def constants(self) -> dict[GroundAtom, Fraction]:
        """The values of the functions that nothing changes."""
        assigned = self.task.assigned
        return {f: value for f, value in self.task.values.items() if f[0] not in assigned}

    def world_with(self, state: State, values: Values) -> World:
        own = dict(getattr(state, "values", ()))
        return World(self, state, ChainMap({**own, **values}, self.constants))

    def apply(self, state: State, action: GroundAction) -> State:
        """The state that follows; what is both deleted and added holds."""
        schema, world = self._schema(action.name), self.world(state)
        binding = schema.binding(action.arguments)
        values = changed_values(number_changes(schema, binding, world), world)
        assert isinstance(state, NumericState)
        return NumericState(super().apply(state, action), {**dict(state.values), **values})

    def _lacks(self, state: State, schema: Compiled, arguments: Row) -> str | None:
        """What keeps an action from applying whose precondition holds: what it computes."""
        return self.computed(schema, schema.binding(arguments), self.world(state))[1]

    def computed(
        self, schema: Compiled, binding: dict[str, str], world: World
    ) -> tuple[Changes, str | None]:
        """How an action changes functions, and why it cannot do so, if it cannot."""
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
        """Why a number has no value, from the error of whoever computed it."""
        if isinstance(error, ZeroDivisionError):
            return "it divides by 0"
        return f"{self.names.written_atom(*error.args[0])} has no value"

    def worth(self, state: State, values: Values = MappingProxyType({})) -> Fraction | None:
        """What the metric of the problem comes to at the end of a plan; None if to nothing.

        What no state knows may have `values`; without one the plan takes no time.
        """
        if self.task.problem.metric is None:
            return None
        world = self.world_with(state, {(syntax.TOTAL_TIME,): Fraction(0), **values})
        try:
            return value_of(self.task.problem.metric[1], {})({}, world)
        except (KeyError, ZeroDivisionError):
            return None

    def fluents(self, state: State) -> Iterator[Symbol]:
        """All atoms that hold, and the value of each function, as in `value(fuel(truck),5)`."""
        assert isinstance(state, NumericState)
        for function, value in sorted({**self.constants, **dict(state.values)}.items()):
            term = parse_term(self.names.function(function[0], function[1:]))
            small = value.denominator == 1 and abs(value) <= LARGEST
            yield Function("value", [term, Number(int(value)) if small else String(str(value))])
        yield from super().fluents(state)

    def text(self, state: State) -> str:
        assert isinstance(state, NumericState)
        words = (
            f"(= {self.names.written_atom(*function)} {number_text(value)})"
            for function, value in sorted(state.values)
        )
        lines = fill(" ".join(words), 100, break_on_hyphens=False)
        return "\n".join(filter(None, (super().text(state), lines)))


def model_of(task: TaskText, names: PddlNames | None = None) -> TextModel:
    """A task whose actions can be executed, with numbers or without."""
    return (NumericModel if task.has_numbers else TextModel)(task, names or names_of(task))
