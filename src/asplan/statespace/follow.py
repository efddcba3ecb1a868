"""A program that is told through which states it is to go.

A search through the states of a program finds a way, and not all that is shown on it. So clingo is
given the states as constraints of the part `check(t)`, and finds the rest at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.stepwise import times_of
from asplan.program.unit import Section
from asplan.statespace.evaluation import Evaluated
from asplan.statespace.invariants import TIME, at_time

_HOLDS = HELPER + "holds"


def following(program: Program, evaluated: Evaluated, states: Sequence[bytes]) -> Program:
    """The same program with just those answer sets that go through some states of its own.

    `states` are those at times 0, 1, …, of which the last one is the goal's.
    """
    times, facts, rules = times_of(program), list[str](), list[str]()
    columns = [int.from_bytes(state, "little") for state in states]
    for place, atom in enumerate(evaluated.atoms, 1):
        if (now := at_time(atom, times)) is not None:
            found = [str(t) for t, bits in enumerate(columns) if bits >> place & 1]
            facts.append(f"{_HOLDS}({place},({';'.join(found)}))." if found else "")
            rules.append(f":- {_HOLDS}({place},{TIME}), not {now}.")
            rules.append(f":- {now}, not {_HOLDS}({place},{TIME}).")
    told = Section("base", "", parse_text(f"#defined {_HOLDS}/2. {' '.join(facts)}")[1:])
    checked = Section("check", TIME, parse_text(" ".join(rules))[1:])
    return replace(program, sections=(*program.sections, told, checked))
