"""What must hold where a derived variable keeps the value that it has if no axiom applies.

Then each of its axioms fails: some fact of its body does not hold, so that its variable has
another value. That is said by more axioms, with some facts that are not of the task: that an axiom
fails, and that a variable has another value than this. In a circle of variables that are derived
from each other, one may keep its value because the others do; there nothing is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from asplan.domains.pddl.task import Axiom, Fact, Task
from asplan.graphs import components


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
