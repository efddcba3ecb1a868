"""The least value of a theory's variable at one horizon: models, each with less than the last.

A program names the variable in `asplan(minimize(VARIABLE)).` Neither clingo-dl nor clingcon
minimizes in a program that is grounded step by step, so that is done here by bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clingo import Function, Number

from asplan.core.errors import InputError, UsageError
from asplan.core.text import LARGEST
from asplan.engines.asp.answer import Answer
from asplan.engines.asp.session import Session
from asplan.program.incremental import HELPER, Program
from asplan.program.theory import CON, DL
from asplan.program.unit import Section

_CONFLICTS = 1000
"""After which a bound stays open in the first round."""

_PART, _BOUND = "asplan_bound", f"{HELPER}at_most"


def with_bounds(program: Program, models: int | None) -> Program:
    """A program that minimizes a variable with a part by which that is bounded.

    Raises `InputError` if it has no theory whose variables could be, and `UsageError` where several
    `models` are wanted.
    """
    variable = program.written.minimized
    if program.theory not in (DL, CON):
        what = "the program has no variables of clingo-dl or clingcon"
        raise InputError(f"asplan(minimize({variable})): {what}")
    if models not in (None, 1):
        raise UsageError(f"asplan(minimize({variable})) looks for one plan, so --models has no use")
    atom = f"&diff {{ {variable} - 0 }}" if program.theory is DL else f"&sum {{ {variable} }}"
    rules = f"#external {_BOUND}(b). {atom} <= b :- {_BOUND}(b)."
    return replace(program, sections=(*program.sections, Section.of_text(_PART, "b", rules)))


def lessen(session: Session, horizon: int, answer: Answer) -> Iterator[tuple[Answer, int | None]]:
    """Ever better answers, the given one first, each with a value that none is below, if known.

    The goal is demanded at the horizon. Bounds halve what is open; one that stays open after some
    conflicts makes way for one nearer to the best value, and conflicts are more from round to
    round. The last answer is proven unless the time was over.
    """
    best, least, conflicts = _value(session, answer), None, _CONFLICTS
    gap = max(1, abs(best) // 2)
    while not session.overdue():
        proven = best == least
        yield replace(answer, cost=(best,), proven=proven), least
        if proven:
            return
        better = _at_most(session, horizon, best - gap, conflicts)
        if better.satisfiable:
            answer, best = better, _value(session, better)
        elif better.satisfiable is False:
            least = best - gap + 1
        elif gap == 1:
            conflicts *= 4
        open_values = 2 * best if least is None else best - least
        if better.satisfiable is None and gap > 1:
            gap //= 2
        else:
            gap = max(1, open_values // 2)


def _at_most(session: Session, horizon: int, bound: int, conflicts: int) -> Answer:
    """Look for a model in which the variable is at most so much."""
    session.ground([(_PART, [Number(bound)])])
    wanted = Function(_BOUND, [Number(bound)])
    session.control.assign_external(wanted, True)
    answer = session.solve(horizon, conflicts=min(conflicts, LARGEST))
    session.control.release_external(wanted)
    return answer


def _value(session: Session, answer: Answer) -> int:
    """The value of the variable in an answer; raises `InputError` where it has none."""
    variable = str(session.program.written.minimized)
    value = answer.models[0].values.get(variable)
    if value is None:
        raise InputError(f"asplan(minimize({variable})): no theory atom gives it a value")
    return int(value)
