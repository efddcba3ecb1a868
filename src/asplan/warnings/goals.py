"""Checks of the goal: whether it is demanded, and whether it is about the right state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from asplan.core.errors import InputWarning, Location
from asplan.program import syntax
from asplan.program.model.program import Kind, Literal, TemporalRule
from asplan.program.reading.unit import QUERY
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
)
from asplan.program.theory import theory_atoms
from asplan.warnings.catalogue import CATALOGUE, make_warning
from asplan.warnings.index import ProgramIndex

if TYPE_CHECKING:
    from asplan.program.times.horizon import Horizon

_GIVE_GOAL = (
    "write it as `#program check(t). :- query(t), not goal(t).`, or give the file that has it"
)


def find_goals(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning if no goal is demanded, and for conditions of the goal that never change.

    Also yield one if the program has no part `step`.
    """
    demands = [query for query in index.queries if _is_of_part(query)]
    parts = {section.part for section in index.program.sections}
    if not demands:
        yield _missing_goal(index, "check" in parts)
    if "step" not in parts:
        hint = "put the actions of a step behind #program step(t)."
        yield make_warning("no-step", CATALOGUE["no-step"].about, _begin(index), hint)
    for query in demands:
        if query.rule.is_constraint and query.outer_sign == Sign.NoSign:
            yield from _static_goal(index, query)


def is_idle_without(
    index: ProgramIndex,
    missing: Signature,
) -> bool:
    """Return whether no state violates the constraints of the goal without a missing predicate.

    Then each of them reads the predicate without `not`, as in `:- goal(B,L), not on(B,L,n).`
    """
    goals = _goal_statements(index)
    return bool(goals) and all(r.is_constraint and missing in r.positive_keys for r in goals)


def _goal_statements(index: ProgramIndex) -> list[TemporalRule]:
    """Return the statements that may demand a goal."""
    horizon = index.program.horizon
    if horizon is None:
        return [query.rule for query in index.queries if _is_of_part(query)]
    chosen = _chosen_times(index, horizon)
    return [rule for rule in index.statements if _may_demand(rule, horizon, chosen)]


def _is_of_part(query: Literal) -> bool:
    """Return whether the time T of an atom `query(T)` is the part's parameter or a variable."""
    return query.shift(0) == 0 or query.terms[0].ast_type == ASTType.Variable


def _missing_goal(
    index: ProgramIndex,
    has_check: bool,
) -> InputWarning:
    """Return the warning that no goal is demanded; `has_check` is set if a part `check` exists."""
    uses = index.reads.get(QUERY)
    if uses:
        text = "nothing reads query(t), so no goal is demanded"
        hint = f"{uses[0].text} does not have the time t of the part"
        return make_warning("no-goal", text, uses[0].at, hint)
    if has_check:
        text = "nothing reads query(t), so no goal is demanded"
    else:
        text = "there is no part check(t), so no goal is demanded"
    return make_warning("no-goal", text, _begin(index), _GIVE_GOAL)


def _begin(index: ProgramIndex) -> Location | None:
    """Return the location of the first statement of `check`, or else of `step`."""
    sections = {section.part: section for section in reversed(index.program.sections)}
    section = sections.get("check") or sections["step"]
    return syntax.location(section.statements[0]) if section.statements else None


