"""Checks of goal and start: whether a goal is demanded, of which state, and what never begins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from clingo import SymbolType

from asplan.core.errors import InputWarning, Location
from asplan.program.inputs import HINT, enumerated, spelled
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
    find,
    location,
    names_term,
    number_of,
)
from asplan.program.theory import theory_atoms
from asplan.program.unit import QUERY
from asplan.warnings.catalogue import CATALOGUE, make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, is_slip
from asplan.warnings.inputs import given_predicates

if TYPE_CHECKING:
    from asplan.program.horizon import Horizon


def find_goals(program: Clauses) -> Iterator[InputWarning]:
    """That nothing demands a goal, and conditions of the goal that do not depend on the time."""
    demands = ((clause, use, use.terms[0].ast_type) for clause, use in program.demands)
    readers = [(c, u) for c, u, kind in demands if u.shift(0) == 0 or kind == ASTType.Variable]
    parts = {section.part for section in program.program.sections}
    if not readers:
        at, text = _begin(program), "nothing reads query(t), so no goal is demanded"
        hint = "write it as `#program check(t). :- query(t), not goal(t).`, "
        hint += "or give the file that has it"
        if uses := program.reads.get(QUERY):
            at, hint = uses[0].at, f"{uses[0].text} is not demanded at the time t of the part"
        elif "check" not in parts:
            text = "there is no part check(t), so no goal is demanded"
        yield make_warning("no-goal", text, at, hint)
    if "step" not in parts:
        hint = "what may happen at a step stands behind #program step(t)."
        yield make_warning("no-step", CATALOGUE["no-step"].about, _begin(program), hint)
    for clause, query in readers:
        if clause.is_constraint and query.sign == Sign.NoSign:
            yield from _static(program, clause, query)


def find_last(program: Clauses) -> Iterator[InputWarning]:
    """Of a program without parts: that no constraint speaks of its end or of all times together."""
    horizon = program.program.horizon
    assert horizon is not None
    # What is chosen among the times, as in `1 { done(T) : time(T) } 1`.
    chosen = {
        head.key
        for clause in program.clauses
        for head in (clause.heads if clause.is_choice else ())
        if (place := horizon.places.get(head.key)) is not None
        and _names_in([head.terms[place]]).isdisjoint(_names_in(clause.statement.body))
    }
    told = horizon.places.keys() - horizon.domains.keys() - horizon.ends.keys()
    is_told = any(
        horizon.constant in facts.names and not facts.signatures.isdisjoint(told)
        for facts in program.program.facts
    )
    may_have_goal = horizon.has_goal or is_told
    if not may_have_goal and not any(
        _may_demand(clause, horizon, chosen) for clause in program.clauses
    ):
        hint = "write it as `:- not goal(n).`, or give the file that has it"
        yield make_warning("no-goal", "no constraint demands a goal", horizon.at, hint)
    for at in sorted(set(horizon.elsewhere)):
        yield make_warning(
            "horizon-elsewhere",
            f"{horizon.constant}, the horizon, also stands where no time is",
            at,
            "that changes with each horizon as well: give it a constant of its own",
        )


def _names_in(nodes: Iterable[AST]) -> set[str]:
    return {variable.name for variable in find(ASTType.Variable, nodes)}


def _may_demand(clause: Clause, horizon: Horizon, chosen: Collection[Signature]) -> bool:
    """Whether a statement may demand a goal; `chosen` are predicates that choose a time."""
    if clause.statement.ast_type == ASTType.Rule and theory_atoms(clause.statement):
        return names_term(clause.statement, horizon.constant)
    if not clause.is_constraint:
        ends = [u.terms[horizon.places[u.key]] for u in clause.heads if u.key in horizon.places]
        return not clause.reads and any(str(end) == horizon.constant for end in ends)

    def is_timed(use: Use) -> bool:
        """Whether an atom speaks of one time: `goal(T)` does, `goal(_)` speaks of all together."""
        place = None if use.key in horizon.domains else horizon.places.get(use.key)
        return place is not None and str(use.terms[place]) != "_"

    return names_term(clause.statement, horizon.constant) or any(
        use.inner or use.key in {*horizon.ends, *chosen} or (use.sign and not is_timed(use))
        for use in clause.reads
    )


def _begin(program: Clauses) -> Location | None:
    """Where the part begins that looks at states, or else the one that makes them."""
    sections = {section.part: section for section in reversed(program.program.sections)}
    section = sections.get("check") or sections["step"]
    return location(section.statements[0]) if section.statements else None


def _static(program: Clauses, clause: Clause, query: Use) -> Iterator[InputWarning]:
    others = [use for use in clause.reads if use is not query]
    time = query.terms[0]
    name = time.name if time.ast_type == ASTType.Variable else query.parameter
    rest = [literal for literal in clause.statement.body if str(query.atom) != str(literal)]
    speaks = name in _names_in(rest) or any(names_term(node, query.parameter) for node in rest)
    if not others or (speaks and not all(use.shifts for use in others)):
        return
    keys = {use.key for use in others}
    behind = program.behind(keys) | keys
    if speaks or any(program.timed_definitions(key) for key in behind):
        return
    rules = (clause for key in behind for clause, _ in program.definitions.get(key, ()))
    if any(rule.statement.ast_type == ASTType.External for rule in rules):
        return
    what = ", ".join(use.literal for use in others)
    text = f"this condition of the goal, {what}, is the same at all times"
    yield make_warning("static-goal", text, clause.at, "give what a step changes its time, t")


def find_initial(program: Clauses) -> Iterator[InputWarning]:
    """Constraints of timed parts that speak of time 0 alone."""
    for clause in program.clauses:
        is_timed = clause.is_constraint and clause.part in ("step", "check")
        if not is_timed or not clause.statement.body:
            continue  # `not at(b,0).` is there to say something of the start
        timed = [use for use in clause.reads if use.key in program.places]
        terms = [use.terms[program.places[use.key]] for use in timed]
        if timed and all(number_of(term) == 0 for term in terms):
            text = "this constraint speaks of time 0 alone, whatever the step"
            yield make_warning("initial-only", text, timed[0].at, "the time of a state is t")


def find_late_goals(program: Clauses) -> Iterator[InputWarning]:
    """Goals that are not demanded at time 0, or speak of the time before."""
    readers = program.demands
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
    first = next((use for use in timed if use.sign == Sign.NoSign), timed[0])
    if program.start(first.key, program.places[first.key]) == {0}:
        text = f"at time 0 this condition of the goal, {first.text}, speaks of time -1"
        yield make_warning("earlier-goal", text, first.at, "the state at the end is that of time t")


def find_lost_starts(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for each fluent that all its rules need at an earlier time.

    If nothing in one file is like the start of any fluent, the instance is missing.
    """
    if program.program.scripts or not given_predicates(program):
        return
    true = _true(program)
    lost = [key for key in program.places if _is_never_true(program, key, true)]
    hints = {key: _start_hint(program, key, program.places[key]) for key in lost}
    started = any(
        _is_in_base(program, key) for key in program.roles.fluents & program.places.keys()
    )
    is_alone = program.is_one_file and bool(lost) and not started
    if is_alone and not any(hints.values()):
        head = program.timed_definitions(lost[0])[0][1]
        text = f"nothing gives {enumerated(map(spelled, lost))} at time 0: the instance is missing"
        yield make_warning("missing-instance", text, head.at, HINT)
        return
    for key, hint in hints.items() if program.has_facts else ():
        if hint or program.is_one_file:
            text = f"{spelled(key)} is never true: only {spelled(key)} at t-1 derives it"
            head = program.timed_definitions(key)[0][1]
            hint = hint or "what holds at the start is given, or derived, for time 0"
            yield make_warning("no-start", text, head.at, hint)


