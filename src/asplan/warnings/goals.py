"""Checks of the goal: whether it is demanded at all, and of the state at the end."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from asplan.core.errors import InputWarning, Location
from asplan.program.syntax import ASTType, Sign, Signature, find, location, names_term, number_of
from asplan.program.theory import theory_atoms
from asplan.program.unit import QUERY
from asplan.warnings.catalogue import CATALOGUE, make_warning
from asplan.warnings.clauses import Clause, Clauses, Use

if TYPE_CHECKING:
    from asplan.program.horizon import Horizon


def find_goals(program: Clauses) -> Iterator[InputWarning]:
    """That nothing demands a goal, and conditions of the goal that do not depend on the time."""
    readers = [
        (clause, use)
        for clause in program.clauses
        for use in clause.reads
        if use.key == QUERY and use.parameter and _is_present(use)
    ]
    if not readers:
        yield _no_goal(program)
    parts = {section.part for section in program.program.sections}
    if "step" not in parts:
        hint = "what may happen at a step stands behind #program step(t)."
        yield make_warning("no-step", CATALOGUE["no-step"].about, _begin(program), hint)
    for clause, query in readers:
        if clause.is_constraint and query.sign == Sign.NoSign:
            yield from _static(program, clause, query)


def find_last(program: Clauses) -> Iterator[InputWarning]:
    """Of a program without parts: that no constraint speaks of its end or of all times together.

    And where the horizon stands for something else than a time.
    """
    horizon = program.program.horizon
    assert horizon is not None
    chosen = {
        head.key
        for clause in program.clauses
        if clause.is_choice
        for head in clause.heads
        if head.key in horizon.places and _chooses_time(clause, head, horizon)
    }
    told = horizon.places.keys() - horizon.domains.keys() - horizon.ends.keys()
    is_told = any(
        horizon.constant in facts.names and not facts.signatures.isdisjoint(told)
        for facts in program.program.facts
    )
    if not is_told and not any(_may_demand(clause, horizon, chosen) for clause in program.clauses):
        hint = "write it as `:- not goal(n).`, or give the file that has it"
        yield make_warning("no-goal", "no constraint demands a goal", horizon.at, hint)
    for at in sorted(set(horizon.elsewhere)):
        yield make_warning(
            "horizon-elsewhere",
            f"{horizon.constant}, the horizon, also stands where no time is",
            at,
            "that changes with each horizon as well: give it a constant of its own",
        )


def _chooses_time(clause: Clause, head: Use, horizon: Horizon) -> bool:
    """Whether a choice is made among the times, as in `1 { done(T) : time(T) } 1`."""
    given = {v.name for v in find(ASTType.Variable, clause.statement.body)}
    times = {v.name for v in find(ASTType.Variable, [head.terms[horizon.places[head.key]]])}
    return times.isdisjoint(given)


def _may_demand(clause: Clause, horizon: Horizon, chosen: Collection[Signature]) -> bool:
    """Whether a statement may demand a goal; `chosen` are predicates that choose among the times.

    It is a constraint, or says what holds at the end.
    """
    if clause.statement.ast_type == ASTType.Rule and theory_atoms(clause.statement):
        return names_term(clause.statement, horizon.constant)
    if not clause.is_constraint:
        ends = [u.terms[horizon.places[u.key]] for u in clause.heads if u.key in horizon.places]
        return not clause.reads and any(str(end) == horizon.constant for end in ends)
    return names_term(clause.statement, horizon.constant) or any(
        use.inner
        or use.key in horizon.ends
        or use.key in chosen
        or (use.sign and not _is_timed(use, horizon))
        for use in clause.reads
    )


def _is_timed(use: Use, horizon: Horizon) -> bool:
    """Whether an atom speaks of one time: `goal(T)` does, `goal(_)` speaks of all together."""
    if use.key not in horizon.places or use.key in horizon.domains:
        return False
    return str(use.terms[horizon.places[use.key]]) != "_"


def _is_present(query: Use) -> bool:
    """Whether it may be the query of the present."""
    return query.shift(0) == 0 or query.terms[0].ast_type == ASTType.Variable


def _no_goal(program: Clauses) -> InputWarning:
    parts = {section.part for section in program.program.sections}
    uses = program.reads.get(QUERY, ())
    at, text = _begin(program), "nothing reads query(t), so no goal is demanded"
    hint = (
        "write it as `#program check(t). :- query(t), not goal(t).`, or give the file that has it"
    )
    if uses:
        at, hint = uses[0].at, f"{uses[0].text} is not demanded at the time t of the part"
    elif "check" not in parts:
        text = "there is no part check(t), so no goal is demanded"
    return make_warning("no-goal", text, at, hint)


def _begin(program: Clauses) -> Location | None:
    """Where the part begins that looks at states, or else the one that makes them."""
    sections = {section.part: section for section in reversed(program.program.sections)}
    section = sections.get("check") or sections["step"]
    return location(section.statements[0]) if section.statements else None


def _static(program: Clauses, clause: Clause, query: Use) -> Iterator[InputWarning]:
    others = [use for use in clause.reads if use is not query]
    time = query.terms[0]
    names = [time.name] if time.ast_type == ASTType.Variable else [query.parameter]
    rest = [literal for literal in clause.statement.body if str(query.atom) != str(literal)]
    variables = {variable.name for variable in find(ASTType.Variable, rest)}
    speaks = names[0] in variables or any(names_term(node, query.parameter) for node in rest)
    if not others or (speaks and not all(use.shifts for use in others)):
        return
    behind = program.behind([use.key for use in others]) | {use.key for use in others}
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
        if not clause.is_constraint or clause.part not in ("step", "check"):
            continue
        if not clause.statement.body:
            continue  # `not at(b,0).` is there to say something of the start
        timed = [use for use in clause.reads if use.key in program.places]
        terms = [use.terms[program.places[use.key]] for use in timed]
        if timed and all(number_of(term) == 0 for term in terms):
            text = "this constraint speaks of time 0 alone, whatever the step"
            yield make_warning("initial-only", text, timed[0].at, "the time of a state is t")
