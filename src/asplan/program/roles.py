"""The roles of predicates: their times, the actions, and the fluents that make up a state.

In a program that defines and shows `occurs/2`, it names all actions. Else the module `happening`
finds the predicates of actions. If `#show` names predicates, no others count. If `#show` hides
the chosen ones, shown terms with them as conditions count, or predicates that follow from them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from asplan.core.errors import InputError, Location, UsageError, nearest
from asplan.core.text import shortened
from asplan.program import syntax
from asplan.program.incremental import ActionForm, Program, Reading
from asplan.program.syntax import AST, ASTType, Sign, Signature, variable_names
from asplan.program.terms import (
    MIRRORED,
    Compared,
    Op,
    Substitution,
    Time,
    comparisons,
    distance_to,
)
from asplan.program.unit import OCCURS, TIMED, Section, Shown, pairs, shown_by

if TYPE_CHECKING:
    from asplan.program.happening import ActionEvidence, TimedRule
    from asplan.program.model import TemporalProgram


@dataclass(frozen=True)
class Roles:
    """The roles of the predicates of a program.

    Attributes
    ----------
    places
        The argument of each predicate that is its time, in timed parts.
    actions
        The predicates of actions, with the lag of their time behind that of the step: 0 or 1.
    fluents
        The predicates that a state hands on: rules read them at an earlier time than that of their
        heads.
    hidden
        The predicates that would be actions if `#show` hid nothing.
    """

    places: Mapping[Signature, int]
    actions: Mapping[Signature, int]
    fluents: frozenset[Signature]
    hidden: frozenset[Signature] = frozenset()

    @property
    def kept(self) -> frozenset[Signature]:
        """The fluents without actions of lag 1, which belong to the step and not to its start."""
        return self.fluents - {key for key, lag in self.actions.items() if lag}


@lru_cache(maxsize=16)
def roles_of(program: Program) -> Roles:
    """Return the roles of the predicates of a program; it need be no transition system."""
    from asplan.program.happening import timed_rules  # most programs name their actions occurs/2

    program = in_parts_without_aliases(program)
    model = program.model
    places = dict(model.places)
    evidence = _collect_evidence(program, places, list(timed_rules(model, places)))
    found = program.written.actions or evidence.find_actions()
    lags = {key: _lag(evidence, key, model, place) for key, place in places.items()}
    if OCCURS in found:
        places.setdefault(OCCURS, 1)
        lags.setdefault(OCCURS, 0)
    actions = _with_lags(sorted(found), lags)
    hidden = _with_lags(evidence.find_hidden(), lags)
    return Roles(places, actions, evidence.fluents, frozenset(hidden))


def _with_lags(
    keys: Iterable[Signature], lags: Mapping[Signature, int | None]
) -> dict[Signature, int]:
    """Return predicates with their lags; leave out predicates that have none."""
    found = {}
    for key in keys:
        lag = lags.get(key)
        if lag is not None:
            found[key] = lag
    return found


def _lag(
    evidence: ActionEvidence,
    key: Signature,
    model: TemporalProgram,
    place: int,
) -> int | None:
    """Return the lag of an action's time behind that of its step; None if it is not 0 or 1."""
    shifts = model.derived_shifts(key, place)
    if shifts == {0}:
        return int(evidence.acts_next(key))
    return 1 if shifts == {-1} else None


def _collect_evidence(
    program: Program,
    places: Mapping[Signature, int],
    rules: Collection[TimedRule],
) -> ActionEvidence:
    """Collect the uses of predicates that separate actions from fluents."""
    from asplan.program.happening import ActionEvidence

    derived: dict[Signature, set[str]] = {}
    started = set[Signature]().union(*(facts.signatures for facts in program.facts))
    given = set(started)
    for rule in program.model.rules:
        is_given = rule.part == "base" and not rule.is_choice
        is_static = is_given and not any(literal.key in places for literal in rule.reads)
        for head in rule.heads:
            derived.setdefault(head.key, set()).add(rule.part)
            if is_given:
                given.add(head.key)
            if is_static:
                started.add(head.key)
    return ActionEvidence(
        derived=derived,
        given=frozenset(given),
        started=frozenset(started),
        rules=rules,
        fluents=_find_fluents(rules),
        shown=shown_by(program.statements),
    )


def _find_fluents(rules: Iterable[TimedRule]) -> frozenset[Signature]:
    """Return the predicates that rules read at an earlier time than they derive them at."""
    latest: dict[Signature, int] = {}
    read = set[tuple[Signature, int]]()
    for rule in rules:
        read.update(rule.body)
        for key, time in rule.heads:
            latest[key] = max(time, latest.get(key, time))
    return frozenset(key for key, time in read if time < latest.get(key, time))


