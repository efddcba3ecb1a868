"""The delete relaxation: a fact that once held is never lost (Bonet and Geffner, 2001).

An operator is split into parts: all unconditional effects, and each conditional effect with its
condition added to the precondition. Axioms are parts without costs. Further free parts describe
when a derived variable keeps its default value. The parts of a plan's actions reach every fact that
holds along the plan, so the relaxation requires no more than a plan does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import accumulate, chain
from math import inf

from asplan.core.dataclass import dataclass
from asplan.core.graphs import closure, components
from asplan.pddl.task.task import (
    Axiom,
    Fact,
    Task,
    contradicts_itself,
)

AXIOM = -1
"""The owner of the parts that stand for axioms."""


@dataclass(frozen=True)
class Part:
    """A part of an operator in the delete relaxation: the facts that it adds under one condition.

    An operator has a part for its unconditional effects, and one for each conditional effect. An
    axiom is a part as well. `owner` is the number of the part's operator, or `AXIOM`.
    """

    owner: int
    precondition: frozenset[Fact]
    adds: frozenset[Fact]


def relaxation(task: Task) -> tuple[list[Part], list[int]]:
    """Return the parts of a task's delete relaxation, and the number of values of each variable.

    Auxiliary variables, which replace negated derived variables, come after the variables of the
    task.
    """
    parts: list[Part] = []
    for owner, operator in enumerate(task.operators):
        parts += _part(owner, operator.precondition, operator.always)
        for effect in operator.effects:
            if effect.condition:
                condition = operator.precondition + effect.condition
                parts += _part(owner, condition, [effect.fact])
    negation = _Negation(task)
    for axiom in (*task.firing_axioms, *negation.axioms):
        parts += _part(AXIOM, axiom.condition, [axiom.fact])
    sizes = [len(variable.values) for variable in task.variables]
    return parts, sizes + [1] * negation.count


def _part(
    owner: int,
    condition: Sequence[Fact],
    adds: Sequence[Fact],
) -> Iterator[Part]:
    """Yield the part that adds facts under a condition; nothing if it can never add a new fact."""
    new = frozenset(adds) - frozenset(condition)
    if new and not contradicts_itself(condition):
        yield Part(owner, frozenset(condition), new)


class _Negation:
    """A maker of axioms, which derive that a derived variable keeps its default value.

    A derived variable keeps its default value if each of its axioms fails. An axiom fails if the
    variable of some fact in its body has another value. Auxiliary facts express that an axiom
    fails, or that a variable does not have a value. Where derived variables depend on each other in
    a cycle, one may keep its default because the others do. In this case the new axioms have empty
    bodies.

    Attributes
    ----------
    axioms
        The axioms that were made.
    count
        The number of auxiliary facts. Each is the value 0 of a variable of its own, numbered after
        the variables of the task.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self.axioms = list[Axiom]()
        self.count = 0
        self._lacking: dict[Fact, Fact] = {}
        self._derived = set(task.derived)
        self._component = self._components()
        axioms_of: dict[int, list[Axiom]] = {v: [] for v in task.derived}
        for axiom in task.firing_axioms:
            axioms_of[axiom.fact[0]].append(axiom)
        for head, axioms in axioms_of.items():
            failures = [self._auxiliary_fact() for _ in axioms]
            default = (head, task.initial[head])
            self.axioms.append(Axiom(default, tuple(failures)))
            for axiom, failure in zip(axioms, failures, strict=True):
                for part in axiom.condition:
                    self._add_failure(head, failure, part)

    def _components(self) -> dict[int, int]:
        """Return the number of each variable's component in the dependency graph of the axioms."""
        after: list[list[int]] = [[] for _ in self._task.variables]
        for axiom in self._task.axioms:
            after[axiom.fact[0]] += [v for v, _ in axiom.condition if v in self._derived]
        component = dict[int, int]()
        for number, part in enumerate(components(after)):
            component.update(dict.fromkeys(part, number))
        return component

    def _auxiliary_fact(self) -> Fact:
        variable = len(self._task.variables) + self.count
        self.count += 1
        return variable, 0

    def _add_failure(
        self,
        head: int,
        failure: Fact,
        part: Fact,
    ) -> None:
        """Add the axioms by which one fact of an axiom's body makes the axiom fail.

        `head` is the variable that the axiom sets, and `part` is the fact of its body. `failure` is
        the auxiliary fact with the meaning that the axiom fails.
        """
        others = [other for other in self._task.facts_of(part[0]) if other != part]
        is_derived = part[0] in self._derived
        if is_derived and self._component[part[0]] == self._component[head]:
            self.axioms.append(Axiom(failure, ()))
        elif len(others) == 1:
            self.axioms.append(Axiom(failure, (others[0],)))
        else:
            self.axioms.append(Axiom(failure, (self._lack_of(part, others),)))

    def _lack_of(
        self,
        part: Fact,
        others: Iterable[Fact],
    ) -> Fact:
        """Return the auxiliary fact with the meaning that `part` does not hold.

        `others` are the other facts of the same variable.
        """
        lack = self._lacking.get(part)
        if lack is None:
            lack = self._auxiliary_fact()
            self._lacking[part] = lack
            self.axioms += [Axiom(lack, (other,)) for other in others]
        return lack


