"""Checks of the input: an instance that is missing, facts that nothing reads, and what follows.

A predicate is missing where a rule reads it and nothing defines it. An instance may lack a kind of
object: then rules about that kind derive nothing, and the rest of the program still works. So a
missing predicate matters where no action is left without it, no state to begin with, or where a
constraint is violated because of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set
from functools import lru_cache

from asplan.core.errors import InputWarning, Location
from asplan.core.text import amount
from asplan.program import syntax
from asplan.program.inputs import HINT, enumerated, missing_text, spelled
from asplan.program.syntax import AST, ASTType, Sign, Signature
from asplan.program.unit import QUERY
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, is_slip

_NAMED = 5  # predicates that one warning names, and unread facts that get one


def is_ours(key: Signature) -> bool:
    """Return whether asplan itself defines or reads a predicate."""
    return key == QUERY or key[1].startswith("asplan")


def missing_predicates(
    program: Clauses, declared: Collection[Signature]
) -> dict[Signature, list[Use]]:
    """Return the uses of each predicate that nothing defines, but for the `declared` ones."""
    known = program.defined | set(declared)
    missing = (key for key in program.reads if key not in known and not is_ours(key))
    found = ((key, program.reads[key]) for key in missing)
    return {key: uses for key, uses in found if not any(use.pooled for use in uses)}


def given_predicates(program: Clauses) -> set[Signature]:
    """Return the predicates that have facts, but for those of times alone."""
    given = set[Signature]().union(*(facts.signatures for facts in program.program.facts))
    for clause in program.rules:
        if clause.part == "base" and not clause.statement.body and not clause.is_choice:
            given.update(head.key for head in clause.heads if not _depends_on_conditions(clause))
    horizon = program.program.horizon
    times = {*horizon.domains, *horizon.ends} if horizon else set()
    return {key for key in given - times if not is_ours(key)}


def _depends_on_conditions(clause: Clause) -> bool:
    return any(use.inner for use in clause.reads)


def find_instance(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning where the whole instance of an encoding is missing."""
    if program.program.scripts:
        return
    missing = missing_predicates(program, ())
    inputs = {key for key, uses in missing.items() if not any(use.shifts for use in uses)}
    given = given_predicates(program)
    if not inputs or _has_slip(inputs, given, program):
        return
    undeclared = inputs - program.program.declared
    # A start that an instance gives as it is, `at(a,0)`, lacks no definition.
    unstarted = program.roles.fluents & program.defined - _possible(program, frozenset())
    is_blocked = bool(unstarted) or _is_blocked(program, missing.keys())
    if given:  # helpers such as dir(1;-1), if they stand in the encoding
        is_alone = program.is_one_file and is_blocked and len(undeclared | unstarted) > 1
    else:
        is_alone = is_blocked or bool(undeclared)
    if is_alone:
        yield _missing_instance(missing)


def _missing_instance(missing: dict[Signature, list[Use]]) -> InputWarning:
    uses = [use for group in missing.values() for use in group]
    count = len({id(use.statement) for use in uses})
    return make_warning("missing-instance", missing_text(missing, count), uses[0].at, HINT)


def _has_slip(inputs: Iterable[Signature], given: Set[Signature], program: Clauses) -> bool:
    """Return whether facts that nothing reads are what the missing predicates stand for."""
    unread = given - program.reads.keys() - program.shown.keys()
    return any(is_meant(key, unread, is_needed=True) for key in inputs)


def _is_blocked(program: Clauses, missing: Collection[Signature]) -> bool:
    """Return whether nothing can happen, or no state can begin, for want of some predicates."""
    lost = lost_predicates(program, missing)
    chosen = {
        head.key for clause in program.rules if clause.is_choice for head in clause.heads
    } - program.roles.fluents
    if chosen and chosen <= lost:
        return True
    states = {key for key in program.roles.fluents if key in program.defined} - chosen
    return bool(states) and states <= lost


def lost_predicates(program: Clauses, missing: Collection[Signature]) -> frozenset[Signature]:
    """Return what has atoms only if some missing predicates have, these included."""
    return _possible(program, frozenset()) - _possible(program, frozenset(missing))


def can_be_true(program: Clauses) -> frozenset[Signature]:
    """Return the predicates that may have atoms; a missing one may have them in an instance."""
    return _possible(program, frozenset())


@lru_cache(maxsize=16)
def _possible(program: Clauses, empty: frozenset[Signature]) -> frozenset[Signature]:
    """Return the predicates that may have atoms where some are `empty`; negation is ignored."""
    possible = {key for key in program.reads if key not in program.defined} - empty
    possible.update(*(facts.signatures for facts in program.program.facts))
    left = [pair for clause in program.rules for pair in _derivations(clause)]
    demanded = _preconditions(program)
    left = [(key, needed | demanded.get(key, set())) for key, needed in left]
    changed = True
    while changed:
        fresh = {key for key, needed in left if key not in possible and needed <= possible}
        possible |= fresh
        changed = bool(fresh)
    return frozenset(possible)


