"""The delete relaxation: nothing that once held is ever lost (Bonet and Geffner, 2001).

An operator falls into parts: what it always does, and each conditional effect with its condition
added to the precondition. An axiom is a part that costs nothing, and so is what must hold where no
axiom applies. Whatever holds along a plan is then reached by the parts of its actions, so that no
more is asked for than any plan needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate, chain, count
from math import inf
from typing import Any

from asplan.core.graphs import closure, components
from asplan.pddl.task.task import Axiom, Fact, Task, contradicts_itself

AXIOM = -1  # the owner of the parts that are axioms


@dataclass(frozen=True)
class Part:
    """What an operator (its `owner`) or an axiom adds if its precondition holds."""

    owner: int
    precondition: frozenset[Fact]
    adds: frozenset[Fact]


def relaxation(task: Task) -> tuple[list[Part], list[int]]:
    """The parts of a task without deletes, and for each variable its number of values.

    Behind the variables of the task come those that the axioms of `_negation` need.
    """
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
    return parts, [len(variable.values) for variable in task.variables] + [1] * more


def _part(owner: int, condition: Sequence[Fact], adds: Sequence[Fact]) -> Iterator[Part]:
    """The part, if it can ever add something."""
    new = frozenset(adds) - frozenset(condition)
    if new and not contradicts_itself(condition):
        yield Part(owner, frozenset(condition), new)


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
    failing: dict[int, list[Axiom]] = {v: [] for v in task.derived}
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


class Flat:
    """The delete relaxation in flat lists: only facts and parts on which the goal may depend.

    Two facts are added to those of the task: `start`, which holds in every state and is the
    precondition of what needs none, and `goal`, which one more part adds from the facts of the
    goal, at no cost. For each part there are `preconditions` (those that few parts add come first)
    and their number (`sizes`), `adds`, `costs`, and `owners`, an operator or `AXIOM`; for each fact
    the parts `needed_by` and `added_by` which it is; and for each operator its parts (`siblings`).
    """

    def __init__(self, task: Task, costs: Sequence[int], has_goal: bool = True) -> None:
        """A task whose operators cost so much; without a goal all depends on all."""
        (parts, sizes), packing = relaxation(task), task.packing
        offsets = self.offsets = list(accumulate(sizes, initial=0))
        self.start = offsets[-1]
        self.goal = self.start + 1
        self.facts = self.start + 2
        parts = _relevant(parts, task.goal) if has_goal else parts
        self.preconditions = [self.numbers(part.precondition) or [self.start] for part in parts]
        self.adds = [self.numbers(part.adds) for part in parts]
        self.owners = [part.owner for part in parts]
        if has_goal:
            self.preconditions.append(self.numbers(set(task.goal)) or [self.start])
            self.adds.append([self.goal])
            self.owners.append(AXIOM)
        self.costs = [0 if owner == AXIOM else costs[owner] for owner in self.owners]
        self.sizes = list(map(len, self.preconditions))
        self.needed_by = self._by_fact(self.preconditions)
        self.added_by = self._by_fact(self.adds)
        for facts in self.preconditions:
            facts.sort(key=lambda fact: (len(self.added_by[fact]), -fact))
        self.siblings: list[list[int]] = [[] for _ in task.operators]
        for index, owner in enumerate(self.owners):
            if owner != AXIOM:
                self.siblings[owner].append(index)
        self._fields = [(offsets[v], packing.shifts[v], packing.masks[v]) for v in task.basic]

    def numbers(self, facts: Iterable[Fact]) -> list[int]:
        return sorted(self.offsets[variable] + value for variable, value in facts)

    def facts_of(self, state: int) -> list[int]:
        """What holds in a state, `start` with it; derived variables are left to the axioms."""
        found = [offset + (state >> shift & mask) for offset, shift, mask in self._fields]
        found.append(self.start)
        return found

    def _by_fact(self, lists: list[list[int]]) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in range(self.facts)]
        for index, facts in enumerate(lists):
            for fact in facts:
                found[fact].append(index)
        return found


def _relevant(parts: Sequence[Part], goal: Sequence[Fact]) -> list[Part]:
    """The parts that add what the goal may depend on; what else they add is left out."""
    added_by: dict[Fact, list[Part]] = {}
    for part in parts:
        for fact in part.adds:
            added_by.setdefault(fact, []).append(part)
    relevant = closure(
        goal, lambda fact: chain.from_iterable(p.precondition for p in added_by.get(fact, ()))
    )
    kept = ((part, part.adds & relevant) for part in parts)
    return [Part(part.owner, part.precondition, adds) for part, adds in kept if adds]


def layers(task: Task) -> dict[Fact, int]:
    """The facts that can be reached, each with the number of steps that it takes at least.

    Steps are parallel: all operators that apply happen at once, and axioms take none. So these are
    the distances if each operator costs 1.
    """
    flat = Flat(task, [1] * len(task.operators), has_goal=False)
    initial = flat.numbers((v, task.initial[v]) for v in task.basic)
    distance: list[Any] = [inf] * flat.facts
    find_distances(flat, [*initial, flat.start], flat.costs, distance)
    return {fact: far for fact, far in zip(task.facts, distance, strict=False) if far < inf}


def find_distances(
    flat: Flat, facts: list[int], costs: list[int], distance: list[Any], is_sum: bool = False
) -> None:
    """Find the distances from the facts of a state: Dijkstra, as Knuth (1977) generalized it.

    What is nearer than it says at first gets a `distance`. A set of facts is as far as the farthest
    of them, or (`is_sum`) as all of them together, for which it adds to `costs`. It ends with the
    goal.
    """
    needed_by, adds = flat.needed_by, flat.adds
    missing = flat.sizes[:]
    for fact in facts:
        distance[fact] = 0
    buckets, values = {0: facts}, [0]
    while values:
        value = heappop(values)
        if value == distance[flat.goal]:
            return
        bucket = buckets.pop(value)
        for fact in bucket:
            if distance[fact] < value:
                continue
            for part in needed_by[fact]:
                missing[part] -= 1
                if is_sum:
                    costs[part] += value
                if missing[part]:
                    continue
                far = costs[part] if is_sum else value + costs[part]
                for added in adds[part]:
                    if far < distance[added]:
                        distance[added] = far
                        if far == value:
                            bucket.append(added)
                        elif far in buckets:
                            buckets[far].append(added)
                        else:
                            buckets[far] = [added]
                            heappush(values, far)
