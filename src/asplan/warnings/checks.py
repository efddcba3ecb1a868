"""The checks of a program, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from asplan.clingo import open_control
from asplan.core.errors import InputError, InputWarning, Location
from asplan.problem import Problem
from asplan.program.incremental import Program
from asplan.program.reading.source import reporting
from asplan.program.reading.unit import messages_of, read_unit
from asplan.program.syntax import Signature
from asplan.warnings import (
    actions,
    arguments,
    constants,
    effects,
    endless,
    fluents,
    goals,
    inertia,
    inputs,
    names,
    rules,
    starts,
    times,
)
from asplan.warnings.index import ProgramIndex, index_of

Check: TypeAlias = Callable[[ProgramIndex], Iterator[InputWarning]]

_NO_FINAL = "no part final has rules, so no goal is demanded"
_FINAL = "write it as `#program final. :- not goal.`, or give the file that has it"


def check_program(
    problem: Problem,
    is_wrong: bool = False,
) -> list[InputWarning]:
    """Return the warnings about the program of a problem, in the order of their locations.

    Raise `InputError` at a rule that clingo refuses: then warnings would only distract from it. If
    the program is known to be wrong (`is_wrong`), every undefined predicate gets a warning.
    """
    refuse_unsafe(problem.written_program)
    index = index_of(problem.written_program, problem.is_complete and len(problem.files) == 1)
    missing = list(inputs.find_instance(index))
    if missing:
        return missing  # other warnings would follow from the missing instance
    first: dict[tuple[str, Location | None], InputWarning] = {}
    for check in _checks(problem, is_wrong):
        for warning in check(index):
            if problem.hides_times and warning.code == "no-goal":
                warning = replace(warning, text=_NO_FINAL, hint=_FINAL)
            first.setdefault((warning.code, warning.at), warning)
    return sorted(first.values(), key=lambda warning: (warning.at is None, warning.at))


def predicates_of_drawing(problem: Problem) -> frozenset[Signature]:
    """Return the predicates that the drawing rules of a problem read."""
    rules = problem.rules
    if rules is None:
        return frozenset()
    with suppress(InputError):  # drawing raises it again
        return read_unit(rules).read
    return frozenset()


def refuse_unsafe(program: Program) -> None:
    """Raise clingo's error about an unsafe rule of a program, without grounding the program."""
    if program.theory is not None:
        return
    messages = messages_of(program.sections)
    control = open_control(["--warn=none"], messages)
    with reporting(messages):
        replace(program, facts=()).add_to(control)
        control.ground([])


def _checks(
    problem: Problem,
    is_wrong: bool,
) -> Iterator[Check]:
    """Yield the checks for a problem, in the order in which they run.

    If the program is known to be wrong (`is_wrong`), the last check is for undefined predicates.
    """
    yield from _checks_of_names(problem)
    if not problem.hides_times:
        yield from _checks_of_effects()
    yield rules.find_circular
    yield rules.find_swallowed
    if problem.written_program.horizon is not None:
        yield from _checks_without_parts()
    elif problem.hides_times:
        yield from _checks_of_temporal(problem)
    else:
        yield from _checks_of_parts()
    if is_wrong:
        yield names.find_all_undefined


def _checks_of_names(problem: Problem) -> Iterator[Check]:
    """Yield the checks that apply to all programs."""
    values = set(problem.constants)
    horizon = problem.written_program.horizon
    if horizon is not None:
        values.add(horizon.constant)
    yield lambda index: constants.find_undefined_constants(index, values)
    yield names.find_undefined
    yield names.find_unread
    yield names.find_unread_slips
    if problem.domain is None:
        drawn = predicates_of_drawing(problem)
        yield lambda index: inputs.find_unread_facts(index, drawn)
    yield names.find_unshown
    yield endless.find_endless


def _checks_of_effects() -> Iterator[Check]:
    yield effects.find_mixed_times
    yield inertia.find_missing_inertia
    yield inertia.find_forgotten_effects
    yield effects.find_only_ended
    yield effects.find_unset_externals
    yield effects.find_unread_denials
    yield effects.find_impossible
    yield constants.find_near_constants


def _checks_without_parts() -> Iterator[Check]:
    """Yield the checks of programs without parts, whose rules range over all times."""
    yield arguments.find_mismatches
    yield rules.find_colons
    yield rules.find_atom_bounds
    yield goals.find_goal_at_horizon


def _checks_of_temporal(problem: Problem) -> Iterator[Check]:
    """Yield the checks of telingo's programs, whose rules may refer to later times."""
    # Formulas of telingo may contain the goal.
    if not problem.written_program.theory:
        yield goals.find_goals
    yield goals.find_initial
    yield times.find_in_base
    yield fluents.find_gaps
    yield times.find_late_heads
    yield times.find_misplaced
    yield fluents.find_unchanged
    yield actions.find_actions
    yield inertia.find_forgotten_effects
    yield arguments.find_mismatches
    yield starts.find_missing_starts
    yield rules.find_colons
    yield rules.find_atom_bounds
    yield actions.find_hidden


def _checks_of_parts() -> Iterator[Check]:
    """Yield the checks of programs with the parts base, step(t) and check(t)."""
    yield goals.find_goals
    yield goals.find_initial
    yield times.find_in_base
    yield fluents.find_gaps
    yield times.find_late_heads
    yield times.find_future
    yield times.find_misplaced
    yield fluents.find_unchanged
    yield actions.find_actions
    yield arguments.find_mismatches
    yield goals.find_late_goals
    yield starts.find_missing_starts
    yield rules.find_colons
    yield rules.find_atom_bounds
    yield actions.find_hidden
