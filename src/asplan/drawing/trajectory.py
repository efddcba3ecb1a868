"""What holds and what happens at each step of a plan, as a program: all that drawing rules read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from asplan.plan import Plan
from asplan.program.source import ground_term
from asplan.result import Trajectory


def program_of(trajectory: Trajectory, plan: Plan) -> str:
    """Facts, `holds(Fluent,Step)` and `occurs(Action,Step)`.

    Raises
    ------
    UsageError
        An action is no term: a plan may come from a file of anybody's, and is no program.
    """
    holds: dict[str, list[int]] = defaultdict(list)
    for step, fluents in enumerate(trajectory.states):
        for fluent in fluents:
            holds[fluent].append(step)
    lines = [f"{fact}." for fact in trajectory.facts]
    lines += [f"holds({fluent},({_ranges(steps)}))." for fluent, steps in holds.items()]
    actions = [(ground_term(a, "action"), t) for t, step in enumerate(plan, 1) for a in step]
    lines += [f"occurs({action},{t})." for action, t in actions]
    return "\n".join(lines)


def _ranges(steps: Iterable[int]) -> str:
    """Ascending steps as a pool of intervals.

    >>> _ranges([0, 1, 2, 5])
    '0..2;5..5'
    """
    runs: list[list[int]] = []
    for step in steps:
        if runs and step <= runs[-1][1] + 1:
            runs[-1][1] = step
        else:
            runs.append([step, step])
    return ";".join(f"{first}..{last}" for first, last in runs)
