"""Lemmas: constraints that every state satisfies, found from a program and added to it.

A package is in one place, a cell holds one tile: encodings seldom say so, for it follows from the
first state and from what actions do. A solver has to find it out for each time anew, and where
plans are searched from the goal backward it helps much. `groups` finds such sets of atoms and
proves that steps keep them; here each becomes a constraint of the part `check(t)`.

Every answer set satisfies them, so neither plans nor their lengths change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from clingo import Symbol

from asplan.errors import InputError
from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.stepwise import Times, times_of
from asplan.program.syntax import predicate
from asplan.program.unit import Section
from asplan.transition.groups import counted_groups
from asplan.transition.opening import open_step

TIME = HELPER + "t"
"""The parameter; a program may call things `t`."""

CONFLICTS = 20_000
"""How many the search for lemmas may have: some seconds."""


def with_lemmas(program: Program, constants: Mapping[str, str]) -> Program:
    """The same program with a constraint for each group of which states have at most one atom.

    Raises
    ------
    InputError
        The steps of the program are not like each other, so that nothing is known of its states.
    """
    try:
        lemmas = _lemmas(program, tuple(constants.items()))
    except InputError as error:
        raise InputError(
            error.message,
            at=error.at,
            mend="lemmas are found where each step is like every other; leave --lemmas out",
        ) from error
    if not lemmas:
        return program
    section = Section("check", TIME, parse_text(lemmas)[1:])
    return replace(program, sections=(*program.sections, section))


@lru_cache(maxsize=4)
def _lemmas(program: Program, constants: tuple[tuple[str, str], ...]) -> str:
    """The constraints as text.

    The step also has atoms that are no state's: some of `base`, which have no time, and some of
    time 1 that only clingo's own constraints for classical negation read. Nothing is said of them.
    """
    times = times_of(program)
    step = open_step(program, dict(constants))
    found = []
    for group in counted_groups(step, CONFLICTS):
        atoms = [at_time(step.before[number], times) for number in group.atoms]
        if group.is_most and None not in atoms:
            found.append(f":- 2 {{ {'; '.join(map(str, atoms))} }}.")
    return " ".join(found)


def at_time(atom: Symbol, times: Times) -> str | None:
    """An atom of a state as one of time t; None for other atoms."""
    key = predicate(atom)
    if key not in times.state or atom.name.startswith(HELPER):
        return None
    place = times.places[key]
    terms = [TIME if i == place else str(term) for i, term in enumerate(atom.arguments)]
    return f"{key[0]}{atom.name}({','.join(terms)})"
