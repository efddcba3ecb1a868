"""Checks of names: predicates that are undefined, unread or impossible to show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from asplan.core.errors import InputWarning
from asplan.core.text import amount
from asplan.program.model.program import Literal
from asplan.program.reading.unit import QUERY
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import ASTType, Signature
from asplan.warnings.catalogue import make_warning
from asplan.warnings.goals import is_idle_without
from asplan.warnings.index import ProgramIndex, is_slip, suggest_predicates
from asplan.warnings.inputs import (
    is_meant,
    is_needed,
    is_reserved,
    missing_predicates,
    unread_facts,
)

_MAX_REPEATED = 2  # the most occurrences of a name that may be a misspelling
_LEAST = 5  # the fewest letters of a name for which one other letter is a misspelling
_LEAST_IF_ONLY = 4  # the same for the only undefined predicate


def find_undefined(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each undefined predicate that is most likely a mistake.

    An instance may lack facts that an encoding can read. So an undefined predicate gets a warning
    only in one of these cases:

    - its name misspells the name of a defined predicate;
    - its atoms have a time, and its name resembles another name;
    - facts that nothing reads are most likely meant for it;
    - encoding and instance are one file, and define its name with another arity only;
    - encoding and instance are one file, and its atoms have a time, or without it the program
      cannot work or demands no goal.

    A name in many bodies is no misspelling, since nobody repeats a misspelling everywhere. Then the
    name in a head may be one.
    """
    missing = missing_predicates(index, index.program.declared)
    timed = {key for key, uses in missing.items() if _is_timed(index, key, uses)}
    is_only = index.is_complete and len(missing.keys() - timed) == 1
    least = _LEAST_IF_ONLY if is_only else _LEAST
    unread = unread_facts(index)
    for key, uses in missing.items():
        needed = is_needed(index, key)
        is_misspelt = _is_misspelt(index, key, uses, key in timed, least)
        is_expected = key in timed or needed or is_idle_without(index, key)
        must_exist = index.is_complete and is_expected
        if (
            must_exist
            or is_misspelt
            or _is_other_arity(index, key)
            or is_meant(key, unread, needed)
        ):
            yield _undefined(index, uses)


def _is_timed(
    index: ProgramIndex,
    key: Signature,
    uses: Iterable[Literal],
) -> bool:
    """Return whether the atoms of an undefined predicate have a time; `uses` are these atoms."""
    horizon = index.program.horizon
    if horizon is not None:
        return key in horizon.places and key not in horizon.successors
    return any(use.shifts for use in uses)


