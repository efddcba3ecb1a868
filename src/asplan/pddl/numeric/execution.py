"""The exact states of a task with whole numbers, and the effects of its operators.

A state is a tuple of the values of all variables of the finite-domain task, and after them of the
numbers. Derived variables have their default values in it, as if no axiom applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from asplan.pddl.numeric.scale import Change, Counted, Least, NumericTask, Sum
from asplan.pddl.task.task import Axiom, Effect, Fact, Operator, Task

State = tuple[int, ...]

Entry = tuple[tuple[int, ...], int]
"""The operators of one action, of which one happens, and the number of times."""


@dataclass(frozen=True)
class NumericOperator:
    """An operator whose numbers are places in a state.

    Attributes
    ----------
    facts, tests
        The precondition.
    effects
        The effects on variables.
    adds
        The constants that the operator always adds to numbers.
    changes
        All other changes of numbers.
    repeatable
        True if several executions in a row differ from one only by the constants they add.
    """

    facts: tuple[Fact, ...]
    tests: tuple[Least, ...]
    effects: tuple[Effect, ...]
    adds: dict[int, int]
    changes: tuple[Change, ...]
    repeatable: bool

    def gain(self, total: Sum) -> int:
        """Return the constant by which one execution increases a sum."""
        return sum(factor * self.adds.get(n, 0) for n, factor in total)


class Execution:
    """The states of a task, and the effects of operators on them."""

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
        counted: Counted,
    ) -> NumericOperator:
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
        """Return whether the effects on variables keep the facts of the precondition true."""
        if len(operator.always) != len(operator.effects):
            return False
        needed = dict(operator.precondition)
        if any(needed.get(variable, value) != value for variable, value in operator.always):
            return False
        return needed.keys().isdisjoint(self.derived)

    def _placed(self, test: Least) -> Least:
        total, least = test
        return tuple((self.offset + n, factor) for n, factor in total), least

    def complete(self, state: Sequence[int]) -> Sequence[int]:
        """Return the state with the values of derived variables."""
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
        """Return whether the goal holds in a state, whose derived variables are computed first."""
        full = self.complete(state)
        return _are_true(self.goal, full) and all(_holds(test, full) for test in self.goal_tests)

    def max_repeats(self, full: Sequence[int], o: int) -> float:
        """Return the number of times that an operator applies in a row in a complete state."""
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
        """Return the state after an applicable operator.

        Return None if the operator sets a number and changes it once more.
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
        """Change numbers in `after`; return False if one is set and changed once more."""
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
        """Return the state after a step; None if its actions do not apply in every order.

        The tests of an action must hold even if all other actions that lower the sum come first.
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
        """Choose the first applicable operator of each entry; None if there is none."""
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
        """Return whether the tests of operators hold in every order, and repetitions are safe."""
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
        """Return the change of a sum by all operators that lower it, before the last one of `o`."""
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
    """Apply the axioms of a layer to a state until nothing changes."""
    moved = True
    while moved:
        moved = False
        for axiom in axioms:
            variable, value = axiom.fact
            if full[variable] != value and _are_true(axiom.condition, full):
                full[variable] = value
                moved = True


def _are_true(facts: Iterable[Fact], full: Sequence[int]) -> bool:
    return all(full[variable] == value for variable, value in facts)


def _value(total: Sum, state: Sequence[int]) -> int:
    return sum(factor * state[n] for n, factor in total)


def _holds(test: Least, state: Sequence[int]) -> bool:
    total, least = test
    return _value(total, state) >= least
