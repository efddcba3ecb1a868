"""The removal of needless actions from plans of tasks with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from asplan.pddl.numeric.execution import Entry, NumericExecution, State

EFFORT = 50_000
"""The number of executed entries after which the rest of a plan is left unchanged."""

Step = tuple[Entry, ...]


class Trimmer:
    """Removes needless actions from a plan.

    A solver that minimizes the number of steps fills them with harmless actions. The trimmer
    removes an action together with the actions that then no longer apply, and lowers the numbers of
    repetitions, as long as the plan still reaches the goal. (Nakhost and Müller, Action Elimination
    and Plan Neighborhood Graph Search, ICAPS 2010.) The result may still be longer than necessary.

    A step consists of entries: an action, given by its operators (the ways to apply it), and how
    often it happens.

    Attributes
    ----------
    left
        The number of entries that may still be executed.
    """

    def __init__(self, execution: NumericExecution, steps: list[Step]) -> None:
        self.execution = execution
        self.steps = steps
        self.left = EFFORT

    def trimmed(self) -> list[Step]:
        """Return the steps with fewer actions.

        If the steps of the given plan do not reach the goal, return them unchanged.
        """
        if not self._reaches_goal(self.steps, self.execution.initial):
            return self.steps
        before = None
        while self.left > 0 and before != self.steps:
            before = self.steps
            self._remove_entries()
            self._lower_repetitions()
        return self.steps

    def _reaches_goal(
        self,
        steps: Sequence[Step],
        state: State,
    ) -> bool:
        """Return whether the steps can be executed from a state and lead to a goal."""
        for step in steps:
            self.left -= len(step) + 1
            after = self.execution.after_step(state, step)
            if after is None:
                return False
            state = after
        return self.execution.is_goal(state)

    def _applicable_entries(
        self,
        steps: Sequence[Step],
        state: State,
    ) -> list[Step] | None:
        """Return the steps without entries that do not apply; None if the rest misses the goal."""
        applicable = list[Step]()
        for step in steps:
            self.left -= len(step) + 1
            after = self.execution.after_step(state, step)
            if after is None:
                step = self._compatible_entries(step, state)
                after = self._after(state, step)
            state = after
            applicable.append(step)
        return applicable if self.execution.is_goal(state) else None

    def _compatible_entries(self, step: Step, state: State) -> Step:
        """Return the entries of a step that apply together in a state, chosen greedily."""
        kept: Step = ()
        for entry in step:
            if self.execution.after_step(state, (*kept, entry)) is not None:
                kept = (*kept, entry)
        return kept

    def _after(self, state: State, step: Step) -> State:
        """Return the state after a step, which must apply in `state`."""
        after = self.execution.after_step(state, step)
        assert after is not None
        return after

    def _remove_entries(self) -> None:
        """Try to remove one entry after the other, with the entries that depend on it."""
        state = self.execution.initial
        for t in range(len(self.steps)):
            if self.left <= 0:
                return
            self._remove_from_step(t, state)
            state = self._after(state, self.steps[t])

    def _remove_from_step(self, t: int, state: State) -> None:
        """Try to remove each entry of step `t`; `state` is the state before the step."""
        e = 0
        while e < len(self.steps[t]):
            step = self.steps[t]
            shorter = (*step[:e], *step[e + 1 :])
            rest = self._applicable_entries([shorter, *self.steps[t + 1 :]], state)
            if rest is None:
                e += 1
            else:
                self.steps = [*self.steps[:t], *rest]

    def _lower_repetitions(self) -> None:
        """Lower the number of repetitions of each action, from the last step to the first."""
        states = list(accumulate(self.steps, self._after, initial=self.execution.initial))
        for t in reversed(range(len(self.steps))):
            for e in range(len(self.steps[t])):
                self._lower_repetitions_of(t, e, states[t])

    def _lower_repetitions_of(
        self,
        t: int,
        e: int,
        state: State,
    ) -> None:
        """Search for the least number of repetitions of entry `e` in step `t`, by bisection.

        `state` is the state before the step.
        """
        step = self.steps[t]
        operators, most = step[e]
        least = 1  # a guess: fewer than `most` may fail
        while least < most and self.left > 0:
            times = (least + most) // 2
            lower = (*step[:e], (operators, times), *step[e + 1 :])
            rest = [lower, *self.steps[t + 1 :]]
            if self._reaches_goal(rest, state):
                most = times
                self.steps = [*self.steps[:t], *rest]
            else:
                least = times + 1