def _is_other_arity(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether encoding and instance are one file that defines only another arity."""
    return index.is_complete and _has_other_arity(index, key)


def _has_other_arity(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether a predicate with the same name and another arity is defined."""
    return any(other[:2] == key[:2] for other in index.defined)


def _misspelt_names(
    index: ProgramIndex,
    key: Signature,
    least: int,
) -> set[Signature]:
    """Return the defined predicates that a predicate's name most likely misspells.

    In names of fewer than `least` letters, a differing letter does not count as a misspelling.
    """
    names: set[Signature] = set()
    for other in index.defined:
        is_alike = other[0] == key[0] and other[2] == key[2]
        # A rule such as `init(F) :- initp(F).` shows that both names are meant.
        if is_alike and is_slip(key[1], other[1], least) and not _reads(index, other, key):
            names.add(other)
    return names


def _reads(
    index: ProgramIndex,
    key: Signature,
    other: Signature,
) -> bool:
    """Return whether a rule that derives the predicate `key` reads the predicate `other`."""
    return other in index.origins.get(key, ())


def _is_misspelt(
    index: ProgramIndex,
    key: Signature,
    uses: Collection[Literal],
    is_timed: bool,
    least: int,
) -> bool:
    """Return whether the name of an undefined predicate most likely misspells another name.

    `uses` are its atoms, and `is_timed` is true if these have a time. In names of fewer than
    `least` letters, a differing letter does not count as a misspelling.
    """
    names = _misspelt_names(index, key, least)
    if any(index.timed_heads(name) for name in names - index.reads.keys()):
        return True
    if is_timed and (names or _has_other_arity(index, key)):
        return True
    if len(uses) > _MAX_REPEATED:
        return False
    resembles = is_timed and bool(suggest_predicates(key, index.defined | {QUERY}))
    return bool(names) or resembles


def find_all_undefined(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each undefined predicate, even if an instance may define it."""
    for uses in missing_predicates(index, index.program.declared).values():
        yield _undefined(index, uses)


def _undefined(
    index: ProgramIndex,
    uses: list[Literal],
) -> InputWarning:
    first = uses[0]
    truth = "always" if first.is_negative else "never"
    text = f"nothing defines {key_text(first.key)}, so {first.signed_text} is {truth} true"
    if len(uses) > 1:
        text += f", nor in {amount(len(uses) - 1, 'other place')}"
    hint = suggest_predicates(first.key, index.defined | {QUERY})
    return make_warning("undefined", text, first.at, hint)


def find_unread(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each derived predicate that nothing reads, if a similar one is read."""
    read = {key for key in index.reads if key in index.defined}
    for key, heads in index.heads.items():
        if not _is_unread(index, key) or not _is_derived(heads[0]):
            continue
        text = f"nothing reads {key_text(key)}, which is defined here"
        at = heads[0].at
        others = {k for k in read if k[:2] == key[:2] and index.timed_heads(k)}
        if others:
            yield make_warning("arity", text, at, _rules_read(others))
            continue
        alike = _misspelt_keys(key, read)
        if alike:
            yield make_warning("unread", text, at, _did_you_mean(alike))


def _is_unread(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether a predicate is neither read nor shown, and is not one of asplan's own."""
    return key not in index.reads and key not in index.shown and not is_reserved(key)


def _is_derived(head: Literal) -> bool:
    """Return whether a head belongs to a rule whose body reads no predicate of the same name.

    Return False for facts.
    """
    rule = head.rule
    if rule.statement.ast_type != ASTType.Rule or not rule.statement.body:
        return False
    return all(use.key[1] != head.key[1] for use in rule.reads)


def _misspelt_keys(
    key: Signature,
    others: Iterable[Signature],
) -> list[Signature]:
    """Return the predicates among `others` for which `key` may be a misspelling.

    Their names resemble the name of `key`; their sign and arity are equal.
    """
    alike = (other for other in others if other[::2] == key[::2])
    return sorted(other for other in alike if is_slip(key[1], other[1]))


def _rules_read(keys: Iterable[Signature]) -> str:
    return f"rules read {' and '.join(sorted(map(key_text, keys)))}"


def _did_you_mean(keys: Iterable[Signature]) -> str:
    return f"did you mean {' or '.join(sorted(map(key_text, keys)))}?"


def find_unread_slips(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for facts that nothing reads, if a similar predicate is read."""
    if not index.is_one_file:
        return
    read = {key for key in index.reads if index.is_in_base(key)}
    for key, place in unread_facts(index).items():
        text = f"nothing reads the facts of {key_text(key)}"
        others = {k for k in read if k[:2] == key[:2] and index.is_timed(k)}
        if others:
            yield make_warning("arity", text, place, _rules_read(others))
            continue
        alike = _misspelt_keys(key, read)
        if alike:
            yield make_warning("unread", text, place, _did_you_mean(alike))


def find_unshown(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each predicate that `#show p/n` names and nothing defines."""
    for key, at in index.shown.items():
        is_defined = key in index.defined or key in index.program.declared
        if not is_defined and not is_reserved(key):
            text = f"nothing defines {key_text(key)}, so there is nothing to show"
            yield make_warning("no-atoms", text, at, suggest_predicates(key, index.defined))
