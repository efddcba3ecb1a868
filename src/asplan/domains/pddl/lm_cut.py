"""LM-cut: landmarks of the delete relaxation, each with its share of the costs.

Source: Helmert and Domshlak, Landmarks, Critical Paths and Abstractions: What's the Difference
Anyway?, ICAPS 2009.

Each round finds parts of which every plan needs one, takes the least of their costs off all of
them, and adds it to the estimate. An operator with conditional effects has several parts. They
share its cost: whatever part is cut, the cost is taken off the operator. Every plan has an
operator of each cut, and pays for it at least what all cuts have taken off it, so the sum is
never more than the plan costs. (Parts with costs of their own would be counted twice where a plan
has both effects of one action; Röger, Pommerening and Helmert, Optimal Planning in the Presence of
Conditional Effects, ECAI 2014, split operators by context instead.) As one effect may make another
free, the sum can be below h-max, so the larger of the two is taken.

Of several preconditions that are equally far the one is chosen that the fewest parts add, which
makes for small cuts, and on most tasks for larger estimates than other orders.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf
from typing import Any

from asplan.domains.pddl.flat import Flat

UNREACHED = -1


class LandmarkCut:
    """The estimate for states of one task."""

    def __init__(self, flat: Flat) -> None:
        self._flat = flat
        self._are_alone = all(len(parts) <= 1 for parts in flat.siblings)

    def __call__(self, state: int) -> float:
        flat = self._flat
        rounds = Rounds(flat, flat.facts_of(state))
        h_max: float = rounds.distance[flat.goal]
        if h_max == inf:
            return inf
        total = 0
        while rounds.distance[flat.goal] > 0:
            cut = rounds.cut()
            least = min(map(rounds.costs.__getitem__, cut))
            total += least
            cheaper = cut if self._are_alone else self._with_siblings(cut)
            for part in cheaper:
                rounds.costs[part] -= least
            rounds.update(cheaper)
        return max(total, h_max)

    def _with_siblings(self, cut: list[int]) -> list[int]:
        """All parts of the operators of some parts."""
        owners = {self._flat.owners[part] for part in cut}
        return [part for owner in owners for part in self._flat.siblings[owner]]


class Rounds:
    """h-max of all facts in one state, kept up to date while costs fall.

    Attributes
    ----------
    costs
        What parts cost now.
    distance
        h-max of each fact; infinity where it is out of reach.
    """

    def __init__(self, flat: Flat, facts: list[int]) -> None:
        self.flat = flat
        self.costs = flat.costs[:]
        # Whole numbers, or infinity.
        self.distance: list[Any] = [inf] * flat.facts
        # Of each part the first precondition of those that are farthest, and how far that is.
        self.supporter = [UNREACHED] * len(flat.costs)
        self.support: list[Any] = [inf] * len(flat.costs)
        self._explore(facts)

    def _explore(self, facts: list[int]) -> None:
        """Find the distances from the facts of a state, in order: Dijkstra's algorithm."""
        flat, costs = self.flat, self.costs
        preconditions, needed_by, adds = flat.preconditions, flat.needed_by, flat.adds
        distance, supporter, support = self.distance, self.supporter, self.support
        missing = flat.sizes[:]
        for fact in facts:
            distance[fact] = 0
        buckets, values = {0: facts}, [0]
        while values:
            value = heappop(values)
            bucket = buckets.pop(value)
            for fact in bucket:
                if distance[fact] < value:
                    continue
                for part in needed_by[fact]:
                    missing[part] -= 1
                    if missing[part]:
                        continue
                    supporter[part] = next(f for f in preconditions[part] if distance[f] == value)
                    support[part] = value
                    far = value + costs[part]
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
        reached = _Reached(self, near)
        return [part for part in border if not near[supporter[part]] and reached(supporter[part])]


class _Reached:
    """Whether a fact can be reached without passing those near the goal.

    All that is less far than the goal can: the way by which it is reached first has only such
    facts, while those near the goal are as far as the goal.
    """

    def __init__(self, rounds: Rounds, near: bytearray) -> None:
        self._rounds, self._near = rounds, near
        self._limit = rounds.distance[rounds.flat.goal]
        self._known: dict[int, bool] = {}

    def __call__(self, fact: int) -> bool:
        if self._rounds.distance[fact] < self._limit:
            return True
        if fact not in self._known:
            self._search(fact)
        return self._known[fact]

    def _search(self, target: int) -> None:
        """Go back from a fact until a way from a nearer one is found."""
        flat, near, supporter = self._rounds.flat, self._near, self._rounds.supporter
        seen, waiting = {target}, [target]
        while waiting:
            for part in flat.added_by[waiting.pop()]:
                fact = supporter[part]
                if fact == UNREACHED or fact in seen or near[fact]:
                    continue
                if any(map(near.__getitem__, flat.adds[part])):
                    continue
                if self._rounds.distance[fact] < self._limit or self._known.get(fact):
                    self._known[target] = True
                    return
                seen.add(fact)
                waiting.append(fact)
        self._known.update(dict.fromkeys(seen, False))
