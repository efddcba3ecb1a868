"""The delete relaxation of a task in flat lists of numbers, which heuristics go through fast."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from asplan.domains.pddl.model import TaskModel
from asplan.domains.pddl.relaxation import AXIOM, Part, Relaxation
from asplan.domains.pddl.task import Fact


class Flat:
    """Facts and parts by number; only those on which the goal may depend.

    Two facts are added to those of the task: `start`, which holds in every state and is the
    precondition of what needs none, and `goal`, which one more part adds from the facts of the
    goal, at no cost.

    Attributes
    ----------
    preconditions, adds, costs, owners
        For each part; the owner is an operator or `AXIOM`. Preconditions that few parts add come
        first.
    sizes
        The number of preconditions of each part.
    needed_by, added_by
        For each fact the parts.
    siblings
        For each operator its parts.
    """

    def __init__(self, model: TaskModel, costs: Sequence[int]) -> None:
        """A task whose operators cost so much."""
        task, relaxation = model.task, Relaxation(model.task)
        self._offsets = list(accumulate(relaxation.sizes, initial=0))
        self.start = self._offsets[-1]
        self.goal = self.start + 1
        self.facts = self.start + 2
        parts = _relevant(relaxation)
        self.preconditions = [self._numbers(part.precondition) or [self.start] for part in parts]
        self.adds = [self._numbers(part.adds) for part in parts]
        self.owners = [part.owner for part in parts]
        self.costs = [0 if part.owner == AXIOM else costs[part.owner] for part in parts]
        self._add_goal(self._numbers(relaxation.goal) or [self.start])
        self.sizes = list(map(len, self.preconditions))
        self.needed_by = self._by_fact(self.preconditions)
        self.added_by = self._by_fact(self.adds)
        for facts in self.preconditions:
            facts.sort(key=lambda fact: (len(self.added_by[fact]), -fact))
        self.siblings: list[list[int]] = [[] for _ in task.operators]
        for index, owner in enumerate(self.owners):
            if owner != AXIOM:
                self.siblings[owner].append(index)
        packing = model.packing
        self._fields = [
            (self._offsets[v], packing.shifts[v], packing.masks[v]) for v in model.basic
        ]

    def facts_of(self, state: int) -> list[int]:
        """What holds in a state, `start` with it; derived variables are left to the axioms."""
        found = [offset + (state >> shift & mask) for offset, shift, mask in self._fields]
        found.append(self.start)
        return found

    def _numbers(self, facts: frozenset[Fact]) -> list[int]:
        return sorted(self._offsets[variable] + value for variable, value in facts)

    def _add_goal(self, goal: list[int]) -> None:
        self.preconditions.append(goal)
        self.adds.append([self.goal])
        self.owners.append(AXIOM)
        self.costs.append(0)

    def _by_fact(self, lists: list[list[int]]) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in range(self.facts)]
        for index, facts in enumerate(lists):
            for fact in facts:
                found[fact].append(index)
        return found


def _relevant(relaxation: Relaxation) -> list[Part]:
    """The parts that add what the goal may depend on; what else they add is left out."""
    added_by: dict[Fact, list[Part]] = {}
    for part in relaxation.parts:
        for fact in part.adds:
            added_by.setdefault(fact, []).append(part)
    relevant, new = set(relaxation.goal), list(relaxation.goal)
    while new:
        for part in added_by.get(new.pop(), ()):
            new += part.precondition - relevant
            relevant |= part.precondition
    return [
        Part(part.owner, part.precondition, part.adds & relevant)
        for part in relaxation.parts
        if part.adds & relevant
    ]
