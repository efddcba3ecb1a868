"""Checks a plan in a fresh clingo: the whole program once more, with the plan fixed.

This is how a plan is checked where no model in Python exists. It shares the encoding with the
engine, so it finds mistakes of the engine and of a stored plan, not of the encoding.

Choices are narrowed to the actions of the plan: `{ occurs(A,t) : action(A) }` gets the condition
`asplan__planned(A,t)`, so that only states along the plan are grounded. All other actions would be
false anyway, as constraints say that just the planned ones occur. Where the program shows only
some of its actions, the others are free.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from clingo import Function, Number, Symbol
from clingo.ast import AST, ASTType, Literal, Sign, SymbolicAtom, Transformer

from asplan.asp.program import HELPER, Program, load
from asplan.asp.program import plan as plan_part
from asplan.asp.session import Session
from asplan.asp.source import ground_term, parse_text
from asplan.asp.syntax import signature
from asplan.asp.unit import Section
from asplan.errors import InvalidPlan, UsageError
from asplan.result import Plan

PLANNED = HELPER + "planned"
PINS = "asplan_pins"
_OCCURS = ("", "occurs", 2)


def replay(
    files: Iterable[str],
    constants: Mapping[str, str],
    plan: Plan,
    allow_scripts: bool = False,
) -> int:
    """The first horizon at which the plan has reached the goal.

    For a program that is not monotone that is the plan's own length.

    Raises
    ------
    InvalidPlan
        No answer set contains just these actions, or none of them reaches the goal.
    """
    program = load(files, constants, allow_scripts)
    actions = _actions(plan, program.time_of_occurs)
    narrowed = program if program.plans_in_part else _narrowed(program)
    session = _session(narrowed, constants, actions)
    for t in range(len(plan) + 1):
        session.ground_step(t)
    if program.plan_part:
        session.ground([plan_part(len(plan))])
    session.ground([(PINS, [Number(t)]) for t in range(1, len(plan) + 1)])
    known = all(_knows(session, atom) for atoms in actions for atom in atoms)
    if not known or session.solve(len(plan)).satisfiable is False:
        raise _first_wrong(_session(program, constants, actions), plan, actions)
    monotone = session.holds(Function("asplan", [Function("monotone")]))
    for t in range(len(plan) + 1) if monotone else [len(plan)]:
        session.demand(t)
        if session.solve(t).satisfiable:
            return t
        session.drop(t)
    raise InvalidPlan(f"after step {len(plan)} the goal does not hold")


def _actions(plan: Plan, place: int) -> list[list[Symbol]]:
    """The atoms of each step."""
    order = -1 if place == 0 else 1
    return [
        [Function("occurs", [_term(t, action), Number(t)][::order]) for action in step]
        for t, step in enumerate(plan, 1)
    ]


def _term(t: int, action: str) -> Symbol:
    try:
        return ground_term(action, "action")
    except UsageError as error:
        raise InvalidPlan(f"step {t}: {error.message}") from error


def _session(
    program: Program, constants: Mapping[str, str], actions: list[list[Symbol]]
) -> Session:
    """A session that knows the plan, with the part base grounded."""
    terms = "t,A" if program.time_of_occurs == 0 else "A,t"
    occurs, planned = f"occurs({terms})", f"{PLANNED}({terms})"
    pins = f"#defined {PLANNED}/2. :- {planned}, not {occurs}."
    if not program.plans_in_part:
        pins += f" :- {occurs}, not {planned}."
    section = Section(PINS, "t", parse_text(pins)[1:])
    session = Session(replace(program, sections=(*program.sections, section)), constants)
    with session.control.backend() as backend:
        for atom in (atom for step in actions for atom in step):
            backend.add_rule([backend.add_atom(Function(PLANNED, atom.arguments))])
    session.ground_base()
    return session


def _knows(session: Session, atom: Symbol) -> bool:
    return session.control.symbolic_atoms[atom] is not None


def _first_wrong(session: Session, plan: Plan, actions: list[list[Symbol]]) -> InvalidPlan:
    """Name the first step that the encoding does not know, or after which no answer set is left."""
    session.ground_step(0)
    for t, (step, atoms) in enumerate(zip(plan, actions, strict=True), 1):
        session.ground_step(t)
        for action, atom in zip(step, atoms, strict=True):
            if not _knows(session, atom):
                return InvalidPlan(f"step {t}: {action} is no action that the encoding knows there")
        session.ground([(PINS, [Number(t)])])
        if session.solve(t).satisfiable is False:
            chosen = ", ".join(step) or "no action"
            return InvalidPlan(f"step {t}: {chosen} contradicts the encoding")
    return InvalidPlan("the plan contradicts the encoding")


def _narrowed(program: Program) -> Program:
    """The program with its choices of `occurs/2` narrowed to what is planned."""
    narrow = _Narrower()
    sections = (
        replace(section, statements=tuple(narrow.visit(s) for s in section.statements))
        for section in program.sections
    )
    return replace(program, sections=tuple(sections))


class _Narrower(Transformer):
    """Adds a condition to the choices of actions, and leaves everything else alone."""

    def visit_Rule(self, rule: AST) -> AST:
        """Look into the head alone; a disjunction is no choice."""
        choices = (ASTType.Aggregate, ASTType.HeadAggregate)
        return rule.update(head=self.visit(rule.head)) if rule.head.ast_type in choices else rule

    def visit_ConditionalLiteral(self, element: AST) -> AST:
        """Narrow an element of a choice."""
        atom = element.literal.atom
        if atom.ast_type != ASTType.SymbolicAtom or signature(atom) != _OCCURS:
            return element
        if atom.symbol.ast_type != ASTType.Function:
            return element
        planned = SymbolicAtom(atom.symbol.update(name=PLANNED))
        literal = Literal(element.location, Sign.NoSign, planned)
        return element.update(condition=[*element.condition, literal])
