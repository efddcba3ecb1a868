"""The delete relaxation: nothing that once held is ever lost (Bonet and Geffner, 2001).

An operator falls into parts: what it always does, and each conditional effect with its condition
added to the precondition. An axiom is a part that costs nothing, and so is what must hold where no
axiom applies. Whatever holds along a plan is then reached by the parts of its actions, so that no
more is asked for than any plan needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asplan.domains.pddl.negation import Negation
from asplan.domains.pddl.packing import contradicts_itself
from asplan.domains.pddl.task import Fact, Operator, Task

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