class Flat:
    """The delete relaxation in flat lists, with only the parts on which the goal depends.

    Facts and parts are numbered from 0, and the lists are indexed by these numbers.

    Attributes
    ----------
    facts
        The number of facts: facts of the task, auxiliary facts, `start` and `goal`.
    start
        A fact that holds in every state. It is the precondition of parts that need nothing.
    goal
        A fact that the last part adds at no cost if the goal of the task holds.
    preconditions, sizes
        The facts that each part needs, and their number. Facts that few parts add come first.
    adds, costs
        The facts that each part adds, and its cost.
    owners
        The operator of each part, or `AXIOM`.
    needed_by, added_by
        For each fact, the parts that need it, and the parts that add it.
    siblings
        The parts of each operator.
    """

    def __init__(
        self,
        task: Task,
        costs: Sequence[int],
        has_goal: bool = True,
    ) -> None:
        """Relax a task whose operators have these costs.

        Without `has_goal` there is no part for the goal, and all parts are kept.
        """
        parts, sizes = relaxation(task)
        packing = task.packing
        self.offsets = list(accumulate(sizes, initial=0))
        self.start = self.offsets[-1]
        self.goal = self.start + 1
        self.facts = self.start + 2
        parts = _relevant(parts, task.goal) if has_goal else parts
        self.preconditions = list[list[int]]()
        self.adds = list[list[int]]()
        self.owners = list[int]()
        for part in parts:
            self._add_part(
                part.owner,
                part.precondition,
                self.numbers(part.adds),
            )
        if has_goal:
            self._add_part(
                AXIOM,
                set(task.goal),
                [self.goal],
            )
        self.costs = [0 if owner == AXIOM else costs[owner] for owner in self.owners]
        self.sizes = list(map(len, self.preconditions))
        self.needed_by = self._by_fact(self.preconditions)
        self.added_by = self._by_fact(self.adds)
        rank = self._rank_facts()
        for facts in self.preconditions:
            facts.sort(key=rank.__getitem__)
        self.siblings = self._by_owner(len(task.operators))
        # The offset, the shift and the mask of each basic variable.
        self._fields = list[tuple[int, int, int]]()
        for v in task.basic:
            self._fields.append((self.offsets[v], packing.shifts[v], packing.masks[v]))

    def _add_part(
        self,
        owner: int,
        precondition: Iterable[Fact],
        adds: list[int],
    ) -> None:
        self.preconditions.append(self.numbers(precondition) or [self.start])
        self.adds.append(adds)
        self.owners.append(owner)

    def _rank_facts(self) -> list[int]:
        """Return the rank of each fact, from 0; facts that fewer parts add have lower ranks."""
        rank = [0] * self.facts
        order = sorted(range(self.facts), key=lambda fact: (len(self.added_by[fact]), -fact))
        for place, fact in enumerate(order):
            rank[fact] = place
        return rank

    def _by_owner(self, operators: int) -> list[list[int]]:
        """Return the parts of each operator; `operators` is the number of operators."""
        siblings: list[list[int]] = [[] for _ in range(operators)]
        for index, owner in enumerate(self.owners):
            if owner != AXIOM:
                siblings[owner].append(index)
        return siblings

    def numbers(self, facts: Iterable[Fact]) -> list[int]:
        """Return the sorted numbers that facts of the task have in this relaxation."""
        return sorted(self.offsets[variable] + value for variable, value in facts)

    def facts_of(self, state: int) -> list[int]:
        """Return the numbers of the basic facts of a state, and `start`.

        Facts of derived variables are not among them: the parts of axioms add them.
        """
        facts = [offset + (state >> shift & mask) for offset, shift, mask in self._fields]
        facts.append(self.start)
        return facts

    def _by_fact(
        self,
        lists: list[list[int]],
    ) -> list[list[int]]:
        """Return for each fact the indices of the lists that contain it."""
        places: list[list[int]] = [[] for _ in range(self.facts)]
        for place, facts in enumerate(lists):
            for fact in facts:
                places[fact].append(place)
        return places


