"""What the rules of a program ask for before they derive something: their bodies, taken apart.

Of a choice each element has a body of its own: that of the rule, and the condition of the element.
The literals are put in an order in which each of their beginnings is safe, so that it can be asked
up to which literal a body can be true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clingo.ast import AST, ASTType

from asplan.errors import Location
from asplan.program.incremental import Program
from asplan.program.syntax import global_variables, location
from asplan.program.unit import Section
from asplan.program.wording import Wording
from asplan.why.explanation import Literal, Rule
from asplan.why.relaxing import demands, is_bounded, is_constraint
from asplan.why.safety import in_safe_order

_CHOICES = (ASTType.Aggregate, ASTType.HeadAggregate)


@dataclass(frozen=True, eq=False)
class Body:
    """One body of a rule, in a safe order.

    Attributes
    ----------
    heads
        The atoms that it derives or allows, as syntax; none of a constraint.
    places
        For each literal where it stands, and its text.
    """

    rule: Rule
    section: Section
    statement: AST
    heads: tuple[AST, ...]
    literals: tuple[AST, ...]
    places: tuple[Literal, ...]

    @property
    def constraint(self) -> bool:
        """Whether it is the body of a constraint."""
        return not self.heads


def bodies_of(program: Program) -> tuple[Body, ...]:
    """The bodies of all rules that have one, in order."""
    wording = Wording()
    return tuple(
        Body(
            Rule(
                location(statement),
                wording(statement),
                goal=demands(statement, section.parameter),
                bound=is_bounded(statement),
                choice=statement.head.ast_type in _CHOICES,
            ),
            section,
            statement,
            heads,
            ordered := tuple(in_safe_order(literals, (), global_variables(literals)) or literals),
            tuple(_placed(literal, statement, wording) for literal in ordered),
        )
        for section in program.sections
        if section.part != "plan"
        for statement in section.statements
        if statement.ast_type == ASTType.Rule
        for heads, literals in _parts(statement)
    )


def _parts(statement: AST) -> Iterator[tuple[tuple[AST, ...], list[AST]]]:
    """Each head of a rule, with what it takes to derive it."""
    head, body = statement.head, list(statement.body)
    if is_constraint(statement):
        yield (), body
    elif head.ast_type == ASTType.Literal:
        if head.atom.ast_type == ASTType.SymbolicAtom:
            yield (head.atom,), body
    elif head.ast_type in _CHOICES:
        for element in head.elements:
            literal = element if head.ast_type == ASTType.Aggregate else element.condition
            yield (literal.literal.atom,), [*body, *literal.condition]
    elif head.ast_type == ASTType.Disjunction:
        for element in head.elements:
            yield (element.literal.atom,), [*body, *element.condition]


def _placed(literal: AST, statement: AST, wording: Wording) -> Literal:
    file, begin = statement.location.begin.filename, literal.location.begin
    return Literal(Location(file, begin.line, begin.column), wording(literal, file))