# The actions of a program.


@lru_cache(maxsize=16)
def with_actions(program: Program, named: tuple[str, ...] = ()) -> Program:
    """Return a program that reads its actions from the predicates with that role, and shows them.

    If `named` has any NAME/ARITY, these are the actions; else the program's own claims count first.
    Raises `UsageError` or `InputError` at names of predicates that cannot be actions.
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
    roles = roles_of(program)
    is_occurs = is_in_parts and not claimed and roles.actions.get(OCCURS) == 0
    if not roles.actions or is_occurs:
        return program
    return _with_reading(program, roles, shown_by(program.statements))


def _with_reading(
    program: Program,
    roles: Roles,
    shown: Shown,
) -> Program:
    """Return a program that reads its actions by their roles, and shows hidden ones."""
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
    """Return whether `occurs/2` plainly names all actions, so that the roles are not needed."""
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
    """Return why a program has no list of actions, and what to write; empty if it names them.

    A temporal program of telingo writes its predicates without the time.
    """
    if program.written.actions:
        return ""
    hidden = sorted(roles_of(program).hidden)
    if not hidden:
        return "no rule chooses the actions of a step: name them with --action NAME/ARITY"
    written = [f"{name}/{arity - is_temporal}" for _, name, arity in hidden]
    shows = " ".join(f"#show {each}." for each in written)
    options = " ".join(f"--action {name}/{arity}" for _, name, arity in hidden)
    return f"the program does not show {' and '.join(written)}: write {shows} or pass {options}"


@lru_cache(maxsize=16)
def with_readings(program: Program, written: Program) -> Program:
    """Return a program in parts that reads its actions as the one it was made of does."""
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
    shows = " ".join(f"#show {name}/{arity}." for _, name, arity in sorted(hidden))
    return program.with_sections(Section.of_text("base", "", shows))


def in_parts_without_aliases(program: Program) -> Program:
    """Return a program in parts, in which no variable is another name of a time."""
    if program.horizon is not None:
        from asplan.program.analysis_parts import in_parts

        program = in_parts(program)
    return without_aliases(program)


def parse_action(word: str) -> Signature:
    """Return the predicate that NAME/ARITY names; raise `UsageError` if it is written otherwise."""
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
    """Raise an error if a predicate cannot be an action.

    `at` is the place of its name in the program; without one, an option names it.
    """
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
    """Yield the predicates that timed parts derive, as NAME/ARITY."""
    for (sign, name, arity), found in model.literals.items():
        if not sign and any(each.is_head and each.part in TIMED for each in found):
            yield f"{name}/{arity}"


def _obstacle_to_action(model: TemporalProgram, key: Signature) -> str:
    """Return why the time of a predicate is not that of an action; empty if it is."""
    place = model.places.get(key)
    if place is None:
        return "none of its arguments is the time t"
    if model.derived_shifts(key, place) not in ({0}, {-1}):
        return "rules derive it at other times than t or t-1"
    return ""


# Other names of the parameter.


@lru_cache(maxsize=16)
def without_aliases(program: Program) -> Program:
    """Return a program in which no rule gives the parameter another name, as `T = t` does."""
    return program.with_timed(_without_aliases)


def _without_aliases(rule: AST, parameter: str) -> AST:
    """Return a rule with times instead of their names; a name may depend on another."""
    if rule.ast_type != ASTType.Rule:
        return rule
    for place, literal in enumerate(rule.body):
        alias = _alias(literal, parameter)
        if alias:
            body = [*rule.body[:place], *rule.body[place + 1 :]]
            renamed: AST = Substitution(alias).visit(rule.update(body=body))
            return _without_aliases(renamed, parameter)
    return rule


def _alias(literal: AST, parameter: str) -> dict[str, Time]:
    """Return the variable that a literal equates with a time, with that time; empty if none."""
    for side, operator, time in mirrored_comparisons(literal):
        if operator != Op.Equal or literal.sign != Sign.NoSign:
            continue
        names = variable_names(side)
        distance = distance_to(time, parameter)
        shift = distance_to(side, names[0]) if len(names) == 1 else None
        if shift is not None and distance is not None:
            return {names[0]: (parameter, distance - shift)}
    return {}


def mirrored_comparisons(literal: AST) -> Iterator[Compared]:
    """Yield the comparison of two terms that a literal is, from the left and from the right."""
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return
    if len(literal.atom.guards) != 1:
        return
    for left, operator, right in comparisons(literal):
        yield left, operator, right
        yield right, MIRRORED[operator], left
