"""What the rules of a program ask for before they derive something: their bodies, taken apart.

Of a choice each element has a body of its own: that of the rule, and the condition of the element.
The literals are put in an order in which each of their beginnings is safe, so that it can be asked
up to which literal a body can be true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clingo.ast import AST, ASTType, ComparisonOperator, Sign

from asplan.errors import Location
from asplan.program.incremental import Program
from asplan.program.syntax import find, global_variables, location
from asplan.program.unit import Section
from asplan.program.wording import Wording
from asplan.why.explanation import Literal, Rule
from asplan.why.relaxing import demands, is_bounded, is_constraint

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
            ordered := tuple(_in_safe_order(literals)),
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


def _in_safe_order(literals: Iterable[AST]) -> Iterator[AST]:
    """The literals, each as early as what it needs is bound, and positive atoms before others."""
    left = sorted(literals, key=lambda literal: not _is_positive(literal))
    bound: set[str] = set()
    while left:
        literal = next((one for one in left if _needs(one, bound) <= bound), left[0])
        left.remove(literal)
        bound |= set(global_variables([literal]))
        yield literal


def _is_positive(literal: AST) -> bool:
    return bool(
        literal.ast_type == ASTType.Literal
        and literal.sign == Sign.NoSign
        and literal.atom.ast_type == ASTType.SymbolicAtom
    )


def _needs(literal: AST, bound: set[str]) -> set[str]:
    """The variables that must be bound before a literal can be looked at."""
    if _is_positive(literal):
        return set()
    if literal.ast_type != ASTType.Literal:
        return set()  # a conditional literal: its own variables are bound by its condition
    names = set(global_variables([literal]))
    atom = literal.atom
    if atom.ast_type in (ASTType.Aggregate, ASTType.BodyAggregate):
        inner = {v.name for v in find(ASTType.Variable, atom.elements)}
        guard = atom.left_guard
        if guard is not None and guard.comparison == ComparisonOperator.Equal:
            return set()
        return names - inner
    if atom.ast_type == ASTType.Comparison and literal.sign == Sign.NoSign:
        sides = [atom.term, *(guard.term for guard in atom.guards)]
        equal = len(sides) == 2 and atom.guards[0].comparison == ComparisonOperator.Equal
        for i, side in enumerate(sides) if equal else ():
            other = {v.name for v in find(ASTType.Variable, [sides[1 - i]])}
            if side.ast_type in (ASTType.Variable, ASTType.Function) and other <= bound:
                return other
    return names
