"""The choice of plans that are far apart: of all choices, one with the greatest least distance.

This is the problem of max-min dispersion. A farthest-first traversal finds a choice whose least
distance is at least half of the greatest one (Gonzalez, Clustering to minimize the maximum
intercluster distance, 1985; Ravi et al., Heuristic and special case algorithms for dispersion
problems, 1994). Then a search for larger least distances goes on until it proves that there are
none: plans that are farther apart than a distance are a clique of a graph.

>>> numbers = [0, 1, 4, 6]
>>> matrix = [[abs(one - other) / 6 for other in numbers] for one in numbers]
>>> choice = improve(traverse(4, 3, matrix.__getitem__), matrix, best=4)
>>> choice.plans, choice.is_proven
((0, 2, 3), True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from asplan.core.budget import ENDLESS, Budget, EffortBudget, OutOfBudget
from asplan.core.dataclass import dataclass

MOST_NODES = 50_000
"""The most nodes of a search for a better choice."""

Matrix = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Choice:
    """A choice of plans.

    Attributes
    ----------
    plans
        The numbers of the plans, in ascending order.
    minimum
        The least distance between two of them; 1 for a single plan.
    bound
        A proven bound: no choice of the same number of plans has a greater least distance.
    """

    plans: tuple[int, ...]
    minimum: float
    bound: float

    @property
    def is_proven(self) -> bool:
        """True if no choice of the same number of plans has a greater least distance."""
        return self.minimum >= self.bound


def traverse(
    count: int,
    number: int,
    distances: Callable[[int], Sequence[float]],
) -> Choice:
    """Choose plan 0, and then again and again the plan that is farthest from the chosen ones.

    The distance must be a metric. Then every plan is within the distance `minimum` of one of the
    first `number - 1` chosen plans. So of any `number` plans, two are within `minimum` of the same
    chosen plan, and at most `2 * minimum` apart.

    Parameters
    ----------
    count
        The number of plans, at least 1.
    number
        The number of plans to choose. If there are not more plans, the choice has all of them.
    distances
        A function that returns the distances from one plan to all plans.
    """
    chosen = [0]
    minimum = 1.0
    nearest = list(distances(0))  # the distance of each plan to the nearest chosen one
    while len(chosen) < min(number, count):
        farthest = max(range(count), key=nearest.__getitem__)
        minimum = min(minimum, nearest[farthest])
        chosen.append(farthest)
        nearest = list(map(min, nearest, distances(farthest)))
    bound = minimum if count <= number else min(1.0, 2 * minimum)
    return Choice(tuple(sorted(chosen)), minimum, bound)


def improve(
    choice: Choice,
    matrix: Matrix,
    best: int,
    most_nodes: int = MOST_NODES,
    budget: Budget = ENDLESS,
) -> Choice:
    """Return a choice with the greatest least distance, or the best one that the search finds.

    Parameters
    ----------
    choice
        A choice with at least two plans, to begin with.
    matrix
        The distances between all plans.
    best
        The number of the best plans, which come first. One of them must be chosen.
    most_nodes
        The most nodes of the search for each distance.
    budget
        The budget of the search.
    """
    while not choice.is_proven:
        effort = EffortBudget(budget.deadline, budget.is_abandoned, most=most_nodes)
        graph = _Graph(matrix, choice.minimum, effort)
        try:
            plans = graph.find_clique(len(choice.plans), best)
        except OutOfBudget:
            break
        if plans is None:
            return Choice(choice.plans, choice.minimum, choice.minimum)
        minimum = min(matrix[one][other] for one, other in combinations(plans, 2))
        choice = Choice(tuple(sorted(plans)), minimum, choice.bound)
    return choice


class _Graph:
    """A graph whose nodes are plans; two plans are neighbours if their distance exceeds `above`.

    A set of plans is a number: bit i is 1 if plan i is in the set.
    """

    def __init__(self, matrix: Matrix, above: float, budget: Budget) -> None:
        self._budget = budget
        self._neighbours = [
            sum(1 << other for other, distance in enumerate(row) if distance > above)
            for row in matrix
        ]

    def find_clique(self, size: int, best: int) -> list[int] | None:
        """Return a clique of `size` plans, one of them among the first `best`; None if none exists.

        `size` is at least 2.
        """
        later = (1 << len(self._neighbours)) - 1
        for plan in range(best):
            later &= ~(1 << plan)
            others = self._find(later & self._neighbours[plan], size - 1)
            if others is not None:
                return [plan, *others]
        return None

    def _find(self, plans: int, size: int) -> list[int] | None:
        """Return a clique of `size` plans in the set `plans`; None if there is none.

        `size` is at least 1.
        """
        self._budget.check()
        for plan in reversed(list(self._starts(plans, size))):
            if size == 1:
                return [plan]
            others = self._find(plans & self._neighbours[plan], size - 1)
            if others is not None:
                return [plan, *others]
            plans &= ~(1 << plan)
        return None

    def _starts(self, plans: int, size: int) -> Iterator[int]:
        """Yield some of `plans`, so that each clique of `size` plans has at least one of them.

        Plans with the same colour are not neighbours. So the plans of the first `size - 1` colours
        contain no clique of `size`, and are left out (Tomita and Seki, An efficient
        branch-and-bound algorithm for finding a maximum clique, 2003).
        """
        colour = 0
        while plans:
            colour += 1
            others = plans
            while others:
                lowest = others & -others
                plan = lowest.bit_length() - 1
                plans ^= lowest
                others &= ~(lowest | self._neighbours[plan])
                if colour >= size:
                    yield plan