def _is_never_true(program: Clauses, key: Signature, true: Collection[Signature]) -> bool:
    """Return whether a predicate that is read elsewhere is derived from itself alone."""
    rules = [clause for clause, _ in program.definitions[key]]
    needed = {use.key for rule in rules for use in rule.true if use.key not in true}
    if key in true or needed != {key}:
        return False
    others = [c for c in program.clauses if all(head.key != key for head in c.heads)]
    return any(use.key == key for clause in others for use in clause.reads)


def _true(program: Clauses) -> set[Signature]:
    """The predicates that may have atoms; those that nothing defines count, to warn once alone."""
    true = {key for key in program.reads if key not in program.defined} | program.program.declared
    for key in program.defined - true:
        if key not in program.places:
            if _is_in_base(program, key):
                true.add(key)
            continue
        times = _times(program, key)
        # Where `base` has them all at time 1, or another argument is always 0, that is a mistake.
        columns = [set(column) for column in zip(*times, strict=True)]
        is_late = bool(times) and all((time or 0) > 0 for time in columns[0])
        if times and not (is_late and (columns[0] == {1} or {0} in columns)):
            true.add(key)
    rules = [clause for clause in program.rules if clause.part != "base"]
    while fresh := [
        head.key
        for clause in rules
        if all(use.key in true for use in clause.true)
        for head in clause.heads
        if head.key not in true
    ]:
        true.update(fresh)
    return true


_Times = set[tuple[int | None, ...]]  # the numbers in each atom of `base`, that of its time first


def _is_in_base(program: Clauses, key: Signature) -> bool:
    """Return whether `base` has facts or rules of a predicate; there may be millions of facts."""
    if any(clause.part == "base" for clause, _ in program.definitions.get(key, ())):
        return True
    return any(key in facts.signatures for facts in program.program.facts)


def _times(program: Clauses, key: Signature) -> _Times:
    place = program.places.get(key, 0)
    base = (use for clause, use in program.definitions.get(key, ()) if clause.part == "base")
    known = ((*use.terms[place : place + 1], *use.terms) for use in base)
    found: _Times = {tuple(map(number_of, terms)) for terms in known}
    for facts in program.program.facts:
        for fact in facts.symbols_of({key}):
            terms = (*fact.arguments[place : place + 1], *fact.arguments)
            found.add(tuple(t.number if t.type == SymbolType.Number else None for t in terms))
    return found


def _start_hint(program: Clauses, key: Signature, place: int) -> str:
    """What may be the start of a fluent, with a slip in it; empty if nothing is like it."""
    if _is_in_base(program, key):
        return f"its atoms in base are not of time 0, which is argument {place + 1}"
    given = sorted(k for k in program.defined if not program.timed_definitions(k))
    if same := [k for k in given if k[:2] == key[:2]]:
        return f"there is {' and '.join(map(spelled, same))}"
    unread = (k for k in given if k[::2] == key[::2] and k not in program.reads)
    alike = [k for k in unread if is_slip(k[1], key[1])]
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