def _preconditions(program: Clauses) -> dict[Signature, set[Signature]]:
    """Return for each chosen predicate those without which constraints exclude it."""
    chosen = {head.key for clause in program.rules if clause.is_choice for head in clause.heads}
    found = dict[Signature, set[Signature]]()
    for clause in program.clauses:
        if not clause.is_constraint or any(use.inner for use in clause.reads):
            continue
        denied = {use.key for use in clause.reads if use.sign == Sign.Negation}
        true = {use.key for use in clause.true}
        actions = true & chosen
        if len(denied) == 1 and len(actions) == 1 and not (true - actions) & program.roles.fluents:
            found.setdefault(actions.pop(), set()).update(denied)
    return found


def _derivations(clause: Clause) -> Iterator[tuple[Signature, frozenset[Signature]]]:
    """Yield each predicate that a rule derives with those that have to be true for it."""
    body = frozenset(use.key for use in clause.true if not use.pooled)
    if clause.statement.ast_type != ASTType.Rule:
        yield from ((head.key, body) for head in clause.heads)
        return
    head = clause.statement.head
    if head.ast_type not in (ASTType.Aggregate, ASTType.HeadAggregate, ASTType.Disjunction):
        yield from ((use.key, body) for use in clause.heads)
        return
    for element in head.elements:
        inner = element.condition if head.ast_type == ASTType.HeadAggregate else element
        needed = body | _positive(inner.condition)
        for atom in syntax.atoms(inner.literal):
            yield syntax.signature(atom), needed


def _positive(condition: Iterable[AST]) -> frozenset[Signature]:
    literals = filter(syntax.is_literal, condition)
    groups = [syntax.atoms(literal) for literal in literals]
    return frozenset(syntax.signature(group[0]) for group in groups if len(group) == 1)


def matters(program: Clauses, key: Signature) -> bool:
    """Return whether the program cannot work without a missing predicate."""
    if _is_blocked(program, [key]) or _ends_effects(program, key):
        return True
    lost = lost_predicates(program, [key])
    empty = lost_predicates(program, missing_predicates(program, ()))
    for clause in program.clauses:
        if not clause.is_constraint or any(use.inner for use in clause.reads):
            continue
        denied = {use.key for use in clause.reads if use.sign == Sign.Negation}
        if denied & lost and empty.isdisjoint(use.key for use in clause.true):
            return True
    return False


def _ends_effects(program: Clauses, missing: Signature) -> bool:
    """Return whether some action has effects, and each of them needs a missing predicate."""
    chosen = {head.key for clause in program.rules if clause.is_choice for head in clause.heads}
    for action in chosen:
        effects = [
            {use.key for use in clause.true}
            for clause in program.rules
            if any(use.key == action for use in clause.true)
        ]
        if effects and all(missing in read for read in effects):
            return True
    return False


def unread_facts(program: Clauses) -> dict[Signature, Location]:
    """Return the predicates of facts that no rule reads, shows or derives, each with a place.

    Where there are several files, only those of files without rules count: of an instance.
    """
    unread = given_predicates(program) - program.reads.keys() - program.shown.keys()
    unread -= {key for key in unread if program.timed_definitions(key)}
    # telingo's own transformation adds predicates such as __initial/1.
    unread -= {key for key in unread if key[1].startswith("__")}
    found = dict[Signature, Location]()
    for facts in program.program.facts:
        found |= facts.first_places(unread - found.keys())
    for key in sorted(unread - found.keys()):
        found[key] = program.definitions[key][0][1].at
    if program.is_one_file:
        return found
    with_rules = {c.at.file for c in program.clauses if c.statement.ast_type != ASTType.Rule}
    with_rules |= {c.at.file for c in program.clauses if c.reads or c.is_choice}
    return {key: place for key, place in found.items() if place.file not in with_rules}


def is_meant(missing: Signature, unread: Iterable[Signature], is_needed: bool) -> bool:
    """Return whether some unread facts most likely are what a missing predicate stands for."""
    for key in unread:
        if key[:2] == missing[:2] or is_slip(missing[1], key[1]):
            return True
        if key[2] == missing[2] and (key[2] > 1 or is_needed):
            return True
    return False


def find_unread_facts(
    program: Clauses, read_elsewhere: Collection[Signature]
) -> Iterator[InputWarning]:
    """Yield a warning for each predicate of an instance that neither rules nor drawings read."""
    if program.is_one_file:
        return
    missing = missing_predicates(program, program.program.declared)
    places = unread_facts(program)
    unread = [key for key in places if key not in read_elsewhere]
    for key in unread[:_NAMED]:
        others = sorted(spelled(other) for other in missing if other[:2] == key[:2])
        hint = f"rules read {enumerated(others)}, which nothing defines" if others else ""
        text = f"nothing reads {spelled(key)}, of which there are facts"
        yield make_warning("unread-fact", text, places[key], hint)
    if (more := len(unread) - _NAMED) > 0:
        yield make_warning("unread-fact", f"and nothing reads {amount(more, 'more predicate')}")
