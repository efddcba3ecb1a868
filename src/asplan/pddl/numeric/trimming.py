"""Plans without the actions that nobody needs.

A solver that looks for the fewest steps fills them with whatever does no harm. Of a plan that is
found, actions are left out, with those that cannot happen without them, and what happens many times
happens less often, as long as the goal is reached. (Nakhost and Müller, Action Elimination and Plan
Neighborhood Graph Search, ICAPS 2010.) What is left may still be longer than it must be.
"""

from __future__ import annotations

from collections.abc import Sequence

from asplan.pddl.numeric.execution import Entry, Execution, State

EFFORT = 50_000
"""Entries that are executed at most; what is left then stays."""

Step = tuple[Entry, ...]


def trim(execution: Execution, steps: Sequence[Step]) -> list[Step]:
    """The steps with fewer actions; the same where they do not lead to the goal.

    Where one operator of several may stand for an action, it happens once at a time.
    """
    return _Trimmer(execution, list(steps)).trimmed()


class _Trimmer:
    def __init__(self, execution: Execution, steps: list[Step]) -> None:
        self.execution, self.steps, self.left = execution, steps, EFFORT

    def trimmed(self) -> list[Step]:
        if self._run(self.steps) is None:
            return self.steps
        before = None
        while self.left > 0 and before != self.steps:
            before = self.steps
            self._leave_out()
            self._lessen()
        return self.steps

    def _run(
        self, steps: Sequence[Step], state: State | None = None, skip: bool = False
    ) -> list[Step] | None:
        """The steps if they lead to the goal, or with `skip` those of their entries that apply."""
        state, done = state or self.execution.initial, list[Step]()
        for step in steps:
            self.left -= len(step) + 1
            after = self.execution.after_step(state, step)
            while skip and after is None:
                # One entry after the other, as far as they go together.
                kept: Step = ()
                for entry in step:
                    if self.execution.after_step(state, (*kept, entry)) is not None:
                        kept = (*kept, entry)
                step, after = kept, self.execution.after_step(state, kept)
            if after is None:
                return None
            state = after
            done.append(step)
        return done if self.execution.is_goal(state) else None

    def _leave_out(self) -> None:
        """Leave out one entry after the other, with those that depend on it."""
        t, state = 0, self.execution.initial
        while t < len(self.steps) and self.left > 0:
            step, e = self.steps[t], 0
            while e < len(step):
                less = (*step[:e], *step[e + 1 :])
                rest = self._run((less, *self.steps[t + 1 :]), state, skip=True)
                if rest is None:
                    e += 1
                else:
                    self.steps = [*self.steps[:t], *rest]
                    step = self.steps[t]
            after = self.execution.after_step(state, step)
            assert after is not None
            t, state = t + 1, after

    def _lessen(self) -> None:
        """Let each action happen less often, the last one first."""
        states = [self.execution.initial]
        for step in self.steps:
            after = self.execution.after_step(states[-1], step)
            assert after is not None
            states.append(after)
        for t in reversed(range(len(self.steps))):
            for e in range(len(self.steps[t])):
                step = self.steps[t]
                operators, most = step[e]
                least = 1  # too few below it, most likely; `most` is enough
                while least < most and self.left > 0:
                    times = (least + most) // 2
                    less = (*step[:e], (operators, times), *step[e + 1 :])
                    rest = [less, *self.steps[t + 1 :]]
                    if self._run(rest, states[t]) is None:
                        least = times + 1
                    else:
                        most, self.steps = times, [*self.steps[:t], *rest]
