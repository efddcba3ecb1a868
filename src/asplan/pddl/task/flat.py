"""The delete relaxation in flat lists: what estimates are found on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

from asplan.core.graphs import closure
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.relaxation import AXIOM, Part, relaxation
from asplan.pddl.task.task import Fact


class Flat:
    """The delete relaxation in flat lists: only facts and parts on which the goal may depend.

    Two facts are added to those of the task: `start`, which holds in every state and is the
    precondition of what needs none, and `goal`, which one more part adds from the facts of the
    goal, at no cost. For each part there are `preconditions` (those that few parts add come first)
    and their number (`sizes`), `adds`, `costs`, and `owners`, an operator or `AXIOM`; for each fact
    the parts `needed_by` and `added_by` which it is; and for each operator its parts (`siblings`).
    """

    def __init__(self, model: TaskModel, costs: Sequence[int]) -> None:
        """A task whose operators cost so much."""
        task, relaxed = model.task, relaxation(model.task)
        offsets = list(accumulate(relaxed.sizes, initial=0))
        self.start = offsets[-1]
        self.goal = self.start + 1
        self.facts = self.start + 2
        parts = _relevant(relaxed.parts, task.goal)

        def numbers(facts: Iterable[Fact]) -> list[int]:
            return sorted(offsets[variable] + value for variable, value in facts)

        needs = [*(part.precondition for part in parts), frozenset(task.goal)]
        self.preconditions = [numbers(facts) or [self.start] for facts in needs]
        self.adds = [*(numbers(part.adds) for part in parts), [self.goal]]
        self.owners = [*(part.owner for part in parts), AXIOM]
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
        packing = model.packing
        self._fields = [(offsets[v], packing.shifts[v], packing.masks[v]) for v in model.basic]

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
    return [
        Part(part.owner, part.precondition, part.adds & relevant)
        for part in parts
        if part.adds & relevant
    ]
