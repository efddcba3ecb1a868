"""Searches guided by a heuristic, an estimate of the remaining steps or of their cost.

A search weighs a state by f = g + h: g is the number of steps (or the cost) from the start, and h
the estimate. A heuristic is admissible if it never estimates too much.

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
from asplan.result import Reliance, Result

TIE_BREAKING: dict[str, Priority] = {
    "larger-g": lambda g, h: (g + h, -g),
    "none": a_star,
    "smaller-g-then-h": lambda g, h: (g + h, g, h),
}
"""Functions from g and h to the key by which A* orders states, the default first.

States with equal keys are expanded first in, first out. The last part of `smaller-g-then-h` never
decides, as equal f and g mean equal h; it is kept because it was published so.
`scripts/tie_breaking.py` measured the default.
"""


def astar(search: Search) -> Result:
    """Search for a plan by A*: always expand a state with the least f = g + h.

    A state that is reached again by fewer steps is queued again, so the plan is shortest for every
    admissible heuristic. If the objective is a cost, g and h are costs. With default options, run
    the domain's own search instead if it has one.
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
    """Run textbook best-first search within the limits, and record the lower bounds.

    `priority` returns the key by which A* orders states, from their g and h.
    """
    admissible = heuristic.admissible(search.model)
    _rely_on_heuristic(search)
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
    """Run `prover`, a domain's own search for an optimal plan, and return its result."""

    def report(effort: Effort) -> None:
        search.no_less_than(effort.least)
        search.queued = effort.queued
        search.expanded = effort.expanded
        search.generated = effort.generated
        search.open_has(effort.waiting)
        search.report(f"at f = {effort.least}")

    _rely_on_heuristic(search)
    outcome = prover(search.model, search.is_priced, search.run.budget, report)
    if outcome.steps is None:
        return search.unsolvable(outcome.how)
    actions = chain.from_iterable(outcome.steps)
    states = accumulate(actions, search.model.apply, initial=search.model.initial)
    return search.plan_found(list(states), True, outcome.how)


def idastar(search: Search) -> Result:
    """Search for a plan by iterative deepening A*, in little memory.

    Search depth first, but only states whose f is within a bound; then raise the bound to the least
    f that exceeded it, and search again, until a goal is found.
    """
    heuristic = search.heuristic()
    admissible = heuristic.admissible(search.model)
    _rely_on_heuristic(search)
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
    """A depth-first search through states whose f is within `bound`.

    `next_bound` is the least f that exceeded the bound in this search. `cut` is true if the maximal
    horizon cut off a path.
    """

    search: Search
    estimate: Followed
    bound: float
    next_bound: float = inf
    cut: bool = False

    def run(self, start: DomainState) -> list[DomainState] | None:
        """Return a path from `start` to a goal within the bound; None if there is none."""
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
        """Expand a state; return its successors, each with a note.

        A note is any value from which the estimate of its state is computed.
        """
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
        """Return the next successor that is within the bound and not on the path, with its note.

        `steps` are the remaining successors of the last state of the path. Return None if none of
        them qualifies.
        """
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
    """Return the key by which A* orders states: the one that the options name, or the default.

    Raises `UsageError` if the name is unknown.
    """
    name = search.run.options.tie_breaking or next(iter(TIE_BREAKING))
    if name not in TIE_BREAKING:
        hint = nearest(name, TIE_BREAKING, noun="ways to break ties")
        raise UsageError(f"there is no tie-breaking {name!r}", hint=hint)
    return TIE_BREAKING[name]


def _rely_on_heuristic(search: Search) -> None:
    """Record that the proofs of a search rely on its heuristic."""
    search.run.evidence = search.run.evidence.relying_on(Reliance.HEURISTIC)


def claim(
    search: Search,
    heuristic: Heuristic,
    proven: bool,
) -> str:
    """Return the reason why a plan is optimal if `proven`, else why a better plan may exist."""
    if proven:
        return f"no state with a smaller f is left, and {heuristic.name} is admissible"
    better = "cheaper" if search.is_priced else "shorter"
    return f"first plan found; with the heuristic {heuristic.name} a {better} one may exist"
