"""Best-first search with an estimate of what is left: moves, or what they cost.

Sources: Hart, Nilsson and Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost
Paths, 1968; Korf, Depth-First Iterative-Deepening, Artificial Intelligence 27, 1985.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import chain, count
from math import inf
from typing import Any

from asplan.core.errors import UsageError, nearest
from asplan.domains.base import Effort, Prover
from asplan.domains.heuristic import Followed, Heuristic, as_followed
from asplan.engines.search.search import Search
from asplan.result import Result

Tie = Callable[[int, float], tuple[float, ...]]

TIE_BREAKING: dict[str, Tie] = {
    "larger-g": lambda g, h: (-g,),
    "none": lambda g, h: (),
    "smaller-g-then-h": lambda g, h: (g, h),
}
"""What decides among equal f = g + h, the default first; after that first in, first out.

With f and g equal h is equal too, so the last stage of `smaller-g-then-h` never decides; it is
kept as it was published. `scripts/tie_breaking.py` measured the default.
"""


def astar(search: Search) -> Result:
    """Take out the state with the least f = g + h, g being the moves so far and h the estimate.

    A state that is reached again by fewer moves is queued again, so the plan is shortest for every
    admissible heuristic. Where the cost of actions is to be least, g and h are that instead; a
    domain may have such a search of its own.
    """
    heuristic, tie, deepest = search.heuristic(), tie_breaking(search), search.deepest
    options, prover = search.run.options, search.domain.prover
    if prover is not None and not (options.heuristic or options.tie_breaking) and deepest == inf:
        return _prove(search, prover)
    estimate, admissible = search.estimate(heuristic), heuristic.admissible(search.model)
    starts, order, cut = search.model.initials, count(), False
    least: dict[Any, int] = dict.fromkeys(starts, 0)
    parent: dict[Any, Any] = dict.fromkeys(starts)
    open_list: list[Any] = [(estimate(s), (), next(order), 0, s) for s in starts]
    heapify(open_list)
    search.queued = len(open_list)
    while open_list:
        search.open_has(len(open_list))
        f, _, _, g, state = heappop(open_list)
        if g > least[state]:
            continue
        if f == inf:
            break
        if g > deepest or (admissible and f > deepest):
            cut = True
            continue
        if admissible:
            search.no_less_than(f)
        search.take_out(f"at f = {f:g}")
        if search.is_goal(state):
            reason, states = claim(search, heuristic, admissible), []
            while state is not None:
                states.append(state)
                state = parent[state]
            return search.found(states[::-1], admissible, reason)
        for after, paid in search.priced(state):
            total = g + paid
            if total < least.get(after, inf):
                least[after], parent[after] = total, state
                h = estimate(after)
                heappush(open_list, (total + h, tie(total, h), next(order), total, after))
                search.queued += 1
    if cut:
        return search.too_deep()
    return search.unsolvable(f"no goal among the {len(least)} states that were reached")


def _prove(search: Search, prover: Prover) -> Result:
    def heed(effort: Effort) -> None:
        search.no_less_than(effort.least)
        search.queued, search.expanded = effort.queued, effort.expanded
        search.generated = effort.generated
        search.open_has(effort.waiting)
        search.tick(f"at f = {effort.least}")

    found = prover(search.model, search.is_priced, heed)
    if found.steps is None:
        return search.unsolvable(found.how)
    states = [search.model.initial]
    for action in chain.from_iterable(found.steps):
        states.append(search.model.apply(states[-1], action))
    return search.found(states, True, found.how)


def idastar(search: Search) -> Result:
    """Depth first within a bound on f, raised until a goal is found; it remembers only its path."""
    heuristic = search.heuristic()
    admissible = heuristic.admissible(search.model)
    estimate = as_followed(heuristic.make(search.model), search.successors)
    starts = search.model.initials
    least = min(map(estimate, starts), default=inf)
    f_bound: float = max(least, search.run.limits.min_horizon)
    cut = False
    while f_bound < inf:
        if admissible and least < inf:
            search.bound = max(search.bound, int(least))
        if search.bound > search.deepest:
            return search.too_deep()
        attempt = _Round(search, estimate, f_bound)
        if states := next(filter(None, map(attempt.run, starts)), None):
            proven = admissible and len(states) - 1 == search.bound
            return search.found(states, proven, claim(search, heuristic, proven))
        cut = cut or attempt.cut
        least = f_bound = attempt.next_bound
    if cut:
        return search.too_deep()
    return search.unsolvable("every path from the start ends without a goal")


@dataclass
class _Round:
    """One depth-first search; `next_bound` is the least f above the bound that was met."""

    search: Search
    estimate: Followed
    bound: float
    next_bound: float = inf
    cut: bool = False

    def run(self, start: Any) -> list[Any] | None:
        note = self.estimate.note(start)
        if (f := self.estimate.value(note)) > self.bound:
            self.next_bound = min(self.next_bound, f)
            return None
        # A dictionary keeps the order of the path, and knows at once what is on it.
        path: dict[Any, None] = {start: None}
        open_steps = [self._open(start, note)]
        while not self.search.is_goal(next(reversed(path))):
            while (step := self._next(open_steps[-1], path)) is None:
                open_steps.pop()
                path.popitem()
                if not path:
                    return None
            path[step[0]] = None
            open_steps.append(self._open(*step))
            self.search.open_has(len(path))
        return list(path)

    def _open(self, state: Any, note: Any) -> Iterator[tuple[Any, Any]]:
        """The states that follow, each with what the estimate noted of it."""
        search = self.search
        search.queued += 1
        search.take_out(f"within f = {self.bound:g}")
        after = list(self.estimate.successors(state, note))
        search.generated += len(after)
        return iter(after)

    def _next(
        self, steps: Iterator[tuple[Any, Any]], path: Mapping[Any, None]
    ) -> tuple[Any, Any] | None:
        """The next step that stays within the bound and leads to no state on the path."""
        g, value, bound = len(path), self.estimate.value, self.bound
        for after, note in steps:
            if after not in path:
                f = g + value(note)
                if f > bound:
                    self.next_bound = min(self.next_bound, f)
                elif g > self.search.deepest:
                    self.cut = True
                else:
                    return after, note
        return None


def tie_breaking(search: Search) -> Tie:
    """The tie-breaking that was asked for, or the default; `UsageError` if there is none such."""
    name = search.run.options.tie_breaking or next(iter(TIE_BREAKING))
    if name not in TIE_BREAKING:
        hint = nearest(name, TIE_BREAKING, noun="ways to break ties")
        raise UsageError(f"there is no tie-breaking {name!r}", hint=hint)
    return TIE_BREAKING[name]


def claim(search: Search, heuristic: Heuristic, proven: bool) -> str:
    """What the length or the cost of the plan rests on."""
    if proven:
        return f"no state with a smaller f is left, and {heuristic.name} is admissible"
    better = "cheaper" if search.is_priced else "shorter"
    return f"first plan found; with the heuristic {heuristic.name} a {better} one may exist"
