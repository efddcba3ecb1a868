"""Greedy best-first search for any plan of a task with numbers.

An operator is tried with several numbers of repetitions in a row: once, as often as it applies, and
as often as the relaxed plan contains it. Two searches take turns. The first prefers the operators
of the relaxed plan: it evaluates their successors at once, and defers the other operators, which
get every second turn, and all turns if no other state is open. The second search evaluates all
successors. (Richter and Helmert, Preferred Operators and Deferred Evaluation in Satisficing
Planning, ICAPS 2009; the repetitions are from Scala, Haslum and Thiébaux.) `relaxation` estimates
the distance of a state to the goal.

With the same estimate and repetitions, `core.search.best_first` takes 0.7 to 180 times as long on
16 tasks of the IPC 2023, twice as long in the geometric mean (`scripts/search_variants.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from math import inf

from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.search import path_to
from asplan.pddl.numeric.execution import NumericExecution, State
from asplan.pddl.numeric.relaxation import Relaxation
from asplan.pddl.numeric.scale import LARGEST, NumericTask

BOOST = 1000
"""The number of extra turns that open states get after a new least estimate."""

Moves = list[tuple[int, int]]
"""A plan: the numbers of operators, each with how often the operator is executed in a row."""


def find_moves(
    task: NumericTask,
    budget: Budget = ENDLESS,
    report: Reporter[str] = ignore_report,
) -> Moves | None:
    """Return a plan; None if the search finds none, which does not prove that there is none.

    Report the number of evaluated states to `report`, and raise the error of `budget` at a limit.
    """
    execution = NumericExecution(task)
    if execution.is_goal(execution.initial):
        return []
    if not execution.initial:
        return None  # no variable can change
    relaxation = Relaxation(task)
    searches = [_Search(execution, relaxation, prefers).turns() for prefers in (True, False)]
    evaluated = [0, 0]
    while True:
        report(f"searching, {sum(evaluated)} states evaluated")
        budget.check()
        turn = evaluated[1] < evaluated[0]
        result = next(searches[turn], None)
        if result is None:
            return None  # one search has no open states
        if isinstance(result, list):
            return result
        evaluated[turn] += result


class _Search:
    """A best-first search.

    If `prefers` is set, the search defers operators that are not in the relaxed plan.

    Attributes
    ----------
    parents
        For each reached state the state before, the operator, and its number of repetitions.
    order
        A counter that breaks ties between equal estimates: the first comes first.
    open
        The states to expand, in a heap by their estimates.
    deferred
        States with an operator that was deferred there, in a heap by the estimates of the states.
    lead
        The turns of `open` minus the turns of `deferred`. While `lead` is at most 0, `open` has the
        next turn. A new least estimate lowers `lead`, so that `open` has more turns.
    least_estimate
        The least estimate of an evaluated state.
    """

    def __init__(
        self,
        execution: NumericExecution,
        relaxation: Relaxation,
        prefers: bool,
    ) -> None:
        initial = execution.initial
        self.execution = execution
        self.relaxation = relaxation
        self.prefers = prefers
        self.parents: dict[State, tuple[State, int, int] | None] = {initial: None}
        self.order = count()
        self.open: list[tuple[float, int, State]] = [(0.0, next(self.order), initial)]
        self.deferred: list[tuple[float, int, State, int]] = []
        self.lead = 0
        self.least_estimate = inf

    def turns(self) -> Iterator[int | Moves]:
        """Yield the number of states evaluated in each turn.

        If the search finds a plan, the next item is the plan.
        """
        while self.open or self.deferred:
            if self.open and (not self.deferred or self.lead <= 0):
                self.lead += 1
                _, _, state = heappop(self.open)
                yield from self._expand(state)
            else:
                self.lead -= 1
                _, _, before, o = heappop(self.deferred)
                reached = self._reach(before, self.execution.complete(before), o, 1)
                if reached is not None:
                    if self.execution.is_goal(reached):
                        yield _moves_to(reached, self.parents)
                    yield from self._expand(reached)

    def _expand(self, state: State) -> Iterator[int | Moves]:
        """Expand a state; yield the number of evaluated states, or a plan to a successor."""
        full = self.execution.complete(state)
        costs = self.relaxation.costs([full])
        estimate = self.relaxation.to_goal(costs)[0]
        if estimate == inf:
            yield 1
            return
        plan = self.relaxation.relaxed_plan(costs)
        successors = list[State]()
        for o in self.relaxation.applicable(costs):
            repeats = self.execution.max_repeats(full, o)
            if not repeats:
                continue  # the relaxation gives a derived variable a value that it does not have
            if self.prefers and o not in plan:
                heappush(self.deferred, (estimate, next(self.order), state, o))
                continue
            for times in repetitions(plan.get(o, 1), repeats):
                after = self._reach(state, full, o, times)
                if after is not None:
                    if self.execution.is_goal(after):
                        yield _moves_to(after, self.parents)
                    successors.append(after)
        self._evaluate(successors)
        yield 1 + len(successors)

    def _reach(
        self,
        before: State,
        full: Sequence[int],
        o: int,
        times: int,
    ) -> State | None:
        """Return the state after `times` executions of the operator `o`, and record its parent.

        Return None if the state is already known, or if a number is too large for the solver.
        `full` is the state `before`, with the values of derived variables.
        """
        state = self.execution.apply(full, o, times)
        if state is None or state in self.parents:
            return None
        if max(state) > LARGEST or min(state) < -LARGEST:
            return None
        self.parents[state] = before, o, times
        return state

    def _evaluate(self, states: Sequence[State]) -> None:
        """Add states to `open`, unless their relaxation shows that the goal is unreachable."""
        if not states:
            return
        costs = self.relaxation.costs(list(map(self.execution.complete, states)))
        for state, estimate in zip(states, self.relaxation.to_goal(costs), strict=True):
            if estimate < inf:
                heappush(self.open, (estimate, next(self.order), state))
            if estimate < self.least_estimate:
                self.least_estimate = estimate
                self.lead -= BOOST


def repetitions(planned: int, most: float) -> list[int]:
    """Return the numbers of repetitions to try: 1, the planned number, and the most if finite.

    `planned` is the number in the relaxed plan, and `most` the largest number of executions in a
    row.
    """
    numbers = {1.0, min(planned, most), most}
    return [int(number) for number in sorted(numbers) if number < inf]


def _moves_to(
    state: State,
    parents: Mapping[State, tuple[State, int, int] | None],
) -> Moves:
    """Return the plan that leads to a state."""

    def parent(state: State) -> State | None:
        edge = parents[state]
        return None if edge is None else edge[0]

    edges = map(parents.__getitem__, path_to(state, parent))
    return [(o, times) for _, o, times in filter(None, edges)]
