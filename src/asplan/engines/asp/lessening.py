"""The least value of a theory's variable at one horizon: models, each with less than the last.

A program names the variable in `asplan(minimize(VARIABLE)).` Neither clingo-dl nor clingcon
minimizes in a program that is grounded step by step, so each model bounds the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil

from clingo import Function, Number

from asplan.core.errors import InputError, UsageError
from asplan.engines.asp.answer import Answer
from asplan.engines.asp.session import Session
from asplan.program.incremental import HELPER, Program
from asplan.program.theory import CON, DL
from asplan.program.unit import Section

_PART, _BOUND = "asplan_bound", f"{HELPER}at_most"


def with_bounds(program: Program, models: int | None) -> Program:
    """The program with a part by which the variable that it minimizes is bounded.

    Raises `InputError` if it has no theory whose variables could be, and `UsageError` where several
    `models` are wanted.
    """
    variable = program.written.minimized
    if variable is None:
        return program
    if program.theory not in (DL, CON):
        what = "the program has no variables of clingo-dl or clingcon"
        raise InputError(f"asplan(minimize({variable})): {what}")
    if models not in (None, 1):
        raise UsageError(f"asplan(minimize({variable})) looks for one plan, so --models has no use")
    atom = f"&diff {{ {variable} - 0 }}" if program.theory is DL else f"&sum {{ {variable} }}"
    rules = f"#external {_BOUND}(b). {atom} <= b :- {_BOUND}(b)."
    return replace(program, sections=(*program.sections, Section.of_text(_PART, "b", rules)))


def lessen(session: Session, horizon: int, answer: Answer) -> Iterator[Answer]:
    """Ever better answers, the given one first; the last is proven unless the time was over.

    The goal is demanded at the horizon.
    """
    variable = session.program.written.minimized
    while True:
        value = answer.models[0].values.get(str(variable))
        if value is None:
            raise InputError(f"asplan(minimize({variable})): no theory atom gives it a value")
        least = Fraction(value)
        answer = replace(answer, cost=(int(least),), proven=False)
        yield answer
        bound = ceil(least) - 1
        session.ground([(_PART, [Number(bound)])])
        wanted = Function(_BOUND, [Number(bound)])
        session.control.assign_external(wanted, True)
        better = session.solve(horizon)
        session.control.release_external(wanted)
        if better.satisfiable is False:
            yield replace(answer, proven=True)
        if not better.satisfiable:
            return
        answer = better
