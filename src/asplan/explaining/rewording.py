"""An explanation in the words of the source that a program was translated from."""

from __future__ import annotations

from dataclasses import replace

from asplan.explaining.explanation import Explanation, Never, Rule, Values, Violation
from asplan.problem import Problem
from asplan.problem.problem import SourceWords


def reworded(found: Explanation, problem: Problem) -> Explanation:
    """The explanation with sentences of the source in place of rules of its encoding.

    What only speaks of the encoding is left out.
    """
    if (words := problem.words) is None:
        return found

    def said(rule: Rule, values: Values = ()) -> Rule:
        at, text = words.rule(rule.text, dict(values))
        return Rule(at, text, rule.goal)

    conflict, relaxed, goals, refusal = found.conflict, found.relaxed, found.goals, found.refusal
    if conflict:
        conflict = replace(conflict, rules=tuple(dict.fromkeys(map(said, conflict.rules))))
    if relaxed:
        relaxed = replace(relaxed, broken=_said(words, relaxed.broken))
    if refusal:
        refusal = replace(refusal, broken=_said(words, refusal.broken), nearest=())
    if goals:
        each = (replace(g, rule=said(g.rule, g.values), values=()) for g in goals.goals)
        goals = replace(goals, goals=tuple(each))
    written = problem.written or str
    never = found.never and Never(actions=tuple(map(written, found.never.actions)))
    return replace(
        found,
        conflict=conflict,
        relaxed=relaxed,
        goals=goals,
        refusal=refusal,
        never=never,
    )


def _said(words: SourceWords, broken: tuple[Violation, ...]) -> tuple[Violation, ...]:
    return tuple(
        Violation(Rule(*words.rule(one.rule.text, dict(one.values)), one.rule.goal), one.step)
        for one in broken
    )
