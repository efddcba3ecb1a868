"""Approximate parts of a single-shot program, for analyses only; they are never grounded."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import lru_cache

from asplan.program.incremental import Program
from asplan.program.model.program import TemporalRule, depending_on
from asplan.program.reading.unit import Section
from asplan.program.syntax import AST, ASTType, Signature, is_choice
from asplan.program.syntax.term_uses import TermUse
from asplan.program.syntax.terms import Substitution, Time

_NOW = "t"


@lru_cache(maxsize=16)
def divide(program: Program) -> Program:
    """Return an approximation of a single-shot program with the parts base, step(t) and check(t).

    A rule with times goes to `step(t)`, or to `check(t)` if it derives nothing. Its latest time
    becomes the parameter `t`; if an action at T leads to the state at T+1, the action's time T
    becomes `t-1`. The result ignores the first and the last time at which each rule holds. It
    serves analyses only.
    """
    horizon = program.horizon
    assert horizon is not None
    domains = {*horizon.domains, *horizon.ends, *horizon.successors}
    timed: list[tuple[TemporalRule, list[TermUse]]] = []
    for statement in program.statements:
        rule = TemporalRule(statement, successors=horizon.successors)
        uses = [use for use in rule.uses if horizon.places.get(use.key) == use.place]
        timed.append((rule, [use for use in uses if use.key not in domains]))
    events = horizon.events if horizon.lag else frozenset()
    early = _following(timed, events, horizon.carried)
    sections = tuple(_section(rule, uses, early, horizon.constant) for rule, uses in timed)
    return replace(program.with_own_sections(sections), horizon=None)


def _following(
    rules: Iterable[tuple[TemporalRule, Collection[TermUse]]],
    starts: Iterable[Signature],
    carried: Collection[Signature],
) -> set[Signature]:
    """Return the predicates `starts` and all that rules derive from them at the same time.

    The `carried` predicates are left out. `rules` are pairs of a rule and the times in it.
    """
    links: list[tuple[set[Signature], set[Signature]]] = []
    for rule, uses in rules:
        times = {use.key: (use.name, use.shift) for use in uses if use.head}
        for use in uses:
            if not use.head:
                now = (use.name, use.shift)
                same = {key for key in rule.defined if times.get(key, now) == now}
                links.append((same.difference(carried), {use.key}))
    return depending_on(starts, links)


def _section(
    rule: TemporalRule,
    uses: Collection[TermUse],
    early: Collection[Signature],
    constant: str,
) -> Section:
    """Return the section for one statement; its latest time becomes the parameter.

    Parameters
    ----------
    rule
        The statement.
    uses
        The times in the statement.
    early
        The predicates of actions at T that lead to states at T+1; in heads they get the time t-1.
    constant
        The constant that gives the last time.
    """
    statement = rule.statement
    timed = _deciding_uses(statement, uses, constant)
    if not timed:
        return Section("base", "", (statement,))
    latest = max(timed, key=lambda use: use.shift)
    ahead = latest.shift + (latest.head and latest.key in early)
    times: dict[str, Time] = {}
    for name, (root, by) in rule.aliases.items():
        if root == latest.name:
            times[name] = (_NOW, by - ahead)
    times[latest.name] = (_NOW, -ahead)
    is_derived = latest.head and latest.is_variable
    part = "step" if is_derived or is_choice(statement) else "check"
    return Section(part, _NOW, (Substitution(times).visit(statement),))


def _deciding_uses(
    statement: AST,
    uses: Collection[TermUse],
    constant: str,
) -> list[TermUse]:
    """Return the times in a statement, the latest of which becomes the parameter of its part.

    These are the time variables in heads, or all time variables if heads have none. A rule that has
    no time variable but the constant of the last time has this constant as its time. A statement
    without times belongs to `base`.
    """
    variables = [use for use in uses if use.is_variable]
    heads = [use for use in variables if use.head]
    if variables or statement.ast_type != ASTType.Rule:
        return heads or variables
    return [use for use in uses if use.name == constant]
