"""Checks of predicates: what is read and not defined, or defined and not read."""

from __future__ import annotations

from collections.abc import Iterator

from asplan.core.errors import InputWarning
from asplan.core.text import amount
from asplan.program.syntax import ASTType, Sign, Signature
from asplan.program.unit import QUERY
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clauses, Use, is_slip, meant, spelled

_SLIPS = 2
"""In how many places the same slip may stand."""


def find_undefined(program: Clauses) -> Iterator[InputWarning]:
    """Atoms in bodies that nothing defines.

    An instance may well lack some facts that an encoding can read. So such an atom counts only if
    its name is that of another predicate with a slip in it, or like it where it speaks of the time;
    or, in a file that has the instance as well, if it speaks of the time or is the only one.
    Nobody makes the same slip everywhere: what is read in many places comes from another file,
    unless it is the head of a rule that has the slip, so that nothing reads it.
    """
    missing = _missing(program)
    timed = {key for key, uses in missing.items() if any(use.shifts for use in uses)}
    is_whole = program.is_one_file and program.has_facts
    for key, uses in missing.items():
        warning = _undefined(program, uses)
        is_sure = is_whole and (key in timed or len(missing.keys() - timed) == 1)
        slips = _slips(key, program)
        is_close = key in timed and (slips or warning.hint.startswith("there is"))
        is_head = any(map(program.timed_definitions, slips - program.reads.keys()))
        is_rare = len(uses) <= _SLIPS and (slips or (key in timed and warning.hint))
        if is_sure or is_close or is_rare or is_head:
            yield warning


def find_missing(program: Clauses) -> Iterator[InputWarning]:
    """All atoms in bodies that nothing defines, those that an instance may lack as well."""
    for uses in _missing(program).values():
        yield _undefined(program, uses)


def _missing(program: Clauses) -> dict[Signature, list[Use]]:
    return {
        key: uses
        for key, uses in program.reads.items()
        if key not in program.defined
        and key not in program.declared
        and not _is_ours(key)
        and not any(use.pooled for use in uses)
    }


def _undefined(program: Clauses, uses: list[Use]) -> InputWarning:
    first, key = uses[0], uses[0].key
    always = "always" if first.sign == Sign.Negation and not first.inner else "never"
    text = f"nothing defines {spelled(key)}, so {first.literal} is {always} true"
    if len(uses) > 1:
        text += f", nor in {amount(len(uses) - 1, 'other place')}"
    return make_warning("undefined", text, first.at, meant(key, program.defined | {QUERY}))


def find_unread(program: Clauses) -> Iterator[InputWarning]:
    """Predicates of rules that nothing reads, while one that is read differs by a slip."""
    read = {key for key in program.reads if key in program.defined}
    for key, pairs in program.definitions.items():
        clause, head = pairs[0]
        if key in program.reads or key in program.shown or _is_ours(key):
            continue
        if clause.statement.ast_type != ASTType.Rule or not clause.statement.body:
            continue
        if any(use.key[1] == key[1] for use in clause.reads):
            continue  # it is a projection
        text = f"nothing reads {spelled(key)}, which is defined here"
        others = {
            other for other in read if other[:2] == key[:2] and program.timed_definitions(other)
        }
        if others:
            hint = f"rules read {' and '.join(sorted(map(spelled, others)))}"
            yield make_warning("arity", text, head.at, hint)
            continue
        alike = {k for k in read if k[0] == key[0] and k[2] == key[2] and is_slip(key[1], k[1])}
        if alike:
            hint = f"did you mean {' or '.join(sorted(map(spelled, alike)))}?"
            yield make_warning("unread", text, head.at, hint)


def find_unshown(program: Clauses) -> Iterator[InputWarning]:
    """Predicates that `#show p/n` names and nothing defines."""
    for key, at in program.shown.items():
        if key not in program.defined and key not in program.declared and not _is_ours(key):
            text = f"nothing defines {spelled(key)}, so there is nothing to show"
            yield make_warning("no-atoms", text, at, meant(key, program.defined))


def find_vain(program: Clauses) -> Iterator[InputWarning]:
    """Rules that need what they derive, and bodies that contradict themselves."""
    for clause in program.clauses:
        plain = [use for use in clause.reads if not use.inner]
        true = {str(use.atom): use for use in plain if use.sign == Sign.NoSign}
        derives = clause.part != "base" and not clause.is_choice
        for head in clause.heads if derives else ():
            if use := true.get(str(head.atom)):
                text = f"this rule derives {head.text} only where it is true already"
                yield make_warning("circular", text, use.at, "a state follows from the one before")
        for use in plain:
            if use.sign == Sign.Negation and str(use.atom) in true:
                text = f"{use.text} cannot be true and not true, so this is without effect"
                yield make_warning("contradiction", text, use.at)


def _is_ours(key: Signature) -> bool:
    return key == QUERY or key[1].startswith("asplan")


def _slips(key: Signature, program: Clauses) -> set[Signature]:
    """The predicates of which one that nothing defines is most likely a misspelt one."""
    alike = {k for k in program.defined if key[0] == k[0] and key[2] == k[2]}
    # Where `init(F) :- initp(F).` says how both belong together the names are meant.
    return {k for k in alike if is_slip(key[1], k[1]) and key not in program.origins.get(k, ())}
