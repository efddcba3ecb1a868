"""Best-first searches by an estimate of the remaining steps, or of their cost.

Sources: Hart, Nilsson and Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost
Paths, 1968; Korf, Depth-First Iterative-Deepening, Artificial Intelligence 27, 1985.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain
from math import inf

from asplan.core.errors import UsageError, nearest
from asplan.core.search import Priority, a_star, best_first
from asplan.domains.base import Effort, Prover
from asplan.domains.heuristic import (
    Followed,
    Heuristic,
    Note,
    as_followed,
)
from asplan.domains.model import DomainState
from asplan.engines.search.search import Search
from asplan.result import Result

TIE_BREAKING: dict[str, Priority] = {
    "larger-g": lambda g, h: (g + h, -g),
    "none": a_star,
    "smaller-g-then-h": lambda g, h: (g + h, g, h),
}
"""The order of states with equal f = g + h, the default first; after that first in, first out.

If f and g are equal, so is h: the last key of `smaller-g-then-h` never decides, but it was
published with it. `scripts/tie_breaking.py` measured the default.
"""


def astar(search: Search) -> Result:
    """Expand the state with the least f = g + h, for the steps so far g and the estimate h.

    A state that is reached again by fewer steps is queued again, so the plan is shortest for every
    admissible heuristic. If costs count, g and h are costs. A domain may have a search of its own
    for the default options.
    """
    options = search.run.options
    prover = search.domain.prover
    is_default = not (options.heuristic or options.tie_breaking) and search.deepest == inf
    heuristic = search.heuristic()
    priority = tie_breaking(search)
    if prover is not None and is_default:
        return _prove(search, prover)
    return _best_first(search, heuristic, priority)


def _best_first(
    search: Search,
    heuristic: Heuristic,
    priority: Priority,
) -> Result:
    """Run the best-first search of the textbook within the limits, and record the lower bounds."""
    admissible = heuristic.admissible(search.model)
    cut = False

    def visit(f: float, g: int) -> bool:
        nonlocal cut
        if g > search.deepest or (admissible and f > search.deepest):
            cut = True
            return False
        if admissible:
            search.no_less_than(f)
        search.take_out(f"at f = {f:g}")
        return True

    tree = best_first(search, search.estimate(heuristic), priority, visit, search)
    if tree.goal is not None:
        return search.plan_found(tree.path(), admissible, claim(search, heuristic, admissible))
    if cut:
        return search.too_deep()
    return search.unsolvable(f"no goal among the {len(tree.costs)} states that were reached")


def _prove(
    search: Search,
    prover: Prover,
) -> Result:
    """Run the search of a domain for a plan of least cost."""

    def report(effort: Effort) -> None:
        search.no_less_than(effort.least)
        search.queued = effort.queued
        search.expanded = effort.expanded
        search.generated = effort.generated
        search.open_has(effort.waiting)
        search.report(f"at f = {effort.least}")

    outcome = prover(search.model, search.is_priced, search.run.budget, report)
    if outcome.steps is None:
        return search.unsolvable(outcome.how)
    actions = chain.from_iterable(outcome.steps)
    states = accumulate(actions, search.model.apply, initial=search.model.initial)
    return search.plan_found(list(states), True, outcome.how)


def idastar(search: Search) -> Result:
    """Search depth first within a bound on f, raised until a goal is found, in little memory."""
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
            return search.plan_found(states, proven, claim(search, heuristic, proven))
        cut = cut or attempt.cut
        least = attempt.next_bound
        f_bound = least
    if cut:
        return search.too_deep()
    return search.unsolvable("every path from the start ends without a goal")


@dataclass
class _Round:
    """A depth-first search within a bound.

    `next_bound` is the least f above the bound, and `cut` is True if the maximal horizon was
    reached.
    """

    search: Search
    estimate: Followed
    bound: float
    next_bound: float = inf
    cut: bool = False

    def run(self, start: DomainState) -> list[DomainState] | None:
        """Return a path to a goal within the bound; None if there is none."""
        note = self.estimate.note(start)
        f = self.estimate.value(note)
        if f > self.bound:
            self.next_bound = min(self.next_bound, f)
            return None
        # A dictionary keeps the order of the path, and finds a state on it at once.
        path: dict[DomainState, None] = {start: None}
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

    def _open(
        self,
        state: DomainState,
        note: Note,
    ) -> Iterator[tuple[DomainState, Note]]:
        """Expand a state and return its successors, each with the note of the estimate."""
        search = self.search
        search.queued += 1
        search.take_out(f"within f = {self.bound:g}")
        after = list(self.estimate.successors(state, note))
        search.generated += len(after)
        return iter(after)

    def _next(
        self,
        steps: Iterator[tuple[DomainState, Note]],
        path: Mapping[DomainState, None],
    ) -> tuple[DomainState, Note] | None:
        """Return the next step within the bound to a state off the path; None if there is none."""
        g = len(path)
        value = self.estimate.value
        bound = self.bound
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


def tie_breaking(search: Search) -> Priority:
    """Return the tie-breaking of the options, or the default; raise `UsageError` at others."""
    name = search.run.options.tie_breaking or next(iter(TIE_BREAKING))
    if name not in TIE_BREAKING:
        hint = nearest(name, TIE_BREAKING, noun="ways to break ties")
        raise UsageError(f"there is no tie-breaking {name!r}", hint=hint)
    return TIE_BREAKING[name]


def claim(
    search: Search,
    heuristic: Heuristic,
    proven: bool,
) -> str:
    """Return the reason for the length or the cost of a plan."""
    if proven:
        return f"no state with a smaller f is left, and {heuristic.name} is admissible"
    better = "cheaper" if search.is_priced else "shorter"
    return f"first plan found; with the heuristic {heuristic.name} a {better} one may exist"