def find_goal_at_horizon(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield the warnings about the horizon of a program without parts.

    Yield one warning if no constraint is about the last time, or about all times together. Yield
    another one for each use of the horizon as something else than a time.
    """
    horizon = index.program.horizon
    assert horizon is not None
    if not _may_have_goal(index, horizon):
        hint = "write it as `:- not goal(n).`, or give the file that has it"
        yield make_warning("no-goal", "no constraint demands a goal", horizon.at, hint)
    for at in sorted(set(horizon.elsewhere)):
        text = f"{horizon.constant} is the horizon, but is used for something else here"
        hint = "it changes with the horizon as well: give it a constant of its own"
        yield make_warning("horizon-elsewhere", text, at, hint)


def _may_have_goal(
    index: ProgramIndex,
    horizon: Horizon,
) -> bool:
    """Return whether a program without parts may demand a goal."""
    if horizon.has_goal:
        return True
    timed = horizon.places.keys() - horizon.domains.keys() - horizon.ends.keys()
    for facts in index.program.facts:
        if horizon.constant in facts.names and not facts.signatures.isdisjoint(timed):
            return True
    return bool(_goal_statements(index))


def _chosen_times(
    index: ProgramIndex,
    horizon: Horizon,
) -> set[Signature]:
    """Return the predicates whose choice includes the time, as in `1 { done(T) : time(T) } 1`."""
    chosen: set[Signature] = set()
    for rule in index.statements:
        if not rule.is_choice:
            continue
        bound = _variables(rule.statement.body)
        for head in rule.heads:
            place = horizon.places.get(head.key)
            if place is not None and bound.isdisjoint(_variables([head.terms[place]])):
                chosen.add(head.key)
    return chosen


def _variables(nodes: Iterable[AST]) -> set[str]:
    """Return the names of all variables in syntax trees."""
    return {variable.name for variable in syntax.find(ASTType.Variable, nodes)}


def _may_demand(
    rule: TemporalRule,
    horizon: Horizon,
    chosen: Collection[Signature],
) -> bool:
    """Return whether a statement may demand a goal; `chosen` has the result of `_chosen_times`."""
    statement = rule.statement
    is_theory = statement.ast_type == ASTType.Rule and bool(theory_atoms(statement))
    if not is_theory and not rule.is_constraint:
        return _gives_last(rule, horizon)
    if syntax.names_term(statement, horizon.constant):
        return True
    return not is_theory and any(_may_concern_end(use, horizon, chosen) for use in rule.reads)


def _gives_last(
    rule: TemporalRule,
    horizon: Horizon,
) -> bool:
    """Return whether a statement is a fact about the last time."""
    if rule.reads:
        return False
    heads = (head for head in rule.heads if head.key in horizon.places)
    return any(str(head.terms[horizon.places[head.key]]) == horizon.constant for head in heads)


def _may_concern_end(
    use: Literal,
    horizon: Horizon,
    chosen: Collection[Signature],
) -> bool:
    """Return whether a literal of a constraint may demand something of the last time.

    It may if it is about the last time, or about all times together, as in an aggregate. `chosen`
    has the result of `_chosen_times`.
    """
    if use.is_inner or use.key in horizon.ends or use.key in chosen:
        return True
    return bool(use.outer_sign) and not _has_one_time(use, horizon)


def _has_one_time(
    use: Literal,
    horizon: Horizon,
) -> bool:
    """Return whether an atom is about a single time: `goal(T)` is, but `goal(_)` is not."""
    if use.key in horizon.domains or use.key not in horizon.places:
        return False
    return str(use.terms[horizon.places[use.key]]) != "_"


def _static_goal(
    index: ProgramIndex,
    query: Literal,
) -> Iterator[InputWarning]:
    """Yield a warning if the constraint of the goal that contains `query` never changes.

    Its other literals are then the same at all times.
    """
    others = [use for use in query.rule.reads if use is not query]
    if not others or _depends_on_time(query):
        return
    keys = {use.key for use in others}
    if any(_may_change(index, key) for key in index.behind(keys) | keys):
        return
    conditions = ", ".join(use.signed_text for use in others)
    text = f"this condition of the goal, {conditions}, is the same at all times"
    hint = "add the time t to the predicates that steps change"
    yield make_warning("static-goal", text, query.rule.at, hint)


def _depends_on_time(query: Literal) -> bool:
    """Return whether the constraint with this `query` mentions the query's time elsewhere."""
    time = query.terms[0]
    name = time.name if time.ast_type == ASTType.Variable else query.parameter
    rest = [node for node in query.rule.statement.body if str(query.atom) != str(node)]
    if name in _variables(rest):
        return True
    return any(syntax.names_term(node, query.parameter) for node in rest)


def _may_change(
    index: ProgramIndex,
    key: Signature,
) -> bool:
    """Return whether a rule outside of `base`, or an external, may make a predicate true."""
    if index.timed_heads(key):
        return True
    return any(head.rule.kind is Kind.EXTERNAL for head in index.heads.get(key, ()))


def find_initial(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each constraint in `step` or `check` that is about time 0 only."""
    for rule in index.statements:
        # `not at(b,0).` has no body: it restricts the start on purpose.
        is_timed = rule.is_constraint and rule.part in ("step", "check")
        if not is_timed or not rule.statement.body:
            continue
        fluents = [use for use in rule.reads if use.key in index.places]
        times = [syntax.number_of(use.terms[index.places[use.key]]) for use in fluents]
        if fluents and all(time == 0 for time in times):
            text = "this constraint concerns time 0 only, whatever the step"
            yield make_warning("initial-only", text, fluents[0].at, "the time of a state is t")


def find_late_goals(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning if the goal is not demanded at time 0, or if it is about the time t-1."""
    queries = index.queries
    if queries and all(query.part == "step" for query in queries):
        text = "query(t) is read in step(t) only, so no goal is demanded at time 0"
        at = queries[0].at
        yield make_warning("no-goal", text, at, "put the goal behind #program check(t).")
    for query in queries:
        is_goal = query.rule.is_constraint and query.outer_sign == Sign.NoSign
        if is_goal and query.part == "check":
            yield from _earlier_goal(index, query.rule)


def _earlier_goal(
    index: ProgramIndex,
    rule: TemporalRule,
) -> Iterator[InputWarning]:
    """Yield a warning for a constraint of the goal if all its fluents have the time t-1."""
    fluents = [use for use in rule.reads if use.key in index.places]
    shifts = {use.shift(index.places[use.key]) for use in fluents}
    if shifts != {-1} or any(use.is_inner or use.key in index.roles.actions for use in fluents):
        return
    first = next((use for use in fluents if use.outer_sign == Sign.NoSign), fluents[0])
    if index.is_initial(first.key):
        text = f"at time 0 this condition of the goal, {first.text}, concerns time -1"
        yield make_warning("earlier-goal", text, first.at, "the last state is that of time t")
