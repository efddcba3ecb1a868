"""Checks of the input: a missing instance, facts that nothing reads, and missing predicates.

A predicate is *missing* if a rule reads it and nothing defines it. An instance may have no objects
of some kind; then rules about that kind derive nothing, and the rest of the program still works. So
a missing predicate is only *needed* if no action or no initial state is possible without it, or if
a constraint is violated without it.
"""

from __future__ import annotations

from collections.abc import (
    Collection,
    Iterable,
    Iterator,
    Set,
)
from functools import lru_cache
from itertools import chain

from asplan.core.errors import InputWarning, Location
from asplan.core.text import amount
from asplan.program import syntax
from asplan.program.model.program import Literal, TemporalRule
from asplan.program.reading.unit import QUERY
from asplan.program.roles.inputs import (
    HINT,
    key_text,
    listing,
    missing_text,
)
from asplan.program.syntax import AST, ASTType, Signature
from asplan.warnings.catalogue import make_warning
from asplan.warnings.index import ProgramIndex, is_slip

_MAX_NAMED = 5  # the most unread predicates that get a warning each

_CONDITIONAL_HEADS = frozenset({ASTType.Aggregate, ASTType.HeadAggregate, ASTType.Disjunction})


def is_reserved(key: Signature) -> bool:
    """Return whether a predicate is asplan's own, like `query/1`."""
    return key == QUERY or key[1].startswith("asplan")


def missing_predicates(
    index: ProgramIndex,
    declared: Collection[Signature],
) -> dict[Signature, list[Literal]]:
    """Return the predicates that are read but neither defined nor `declared`, with their uses."""
    missing: dict[Signature, list[Literal]] = {}
    for key, uses in index.reads.items():
        is_known = key in index.defined or key in declared or is_reserved(key)
        if not is_known and not any(use.is_pooled for use in uses):
            missing[key] = uses
    return missing


def given_predicates(index: ProgramIndex) -> set[Signature]:
    """Return the predicates that have facts, without domains of times like `time(0..n)`."""
    given = set[Signature]().union(*(facts.signatures for facts in index.program.facts))
    for rule in index.rules:
        is_fact = rule.part == "base" and not rule.statement.body and not rule.is_choice
        if is_fact and not rule.has_inner:
            given.update(head.key for head in rule.heads)
    horizon = index.program.horizon
    times = {*horizon.domains, *horizon.ends} if horizon else set()
    return {key for key in given - times if not is_reserved(key)}


