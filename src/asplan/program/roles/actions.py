"""The actions of a program: those that it or the user names, or else those that it chooses.

If a program defines and shows `occurs/2`, this predicate names all actions, and the program is not
analysed. Else the module `roles` finds the actions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from asplan.core.errors import InputError, Location, UsageError, nearest
from asplan.core.text import shortened
from asplan.program import syntax
from asplan.program.incremental import ActionForm, Program, Reading
from asplan.program.reading.unit import OCCURS, TIMED, Section, ShownPredicates, pairs, shown_by
from asplan.program.syntax import Signature

if TYPE_CHECKING:
    from asplan.program.model.program import TemporalProgram
    from asplan.program.roles.roles import Roles


@lru_cache(maxsize=16)
def with_actions(program: Program, named: tuple[str, ...] = ()) -> Program:
    """Return the program with its actions determined, and with hidden actions shown.

    The actions are the first of these that exist: the NAME/ARITY in `named` (from the user), the
    program's own claims `asplan(action(NAME,ARITY))`, and the predicates found by `roles_of`. Raise
    `UsageError` or `InputError` if a named predicate cannot be an action.
    """
    if named:
        keys = dict.fromkeys(map(parse_action, named))
        program = replace(program, written=replace(program.written, actions=keys))
    claimed = program.written.actions
    for key, at in claimed.items():
        _check_action(program, key, at)
    is_in_parts = program.horizon is None
    if not claimed and is_in_parts and _keeps_to_occurs(program):
        return program
    from asplan.program.roles.roles import roles_of

    roles = roles_of(program)
    is_occurs = is_in_parts and not claimed and roles.actions.get(OCCURS) == 0
    if not roles.actions or is_occurs:
        return program
    return _with_reading(program, roles, shown_by(program.statements))


def _with_reading(
    program: Program,
    roles: Roles,
    shown: ShownPredicates,
) -> Program:
    """Return the program with a `Reading` of its actions, and with `#show` for hidden actions.

    `shown` has the predicates that the program shows.
    """
    hidden = roles.actions.keys() - shown.named if shown.is_limited else set()
    start = 0 if program.horizon is None else program.horizon.start
    forms = []
    for key, lag in roles.actions.items():
        _, name, arity = key
        forms.append(ActionForm(name, arity, roles.places[key], lag - start))
    in_full = not shown.is_limited or roles.actions.keys() <= shown.signatures.union(hidden)
    readings = (Reading(tuple(forms)),)
    changed = replace(program, readings=readings, plans=True, plans_in_part=not in_full)
    return _with_shown(changed, hidden)


def _keeps_to_occurs(program: Program) -> bool:
    """Return whether the text alone shows that `occurs/2` is the only action predicate.

    In that case the analysis of roles, which is slow, is not needed.
    """
    shown = shown_by(program.statements)
    if shown.named and OCCURS not in shown.named:
        return False
    is_derived = False
    for section, statement in pairs(program.sections):
        # To write a statement is one call of clingo, and to look for its atoms takes many.
        if OCCURS[1] in str(statement) and OCCURS in syntax.defined_in(statement):
            if OCCURS in syntax.read_in(statement):
                return False  # it may be carried on from step to step
            if section.part in ("base", "check"):
                return False  # it may lead from its time to the next
            is_derived = True
    return is_derived


def explain_missing_actions(program: Program, is_temporal: bool = False) -> str:
    """Return why asplan finds no actions, and what to write; empty if the program names some.

    `is_temporal` means that the program is written for telingo, where predicates have no time
    argument, so that the arities in the message are smaller by one.
    """
    if program.written.actions:
        return ""
    from asplan.program.roles.roles import roles_of

    hidden = sorted(roles_of(program).hidden)
    if not hidden:
        return "no rule chooses the actions of a step: name them with --action NAME/ARITY"
    written = [f"{name}/{arity - is_temporal}" for _, name, arity in hidden]
    shows = " ".join(f"#show {each}." for each in written)
    options = " ".join(f"--action {name}/{arity}" for _, name, arity in hidden)
    return f"the program does not show {' and '.join(written)}: write {shows} or pass {options}"


@lru_cache(maxsize=16)
def with_readings(program: Program, written: Program) -> Program:
    """Return a converted `program` with the actions of `written`, the program before conversion."""
    shown = shown_by(program.statements)
    hidden = written.actions - shown.named if shown.is_limited else ()
    changed = replace(
        program,
        readings=written.readings,
        plans=written.plans,
        plans_in_part=written.plans_in_part,
    )
    return _with_shown(changed, hidden)


def _with_shown(program: Program, hidden: Collection[Signature]) -> Program:
    """Return the program with `#show` statements for the `hidden` predicates."""
    if not hidden:
        return program
    shows = " ".join(f"#show {name}/{arity}." for _, name, arity in sorted(hidden))
    section = Section.of_text("base", "", shows)
    divided = program.divided and program.divided.with_sections(section)
    return replace(program.with_sections(section), divided=divided)


def parse_action(word: str) -> Signature:
    """Parse NAME/ARITY as a predicate; raise `UsageError` if the text has another form."""
    match = re.fullmatch(r"(_*[a-z][A-Za-z0-9_']*)/([0-9]{1,3})", word.strip())
    if match is None:
        hint = "for move(a,b,t) write move/3: the time counts as an argument"
        raise UsageError(f"--action {shortened(word)}: an action is named NAME/ARITY", hint=hint)
    return "", match[1], int(match[2])


def _check_action(
    program: Program,
    key: Signature,
    at: Location | None,
) -> None:
    """Raise an error if the predicate `key` cannot be an action.

    `at` is the location of the program's claim `asplan(action(…))`. It is None if the user named
    the predicate by an option; then the error is a `UsageError`.
    """
    from asplan.program.roles.roles import in_parts_without_aliases

    model = in_parts_without_aliases(program).model
    known = list(_derived_in_steps(model))
    text = f"{key[1]}/{key[2]}"
    hint = ""
    if text not in known:
        reason = "no rule of step(t) derives or chooses it"
        hint = nearest(text, known, noun="predicates") if known else ""
    else:
        reason = _obstacle_to_action(model, key)
    if reason and at is None:
        raise UsageError(f"--action {text}: {reason}", hint=hint)
    if reason:
        raise InputError(f"{text} is not an action: {reason}", at=at, hint=hint)


def _derived_in_steps(model: TemporalProgram) -> Iterator[str]:
    """Yield NAME/ARITY of each predicate that rules of `step(t)` or `check(t)` derive."""
    for (sign, name, arity), found in model.literals.items():
        if not sign and any(each.is_head and each.part in TIMED for each in found):
            yield f"{name}/{arity}"


def _obstacle_to_action(model: TemporalProgram, key: Signature) -> str:
    """Return the reason why a predicate cannot be an action; empty if it can."""
    place = model.places.get(key)
    if place is None:
        return "none of its arguments is the time t"
    if model.derived_shifts(key, place) not in ({0}, {-1}):
        return "rules derive it at other times than t or t-1"
    return ""
