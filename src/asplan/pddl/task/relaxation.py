"""The delete relaxation: nothing that once held is ever lost (Bonet and Geffner, 2001).

An operator falls into parts: what it always does, and each conditional effect with its condition
added to the precondition. An axiom is a part that costs nothing, and so is what must hold where no
axiom applies. Whatever holds along a plan is then reached by the parts of its actions, so that no
more is asked for than any plan needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from asplan.core.graphs import components
from asplan.pddl.task.task import Axiom, Fact, Task, contradicts_itself

AXIOM = -1
"""The owner of the parts that are axioms."""


@dataclass(frozen=True)
class Part:
    """What an operator (its `owner`) or an axiom adds if its precondition holds."""

    owner: int
    precondition: frozenset[Fact]
    adds: frozenset[Fact]


@dataclass(frozen=True)
class Relaxation:
    """A task without deletes.

    `sizes` has for each variable its number of values: first those of the task, then those that
    the axioms of `_negation` need.
    """

    sizes: list[int]
    parts: list[Part]


def relaxation(task: Task) -> Relaxation:
    parts: list[Part] = []
    for owner, operator in enumerate(task.operators):
        parts += _part(owner, operator.precondition, operator.always)
        for effect in operator.effects:
            if effect.condition:
                condition = operator.precondition + effect.condition
                parts += _part(owner, condition, [effect.fact])
    negation, more = _negation(task)
    for axiom in (*task.firing_axioms, *negation):
        parts += _part(AXIOM, axiom.condition, [axiom.fact])
    return Relaxation([len(variable.values) for variable in task.variables] + [1] * more, parts)


def _part(owner: int, condition: Sequence[Fact], adds: Sequence[Fact]) -> Iterator[Part]:
    """The part, if it can ever add something."""
    new = frozenset(adds) - frozenset(condition)
    if new and not contradicts_itself(condition):
        yield Part(owner, frozenset(condition), new)


def layers(task: Task) -> dict[Fact, int]:
    """The facts that can be reached, each with the number of steps that it takes at least.

    Steps are parallel: all operators that apply happen at once. Axioms take no step.
    """
    parts = relaxation(task).parts
    waiting: dict[Fact, list[int]] = {}
    missing = [len(part.precondition) for part in parts]
    for index, part in enumerate(parts):
        for fact in part.precondition:
            waiting.setdefault(fact, []).append(index)
    known = dict[Fact, int]()
    new = [(v, d) for v, d in enumerate(task.initial) if not task.variables[v].is_derived]
    ready = [index for index, count in enumerate(missing) if count == 0]
    for step in count():
        later = list[int]()
        while new or ready:
            known |= dict.fromkeys(new, step)
            for fact in new:
                for index in waiting.get(fact, ()):
                    missing[index] -= 1
                    if missing[index] == 0:
                        ready.append(index)
            later += (index for index in ready if parts[index].owner != AXIOM)
            axioms = (parts[index] for index in ready if parts[index].owner == AXIOM)
            new = list({fact for axiom in axioms for fact in axiom.adds} - known.keys())
            ready = []
        new = list({fact for index in later for fact in parts[index].adds} - known.keys())
        if not new:
            return known
    raise AssertionError("a task has finitely many facts")


def _negation(task: Task) -> tuple[list[Axiom], int]:
    """What must hold where a derived variable keeps the value that it has if no axiom applies.

    Then each of its axioms fails: some fact of its body does not hold, so that its variable has
    another value. More axioms say that, with some facts that are not of the task: that an axiom
    fails, and that a variable has another value than this. In a cycle of variables that are derived
    from each other, one may keep its value because the others do; there nothing is asked for.

    Returns the axioms, and how many facts they need that are not of the task. Each is the value 0
    of a variable of its own, counted on from the variables of the task.
    """
    numbers = count(len(task.variables))
    after: list[list[int]] = [[] for _ in task.variables]
    failing: dict[int, list[Axiom]] = {
        v: [] for v, variable in enumerate(task.variables) if variable.is_derived
    }
    for axiom in task.axioms:
        after[axiom.fact[0]] += [v for v, _ in axiom.condition if v in failing]
    for axiom in task.firing_axioms:
        failing[axiom.fact[0]].append(axiom)
    cycle = {v: n for n, part in enumerate(components(after)) for v in part}
    lacking: dict[Fact, Fact] = {}
    found: list[Axiom] = []
    for head, axioms in failing.items():
        fails = [(next(numbers), 0) for _ in axioms]
        found.append(Axiom((head, task.initial[head]), tuple(fails)))
        for axiom, fact in zip(axioms, fails, strict=True):
            for part in axiom.condition:
                others = [other for other in task.facts_of(part[0]) if other != part]
                if part[0] in failing and cycle[part[0]] == cycle[head]:
                    found.append(Axiom(fact, ()))
                elif len(others) == 1:
                    found.append(Axiom(fact, (others[0],)))
                else:
                    if part not in lacking:
                        lacking[part] = next(numbers), 0
                        found += (Axiom(lacking[part], (other,)) for other in others)
                    found.append(Axiom(fact, (lacking[part],)))
    return found, next(numbers) - len(task.variables)
