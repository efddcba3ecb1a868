"""The exact states of a task with whole numbers, and the effects of its operators on them.

A state is a tuple: the values of all variables of the finite-domain task, then the numbers. Its
derived variables have their default values, as if no axiom applied. A complete state (`full` in the
parameters here) also has the true values of derived variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from asplan.core.dataclass import dataclass
from asplan.pddl.numeric.scale import Least, NumberChange, NumericPart, NumericTask, Sum
from asplan.pddl.task.task import Axiom, Effect, Fact, Operator, Task

State = tuple[int, ...]

Entry = tuple[tuple[int, ...], int]
"""An action in a step: its operators (ways to apply it; one of them happens), and how often."""


@dataclass(frozen=True)
class NumericOperator:
    """An operator, prepared for execution.

    A state has the values of all finite-domain variables, followed by those of the numbers.

    Attributes
    ----------
    facts, tests
        The precondition: facts, and numeric conditions. A condition refers to a number by its index
        in a state.
    effects
        The effects on finite-domain variables.
    adds
        The constants that the operator always adds to numbers. The key is the index of the number
        in a state.
    changes
        All other changes of numbers. They refer to a number by its index in `NumericTask.numbers`.
    repeatable
        True if the operator only adds constants to numbers and keeps its precondition's facts true.
        Then n executions in a row are like one that adds n times the constants.
    """

    facts: tuple[Fact, ...]
    tests: tuple[Least, ...]
    effects: tuple[Effect, ...]
    adds: dict[int, int]
    changes: tuple[NumberChange, ...]
    repeatable: bool

    def gain(self, total: Sum) -> int:
        """Return the constant by which one execution of the operator increases the sum `total`."""
        return sum(factor * self.adds.get(n, 0) for n, factor in total)


class NumericExecution:
    """The states of a task, and the effects of operators on them.

    Attributes
    ----------
    offset
        The index of the first number in a state.
    initial
        The initial state.
    derived
        The derived variables.
    derivations
        The facts that are derived from numeric conditions, each with its condition.
    layers
        The axioms by layers, the lowest first.
    operators
        The operators.
    """

    def __init__(self, task: NumericTask) -> None:
        inner = task.task
        self.offset = len(inner.variables)
        self.initial: State = (*inner.initial, *task.initial)
        self.derived = inner.derived
        self.goal = inner.goal
        self.goal_tests = tuple(map(self._placed, task.goal))
        self.derivations = [(fact, self._placed(test)) for fact, test in task.tests.items()]
        self.layers = _layers(inner)
        self.operators = list(map(self._operator, inner.operators, task.counted))

    def _operator(
        self,
        operator: Operator,
        counted: NumericPart,
    ) -> NumericOperator:
        """Combine an operator of the finite-domain task with its numeric part."""
        changes = tuple(change for change in counted.changes if not change.is_constant)
        return NumericOperator(
            facts=operator.precondition,
            tests=tuple(map(self._placed, counted.tests)),
            effects=operator.effects,
            adds={self.offset + n: value for n, value in counted.adds.items()},
            changes=changes,
            repeatable=not changes and self._keeps_applicable(operator),
        )

    def _keeps_applicable(self, operator: Operator) -> bool:
        """Return whether the facts of the precondition still hold after the operator."""
        if len(operator.always) != len(operator.effects):
            return False
        needed = dict(operator.precondition)
        if any(needed.get(variable, value) != value for variable, value in operator.always):
            return False
        return needed.keys().isdisjoint(self.derived)

    def _placed(self, test: Least) -> Least:
        """Return a numeric condition with indexes of a state in place of indexes of numbers."""
        total, least = test
        return tuple((self.offset + n, factor) for n, factor in total), least

    def complete(self, state: Sequence[int]) -> Sequence[int]:
        """Return a state with the values of its derived variables computed: the complete state."""
        if not self.derived:
            return state
        full = list(state)
        for (variable, value), test in self.derivations:
            if _holds(test, state):
                full[variable] = value
        for layer in self.layers:
            _close(full, layer)
        return full

    def is_goal(self, state: State) -> bool:
        """Return whether the goal holds in a state; its derived variables are computed first."""
        full = self.complete(state)
        return _are_true(self.goal, full) and all(_holds(test, full) for test in self.goal_tests)

    def max_repeats(self, full: Sequence[int], o: int) -> float:
        """Return how many times the operator `o` can be executed in a row, from a complete state.

        The result may be infinite. It is at most 1 if the operator is not `repeatable`, and 0 if it
        does not apply. `full` is the complete state: with the true values of derived variables.
        """
        operator = self.operators[o]
        if not _are_true(operator.facts, full):
            return 0
        repeats: float = inf if operator.repeatable else 1
        for total, least in operator.tests:
            spare = _value(total, full) - least
            if spare < 0:
                return 0
            gain = operator.gain(total)
            if gain < 0:
                repeats = min(repeats, spare // -gain + 1)
        return repeats

    def apply(
        self,
        full: Sequence[int],
        o: int,
        times: int = 1,
    ) -> State | None:
        """Return the state after `times` executions of the operator `o`, which must apply.

        Return None if the operator assigns a number and also changes it otherwise. `full` is the
        complete state before the executions.
        """
        operator = self.operators[o]
        after = list(full)
        for variable in self.derived:
            after[variable] = self.initial[variable]
        for effect in operator.effects:
            if _are_true(effect.condition, full):
                after[effect.fact[0]] = effect.fact[1]
        for n, value in operator.adds.items():
            after[n] += times * value
        if operator.changes and not self._change_numbers(operator, full, after):
            return None
        return tuple(after)

    def _change_numbers(
        self,
        operator: NumericOperator,
        full: Sequence[int],
        after: list[int],
    ) -> bool:
        """Apply an operator's changes of numbers to `after`, except additions of constants.

        Return False if a number is assigned and also changed otherwise. `full` is the complete
        state before the operator, and `after` becomes the state after it.
        """
        added = set(operator.adds)
        assigned = set[int]()
        for change in operator.changes:
            if change.causes and not any(_are_true(cause, full) for cause in change.causes):
                continue
            n = self.offset + change.number
            terms = (factor * full[self.offset + m] for m, factor in change.total)
            amount = change.constant + sum(terms)
            if n in assigned or (n in added and not change.adds):
                return False
            if change.adds:
                added.add(n)
                after[n] += amount
            else:
                assigned.add(n)
                after[n] = amount
        return True

    def after_step(
        self,
        state: State,
        entries: Iterable[Entry],
    ) -> State | None:
        """Return the state after a step; None unless its actions apply in every order.

        A numeric condition of an action must hold even if all other actions that lower the
        condition's sum come first. Each entry has the operators of an action (the ways to apply
        it), and the number of its executions.
        """
        full = self.complete(state)
        chosen = self._choose(full, entries)
        if chosen is None or not self._is_independent(full, chosen):
            return None
        after: State | None = state
        for o, times in chosen:
            if self.operators[o].repeatable:
                after = self._after(after, o, times)
            else:
                for _ in range(times):
                    after = self._after(after, o, 1)
            if after is None:
                return None
        return after

    def _choose(
        self,
        full: Sequence[int],
        entries: Iterable[Entry],
    ) -> list[tuple[int, int]] | None:
        """Choose the first applicable operator of each entry; None if an entry has none.

        An entry has the operators of an action, and the number of its executions. Return pairs of
        an operator and this number.
        """
        chosen = list[tuple[int, int]]()
        for operators, times in entries:
            applicable = (o for o in operators if self.max_repeats(full, o))
            o = next(applicable, None)
            if o is None:
                return None
            chosen.append((o, times))
        return chosen

    def _is_independent(
        self,
        full: Sequence[int],
        chosen: Sequence[tuple[int, int]],
    ) -> bool:
        """Return whether the numeric conditions of the chosen operators hold in every order.

        Also return False if an operator that is not `repeatable` is executed several times in a
        step with other operators. `full` is the complete state before the step. `chosen` has pairs
        of an operator and the number of its executions.
        """
        for o, times in chosen:
            operator = self.operators[o]
            if times > 1 and not operator.repeatable and len(chosen) > 1:
                return False
            for total, least in operator.tests:
                if _value(total, full) + self._greatest_loss(total, o, chosen) < least:
                    return False
        return True

    def _greatest_loss(
        self,
        total: Sum,
        o: int,
        chosen: Iterable[tuple[int, int]],
    ) -> int:
        """Return how far a sum may fall in a step before the last execution of the operator `o`.

        The result is the change, negative or 0, in the worst order of the executions. `chosen` has
        the operators of the step, each with the number of its executions.
        """
        loss = 0
        for p, times in chosen:
            gain = self.operators[p].gain(total)
            if gain < 0:
                loss += gain * (times - (p == o))
        return loss

    def _after(
        self,
        state: State | None,
        o: int,
        times: int,
    ) -> State | None:
        """Return the state after `times` executions of the operator `o`.

        Return None if the operator does not apply or `state` is None.
        """
        if state is None:
            return None
        full = self.complete(state)
        return self.apply(full, o, times) if self.max_repeats(full, o) else None


def _layers(task: Task) -> list[list[Axiom]]:
    """Return the axioms by the layers of their variables, the lowest layer first."""
    layers: dict[int, list[Axiom]] = {}
    for axiom in task.firing_axioms:
        layer = task.variables[axiom.fact[0]].layer
        layers.setdefault(layer, []).append(axiom)
    return [layers[layer] for layer in sorted(layers)]


def _close(full: list[int], axioms: Sequence[Axiom]) -> None:
    """Apply the axioms of a layer to a complete state until nothing changes."""
    moved = True
    while moved:
        moved = False
        for axiom in axioms:
            variable, value = axiom.fact
            if full[variable] != value and _are_true(axiom.condition, full):
                full[variable] = value
                moved = True


def _are_true(facts: Iterable[Fact], full: Sequence[int]) -> bool:
    """Return whether all facts hold in a complete state."""
    return all(full[variable] == value for variable, value in facts)


def _value(total: Sum, state: Sequence[int]) -> int:
    """Return the value of a sum in a state."""
    return sum(factor * state[n] for n, factor in total)


def _holds(test: Least, state: Sequence[int]) -> bool:
    """Return whether a numeric condition holds in a state."""
    total, least = test
    return _value(total, state) >= least
