"""The conditions of a goal one by one: by when each holds, and which exclude each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from clingo import Function, Number, Symbol

from asplan.why.explanation import Goal, Goals
from asplan.why.question import Question
from asplan.why.relaxing import BROKEN, Constraint

MOST = 40
"""Conditions that are looked at; all pairs of so many are 780."""


@dataclass(frozen=True)
class _Condition:
    """An instance of a constraint of the goal, whatever the time."""

    constraint: Constraint
    values: Symbol

    def witness(self, t: int) -> Symbol:
        """The atom that it is missed at a time."""
        return Function(BROKEN, [Number(self.constraint.number), Number(t), self.values])


def find_goals(question: Question, horizon: int, report: Callable[[Goals], None]) -> Goals:
    """Look at each condition of the goal, then at pairs of those that can be reached."""
    conditions = _conditions(question, horizon)[:MOST]
    goals: list[Goal] = []
    for condition in conditions:
        goals.append(_reached(question, condition, horizon))
        report(Goals(tuple(goals), complete=False))
    numbers = [i for i, goal in enumerate(goals) if goal.reached is not None]
    found, complete = [], not any(goal.unknown for goal in goals)
    for pair in combinations(numbers, 2):
        together = _together(question, [conditions[i] for i in pair], horizon)
        complete = complete and together is not None
        if together is False:
            found.append(pair)
            report(Goals(tuple(goals), tuple(found), complete=False))
        if question.session.overdue():
            complete = False
            break
    exclusive: tuple[tuple[int, ...], ...] = tuple(found)
    if not found and complete and len(numbers) > 2:
        exclusive = tuple(_smallest(question, conditions, numbers, horizon))
    return Goals(tuple(goals), exclusive, complete)


def _conditions(question: Question, horizon: int) -> list[_Condition]:
    """The instances at the horizon of constraints that the goal is made of."""
    numbers = {c.number: c for c in question.constraints if c.rule.goal}
    witnesses = sorted(
        symbol
        for symbol in question.session.atoms(BROKEN, 3)
        if symbol.arguments[0].number in numbers and symbol.arguments[1] == Number(horizon)
    )
    return [_Condition(numbers[w.arguments[0].number], w.arguments[2]) for w in witnesses]


def _reached(question: Question, condition: _Condition, horizon: int) -> Goal:
    """By when a condition holds alone: out of reach is seen at once where the program says so."""
    rule = condition.constraint.rule
    values = question.relaxation.values(condition.witness(horizon))
    if _together(question, [condition], horizon) is False:
        return Goal(rule, values, None)
    for t in range(horizon + 1):
        found = _holds(question, [condition], t)
        if found is not False:
            return Goal(rule, values, t if found else None, unknown=found is None)
    return Goal(rule, values, None, unknown=True)


def _times(question: Question, horizon: int) -> Sequence[int]:
    """The horizons to look at: what holds once can hold at the last one, if it is monotone."""
    return [horizon] if question.contract.monotone else range(horizon + 1)


def _together(question: Question, conditions: Sequence[_Condition], horizon: int) -> bool | None:
    """Whether some conditions can hold together at some horizon."""
    unknown = False
    for t in _times(question, horizon):
        found = _holds(question, conditions, t)
        if found:
            return True
        unknown = unknown or found is None
    return None if unknown else False


def _holds(question: Question, conditions: Iterable[_Condition], t: int) -> bool | None:
    pins = [(condition.witness(t), False) for condition in conditions]
    return question.ask([*question.kept(goals=False), *pins], goal=t).satisfiable


def _smallest(
    question: Question, conditions: Sequence[_Condition], numbers: list[int], horizon: int
) -> Iterable[tuple[int, ...]]:
    """A minimal set of conditions that exclude each other, if all of them do."""
    if _together(question, [conditions[i] for i in numbers], horizon) is not False:
        return
    needed = list(numbers)
    for number in numbers:
        rest = [i for i in needed if i != number]
        if _together(question, [conditions[i] for i in rest], horizon) is False:
            needed = rest
    yield tuple(needed)
