"""The conditions of the goal one by one: when each can hold, and which exclude each other.

A condition is a ground instance of a constraint of the goal. It is represented by the atom that
witnesses its violation.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from asplan.clingo import Function, Number, Symbol
from asplan.core.budget import Reporter
from asplan.explaining.explanation import Goal, Goals
from asplan.explaining.question import Question
from asplan.explaining.relaxation import BROKEN

_MOST = 40  # the most conditions that are checked; they have 780 pairs


def find_goals(
    question: Question,
    report: Reporter[Goals],
) -> Goals:
    """Return when each condition of the goal can hold, and which conditions exclude each other.

    `report` receives intermediate results.
    """
    conditions = _conditions(question)
    goals: list[Goal] = []
    for condition in conditions:
        goals.append(_reached(question, condition))
        report(Goals(tuple(goals), complete=False))
    search = _Exclusions(question, conditions, goals, report)
    search.try_pairs()
    if not search.exclusive and search.is_complete:
        search.try_all()
    return Goals(tuple(goals), tuple(search.exclusive), search.is_complete)


def _conditions(question: Question) -> list[Symbol]:
    """Return the conditions of the goal at the question's horizon, at most `_MOST` of them."""
    last = Number(question.horizon)
    conditions: list[Symbol] = []
    for witness in question.solver.atoms(BROKEN, 3):
        number, step, _ = witness.arguments
        if step == last and question.constraints[number.number].rule.goal:
            conditions.append(witness)
    return sorted(conditions)[:_MOST]


class _Exclusions:
    """A search for sets of conditions of the goal that exclude each other.

    `exclusive` has the sets found, with the indices of conditions. `is_complete` is true if nothing
    was left out for lack of time.
    """

    def __init__(
        self,
        question: Question,
        conditions: Sequence[Symbol],
        goals: Sequence[Goal],
        report: Reporter[Goals],
    ) -> None:
        self.exclusive: list[tuple[int, ...]] = []
        self.is_complete = not any(goal.unknown for goal in goals)
        self._question = question
        self._conditions = conditions
        self._goals = tuple(goals)
        self._reached = [n for n, goal in enumerate(goals) if goal.reached is not None]
        self._report = report

    def _are_compatible(self, numbers: Iterable[int]) -> bool | None:
        return _can_hold(self._question, [self._conditions[number] for number in numbers])

    def try_pairs(self) -> None:
        """Find all pairs of conditions that can hold alone, but not together."""
        for pair in combinations(self._reached, 2):
            are_compatible = self._are_compatible(pair)
            if are_compatible is None:
                self.is_complete = False
            elif not are_compatible:
                self.exclusive.append(pair)
                self._report(Goals(self._goals, tuple(self.exclusive), complete=False))
            if self._question.solver.budget.is_spent():
                self.is_complete = False
                return

    def try_all(self) -> None:
        """If the conditions cannot all hold together, add a minimal set of them that cannot."""
        needed = list(self._reached)
        if len(needed) <= 2 or self._are_compatible(needed) is not False:
            return
        for number in self._reached:
            others = [each for each in needed if each != number]
            if self._are_compatible(others) is False:
                needed = others
        self.exclusive.append(tuple(needed))


def _reached(
    question: Question,
    condition: Symbol,
) -> Goal:
    """Return a condition with the first horizon at which it can hold alone.

    No other condition of the goal is demanded.
    """
    rule = question.constraints[condition.arguments[0].number].rule
    values = question.values(condition)
    # For monotone programs, a single solve call at the last horizon may refute the condition.
    if _can_hold(question, [condition]) is False:
        return Goal(rule, values, None)
    for t in range(question.horizon + 1):
        holds = _holds_at(question, [condition], t)
        if holds is not False:
            return Goal(rule, values, t if holds else None, unknown=holds is None)
    return Goal(rule, values, None, unknown=True)


def _can_hold(
    question: Question,
    conditions: Sequence[Symbol],
) -> bool | None:
    """Return whether conditions can hold together at some horizon; None if it is unknown."""
    last = question.horizon
    # Conditions that hold once can hold at the last horizon, if the program is monotone.
    first = last if question.contract.monotone else 0
    is_unknown = False
    for t in range(first, last + 1):
        holds = _holds_at(question, conditions, t)
        if holds:
            return True
        is_unknown = is_unknown or holds is None
    return None if is_unknown else False


def _holds_at(
    question: Question,
    conditions: Iterable[Symbol],
    t: int,
) -> bool | None:
    """Return whether conditions can hold together at horizon t; None if it is unknown."""
    pins = question.kept(goals=False)
    for condition in conditions:
        number, _, values = condition.arguments
        pins.append((Function(BROKEN, [number, Number(t), values]), False))
    return question.ask(pins, goal=t).satisfiable
