"""What must hold where a derived variable keeps the value that it has if no axiom applies.

Then each of its axioms fails: some fact of its body does not hold, so that its variable has
another value. That is said by more axioms, with some facts that are not of the task: that an axiom
fails, and that a variable has another value than this. In a circle of variables that are derived
from each other, one may keep its value because the others do; there nothing is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from asplan.graphs import components
from asplan.pddl.task.task import Axiom, Fact, Operator, Task, contradicts_itself


class Negation:
    """The further axioms of a task.

    Attributes
    ----------
    facts
        How many facts they need that are not of the task. Each is the value 0 of a variable of its
        own, counted on from the variables of the task.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._circle = _circles(task)
        self._numbers = count(len(task.variables))
        self._lacking: dict[Fact, Fact] = {}
        self.axioms = list(self._all())
        self.facts = next(self._numbers) - len(task.variables)

    def _all(self) -> Iterator[Axiom]:
        initial = self._task.initial
        of_variable: dict[int, list[Axiom]] = {v: [] for v in self._circle}
        for axiom in self._task.axioms:
            variable, value = axiom.fact
            if value != initial[variable]:
                of_variable[variable].append(axiom)
        for variable, axioms in of_variable.items():
            fails = [self._new() for _ in axioms]
            yield Axiom((variable, initial[variable]), tuple(fails))
            for axiom, fact in zip(axioms, fails, strict=True):
                for part in axiom.condition:
                    yield from self._without(part, variable, fact)

    def _without(self, part: Fact, head: int, fails: Fact) -> Iterator[Axiom]:
        """An axiom for `head` fails because a part of its body does not hold."""
        variable, value = part
        if self._circle.get(variable) == self._circle[head]:
            yield Axiom(fails, ())
            return
        others = [v for v in range(len(self._task.variables[variable].values)) if v != value]
        if len(others) == 1:
            yield Axiom(fails, ((variable, others[0]),))
            return
        if part not in self._lacking:
            self._lacking[part] = self._new()
            for other in others:
                yield Axiom(self._lacking[part], ((variable, other),))
        yield Axiom(fails, (self._lacking[part],))

    def _new(self) -> Fact:
        return next(self._numbers), 0


def _circles(task: Task) -> dict[int, int]:
    """For each derived variable the number of its circle, which may have no other variable."""
    after: list[list[int]] = [[] for _ in task.variables]
    for axiom in task.axioms:
        after[axiom.fact[0]] += [v for v, _ in axiom.condition if task.variables[v].is_derived]
    numbers = {v: n for n, part in enumerate(components(after)) for v in part}
    return {v: numbers[v] for v, variable in enumerate(task.variables) if variable.is_derived}


# The delete relaxation: nothing that once held is ever lost (Bonet and Geffner, 2001).
#
# An operator falls into parts: what it always does, and each conditional effect with its condition
# added to the precondition. An axiom is a part that costs nothing, and so is what must hold where no
# axiom applies. Whatever holds along a plan is then reached by the parts of its actions, so that no
# more is asked for than any plan needs.


AXIOM = -1
"""The owner of the parts that are axioms."""


@dataclass(frozen=True)
class Part:
    """What an operator or an axiom adds if its precondition holds.

    Attributes
    ----------
    owner
        The operator that it is a part of; `AXIOM` for axioms.
    """

    owner: int
    precondition: frozenset[Fact]
    adds: frozenset[Fact]


class Relaxation:
    """A task without deletes.

    Attributes
    ----------
    sizes
        For each variable its number of values: those of the task, then those of `Negation`.
    """

    def __init__(self, task: Task) -> None:
        negation = Negation(task)
        self.sizes = [len(variable.values) for variable in task.variables] + [1] * negation.facts
        self.goal = frozenset(task.goal)
        self.parts = [
            part
            for index, operator in enumerate(task.operators)
            for part in _parts_of(index, operator)
        ]
        for axiom in task.axioms:
            if axiom.fact[1] != task.initial[axiom.fact[0]]:
                self.parts += _part(AXIOM, axiom.condition, [axiom.fact])
        for axiom in negation.axioms:
            self.parts += _part(AXIOM, axiom.condition, [axiom.fact])


def _parts_of(index: int, operator: Operator) -> Iterator[Part]:
    always = [effect.fact for effect in operator.effects if not effect.condition]
    yield from _part(index, operator.precondition, always)
    for effect in operator.effects:
        if effect.condition:
            condition = operator.precondition + effect.condition
            yield from _part(index, condition, [effect.fact])


def _part(owner: int, condition: Sequence[Fact], adds: Sequence[Fact]) -> Iterator[Part]:
    """The part, if it can ever add something."""
    new = frozenset(adds) - frozenset(condition)
    if new and not contradicts_itself(condition):
        yield Part(owner, frozenset(condition), new)


def reachable(task: Task) -> set[Fact]:
    """The facts that can be reached without deletes."""
    relaxation = Relaxation(task)
    waiting: dict[Fact, list[int]] = {}
    missing = [len(part.precondition) for part in relaxation.parts]
    for index, part in enumerate(relaxation.parts):
        for fact in part.precondition:
            waiting.setdefault(fact, []).append(index)
    known = set[Fact]()
    new = {(v, d) for v, d in enumerate(task.initial) if not task.variables[v].is_derived}
    ready = [index for index, count in enumerate(missing) if count == 0]
    while new or ready:
        known |= new
        for fact in new:
            for index in waiting.get(fact, ()):
                missing[index] -= 1
                if missing[index] == 0:
                    ready.append(index)
        new = {fact for index in ready for fact in relaxation.parts[index].adds} - known
        ready = []
    return known
