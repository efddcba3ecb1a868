"""The elements of aggregates and conditional literals in bodies, and the values of aggregates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import count
from operator import eq, ge, gt, le, lt, ne

from asplan.clingo import Infimum, Number, Supremum, Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.explaining.bodies import Body
from asplan.explaining.instances import Instance, InstanceSearch, tuple_of
from asplan.explaining.patterns import Values
from asplan.program import syntax
from asplan.program.syntax import AST, AggregateFunction, ASTType, Sign, SymbolicTerm, Walker
from asplan.program.syntax.terms import Op

_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)

_COMPARE: dict[int, Callable[[Symbol, Symbol], bool]] = {
    Op.Equal: eq,
    Op.NotEqual: ne,
    Op.LessThan: lt,
    Op.LessEqual: le,
    Op.GreaterThan: gt,
    Op.GreaterEqual: ge,
}


@dataclass(frozen=True, eq=False)
class Element:
    """A true element of an aggregate or a conditional literal, and the true atoms that it reads.

    `literal` is the index of this aggregate or conditional literal in the body.
    """

    literal: int
    terms: tuple[Symbol, ...]
    reads: tuple[Symbol, ...]


def body_searches(bodies: Iterable[Body]) -> Iterator[InstanceSearch]:
    """Yield searches for the instances of bodies.

    The values `more` of each instance are a head, and a tuple of the body's positive atoms.
    """
    for body in bodies:
        names, literals = _named_literals(body)
        reads = tuple_of(body, _atom_terms(literals))
        for head in body.heads:
            yield InstanceSearch(body, names, literals, (head.symbol, reads))


def element_searches(bodies: Iterable[Body]) -> Iterator[InstanceSearch]:
    """Yield searches for the true elements in instances of bodies.

    The values `more` of each instance are the index of the aggregate or conditional literal, a
    tuple of the element's terms, and a tuple of the positive atoms that the element reads.
    """
    for body in bodies:
        names, literals = _named_literals(body)
        for number, literal in enumerate(body.literals):
            place = SymbolicTerm(body.statement.location, Number(number))
            for terms, condition in _elements(literal):
                named = _Namer(names, locals_too=True).visit
                local = [named(each) for each in condition]
                element = tuple_of(body, map(named, terms))
                reads = tuple_of(body, _atom_terms(local))
                yield InstanceSearch(body, names, [*literals, *local], (place, element, reads))


def _named_literals(body: Body) -> tuple[tuple[str, ...], list[AST]]:
    """Return a body's global variables, and its literals with names for anonymous variables."""
    names = tuple(syntax.global_variables(body.literals))
    named = _Namer(names).visit
    literals = [named(each) if syntax.is_literal(each) else each for each in body.literals]
    return names, literals


def _atom_terms(literals: Iterable[AST]) -> list[AST]:
    """Return the atoms of the positive literals in `literals`, as terms."""
    return [each.atom.symbol for each in literals if syntax.is_literal(each)]


class _Namer(Walker):
    """A walker over syntax trees that gives names to anonymous variables.

    With `locals_too`, variables other than the global ones get new names as well, so that they
    cannot be confused with variables of the body.
    """

    def __init__(
        self,
        global_names: Collection[str],
        locals_too: bool = False,
    ) -> None:
        super().__init__(Variable=self._named)
        self._global_names = global_names
        self._locals_too = locals_too
        self._numbers = count(1)

    def _named(self, variable: AST) -> AST:
        if variable.name == "_":
            prefix = "Explain__Of_" if self._locals_too else "Explain__"
            return variable.update(name=f"{prefix}{next(self._numbers)}")
        if self._locals_too and variable.name not in self._global_names:
            return variable.update(name=f"Explain__Of_{variable.name}")
        return variable


def is_aggregate(literal: AST) -> bool:
    """Return whether a literal is an aggregate without `not`."""
    is_positive = literal.ast_type == ASTType.Literal and literal.sign == Sign.NoSign
    return bool(is_positive and literal.atom.ast_type in _AGGREGATES)


def _elements(literal: AST) -> Iterator[tuple[list[AST], list[AST]]]:
    """Yield the terms and the condition of each element of an aggregate or conditional literal."""
    if literal.ast_type == ASTType.ConditionalLiteral:
        yield [], [literal.literal, *literal.condition]
    elif is_aggregate(literal):
        for element in literal.atom.elements:
            if element.ast_type == ASTType.ConditionalLiteral:
                atom = element.literal.atom
                terms = [atom.symbol] if syntax.is_literal(element.literal) else []
                yield terms, [element.literal, *element.condition]
            else:
                yield list(element.terms), list(element.condition)


def holds_with(
    instance: Instance,
    some: Collection[Element],
    elements: Collection[Element],
) -> bool:
    """Return whether an instance's aggregates and conditional literals hold by `some` elements.

    `some` are those of the true elements that are derived so far, and `elements` are all true
    elements of the instance. An aggregate holds if its value over `some` is within its bounds. A
    conditional literal holds if `some` has all true elements of the literal.
    """
    for number, literal in enumerate(instance.search.body.literals):
        own = [element for element in some if element.literal == number]
        if literal.ast_type == ASTType.ConditionalLiteral:
            if len(own) < sum(element.literal == number for element in elements):
                return False
        elif is_aggregate(literal):
            tuples = {element.terms for element in own}
            if not _is_within_bounds(literal.atom, tuples, instance.values):
                return False
    return True


def _is_within_bounds(
    aggregate: AST,
    tuples: Collection[tuple[Symbol, ...]],
    values: Values,
) -> bool:
    """Return whether the value of an aggregate over some tuples satisfies its bounds."""
    is_plain = aggregate.ast_type == ASTType.Aggregate  # elements in braces, which are counted
    function = AggregateFunction.Count if is_plain else aggregate.function
    value = _aggregate_value(tuples, function)
    left = aggregate.left_guard
    right = aggregate.right_guard
    bound = None if left is None else values.value(left.term)
    if bound is not None and not _COMPARE[left.comparison](bound, value):
        return False
    bound = None if right is None else values.value(right.term)
    return bound is None or _COMPARE[right.comparison](value, bound)


def _aggregate_value(
    tuples: Collection[tuple[Symbol, ...]],
    function: int,
) -> Symbol:
    """Return the value of an aggregate function, like `#sum`, over some tuples."""
    if function == AggregateFunction.Count:
        return Number(len(tuples))
    weights = [terms[0] for terms in tuples if terms]
    if function == AggregateFunction.Min:
        return min(weights, default=Supremum)
    if function == AggregateFunction.Max:
        return max(weights, default=Infimum)
    numbers = [weight.number for weight in weights if weight.type == SymbolType.Number]
    if function == AggregateFunction.SumPlus:
        numbers = [max(0, number) for number in numbers]
    return Number(sum(numbers))
