"""Warnings about a program: what its author most likely did not mean.

A warning never changes an answer, and a correct program gets none. So each check looks for
something that correct programs do not have; what only may be a slip is passed over.

A check is a function from `Clauses` to warnings. It stands in `_checks`, and its codes in
`CATALOGUE`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from clingo import Control

from asplan.core.errors import InputError, InputWarning, Location
from asplan.problem import Problem
from asplan.problem.catalog import shipped_as
from asplan.program.incremental import Program
from asplan.program.source import reporting
from asplan.program.syntax import Signature
from asplan.program.unit import messages_of, read_unit
from asplan.warnings.catalogue import CATALOGUE, read_switches, switched_on

if TYPE_CHECKING:
    from asplan.warnings.clauses import Clauses

_NO_FINAL = "no part final says anything, so no goal is demanded"
_FINAL = "write it as `#program final. :- not goal.`, or give the file that has it"


def find_warnings(
    problem: Problem, switches: Iterable[str] = (), is_wrong: bool = False
) -> tuple[InputWarning, ...]:
    """The warnings of a problem, in the order of their places; `switches` are as `no-undefined`.

    Encodings that ship with asplan are not looked at, nor what PDDL is translated to. Where
    something `is_wrong` for sure, all predicates count that nothing defines, not just those of
    slips.
    """
    found = list(problem.warnings)
    is_own = problem.path is None or shipped_as(str(problem.path)) is None
    if problem.encoding is not None and problem.plan_files is None and is_own:
        found += check_program(problem, is_wrong)
    return switched_on(found, switches)


def check_program(problem: Problem, is_wrong: bool = False) -> list[InputWarning]:
    """Return the warnings about the program of a problem, in the order of their places.

    Raises `InputError` at a rule that clingo refuses: then no warning about it is worth reading.
    """
    from asplan.warnings import inputs
    from asplan.warnings.clauses import clauses_of

    refuse_unsafe(problem.written_program)
    clauses = clauses_of(problem.written_program, problem.is_whole and len(problem.files) == 1)
    if missing := list(inputs.find_instance(clauses)):
        return missing  # what follows from that is no mistake of the encoding
    found: dict[tuple[str, Location | None], InputWarning] = {}
    for warning in (each for check in _checks(problem, is_wrong) for each in check(clauses)):
        if problem.is_temporal and warning.code == "no-goal":
            warning = replace(warning, text=_NO_FINAL, hint=_FINAL)
        found.setdefault((warning.code, warning.at), warning)
    return sorted(found.values(), key=lambda warning: (warning.at is None, warning.at))


def read_by_drawing(problem: Problem) -> frozenset[Signature]:
    """Return the predicates that the drawing rules of a problem read."""
    rules = problem.rules
    if rules is None:
        return frozenset()
    with suppress(InputError):  # the drawing says what is wrong with them
        return read_unit(rules).read
    return frozenset()


def refuse_unsafe(program: Program) -> None:
    """Raise the error that clingo has for the rules of a program, before anything is grounded."""
    if program.theory is not None:
        return
    messages = messages_of(program.sections)
    control = Control(["--warn=none"], logger=messages)
    with reporting(messages):
        replace(program, facts=()).add_to(control)
        control.ground([])


def _checks(
    problem: Problem, is_wrong: bool
) -> Iterator[Callable[["Clauses"], Iterator[InputWarning]]]:
    """The checks of a program, in the order in which they look at it."""
    from asplan.warnings import effects, endless, goals, inputs, names, steps

    horizon = problem.written_program.horizon
    values = {*problem.constants, *([horizon.constant] if horizon else ())}
    yield lambda clauses: names.find_constants(clauses, values)
    yield names.find_undefined
    yield names.find_unread
    yield names.find_unread_slips
    if problem.domain is None:
        drawn = read_by_drawing(problem)
        yield lambda clauses: inputs.find_unread_facts(clauses, drawn)
    yield names.find_unshown
    yield endless.find_endless
    if not problem.is_temporal:
        yield from (effects.find_mixed_times, effects.find_lost_values, effects.find_only_ended)
        yield from (effects.find_unset_externals, effects.find_idle_denials)
        yield from (effects.find_impossible, names.find_near_constants)
    yield names.find_vain
    if horizon is not None:  # a program without parts
        yield from (names.find_strange, goals.find_colons, goals.find_last)
    else:
        # A temporal program says things of times ahead, and where it has formulas, its goal.
        if not (problem.is_temporal and problem.written_program.theory):
            yield goals.find_goals
        yield from (goals.find_initial, steps.find_in_base, steps.find_gaps, steps.find_late)
        if not problem.is_temporal:
            yield steps.find_future
        yield from (steps.find_misplaced, steps.find_unchanged, steps.find_actions)
        yield names.find_strange
        if not problem.is_temporal:
            yield goals.find_late_goals
        yield from (goals.find_lost_starts, goals.find_colons, steps.find_hidden)
    if is_wrong:
        yield names.find_missing


def refuse_endless(warnings: Iterable[InputWarning]) -> None:
    """Raise `InputError` at the first warning of atoms without end: grounding would not return."""
    for warning in warnings:
        if warning.code == "endless":
            hint = f"{warning.hint}; -W no-endless grounds it all the same"
            raise InputError(warning.text, at=warning.at, hint=hint)


__all__ = ["CATALOGUE", "find_warnings", "read_switches", "refuse_endless", "switched_on"]
