"""What the operators of a task with whole numbers do to its states, exactly.

A state is a tuple: the value of each variable of the finite-domain task, derived ones as if no
axiom applied, and behind them the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from asplan.pddl.numeric.scale import Change, Least, NumericTask, Sum
from asplan.pddl.task.task import Effect, Fact

State = tuple[int, ...]

Entry = tuple[tuple[int, ...], int]
"""Operators of which one happens, which stand for one action, and how often."""


@dataclass(frozen=True)
class Deed:
    """An operator; numbers are places in a state.

    `adds` says by how much it always increases numbers, `changes` what else it does to them. One
    that is `repeatable` is executed many times as it is once, but for what it adds.
    """

    facts: tuple[Fact, ...]
    tests: tuple[Least, ...]
    effects: tuple[Effect, ...]
    adds: dict[int, int]
    changes: tuple[Change, ...]
    repeatable: bool

    def gain(self, total: Sum) -> int:
        """By how much it increases a sum each time."""
        return sum(factor * self.adds.get(n, 0) for n, factor in total)


class Execution:
    """The states of a task, and how operators lead from one to the next."""

    def __init__(self, task: NumericTask) -> None:
        inner = task.task
        self.offset = len(inner.variables)
        self.initial: State = (*inner.initial, *task.initial)
        self.derived = inner.derived
        self.goal, self.goal_tests = inner.goal, tuple(map(self._placed, task.goal))
        self.derivations = [(fact, self._placed(test)) for fact, test in task.tests.items()]
        layers: dict[int, list[tuple[Fact, tuple[Fact, ...]]]] = {}
        for axiom in inner.firing_axioms:
            layer = layers.setdefault(inner.variables[axiom.fact[0]].layer, [])
            layer.append((axiom.fact, axiom.condition))
        self.layers = [layers[layer] for layer in sorted(layers)]
        self.deeds = list[Deed]()
        for operator, counted in zip(inner.operators, task.counted, strict=True):
            adds = {self.offset + n: value for n, value in counted.adds.items()}
            changes = tuple(c for c in counted.changes if not c.adds or c.total or c.causes)
            needed, facts = dict(operator.precondition), operator.precondition
            plain = not changes and len(operator.always) == len(operator.effects)
            kept = all(needed.get(v, d) == d for v, d in operator.always)
            repeatable = plain and kept and needed.keys().isdisjoint(self.derived)
            tests = tuple(map(self._placed, counted.tests))
            self.deeds.append(Deed(facts, tests, operator.effects, adds, changes, repeatable))

    def _placed(self, test: Least) -> Least:
        return tuple((self.offset + n, factor) for n, factor in test[0]), test[1]

    def complete(self, state: Sequence[int]) -> Sequence[int]:
        """The state with what follows of derived variables."""
        if not self.derived:
            return state
        found = list(state)
        for (v, d), test in self.derivations:
            if _holds(test, state):
                found[v] = d
        for layer in self.layers:
            moved = True
            while moved:
                moved = False
                for (v, d), condition in layer:
                    if found[v] != d and _are_true(condition, found):
                        found[v], moved = d, True
        return found

    def is_goal(self, state: State) -> bool:
        full = self.complete(state)
        return _are_true(self.goal, full) and all(_holds(test, full) for test in self.goal_tests)

    def most(self, full: Sequence[int], o: int) -> float:
        """How often in a row an operator can be executed from a complete state on."""
        deed = self.deeds[o]
        if not _are_true(deed.facts, full):
            return 0
        most: float = inf if deed.repeatable else 1
        for total, least in deed.tests:
            spare, gain = _value(total, full) - least, deed.gain(total)
            if spare < 0:
                return 0
            if gain < 0:
                most = min(most, spare // -gain + 1)
        return most

    def apply(self, full: Sequence[int], o: int, times: int = 1) -> State | None:
        """The state after an operator that applies; None where it changes a number in two ways."""
        deed, after = self.deeds[o], list(full)
        for v in self.derived:
            after[v] = self.initial[v]
        for effect in deed.effects:
            if _are_true(effect.condition, full):
                after[effect.fact[0]] = effect.fact[1]
        for n, value in deed.adds.items():
            after[n] += times * value
        added, assigned = set(deed.adds), set[int]()
        for change in deed.changes:
            if not change.causes or any(_are_true(cause, full) for cause in change.causes):
                n, value = self.offset + change.number, change.constant
                value += sum(factor * full[self.offset + m] for m, factor in change.total)
                if n in assigned or (n in added and not change.adds):
                    return None
                (added if change.adds else assigned).add(n)
                after[n] = after[n] + value if change.adds else value
        return tuple(after)

    def after_step(self, state: State, entries: Iterable[Entry]) -> State | None:
        """The state after a step; None where its actions cannot be executed in every order.

        Where one needs a sum of numbers to be so much, all that lower it may come before.
        """
        full, chosen = self.complete(state), list[tuple[int, int]]()
        for operators, times in entries:
            if (o := next((o for o in operators if self.most(full, o)), None)) is None:
                return None
            chosen.append((o, times))
        for o, times in chosen:
            if times > 1 and not self.deeds[o].repeatable and len(chosen) > 1:
                return None
            for total, least in self.deeds[o].tests:
                gains = ((self.deeds[p].gain(total), t - (p == o)) for p, t in chosen)
                if _value(total, full) + sum(t * gain for gain, t in gains if gain < 0) < least:
                    return None
        for o, times in chosen:
            once = self.deeds[o].repeatable
            for _ in range(1 if once else times):
                full = self.complete(state)
                if not self.most(full, o):
                    return None
                if (after := self.apply(full, o, times if once else 1)) is None:
                    return None
                state = after
        return state


def _are_true(facts: Iterable[Fact], full: Sequence[int]) -> bool:
    return all(full[v] == d for v, d in facts)


def _value(total: Sum, state: Sequence[int]) -> int:
    return sum(factor * state[n] for n, factor in total)


def _holds(test: Least, state: Sequence[int]) -> bool:
    return _value(test[0], state) >= test[1]
