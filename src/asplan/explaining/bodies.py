"""Rules taken apart: what each asks for before it derives something, and the atoms in that.

Of a choice each element has a body of its own: that of the rule, and the condition of the element.
The literals are put in an order in which each of their beginnings is safe, so that it can be asked
up to which literal a body can be true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from asplan.core.errors import Location
from asplan.explaining.explanation import Literal, Rule
from asplan.explaining.question import is_constraint, rule_of, witness
from asplan.program.incremental import Program
from asplan.program.syntax import (
    AST,
    ASTType,
    BinaryOperator,
    ComparisonOperator,
    Sign,
    Wording,
    find,
    global_variables,
    is_literal,
    variable_names,
)
from asplan.program.unit import Section

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

    def has(self, at: Location) -> bool:
        """Whether a place is in its statement."""
        begin, end = self.statement.location.begin, self.statement.location.end
        within = (begin.line, begin.column) <= (at.line, at.column) <= (end.line, end.column)
        return bool(begin.filename == at.file and within)

    def is_written(self, index: int) -> bool:
        """Whether a literal stands in its statement, and was not put in by a conversion."""
        return self.has(self.places[index].at)

    def witness(
        self,
        name: str,
        numbers: Iterable[int],
        variables: Iterable[str],
        true: Iterable[AST],
        more: Iterable[AST] = (),
    ) -> AST:
        """A rule that notes when some literals of the body are true."""
        parameter = self.section.parameter
        return witness(self.statement, name, numbers, parameter, variables, true, more)


def bodies_of(program: Program) -> tuple[Body, ...]:
    """The bodies of all rules that have one, in order."""
    wording = Wording()
    return tuple(
        Body(
            rule_of(statement, section, wording),
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
    elif is_literal(head):
        yield (head.atom,), body
    elif head.ast_type in (*_CHOICES, ASTType.Disjunction):
        for element in head.elements:
            literal = element.condition if head.ast_type == ASTType.HeadAggregate else element
            yield (literal.literal.atom,), [*body, *literal.condition]


def _placed(literal: AST, statement: AST, wording: Wording) -> Literal:
    file, begin = statement.location.begin.filename, literal.location.begin
    return Literal(Location(file, begin.line, begin.column), wording(literal, file))


def in_safe_order(
    literals: Iterable[AST], bound: Iterable[str], everywhere: Iterable[str]
) -> list[AST] | None:
    """Some literals of a body, each as early as what it needs is bound, positive atoms first.

    Parameters
    ----------
    bound
        Variables that have values already.
    everywhere
        The variables that the whole body binds: inside of conditions they are not local.

    Returns
    -------
    list of AST or None
        None if some literal cannot be bound.
    """
    shared = set(everywhere)
    left = sorted(literals, key=lambda literal: not is_literal(literal))
    known, found = set(bound), list[AST]()
    while left:
        literal = next((one for one in left if _needs(one, known, shared) <= known), None)
        if literal is None:
            return None
        left.remove(literal)
        known |= set(global_variables([literal]))
        found.append(literal)
    return found


def _needs(literal: AST, bound: set[str], shared: set[str]) -> set[str]:
    """The variables that must be bound before a literal can be looked at."""
    if is_literal(literal):
        return _unmatched(literal)
    names = {v.name for v in find(ASTType.Variable, [literal]) if v.name != "_"} & shared
    if literal.ast_type != ASTType.Literal or literal.sign != Sign.NoSign:
        return names
    atom = literal.atom
    if atom.ast_type in (ASTType.Aggregate, ASTType.BodyAggregate):
        guard = atom.left_guard
        if guard is not None and guard.comparison == ComparisonOperator.Equal:
            return names - set(variable_names(guard))
    if atom.ast_type == ASTType.Comparison and len(atom.guards) == 1:
        guard = atom.guards[0]
        sides = (atom.term, guard.term), (guard.term, atom.term)
        for side, other in sides if guard.comparison == ComparisonOperator.Equal else ():
            known = set(variable_names(other))
            if known <= bound and is_matchable(side):
                return known
    return names


def _unmatched(atom: AST) -> set[str]:
    """The variables of an atom that clingo cannot match with its arguments, as in `p(X+Y)`."""
    hidden = [o for o in find(ASTType.BinaryOperation, [atom]) if not _is_linear(o)]
    hidden += find(ASTType.Interval, [atom])
    inside = Counter(v.name for v in find(ASTType.Variable, hidden))
    everywhere = Counter(v.name for v in find(ASTType.Variable, [atom]))
    return {name for name, number in inside.items() if everywhere[name] <= number}


def is_matchable(term: AST) -> bool:
    """Whether clingo finds the variables of a term from its value."""
    several = (ASTType.Interval, ASTType.Pool, ASTType.UnaryOperation)
    return not any(find(kind, [term]) for kind in several) and all(
        map(_is_linear, find(ASTType.BinaryOperation, [term]))
    )


def _is_linear(operation: AST) -> bool:
    linear = operation.operator_type in (BinaryOperator.Plus, BinaryOperator.Minus)
    return linear and len(variable_names(operation)) <= 1
