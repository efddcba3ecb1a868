"""The plan that breaks the fewest instances of constraints, and what stands behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from asplan.asp.planning.answer import Answer
from asplan.program.incremental import Program
from asplan.why.causes import Situation, with_causes
from asplan.why.explanation import Relaxed
from asplan.why.question import Open, Pin, Question


def find_relaxed(
    program: Program,
    open_program: Open,
    question: Question,
    horizon: int,
    kept: Sequence[Pin],
    report: Callable[[Relaxed], None],
) -> Relaxed | None:
    """Look for it until it is proven, or the time is over.

    Parameters
    ----------
    question
        The program, grounded up to the horizon; `open_program` opens it with more in it.
    kept
        What keeps the constraints that must not be broken.
    report
        Called with each better plan.

    Returns
    -------
    Relaxed or None
        None where no plan keeps even those, or where none was found in time.
    """

    def relaxed(answer: Answer) -> Relaxed:
        shown = answer.models[-1]
        return Relaxed(question.plan(shown, horizon), question.violations(shown), answer.proven)

    answer = question.least(kept, goal=horizon, on_better=lambda better: report(relaxed(better)))
    if not answer.models:
        return None
    found = relaxed(answer)
    report(found)
    chosen = {s for s in answer.models[-1].symbols if s.match("occurs", 2)}
    pins = [(atom, atom in chosen) for atom in question.session.atoms("occurs", 2)]
    situation = Situation(program, open_program, horizon, pins, goal=horizon)
    return replace(found, broken=with_causes(question, answer, situation))
