"""A minimal set of constraints that together exclude every plan.

Deletion with cores: one constraint after another is left out; if there is still no plan, the core
of that answer replaces the set. Compare Marques-Silva, Minimal Unsatisfiability: Models, Algorithms
and Applications, 2010. Constraints of the goal are left out first, so that they are part of the set
only if the others alone allow some sequence of actions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from asplan.why.explanation import Conflict
from asplan.why.question import Question
from asplan.why.relaxing import Constraint


def find_conflict(
    question: Question,
    horizon: int,
    core: Sequence[Constraint],
    report: Callable[[Conflict], None],
) -> Conflict:
    """Make a conflict minimal.

    Parameters
    ----------
    core
        Constraints that exclude all plans of the horizon.
    report
        Called with each smaller conflict.
    """
    candidates = sorted(core, key=lambda c: (not c.rule.goal, c.number))
    needed: list[Constraint] = []
    while candidates:
        report(_conflict([*needed, *candidates], minimal=False))
        tried = candidates.pop(0)
        answer = question.ask([*needed, *candidates], goal=horizon)
        if answer.satisfiable is None:
            return _conflict([tried, *needed, *candidates], minimal=False)
        if answer.satisfiable:
            needed.append(tried)
        else:
            kept = set(question.in_core(answer, [*needed, *candidates]))
            candidates = [c for c in candidates if c in kept]
    return _conflict(needed, minimal=True)


def _conflict(constraints: Sequence[Constraint], minimal: bool) -> Conflict:
    rules = sorted({c.rule for c in constraints}, key=lambda rule: rule.at)
    return Conflict(tuple(rules), minimal=minimal)
