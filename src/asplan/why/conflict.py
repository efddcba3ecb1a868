"""A minimal set of constraints, and of facts, that together exclude every plan.

Deletion with cores: one member after another is left out; if there is still no plan, the core of
that answer replaces the set. Compare Marques-Silva, Minimal Unsatisfiability: Models, Algorithms
and Applications, 2010. Constraints of the goal are left out first, so that they are part of the set
only if the others alone allow some sequence of actions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from clingo.ast import AST, Aggregate, ASTType, ConditionalLiteral, SymbolicAtom
from clingo.ast import Function as Term
from clingo.ast import Rule as RuleNode

from asplan.program.contract import SAYS
from asplan.program.incremental import Program
from asplan.program.syntax import heads, signature
from asplan.program.unit import Section
from asplan.why.explanation import Conflict, Rule
from asplan.why.question import Pin, Question

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
    needed: list[Pin] = []
    candidates = question.core(
        answer, sorted(members, key=lambda pin: _first(members[pin])), horizon
    )
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
