"""Explanations in the words of a source language that was translated, like PDDL."""

from collections.abc import Iterable
from dataclasses import replace

from asplan.explaining.explanation import (
    Explanation,
    Goals,
    Never,
    Values,
    Violation,
    WrittenRule,
)
from asplan.problem import Problem
from asplan.problem.source_text import SourceText


def reworded(
    explanation: Explanation,
    problem: Problem,
) -> Explanation:
    """Return an explanation in the words of the problem's source language.

    Leave out the parts that are about the encoding only. If the problem was not translated, return
    the explanation unchanged.
    """
    source = problem.source
    if source is None:
        return explanation
    conflict = explanation.conflict
    if conflict is not None:
        rules = dict.fromkeys(_rule(source, rule) for rule in conflict.rules)
        conflict = replace(conflict, rules=tuple(rules))
    relaxed = explanation.relaxed
    if relaxed is not None:
        relaxed = replace(relaxed, broken=_violations(source, relaxed.broken))
    refusal = explanation.refusal
    if refusal is not None:
        refusal = replace(refusal, broken=_violations(source, refusal.broken), nearest=())
    never = explanation.never
    if never is not None:
        never = Never(actions=tuple(map(source.write_action, never.actions)))
    goals = _goals(source, explanation.goals)
    return replace(
        explanation,
        conflict=conflict,
        relaxed=relaxed,
        goals=goals,
        refusal=refusal,
        never=never,
    )


def _rule(
    source: SourceText,
    rule: WrittenRule,
    values: Values = (),
) -> WrittenRule:
    at, text = source.explain_rule(rule.at, dict(values))
    return WrittenRule(at, text, rule.goal)


def _violations(
    source: SourceText,
    broken: Iterable[Violation],
) -> tuple[Violation, ...]:
    return tuple(Violation(_rule(source, one.rule, one.values), one.step) for one in broken)


def _goals(
    source: SourceText,
    goals: Goals | None,
) -> Goals | None:
    if goals is None:
        return None
    conditions = [
        replace(goal, rule=_rule(source, goal.rule, goal.values), values=()) for goal in goals.goals
    ]
    return replace(goals, goals=tuple(conditions))
