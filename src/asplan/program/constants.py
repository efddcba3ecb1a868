"""Keeps constants from making late steps dear.

clingo joins the literals of a rule in the order in which it expects the fewest matches, and it
settles that order before the first step, when the time is one literal among others. In

    next(t,C,X) :- position(t-1,C,X), car(C,h).

the constant makes `car(C,h)` look cheaper than the time. So clingo begins with the car, and for
each one goes through its positions of all earlier steps. Here the constant becomes a variable with
a predicate of its own, `car(C,C1), asplan__1is(C1)` with the fact `asplan__1is(h)`; then the time
comes first.

That is done for positive literals in the bodies of `step(t)` and `check(t)`, where the predicate
has no rule in these parts and another positive literal names the parameter. The helper is a fact,
so the ground rules stay the same.

The estimate is that of `FunctionTerm::estimate` in clingo's libgringo/src/term.cc: an argument that
is a constant counts nothing, and the average over the arguments is compared.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from clingo.ast import AST, ASTType, Sign, Variable

from asplan.program.incremental import HELPER, TIMED, Program
from asplan.program.source import parse_text
from asplan.program.syntax import (
    Signature,
    Walker,
    find,
    heads,
    kinds,
    signature,
    variable_names,
)
from asplan.program.unit import Section

_COMPUTED = (ASTType.BinaryOperation, ASTType.Interval, ASTType.Pool)


def without_constants(program: Program) -> Program:
    """The same program with a predicate for each constant in a static literal of a timed rule."""
    timed = {
        signature(atom)
        for section in program.sections
        if section.part != "base"
        for statement in section.statements
        for atom in heads(statement)
    }
    names: dict[str, str] = {}
    sections = [
        replace(s, statements=tuple(_statement(r, s.parameter, timed, names) for r in s.statements))
        if s.part in TIMED
        else s
        for s in program.sections
    ]
    if not names:
        return program
    facts = " ".join(f"{name}({constant})." for constant, name in names.items())
    return replace(program, sections=(*sections, Section("base", "", parse_text(facts)[1:])))


def _statement(
    statement: AST, parameter: str, timed: Collection[Signature], names: dict[str, str]
) -> AST:
    """The statement without constants in its static literals; new ones are added to `names`."""
    if statement.ast_type not in (ASTType.Rule, ASTType.Minimize):
        return statement
    joined = [literal for literal in statement.body if _is_positive(literal)]
    if not any(_names(literal, parameter) for literal in joined):
        return statement
    naming = _Naming(variable_names(statement), names)
    body = []
    for literal in statement.body:
        if _is_positive(literal) and _is_static(literal, parameter, timed):
            literal = naming.visit(literal)
        body.append(literal)
    return statement.update(body=[*body, *naming.literals]) if naming.literals else statement


def _is_positive(literal: AST) -> bool:
    return (
        literal.ast_type == ASTType.Literal
        and literal.sign == Sign.NoSign
        and literal.atom.ast_type == ASTType.SymbolicAtom
    )


def _is_static(literal: AST, parameter: str, timed: Collection[Signature]) -> bool:
    """Whether a literal binds variables, and no time or computation is in it."""
    if signature(literal.atom) in timed or "@" in str(literal) or _names(literal, parameter):
        return False
    present = kinds(literal)
    return ASTType.Variable in present and present.isdisjoint(_COMPUTED)


def _names(literal: AST, parameter: str) -> bool:
    if parameter not in str(literal):
        return False
    terms = find(ASTType.SymbolicTerm, [literal])
    functions = find(ASTType.Function, [literal])
    return any(str(term) == parameter for term in (*terms, *functions))


class _Naming(Walker):
    """Replaces the constants in some literals of a statement by variables."""

    def __init__(self, taken: Collection[str], names: dict[str, str]) -> None:
        self.taken, self.names = set(taken), names
        self.variables: dict[str, str] = {}
        self.literals: list[AST] = []

    def visit_SymbolicTerm(self, term: AST) -> AST:
        """Put a variable in the place of a constant."""
        constant = str(term.symbol)
        if constant not in self.variables:
            variable = next(v for i in range(1, 10**6) if (v := f"C{i}") not in self.taken)
            self.taken.add(variable)
            self.variables[constant] = variable
            # Nobody's predicate begins with a digit, so no renamed one has this name.
            name = self.names.setdefault(constant, f"{HELPER}{len(self.names) + 1}is")
            (rule,) = parse_text(f":- {name}({variable}).")[1:]
            self.literals += rule.body
        return Variable(term.location, self.variables[constant])
