"""The roles of predicates: which ones are actions, which ones fluents, and where their time is.

If a program defines and shows `occurs/2`, this predicate names all actions. Else the module
`happening` finds the predicates of actions. If the program has `#show p/n.` statements, only shown
predicates can be actions. If the chosen predicates are not shown themselves, these count instead:
predicates in conditions of shown terms, or shown predicates that follow from the choices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from asplan.core.dataclass import dataclass
from asplan.program.incremental import Program
from asplan.program.reading.unit import OCCURS, shown_by
from asplan.program.syntax import AST, ASTType, Sign, Signature, variable_names
from asplan.program.syntax.terms import (
    MIRRORED,
    Compared,
    Op,
    Substitution,
    Time,
    comparisons,
    distance_to,
)

if TYPE_CHECKING:
    from asplan.program.model.program import TemporalProgram
    from asplan.program.roles.evidence import ActionEvidence, TimedRule


@dataclass(frozen=True)
class Roles:
    """The roles of the predicates of a program.

    Attributes
    ----------
    places
        Maps each predicate with a time to the index of its time argument.
    actions
        Maps the predicates of actions to their lag. The lag is 0 if an action at time t belongs to
        step t, and 1 if an action at time t belongs to step t+1.
    fluents
        The predicates that carry information from a state to the next: rules derive them at a time
        such as t, and some rule reads them at an earlier time, such as t-1.
    hidden
        The predicates that would be actions if the program showed everything.
    """

    places: Mapping[Signature, int]
    actions: Mapping[Signature, int]
    fluents: frozenset[Signature]
    hidden: frozenset[Signature] = frozenset()

    @property
    def kept(self) -> frozenset[Signature]:
        """The fluents that describe a state.

        Actions of lag 1 are left out: they belong to the next step.
        """
        return self.fluents - {key for key, lag in self.actions.items() if lag}


@lru_cache(maxsize=16)
def roles_of(program: Program) -> Roles:
    """Return the roles of a program's predicates. The program need not be a transition system."""
    model = in_parts_without_aliases(program).model
    places = dict(model.places)
    evidence = _collect_evidence(program, model, places)
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
    """Map the predicates `keys` to their lags; leave out predicates without a lag."""
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
    """Return the lag of an action (0: an action at t belongs to step t; 1: to step t+1).

    Return None if rules derive the predicate at other times than t or t-1. `place` is the index of
    its time.
    """
    shifts = model.derived_shifts(key, place)
    if shifts == {0}:
        return int(evidence.acts_next(key))
    return 1 if shifts == {-1} else None


def _collect_evidence(
    program: Program,
    model: TemporalProgram,
    places: Mapping[Signature, int],
) -> ActionEvidence:
    """Collect the evidence that distinguishes actions from fluents.

    `model` has the rules of the program in parts; `places` maps predicates to the index of their
    time.
    """
    # Most programs name their actions occurs/2.
    from asplan.program.roles.evidence import ActionEvidence, timed_rules

    rules = list(timed_rules(model, places))
    derived: dict[Signature, set[str]] = {}
    started = set[Signature]().union(*(facts.signatures for facts in program.facts))
    given = set(started)
    for rule in model.rules:
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
    """Return the predicates that rules derive at a time and read at an earlier one.

    An example is a predicate that rules derive at t, and that some rule reads at t-1.
    """
    latest: dict[Signature, int] = {}
    read = set[tuple[Signature, int]]()
    for rule in rules:
        read.update(rule.body)
        for key, time in rule.heads:
            latest[key] = max(time, latest.get(key, time))
    return frozenset(key for key, time in read if time < latest.get(key, time))


def in_parts_without_aliases(program: Program) -> Program:
    """Return the program divided into parts, with `T = t` and the like substituted.

    Only for analysis: the parts of a single-shot program are approximate.
    """
    if program.horizon is None:
        return without_aliases(program)
    from asplan.program.roles.analysis_parts import divide

    return without_aliases(program.divided or divide(program))


@lru_cache(maxsize=16)
def without_aliases(program: Program) -> Program:
    """Return the program with variables that equal a time replaced by that time.

    For example, `p(T) :- q(T-1), T = t` in `step(t)` becomes `p(t) :- q(t-1)`.
    """
    return program.with_timed(_without_aliases)


def _without_aliases(rule: AST, parameter: str) -> AST:
    """Return a rule in which t+k replaces each variable that a body literal equates with t+k.

    The variables are replaced one after the other, since a replaced variable may make another one
    replaceable.
    """
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
    """Return `{variable: time}` if a literal equates a variable with t+k, as `T = t` or `T+1 = t`.

    Return an empty dictionary for any other literal. `parameter` is the name t.
    """
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
    """Yield a simple comparison twice: as written, and with both sides exchanged.

    `a < b` gives `a < b` and `b > a`. Other literals give nothing.
    """
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return
    if len(literal.atom.guards) != 1:
        return
    for left, operator, right in comparisons(literal):
        yield left, operator, right
        yield right, MIRRORED[operator], left