def find_instance(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning if the whole instance of an encoding is missing."""
    if index.program.scripts:
        return
    missing = missing_predicates(index, ())
    inputs = {key for key, uses in missing.items() if not any(use.shifts for use in uses)}
    given = given_predicates(index)
    if not inputs or _has_slip(index, inputs, given):
        return
    if _lacks_instance(index, missing, inputs, given):
        yield _missing_instance(missing)


def _lacks_instance(
    index: ProgramIndex,
    missing: Collection[Signature],
    inputs: Set[Signature],
    given: Set[Signature],
) -> bool:
    """Return whether the instance must be missing, because so many predicates are.

    `inputs` are the missing predicates without a time, and `given` the predicates with facts.
    """
    undeclared = inputs - index.program.declared
    # A start that an instance gives as facts, `at(a,0)`, has rules in the encoding.
    unstarted = index.roles.fluents & index.defined - can_be_true(index)
    is_blocked = bool(unstarted) or _is_blocked(index, missing)
    if not given:
        return is_blocked or bool(undeclared)
    # Facts in the encoding may be helpers such as dir(1;-1).
    return index.is_one_file and is_blocked and len(undeclared | unstarted) > 1


def _missing_instance(missing: dict[Signature, list[Literal]]) -> InputWarning:
    uses = list(chain.from_iterable(missing.values()))
    rules = {id(use.rule.statement) for use in uses}
    return make_warning("missing-instance", missing_text(missing, len(rules)), uses[0].at, HINT)


def _has_slip(
    index: ProgramIndex,
    inputs: Iterable[Signature],
    given: Set[Signature],
) -> bool:
    """Return whether a missing predicate most likely misspells a predicate of unread facts.

    `inputs` are the missing predicates, and `given` the predicates with facts.
    """
    unread = given - index.reads.keys() - index.shown.keys()
    return any(is_meant(key, unread, needed=True) for key in inputs)


def _is_blocked(
    index: ProgramIndex,
    missing: Collection[Signature],
) -> bool:
    """Return whether no action or no initial state is possible without these missing predicates."""
    lost = lost_predicates(index, missing)
    actions = index.chosen - index.roles.fluents
    if actions and actions <= lost:
        return True
    states = (index.roles.fluents & index.defined) - actions
    return bool(states) and states <= lost


def lost_predicates(
    index: ProgramIndex,
    missing: Collection[Signature],
) -> frozenset[Signature]:
    """Return the predicates that can have no atoms if the predicates `missing` have none.

    The missing predicates are among them.
    """
    return can_be_true(index) - _possible(index, frozenset(missing))


def can_be_true(index: ProgramIndex) -> frozenset[Signature]:
    """Return the predicates that may have atoms; undefined ones may have them in an instance."""
    return _possible(index, frozenset())


@lru_cache(maxsize=16)
def _possible(
    index: ProgramIndex,
    empty: frozenset[Signature],
) -> frozenset[Signature]:
    """Return the predicates that may have atoms if the ones in `empty` have none.

    Negation is ignored.
    """
    possible = {key for key in index.reads if key not in index.defined} - empty
    possible.update(*(facts.signatures for facts in index.program.facts))
    preconditions = _preconditions(index)
    derivations: list[tuple[Signature, frozenset[Signature]]] = []
    for rule in index.rules:
        for key, needed in _derivations(rule):
            derivations.append((key, needed | preconditions.get(key, set())))
    has_changed = True
    while has_changed:
        derived = {key for key, needed in derivations if needed <= possible}
        has_changed = not derived <= possible
        possible |= derived
    return frozenset(possible)


def _preconditions(index: ProgramIndex) -> dict[Signature, set[Signature]]:
    """Return for each action its preconditions: the predicates that constraints require.

    For example, `:- move(X,t), not free(X,t-1).` requires free/2 for move/2.
    """
    preconditions: dict[Signature, set[Signature]] = {}
    for rule in index.statements:
        if not rule.is_constraint or rule.has_inner or len(rule.negated_keys) != 1:
            continue
        actions = rule.positive_keys & index.chosen
        others = rule.positive_keys - actions
        if len(actions) == 1 and not others & index.roles.fluents:
            (action,) = actions
            preconditions.setdefault(action, set()).update(rule.negated_keys)
    return preconditions


def _derivations(rule: TemporalRule) -> Iterator[tuple[Signature, frozenset[Signature]]]:
    """Yield each predicate that a rule derives, with the predicates that its body needs."""
    body = frozenset(use.key for use in rule.positive if not use.is_pooled)
    head = rule.statement.head if rule.statement.ast_type == ASTType.Rule else None
    if head is None or head.ast_type not in _CONDITIONAL_HEADS:
        for use in rule.heads:
            yield use.key, body
        return
    for element in head.elements:
        inner = element.condition if head.ast_type == ASTType.HeadAggregate else element
        needed = body | _positive_keys(inner.condition)
        for atom in syntax.atoms(inner.literal):
            yield syntax.signature(atom), needed


def _positive_keys(condition: Iterable[AST]) -> frozenset[Signature]:
    """Return the predicates of the positive literals of a condition; pools are left out."""
    literals = filter(syntax.is_literal, condition)
    pools = [syntax.atoms(literal) for literal in literals]
    return frozenset(syntax.signature(pool[0]) for pool in pools if len(pool) == 1)


def is_needed(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether the program cannot work if a missing predicate has no atoms."""
    if _is_blocked(index, [key]) or _has_all_effects(index, key):
        return True
    lost = lost_predicates(index, [key])
    empty = lost_predicates(index, missing_predicates(index, ()))
    return any(_is_violated(rule, lost, empty) for rule in index.statements)


def _is_violated(
    rule: TemporalRule,
    lost: Set[Signature],
    empty: Set[Signature],
) -> bool:
    """Return whether a constraint is violated because predicates in `lost` have no atoms.

    Such a constraint reads `not p(…)` for a lost predicate p. It cannot be violated if it reads a
    predicate in `empty` without `not`.
    """
    if not rule.is_constraint or rule.has_inner:
        return False
    return bool(rule.negated_keys & lost) and empty.isdisjoint(rule.positive_keys)


def _has_all_effects(
    index: ProgramIndex,
    missing: Signature,
) -> bool:
    """Return whether an action has effects and all of them need a missing predicate."""
    bodies = [rule.positive_keys for rule in index.rules]
    for action in index.chosen:
        effects = [keys for keys in bodies if action in keys]
        if effects and all(missing in keys for keys in effects):
            return True
    return False


def unread_facts(index: ProgramIndex) -> dict[Signature, Location]:
    """Return the predicates of facts that rules neither read nor derive, each with a location.

    Shown predicates are left out. If there are several files, only the facts of instances count,
    which are the files without rules.
    """
    places = _places_of_unread(index)
    if index.is_one_file:
        return places
    with_rules = _files_with_rules(index)
    return {key: place for key, place in places.items() if place.file not in with_rules}


def _places_of_unread(index: ProgramIndex) -> dict[Signature, Location]:
    unread = given_predicates(index) - index.reads.keys() - index.shown.keys()
    # telingo's own transformation adds predicates such as __initial/1.
    unread = {key for key in unread if not key[1].startswith("__")}
    unread = {key for key in unread if not index.timed_heads(key)}
    places: dict[Signature, Location] = {}
    for facts in index.program.facts:
        places |= facts.first_places(unread - places.keys())
    for key in sorted(unread - places.keys()):
        places[key] = index.heads[key][0].at
    return places


def _files_with_rules(index: ProgramIndex) -> set[str]:
    files: set[str] = set()
    for rule in index.statements:
        is_fact = rule.statement.ast_type == ASTType.Rule and not rule.reads
        if not is_fact or rule.is_choice:
            files.add(rule.at.file)
    return files


def is_meant(
    missing: Signature,
    unread: Iterable[Signature],
    needed: bool,
) -> bool:
    """Return whether facts that nothing reads are most likely meant for a missing predicate.

    `unread` are the predicates of these facts. An equal name, or a likely misspelling of it, is
    enough; so is an equal arity of 2 or more. If the program cannot work without the missing
    predicate (`needed`), any equal arity is enough.
    """
    for key in unread:
        if key[:2] == missing[:2] or is_slip(missing[1], key[1]):
            return True
        if key[2] == missing[2] and (key[2] > 1 or needed):
            return True
    return False


def find_unread_facts(
    index: ProgramIndex,
    read_elsewhere: Collection[Signature],
) -> Iterator[InputWarning]:
    """Yield a warning for each predicate of an instance's facts that nothing reads.

    `read_elsewhere` has the predicates that drawings read; they count as read. After `_MAX_NAMED`
    warnings, one more counts the other predicates.
    """
    if index.is_one_file:
        return
    missing = missing_predicates(index, index.program.declared)
    places = unread_facts(index)
    unread = [key for key in places if key not in read_elsewhere]
    for key in unread[:_MAX_NAMED]:
        others = sorted(key_text(other) for other in missing if other[:2] == key[:2])
        hint = f"rules read {listing(others)}, which nothing defines" if others else ""
        text = f"nothing reads the facts of {key_text(key)}"
        yield make_warning("unread-fact", text, places[key], hint)
    more = len(unread) - _MAX_NAMED
    if more > 0:
        text = f"and nothing reads {amount(more, 'more predicate')}"
        yield make_warning("unread-fact", text)
