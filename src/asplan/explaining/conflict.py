"""Minimal sets of constraints, and of facts, that together exclude every plan.

The algorithm is deletion with cores. One member of the set after another is left out. If there is
still no plan, the unsatisfiable core of that answer replaces the set (Marques-Silva, Minimal
Unsatisfiability, 2010). Before that, all constraints of the goal are left out at once. So the set
contains them only if the other constraints allow some sequence of actions.
"""

from collections.abc import Collection, Iterable, Sequence

from asplan.core.budget import Reporter
from asplan.engines.asp.solver import Pin
from asplan.explaining.explanation import Conflict, WrittenRule
from asplan.explaining.question import Question
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.reading.contract import CONTRACT
from asplan.program.reading.unit import Section
from asplan.program.syntax import AST, Aggregate, ASTType, ConditionalLiteral

GIVEN = "explain__given"
"""The predicate with the facts that may be left out."""

_Members = dict[Pin, WrittenRule | str]
"""The constraints and facts that may be in a conflict, by the assumptions that enforce them."""


def find_conflict(
    question: Question,
    report: Reporter[Conflict],
) -> Conflict | None:
    """Return a minimal conflict at the question's horizon: constraints that exclude every plan.

    Return None unless the solver proves that there is no plan. `report` receives ever smaller
    conflicts. If the time is too short, return the smallest so far, which need not be minimal.
    """
    members = _members_of(question)
    horizon = question.horizon
    answer = question.ask(members, goal=horizon)
    if answer.satisfiable is not False:
        return None
    assumed = sorted(members, key=lambda pin: _rank(members[pin]))
    others = [pin for pin in assumed if _rank(members[pin])]
    without_goal = question.ask(others, goal=horizon)
    if without_goal.satisfiable is False:  # the core of the first answer may have the goal alone
        answer = without_goal
        assumed = others
    needed: list[Pin] = []
    candidates = question.core(answer, assumed, horizon)
    while candidates:
        report(_conflict(members, [*needed, *candidates], minimal=False))
        tried = candidates.pop(0)
        remaining = [*needed, *candidates]
        answer = question.ask(remaining, goal=horizon)
        if answer.satisfiable is None:
            return _conflict(members, [tried, *remaining], minimal=False)
        if answer.satisfiable:
            needed.append(tried)
        else:
            core = set(question.core(answer, remaining, horizon))
            candidates = [pin for pin in candidates if pin in core]
    return _conflict(members, needed, minimal=True)


def _members_of(question: Question) -> _Members:
    """Map assumptions to the optional facts and the constraints that they enforce.

    These facts and constraints are the possible members of a conflict.
    """
    members: _Members = {}
    for atom in question.solver.atoms(GIVEN, 1):
        fact = atom.arguments[0]
        members[fact, True] = str(fact)
    for constraint in question.constraints:
        members[constraint.kept, True] = constraint.rule
    return members


def _rank(member: WrittenRule | str) -> int:
    """Return the rank of a member of a conflict in the order in which to try removals.

    It is 0 for constraints of the goal, 1 for facts, and 2 for other constraints.
    """
    if isinstance(member, str):
        return 1
    return 0 if member.goal else 2


def _conflict(
    members: _Members,
    pins: Sequence[Pin],
    minimal: bool,
) -> Conflict:
    rules: set[WrittenRule] = set()
    facts: list[str] = []
    for pin in pins:
        member = members[pin]
        if isinstance(member, WrittenRule):
            rules.add(member)
        else:
            facts.append(member)
    in_order = sorted(rules, key=lambda rule: rule.at)
    return Conflict(tuple(in_order), tuple(sorted(facts)), minimal)


def with_optional_facts(
    program: Program,
    files: Collection[str],
    kept: Collection[str] = (),
) -> Program:
    """Return the program in which choices replace the facts of the given files.

    Facts of predicates with names in `kept` stay facts.
    """

    def optional(
        statement: AST,
        section: Section,
    ) -> Iterable[AST]:
        is_optional = _is_fact_in(statement, files) and not _has_name(statement, kept)
        return _choice(statement) if is_optional else (statement,)

    return program.expand_facts().changed(optional, ["base"])


def _is_fact_in(
    statement: AST,
    files: Collection[str],
) -> bool:
    """Return whether a statement is a positive fact in one of the files.

    Facts that inform asplan about the program, like `asplan(monotone).`, do not count.
    """
    if statement.ast_type != ASTType.Rule or statement.body:
        return False
    if not syntax.is_literal(statement.head):
        return False
    if statement.location.begin.filename not in files:
        return False
    return not any(sign or name == CONTRACT for sign, name, _ in syntax.defined_in(statement))


def _has_name(fact: AST, names: Collection[str]) -> bool:
    return any(name in names for _, name, _ in syntax.defined_in(fact))


def _choice(fact: AST) -> tuple[AST, AST]:
    """Return the statements `{ f }.` and `explain__given(f).` for a fact f."""
    place = fact.location
    choice = Aggregate(place, None, [ConditionalLiteral(place, fact.head, [])], None)
    given = syntax.named_atom(fact, GIVEN, [fact.head.atom.symbol])
    return fact.update(head=choice), fact.update(head=given)
