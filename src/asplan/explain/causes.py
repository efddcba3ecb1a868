"""What stands behind violated constraints: the rules that derive their atoms, or come nearest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clingo import Symbol

from asplan.asp.planning.answer import Answer
from asplan.explain.explanation import Nearest, Violation
from asplan.explain.nearest import atoms_in, follow
from asplan.explain.question import Open, Pins, Question
from asplan.program.incremental import Program


def with_causes(
    program: Program,
    open_program: Open,
    question: Question,
    answer: Answer,
    horizon: int,
    pins: Pins,
) -> tuple[Violation, ...]:
    """The constraints that an answer breaks, each with the rules behind its atoms.

    The program is grounded once more, with witnesses for what may derive these atoms, and `pins`
    lead to the same answer.
    """
    witnesses = question.witnesses(answer.models[-1])
    constant = question.session.control.get_const
    behind = {
        w: atoms_in(question.constraints[w.arguments[0].number], w, constant) for w in witnesses
    }
    trail = follow(program, (atom for several in behind.values() for atom, _ in several))
    again = open_program(trail.program)
    again.ground(horizon)
    known = {c.number for c in again.constraints}
    broken = [(w, True) for w in witnesses if w.arguments[0].number in known]
    found = again.ask([], goal=None, pins=[*pins, *broken])
    near = trail.nearest(found.models[-1]) if found.models else {}
    return tuple(
        replace(question.violation(w), because=tuple(_told(near, behind[w]))) for w in witnesses
    )


def _told(near: dict[Symbol, Nearest], atoms: Iterable[tuple[Symbol, bool]]) -> Iterable[Nearest]:
    """What is worth telling of the atoms of a constraint.

    Of facts there is nothing to tell, nor of what was chosen.
    """
    for atom, true in atoms:
        nearest = near.get(atom)
        if nearest is None or (true and nearest.rule is None):
            continue
        if nearest.rule is None or nearest.literal is not None or not nearest.rule.choice:
            yield nearest
