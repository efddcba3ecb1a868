"""A minimal set of constraints, and of facts, that together exclude every plan.

Deletion with cores: one member after another is left out; if there is still no plan, the core of
that answer replaces the set. Compare Marques-Silva, Minimal Unsatisfiability: Models, Algorithms
and Applications, 2010. All constraints of the goal are left out first, so that they are part of the
set only if the others alone allow some sequence of actions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from clingo import Function, Number, Symbol

from asplan.explaining.explanation import Conflict, Goal, Goals, Rule
from asplan.explaining.question import Pin, Question
from asplan.explaining.relaxing import BROKEN, Constraint
from asplan.program.contract import SAYS
from asplan.program.incremental import Program
from asplan.program.syntax import (
    AST,
    Aggregate,
    ASTType,
    ConditionalLiteral,
    SymbolicAtom,
    heads,
    signature,
)
from asplan.program.syntax import Function as Term
from asplan.program.syntax import Rule as RuleNode
from asplan.program.unit import Section

_GIVEN = "explain__given"

Members = dict[Pin, Rule | str]
"""What may be part of a conflict, by what is assumed of it: constraints, and facts as text."""


def find_conflict(
    question: Question,
    horizon: int,
    members: Members,
    report: Callable[[Conflict], None],
) -> Conflict | None:
    """Find a conflict and make it minimal.

    Parameters
    ----------
    report
        Called with each smaller conflict.

    Returns
    -------
    Conflict or None
        None where it is not known that the members exclude all plans of the horizon.
    """
    answer = question.ask(members, goal=horizon)
    if answer.satisfiable is not False:
        return None
    among = sorted(members, key=lambda pin: _first(members[pin]))
    others = [pin for pin in among if _first(members[pin])]
    without_goal = question.ask(others, goal=horizon)
    if without_goal.satisfiable is False:  # a core could name the goal alone all the same
        answer, among = without_goal, others
    needed: list[Pin] = []
    candidates = question.core(answer, among, horizon)
    while candidates:
        report(_conflict(members, [*needed, *candidates], minimal=False))
        tried = candidates.pop(0)
        answer = question.ask([*needed, *candidates], goal=horizon)
        if answer.satisfiable is None:
            return _conflict(members, [tried, *needed, *candidates], minimal=False)
        if answer.satisfiable:
            needed.append(tried)
        else:
            kept = set(question.core(answer, [*needed, *candidates], horizon))
            candidates = [pin for pin in candidates if pin in kept]
    return _conflict(members, needed, minimal=True)


def _first(member: Rule | str) -> int:
    """In which order members are left out: the goal, facts, and other constraints."""
    if isinstance(member, str):
        return 1
    return 0 if member.goal else 2


def _conflict(members: Members, pins: Sequence[Pin], minimal: bool) -> Conflict:
    found = [members[pin] for pin in pins]
    rules = {member for member in found if isinstance(member, Rule)}
    facts = sorted(member for member in found if isinstance(member, str))
    return Conflict(tuple(sorted(rules, key=lambda rule: rule.at)), tuple(facts), minimal)


def members_of(question: Question) -> Members:
    """All constraints of a program, and the facts that were made optional."""
    given = (atom.arguments[0] for atom in question.session.atoms(_GIVEN, 1))
    facts: Members = {(fact, True): str(fact) for fact in given}
    return facts | {(c.kept, True): c.rule for c in question.constraints}


def with_optional_facts(program: Program, files: Collection[str]) -> Program:
    """The program with a choice for each fact that is written in some files."""
    program = program.spelled_out()
    return replace(program, sections=tuple(_optional(s, files) for s in program.sections))


def _optional(section: Section, files: Collection[str]) -> Section:
    if section.part != "base":
        return section
    chosen = (s for old in section.statements for s in _chosen(old, files))
    return replace(section, statements=tuple(chosen))


def _chosen(statement: AST, files: Collection[str]) -> Iterable[AST]:
    """A fact as a choice, and the note that it is given; any other statement as it is."""
    plain = statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Literal
    if not plain or statement.body or statement.location.begin.filename not in files:
        return (statement,)
    head, place = statement.head, statement.location
    if head.atom.ast_type != ASTType.SymbolicAtom or any(
        signature(atom)[0] or signature(atom)[1] == SAYS for atom in heads(statement)
    ):
        return (statement,)
    element = ConditionalLiteral(place, head, [])
    choice = RuleNode(place, Aggregate(place, None, [element], None), [])
    given = SymbolicAtom(Term(place, _GIVEN, [head.atom.symbol], False))
    return choice, statement.update(head=head.update(atom=given))


# The conditions of a goal one by one: by when each holds, and which exclude each other.


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
