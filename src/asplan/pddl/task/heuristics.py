"""Estimates of what is left to do, most of them from the delete relaxation.

In tasks with axioms and conditional effects all of them keep what they claim: the relaxation asks
for no more than a plan does, and LM-cut lets the parts of an operator share its cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import accumulate, chain
from math import inf
from typing import Any

from asplan.core.graphs import closure
from asplan.domains.heuristic import ZERO, Estimate, Heuristic, always, never
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


UNREACHED = -1


def lm_cut(flat: Flat) -> Estimate:
    """LM-cut: landmarks of the delete relaxation, each with its share of the costs.

    Source: Helmert and Domshlak, Landmarks, Critical Paths and Abstractions: What's the Difference
    Anyway?, ICAPS 2009.

    Each round finds parts of which every plan needs one, takes the least of their costs off all of
    them, and adds it to the estimate. An operator with conditional effects has several parts. They
    share its cost: whatever part is cut, the cost is taken off the operator. Every plan has an
    operator of each cut, and pays for it at least what all cuts have taken off it, so the sum is
    never more than the plan costs. (Parts with costs of their own would be counted twice where a
    plan has both effects of one action; Röger, Pommerening and Helmert, Optimal Planning in the
    Presence of Conditional Effects, ECAI 2014, split operators by context instead.) As one effect
    may make another free, the sum can be below h-max, so the larger of the two is taken.

    Of several preconditions that are equally far the one is chosen that the fewest parts add, which
    makes for small cuts, and on most tasks for larger estimates than other orders.
    """

    def estimate(state: int) -> float:
        total, h_max, _ = cuts(flat, state)
        return max(total, h_max)

    return estimate


def cuts(flat: Flat, state: int) -> tuple[float, float, list[int]]:
    """What LM-cut takes off the costs, h-max before that, and what is left of the costs of parts.

    A plan costs at least what is taken off and, on top of that, what is left of its operators.
    """
    are_alone = all(len(parts) <= 1 for parts in flat.siblings)
    rounds = Rounds(flat, flat.facts_of(state))
    h_max: float = rounds.distance[flat.goal]
    if h_max == inf:
        return inf, inf, rounds.costs
    total = 0
    while rounds.distance[flat.goal] > 0:
        cut = rounds.cut()
        least = min(map(rounds.costs.__getitem__, cut))
        total += least
        if not are_alone:
            owners = {flat.owners[part] for part in cut}
            cut = [part for owner in owners for part in flat.siblings[owner]]
        for part in cut:
            rounds.costs[part] -= least
        rounds.update(cut)
    return total, h_max, rounds.costs


class Rounds:
    """h-max of all facts in one state (`distance`), kept up to date while `costs` fall."""

    def __init__(self, flat: Flat, facts: list[int]) -> None:
        self.flat = flat
        self.costs = flat.costs[:]
        # Whole numbers, or infinity.
        self.distance: list[Any] = [inf] * flat.facts
        # Of each part the first precondition of those that are farthest, and how far that is.
        self.supporter = [UNREACHED] * len(flat.costs)
        self.support: list[Any] = [inf] * len(flat.costs)
        _explore(flat, facts, self.costs, self.distance, (self.supporter, self.support))

    def update(self, cheaper: list[int]) -> None:
        """Find the distances anew, after the costs of some parts have fallen.

        Those that are as far as the goal, or farther, may be left too far: as the goal only comes
        nearer, they matter only if they come nearer, too, and then they are found again.
        """
        flat, size, goal = self.flat, self.flat.facts, self.flat.goal
        preconditions, needed_by, adds = flat.preconditions, flat.needed_by, flat.adds
        costs, distance = self.costs, self.distance
        supporter, support = self.supporter, self.support
        open_list: list[int] = []
        changed = cheaper
        while True:
            for part in changed:
                far = support[part] + costs[part]
                for added in adds[part]:
                    if far < distance[added]:
                        distance[added] = far
                        heappush(open_list, far * size + added)
            if not open_list:
                break
            value, fact = divmod(heappop(open_list), size)
            if value >= distance[goal]:
                break
            changed = []
            if distance[fact] < value:
                continue
            for part in needed_by[fact]:
                if supporter[part] == fact and support[part] > value:
                    farthest = UNREACHED
                    for other in preconditions[part]:
                        if distance[other] > farthest:
                            farthest, supporter[part] = distance[other], other
                    support[part] = farthest
                    changed.append(part)

    def cut(self) -> list[int]:
        """Parts that cost something, of which every plan needs one.

        In the graph with an arc from the supporter of each part to what the part adds, these lead
        into the facts from which the goal can be reached at no cost.
        """
        flat, costs, supporter = self.flat, self.costs, self.supporter
        near, border = bytearray(flat.facts), dict[int, None]()
        near[flat.goal] = True
        waiting = [flat.goal]
        while waiting:
            for part in flat.added_by[waiting.pop()]:
                fact = supporter[part]
                if fact == UNREACHED:
                    continue
                if costs[part]:
                    border[part] = None
                elif not near[fact]:
                    near[fact] = True
                    waiting.append(fact)
        known: dict[int, bool] = {}
        return [
            part
            for part in border
            if not near[supporter[part]] and self._reaches(supporter[part], near, known)
        ]

    def _reaches(self, target: int, near: bytearray, known: dict[int, bool]) -> bool:
        """Whether a fact can be reached without passing those near the goal.

        All that is less far than the goal can: the path by which it is reached first has only such
        facts, while those near the goal are as far as the goal. From other facts the search goes
        back until there is a path from such a one, or from one that is known.
        """
        flat, distance, supporter = self.flat, self.distance, self.supporter
        limit = distance[flat.goal]
        if distance[target] < limit:
            return True
        if target in known:
            return known[target]
        seen, waiting = {target}, [target]
        while waiting:
            for part in flat.added_by[waiting.pop()]:
                fact = supporter[part]
                if fact == UNREACHED or fact in seen or near[fact]:
                    continue
                if any(map(near.__getitem__, flat.adds[part])):
                    continue
                if distance[fact] < limit or known.get(fact):
                    known[target] = True
                    return True
                seen.add(fact)
                waiting.append(fact)
        known.update(dict.fromkeys(seen, False))
        return False


def _explore(
    flat: Flat,
    facts: list[int],
    costs: list[int],
    distance: list[Any],
    supports: tuple[list[int], list[Any]] | None = None,
    is_sum: bool = False,
) -> None:
    """Find the distances from the facts of a state: Dijkstra, as Knuth (1977) generalized it.

    A set of facts is as far as the farthest of them, or (`is_sum`) as all of them together. Where
    nobody wants the `supports` of `Rounds` it ends with the goal, and for a sum it adds to `costs`.
    """
    preconditions, needed_by, adds = flat.preconditions, flat.needed_by, flat.adds
    missing = flat.sizes[:]
    supporter, support = supports or ([], [])
    for fact in facts:
        distance[fact] = 0
    buckets, values = {0: facts}, [0]
    while values:
        value = heappop(values)
        if not supports and value == distance[flat.goal]:
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
                if supports:
                    supporter[part] = next(f for f in preconditions[part] if distance[f] == value)
                    support[part] = value
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


def h_max(flat: Flat, is_sum: bool = False) -> Estimate:
    """What a set of facts costs is what the dearest of them does. Bonet and Geffner (2001)."""

    def estimate(state: int) -> float:
        distance: list[Any] = [inf] * flat.facts
        _explore(flat, flat.facts_of(state), flat.costs[:], distance, is_sum=is_sum)
        goal: float = distance[flat.goal]
        return goal

    return estimate


def h_add(flat: Flat) -> Estimate:
    """What a set of facts costs is the sum over them. Bonet and Geffner (2001)."""
    return h_max(flat, is_sum=True)


def goal_count(model: TaskModel) -> Estimate:
    """How many facts of the goal do not hold."""
    holds, goal = model.packing.holds, model.task.goal

    def estimate(state: int) -> float:
        complete = model.complete(state)
        return sum(not holds(complete, fact) for fact in goal)

    return estimate


Claim = Callable[[TaskModel], bool]


def _relaxed(
    name: str, made: Callable[[Flat], Estimate], about: str, admissible: Claim, consistent: Claim
) -> Heuristic:
    """A heuristic from the delete relaxation, for the number of actions and for their cost."""

    def counting(model: TaskModel) -> Estimate:
        return made(Flat(model, [1] * len(model.task.operators)))

    def pricing(model: TaskModel) -> Estimate:
        return made(Flat(model, [operator.cost for operator in model.task.operators]))

    return Heuristic(name, counting, about, admissible, consistent, priced=pricing)


_IF_KEPT = "if nothing that held were lost"
HEURISTICS = (
    _relaxed("lm-cut", lm_cut, "landmarks that share the costs", always, never),
    _relaxed("h-max", h_max, f"the dearest goal, {_IF_KEPT}", always, always),
    _relaxed("h-add", h_add, f"the sum over all goals, {_IF_KEPT}", never, never),
    Heuristic("goal-count", goal_count, "the number of goals that do not hold", never, never),
    ZERO,
)
