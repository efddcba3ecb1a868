"""Checks of the beginning: fluents that never start, and goals that time 0 meets in vain."""

from __future__ import annotations

from collections.abc import Iterator

from clingo import SymbolType

from asplan.core.errors import InputWarning
from asplan.program.syntax import ASTType, Sign, Signature, number_of
from asplan.program.unit import QUERY
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, is_slip, spelled


def find_late_goals(program: Clauses) -> Iterator[InputWarning]:
    """Goals that are not demanded at time 0, or speak of the time before."""
    readers = [
        (clause, use)
        for clause in program.clauses
        for use in clause.reads
        if use.key == QUERY and use.parameter
    ]
    if readers and all(clause.part == "step" for clause, _ in readers):
        text = "query(t) is read in step(t) alone, so no goal is demanded at time 0"
        at = readers[0][1].at
        yield make_warning("no-goal", text, at, "a goal belongs behind #program check(t).")
    for clause, query in readers:
        if clause.is_constraint and clause.part == "check" and query.sign == Sign.NoSign:
            yield from _earlier(program, clause)


def _earlier(program: Clauses, clause: Clause) -> Iterator[InputWarning]:
    """A warning of a constraint of the goal all of whose fluents are those of the time before."""
    timed = [use for use in clause.reads if use.key in program.places]
    shifts = {use.shift(program.places[use.key]) for use in timed}
    if shifts != {-1} or any(use.inner or use.key in program.roles.actions for use in timed):
        return
    first = next((use for use in timed if use.sign == Sign.NoSign), None)
    if first is not None and program.start(first.key, program.places[first.key]) == {0}:
        text = f"at time 0 this condition of the goal, {first.text}, speaks of time -1"
        yield make_warning("earlier-goal", text, first.at, "the state at the end is that of time t")


def find_lost_starts(program: Clauses) -> Iterator[InputWarning]:
    """Fluents that are never true, for all rules that derive them need them at an earlier time.

    An instance may well lack the atoms of one at the start. So where it is another file than the
    encoding, there has to be something in it that looks like them.
    """
    if program.program.scripts or not program.has_facts:
        return
    true = _true(program)
    for key, place in program.places.items():
        needed = {
            use.key
            for clause, head in program.definitions[key]
            for use in clause.reads
            if use.sign == Sign.NoSign and not use.inner and use.key not in true
        }
        is_read = any(use.key == key for c in program.clauses for use in _outside(c, key))
        if key in true or needed != {key} or not is_read:
            continue
        hint = _start_hint(program, key, place)
        if hint or program.is_one_file:
            text = f"{spelled(key)} is never true: only {spelled(key)} at t-1 derives it"
            head = program.timed_definitions(key)[0][1]
            hint = hint or "what holds at the start is given, or derived, for time 0"
            yield make_warning("no-start", text, head.at, hint)


def _outside(clause: Clause, key: Signature) -> list[Use]:
    """What a clause reads, if it is none of the rules of a predicate itself."""
    return [] if any(head.key == key for head in clause.heads) else list(clause.reads)


def _true(program: Clauses) -> set[Signature]:
    """The predicates that may have atoms; those that nothing defines count, to warn once alone."""
    true = {key for key in program.reads if key not in program.defined} | program.declared
    for key in program.defined - true:
        times = _times(program, key)
        if times and not (key in program.places and _is_wrong(times)):
            true.add(key)
    rules = [clause for clause in program.rules if clause.part != "base"]
    changed = True
    while changed:
        changed = False
        for clause in rules:
            new = {head.key for head in clause.heads} - true
            if new and all(
                use.key in true or use.sign != Sign.NoSign or use.inner for use in clause.reads
            ):
                true |= new
                changed = True
    return true


_Times = set[tuple[int | None, ...]]
"""Of each atom of `base` the numbers among its arguments, with that of its time first."""


def _times(program: Clauses, key: Signature) -> _Times:
    place = program.places.get(key, 0)
    found: _Times = {
        tuple(map(number_of, (*use.terms[place : place + 1], *use.terms)))
        for clause, use in program.definitions.get(key, ())
        if clause.part == "base"
    }
    for facts in program.program.facts:
        for fact, _ in facts.of({key}).places({}):
            terms = (*fact.arguments[place : place + 1], *fact.arguments)
            found.add(tuple(t.number if t.type == SymbolType.Number else None for t in terms))
    return found


def _is_wrong(times: _Times) -> bool:
    """Whether atoms of `base` are all of time 1, or have another argument that is always 0."""
    late = all(time[0] is not None and time[0] > 0 for time in times)
    swapped = any(all(number == 0 for number in column) for column in zip(*times, strict=True))
    return {time[0] for time in times} == {1} or (late and swapped)


def _start_hint(program: Clauses, key: Signature, place: int) -> str:
    """What may be the start of a fluent, with a slip in it; empty if nothing is like it."""
    if _times(program, key):
        return f"its atoms in base are not of time 0, which is argument {place + 1}"
    given = {k for k in program.defined if not program.timed_definitions(k)}
    same = sorted(k for k in given if k[:2] == key[:2])
    if same:
        return f"there is {' and '.join(map(spelled, same))}"
    alike = sorted(
        k
        for k in given
        if k[0] == key[0] and k[2] == key[2] and is_slip(k[1], key[1]) and k not in program.reads
    )
    return f"nothing reads {' or '.join(map(spelled, alike))}" if alike else ""


def find_colons(program: Clauses) -> Iterator[InputWarning]:
    """Rules that are one conditional literal, with `:` where `:-` is meant."""
    for clause in program.rules:
        head = clause.statement.head if clause.statement.ast_type == ASTType.Rule else None
        if head is None or head.ast_type != ASTType.Disjunction or clause.statement.body:
            continue
        conditions = [node for node in head.elements if node.condition]
        if len(head.elements) == 1 and conditions and any(use.shifts for use in clause.reads):
            text = f"this derives one of the {spelled(clause.heads[0].key)} whose condition holds"
            yield make_warning("colon", text, clause.at, "did you mean :- instead of the colon?")
