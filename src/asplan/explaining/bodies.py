"""The bodies of rules, with their literals in a safe order.

Each element of a choice has a body of its own: the body of the rule, and the element's condition.
Literals are ordered so that each prefix of the body is safe, that is, binds the variables that it
needs. So clingo can evaluate every prefix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from asplan.core.dataclass import dataclass
from asplan.core.errors import Location
from asplan.explaining.explanation import WrittenLiteral, WrittenRule
from asplan.explaining.relaxation import rule_of, witness
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.model.program import TemporalRule
from asplan.program.syntax import AST, ASTType, BinaryOperator, Sign
from asplan.program.syntax.terms import Op
from asplan.program.syntax.wording import Wording

_CONDITIONAL_HEADS = (ASTType.Aggregate, ASTType.HeadAggregate, ASTType.Disjunction)
_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)


@dataclass(frozen=True, eq=False)
class Body:
    """The body of a rule, with its literals in a safe order.

    The rule derives the `heads`, or may choose them, if the body is true. `places` has the text and
    the location of each of the `literals`.
    """

    rule: WrittenRule
    source: TemporalRule
    heads: tuple[AST, ...]
    literals: tuple[AST, ...]
    places: tuple[WrittenLiteral, ...]

    @property
    def statement(self) -> AST:
        """The syntax tree of the statement with this body."""
        return self.source.statement

    def has(self, at: Location) -> bool:
        """Return whether a location lies in the body's statement."""
        begin = self.statement.location.begin
        end = self.statement.location.end
        within = (begin.line, begin.column) <= (at.line, at.column) <= (end.line, end.column)
        return bool(begin.filename == at.file and within)

    def is_written(self, index: int) -> bool:
        """Return whether the author wrote the literal with this index.

        Return False if the conversion of a program added the literal.
        """
        return self.has(self.places[index].at)

    def witness(
        self,
        name: str,
        numbers: Iterable[int],
        variables: Iterable[str],
        literals: Iterable[AST],
        more: Iterable[AST] = (),
    ) -> AST:
        """Return the rule with the head `name(numbers,t,(variables),more)` and the body `literals`.

        The time t is the parameter of the body's part; 0 in `base`.
        """
        parameter = self.source.parameter
        return witness(self.statement, name, numbers, parameter, variables, literals, more)


def bodies_of(program: Program) -> tuple[Body, ...]:
    """Return the bodies of a program's rules, in the order of the rules."""
    wording = Wording()
    bodies: list[Body] = []
    for rule in program.model.rules:
        if rule.is_rule and rule.part != "plan":
            bodies += _bodies(rule, wording)
    return tuple(bodies)


def _bodies(source: TemporalRule, wording: Wording) -> Iterator[Body]:
    statement = source.statement
    written = rule_of(source, wording)
    for heads, body in _parts(statement):
        ordered = tuple(in_safe_order(body, (), syntax.global_variables(body)) or body)
        places = tuple(_literal(node, statement, wording) for node in ordered)
        yield Body(written, source, heads, ordered, places)


def _parts(statement: AST) -> Iterator[tuple[tuple[AST, ...], list[AST]]]:
    """Yield pairs of head atoms and the literals that must be true to derive or choose them.

    If the elements of the head have conditions, yield a pair for each element.
    """
    head = statement.head
    body = list(statement.body)
    if syntax.is_constraint(statement):
        yield (), body
    elif syntax.is_literal(head):
        yield (head.atom,), body
    elif head.ast_type in _CONDITIONAL_HEADS:
        for element in head.elements:
            literal = element.condition if head.ast_type == ASTType.HeadAggregate else element
            yield (literal.literal.atom,), [*body, *literal.condition]


def _literal(
    node: AST,
    statement: AST,
    wording: Wording,
) -> WrittenLiteral:
    file = statement.location.begin.filename
    begin = node.location.begin
    return WrittenLiteral(Location(file, begin.line, begin.column), wording(node, file))


def in_safe_order(
    literals: Iterable[AST],
    bound: Iterable[str],
    shared: Iterable[str],
) -> list[AST] | None:
    """Return literals in an order in which every prefix is safe; None if there is none.

    Each literal follows as soon as the variables that it needs are bound, positive atoms first. A
    prefix is safe if its literals bind all variables that they need.

    Parameters
    ----------
    bound
        The variables that have values already.
    shared
        The global variables of the body; other variables are local to an aggregate or condition.
    """
    global_names = set(shared)
    remaining = sorted(literals, key=lambda literal: not syntax.is_literal(literal))
    names = set(bound)
    ordered: list[AST] = []
    while remaining:
        ready = (each for each in remaining if _needs(each, names, global_names) <= names)
        literal = next(ready, None)
        if literal is None:
            return None
        remaining.remove(literal)
        names |= set(syntax.global_variables([literal]))
        ordered.append(literal)
    return ordered


def _needs(
    literal: AST,
    bound: set[str],
    shared: set[str],
) -> set[str]:
    """Return the variables that must be bound before a literal can be evaluated.

    `shared` are the global variables of the body.
    """
    if syntax.is_literal(literal):
        return _unmatched(literal)
    variables = syntax.find(ASTType.Variable, [literal])
    names = {variable.name for variable in variables if variable.name != "_"} & shared
    if literal.ast_type != ASTType.Literal or literal.sign != Sign.NoSign:
        return names
    atom = literal.atom
    if atom.ast_type in _AGGREGATES:
        return names - _assigned(atom)
    if atom.ast_type == ASTType.Comparison and len(atom.guards) == 1:
        return _needs_of_comparison(atom, names, bound)
    return names


def _assigned(aggregate: AST) -> set[str]:
    """Return the variables that get the value of an aggregate, like X in `X = #count{…}`."""
    guard = aggregate.left_guard
    if guard is None or guard.comparison != Op.Equal:
        return set()
    return set(syntax.variable_names(guard))


def _needs_of_comparison(
    comparison: AST,
    names: set[str],
    bound: set[str],
) -> set[str]:
    """Return the variables that must be bound before a comparison can be evaluated.

    `names` are all its variables; `bound` are the variables that have values already. If all
    variables on one side of an equation are bound, return these: the equation then gives values to
    the variables of the other side.
    """
    guard = comparison.guards[0]
    if guard.comparison != Op.Equal:
        return names
    for side, other in ((comparison.term, guard.term), (guard.term, comparison.term)):
        needed = set(syntax.variable_names(other))
        if needed <= bound and is_matchable(side):
            return needed
    return names


def _unmatched(atom: AST) -> set[str]:
    """Return the variables of an atom that its arguments do not determine, as in `p(X+Y)`."""
    operations = syntax.find(ASTType.BinaryOperation, [atom])
    opaque = [operation for operation in operations if not _is_linear(operation)]
    opaque += syntax.find(ASTType.Interval, [atom])
    inside = Counter(v.name for v in syntax.find(ASTType.Variable, opaque))
    everywhere = Counter(v.name for v in syntax.find(ASTType.Variable, [atom]))
    return {name for name, number in inside.items() if everywhere[name] <= number}


def is_matchable(term: AST) -> bool:
    """Return whether the values of a term's variables follow from the value of the term."""
    if syntax.find((ASTType.Interval, ASTType.Pool, ASTType.UnaryOperation), [term]):
        return False
    return all(map(_is_linear, syntax.find(ASTType.BinaryOperation, [term])))


def _is_linear(operation: AST) -> bool:
    is_sum = operation.operator_type in (BinaryOperator.Plus, BinaryOperator.Minus)
    return is_sum and len(syntax.variable_names(operation)) <= 1