def _relevant(
    parts: Sequence[Part],
    goal: Sequence[Fact],
) -> list[Part]:
    """Return the parts on which the goal depends.

    The facts that a part adds are restricted to facts on which the goal depends.
    """
    added_by: dict[Fact, list[Part]] = {}
    for part in parts:
        for fact in part.adds:
            added_by.setdefault(fact, []).append(part)

    def needs(fact: Fact) -> Iterable[Fact]:
        return chain.from_iterable(part.precondition for part in added_by.get(fact, ()))

    relevant = closure(goal, needs)
    kept = (replace(part, adds=part.adds & relevant) for part in parts)
    return [part for part in kept if part.adds]


def layers(task: Task) -> dict[Fact, int]:
    """Return the least number of parallel steps to each reachable fact in the delete relaxation.

    In a relaxed parallel step all applicable operators happen at once. So the number is the
    distance of a fact (h-max) if each operator costs 1.
    """
    flat = Flat(
        task,
        [1] * len(task.operators),
        has_goal=False,
    )
    initial = flat.numbers((v, task.initial[v]) for v in task.basic)
    distance: list[float] = [inf] * flat.facts
    find_distances(
        flat,
        [*initial, flat.start],
        [*flat.costs],
        distance,
    )
    reached = zip(task.facts, distance, strict=False)
    return {fact: int(steps) for fact, steps in reached if steps < inf}


def find_distances(  # noqa: C901  calls would take longer
    flat: Flat,
    facts: list[int],
    costs: list[float],
    distance: list[float],
    is_sum: bool = False,
) -> None:
    """Find the distances of facts from the facts of a state, up to the distance of the goal.

    The result is written to `distance`. The algorithm is Dijkstra's, as Knuth (1977) generalized
    it.

    Parameters
    ----------
    facts
        The facts of the state. The list changes.
    costs
        The costs of parts. If `is_sum` is set, the costs of their preconditions are added to them.
    distance
        An upper bound for each fact. Smaller distances replace the bounds.
    is_sum
        True if the distance of a set of facts is the sum of their distances (h-add), false if it is
        the largest of them (h-max).
    """
    needed_by = flat.needed_by
    adds = flat.adds
    missing = flat.sizes[:]
    for fact in facts:
        distance[fact] = 0
    buckets: dict[float, list[int]] = {0: facts}
    values: list[float] = [0]
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
