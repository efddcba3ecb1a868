"""Which constraints a relaxed plan may break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from asplan.engines.asp.answer import Answer
from asplan.errors import UsageError
from asplan.explaining.causes import Situation, with_causes
from asplan.explaining.explanation import Relaxed
from asplan.explaining.question import Open, Pin, Question
from asplan.explaining.relaxing import Constraint
from asplan.program.incremental import Program


@dataclass(frozen=True)
class Choice:
    """Which constraints a relaxed plan may break: places FILE:LINE of soft and of hard ones."""

    soft: tuple[str, ...] = ()
    hard: tuple[str, ...] = ()

    def kept(self, constraints: Sequence[Constraint]) -> list[Pin]:
        """What keeps the constraints that are to be kept: those of the goal, and the hard ones.

        Raises
        ------
        UsageError
            There is no constraint at a place.
        """
        soft = {c for place in self.soft for c in _at(place, constraints)}
        hard = {c for place in self.hard for c in _at(place, constraints)}
        return [(c.kept, True) for c in constraints if c in hard or (c.rule.goal and c not in soft)]


def _at(place: str, constraints: Sequence[Constraint]) -> list[Constraint]:
    file, _, line = place.rpartition(":")
    found = [
        c
        for c in constraints
        if line.isdigit()
        and c.statement.location.begin.line <= int(line) <= c.statement.location.end.line
        and PurePath(c.rule.at.file).parts[-len(PurePath(file).parts) :] == PurePath(file).parts
    ]
    if not found:
        known = ", ".join(
            dict.fromkeys(f"{PurePath(c.rule.at.file).name}:{c.rule.at.line}" for c in constraints)
        )
        raise UsageError(
            f"{place}: there is no constraint at this place",
            hint=f"constraints stand at {known}" if known else "the program has no constraints",
        )
    return found


# The plan that breaks the fewest instances of constraints, and what stands behind them.


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
