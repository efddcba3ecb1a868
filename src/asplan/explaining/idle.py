"""The goal of a program that needs no action, because the goal holds at time 0."""

from collections.abc import Iterator

from asplan.explaining.explanation import Goal, Goals, WrittenLiteral
from asplan.explaining.relaxation import rule_of
from asplan.problem import Problem
from asplan.program import syntax
from asplan.program.model.program import Literal, TemporalRule
from asplan.program.reading.unit import QUERY
from asplan.program.syntax.wording import Wording


def why_idle(problem: Problem, goals: Goals) -> str:
    """Return a clause about the reason why no action is needed.

    `goals` has the result of `find_idle_goals`.
    """
    if goals.goals:
        return "at time 0 no constraint of the goal is violated"
    rules = _rules(problem)
    if problem.program.horizon is None and rules and not any(QUERY in rule.read for rule in rules):
        return "no constraint reads query(t), so nothing demands a goal"
    return "the goal holds at time 0"


def find_idle_goals(problem: Problem) -> Goals:
    """Return the constraints of a goal that holds at time 0, each with its suspect literal."""
    wording = Wording()
    goals: list[Goal] = []
    for rule in _rules(problem):
        written = rule_of(rule, wording)
        if written.goal:
            suspect = _write_suspect(rule, wording)
            goals.append(Goal(written, values=(), reached=0, suspect=suspect))
    return Goals(tuple(goals))


def _rules(problem: Problem) -> tuple[TemporalRule, ...]:
    """Return the rules that the author of a problem wrote; none if the problem was translated."""
    return tuple(problem.program.model.rules) if problem.source is None else ()


def _write_suspect(rule: TemporalRule, wording: Wording) -> WrittenLiteral | None:
    """Return the literal of `_find_suspect` as its author wrote it; None if there is none."""
    suspect = _find_suspect(rule)
    if suspect is None:
        return None
    text = wording(suspect.atom.symbol, rule.statement.location.begin.filename)
    return WrittenLiteral(suspect.at, text)


def _find_suspect(rule: TemporalRule) -> Literal | None:
    """Return the literal of a constraint of the goal that may lack a `not`; None if unsure.

    This literal and `query(t)` are the only atoms with a time, and atoms without a time bind the
    variables of the literal. No literal of the constraint has a `not`: in `:- query(t), goal(B,P),
    on(B,P,t).` the literal is `on(B,P,t)`.
    """
    if len(rule.reads) != len(rule.statement.body):
        return None
    if not all(literal.is_positive for literal in rule.reads):
        return None
    timed = [literal for literal in rule.reads if literal.shifts and literal.key != QUERY]
    if len(timed) != 1:
        return None
    names = set(syntax.variable_names(timed[0].atom))
    return timed[0] if names and names <= set(_bound_elsewhere(rule)) else None


def _bound_elsewhere(rule: TemporalRule) -> Iterator[str]:
    """Yield the names of the variables in the atoms of a constraint that have no time."""
    for literal in rule.reads:
        if not literal.shifts:
            yield from syntax.variable_names(literal.atom)
