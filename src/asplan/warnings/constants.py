"""Checks of constants: names without a value, and names that resemble other names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Set,
)
from difflib import get_close_matches
from functools import lru_cache

from asplan.clingo import Symbol, SymbolType
from asplan.core.errors import InputWarning, Location
from asplan.program import syntax
from asplan.program.reading.unit import Section
from asplan.program.syntax import AST, AggregateFunction, ASTType
from asplan.program.syntax.terms import Op
from asplan.program.syntax.wording import plain_text
from asplan.warnings.arguments import find_mismatches
from asplan.warnings.catalogue import make_warning
from asplan.warnings.index import ProgramIndex, is_slip
from asplan.warnings.shapes import MAX_TEXT, Place

_EQUALITIES = (Op.Equal, Op.NotEqual)
_SUMS = (AggregateFunction.Sum, AggregateFunction.SumPlus)
_AGGREGATES = (ASTType.BodyAggregate, ASTType.HeadAggregate)

_FindTerms = Callable[[AST], Iterable[AST]]
"""A function from a node to the terms in it that must be numbers."""


def find_undefined_constants(
    index: ProgramIndex,
    given: Collection[str],
) -> Iterator[InputWarning]:
    """Yield a warning for each name that must be a number but has no value.

    `given` are the names of constants that get values from outside of the program.
    """
    program = index.program
    parameters = {section.parameter for section in program.sections} - {""}
    constants = {node.name for node in program.of_kind(ASTType.Definition)}.union(given)
    meant = constants.union(*(facts.names for facts in program.facts))
    for section in program.sections:
        yield from _find_foreign_parameter(section, parameters - meant)
    meant |= parameters | _argument_names(program.statements)
    for statement in program.statements:
        if _names_in(statement) <= meant:
            continue
        for term, node, consequence in _number_terms(statement):
            name = constant_name(term)
            if name and name not in meant:
                meant.add(name)  # one warning is enough
                text = f"{name} has no value, so {consequence.format(plain_text(node))}"
                at = syntax.place_in(statement, term)
                yield make_warning("undefined-constant", text, at, _value_hint(name, constants))


def constant_name(term: AST) -> str:
    """Return the name of a term such as `table`, without arguments; else an empty text."""
    if term.ast_type != ASTType.SymbolicTerm:
        return ""
    return _name_of(term.symbol)


@lru_cache(maxsize=1024)
def _name_of(value: Symbol) -> str:
    """Return the name of a symbolic constant such as `table`; an empty text for other values."""
    is_name = value.type == SymbolType.Function and not value.arguments
    return value.name if is_name else ""


def _argument_names(statements: Iterable[AST]) -> set[str]:
    """Return the names that occur as arguments, so that they are objects and need no value."""
    terms = syntax.find((ASTType.Function, ASTType.Pool), statements)
    names: set[str] = set()
    for term in terms:
        names.update(map(constant_name, term.arguments))
    return names


def _names_in(statement: AST) -> set[str]:
    """Return the names that occur as terms in a statement."""
    terms = syntax.find(ASTType.SymbolicTerm, [statement])
    return set(filter(None, map(constant_name, terms)))


def _value_hint(
    name: str,
    constants: Collection[str],
) -> str:
    alike = get_close_matches(name, constants, n=1, cutoff=0.7)
    if alike:
        return f"did you mean {alike[0]}?"
    return f"give it one: #const {name}=… or -c {name}=…"


def _find_foreign_parameter(
    section: Section,
    parameters: set[str],
) -> Iterator[InputWarning]:
    """Yield a warning for the first atom in `section` with the parameter of another part.

    `parameters` are the parameters of all parts.
    """
    own = section.parameter
    others = sorted(parameters - {own})
    if not own or not others:
        return
    for statement in section.statements:
        for atom in syntax.atoms(statement):
            for name in others:
                if any(syntax.names_term(term, name) for term in syntax.arguments(atom)):
                    text = f"{name} is a constant here; the parameter of this part is {own}"
                    hint = f"write {own} for {name}, or #program {section.part}({name})."
                    at = syntax.place_in(statement, atom.symbol)
                    yield make_warning("undefined-constant", text, at, hint)
                    return


def _number_terms(statement: AST) -> Iterator[tuple[AST, AST, str]]:
    """Yield the terms of a statement that must be numbers.

    Each comes with the node that needs the number, and with a phrase about the consequence if the
    term is a name instead. In the phrase `{}` stands for the node.
    """
    for kinds, find_terms, consequence in _FINDERS:
        for kind in kinds:
            for node in syntax.find(kind, [statement]):
                for term in find_terms(node):
                    yield term, node, consequence


def _interval_ends(interval: AST) -> list[AST]:
    return [interval.left, interval.right]


def _compared_terms(comparison: AST) -> list[AST]:
    """Return the terms of a comparison with <, <=, > or >=; none if all of them are names."""
    if all(guard.comparison in _EQUALITIES for guard in comparison.guards):
        return []
    terms = [comparison.term, *(guard.term for guard in comparison.guards)]
    return [] if all(map(constant_name, terms)) else terms


def _bounds(aggregate: AST) -> Iterator[AST]:
    for guard in (aggregate.left_guard, aggregate.right_guard):
        if guard is not None and guard.comparison not in _EQUALITIES:
            yield guard.term


def _weights(objective: AST) -> list[AST]:
    return [objective.weight, objective.priority]


def _summands(aggregate: AST) -> Iterator[AST]:
    if aggregate.function in _SUMS:
        for element in aggregate.elements:
            if element.terms:
                yield element.terms[0]


_OPERATIONS = (ASTType.BinaryOperation, ASTType.UnaryOperation)

_FINDERS: tuple[tuple[tuple[ASTType, ...], _FindTerms, str], ...] = (
    ((ASTType.Interval,), _interval_ends, "the interval {} is empty"),
    (_OPERATIONS, syntax.children, "{} is not a number"),
    ((ASTType.Comparison,), _compared_terms, "{} compares with a mere name"),
    ((ASTType.Aggregate, *_AGGREGATES), _bounds, "a number is compared with a mere name"),
    ((ASTType.Minimize,), _weights, "clingo ignores this objective"),
    (_AGGREGATES, _summands, "the sum ignores this tuple"),
)
"""For kinds of syntax nodes the terms in them that must be numbers, and the consequence else.

The order is that of the warnings.
"""

_Places = dict[str, list[Place]]
"""For each name the arguments of predicates in which it occurs, one for each occurrence."""


def find_near_constants(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each name that occurs once and resembles a more frequent name.

    The other name must occur in the same argument. Arguments of unary predicates are left out,
    since their facts introduce objects.
    """
    if any(len(facts.text) > MAX_TEXT for facts in index.program.facts):
        return
    places = _places_of_names(index)
    frequent = {name: set(group) for name, group in places.items() if len(group) > 1}
    for name, occurrences in places.items():
        place = occurrences[0]
        if len(occurrences) > 1 or place[0][2] == 1:
            continue
        other = _similar_name(name, place, frequent)
        if other:
            yield from _find_near_constant(index, name, other, len(places[other]))


def _similar_name(
    name: str,
    place: Place,
    frequent: Mapping[str, Set[Place]],
) -> str:
    """Return the first name in `frequent` that resembles `name` and occurs in `place`.

    Return an empty text if there is none. `frequent` has the arguments in which names occur.
    """
    for other, places in frequent.items():
        if place in places and is_slip(name, other):
            return other
    return ""


def _find_near_constant(
    index: ProgramIndex,
    name: str,
    other: str,
    count: int,
) -> Iterator[InputWarning]:
    """Yield a warning for the name `name`, which resembles `other` with `count` occurrences."""
    at = _location_of_name(index, name)
    # An argument without a matching atom has a warning of its own.
    if at not in {warning.at for warning in find_mismatches(index)}:
        text = f"{name} occurs only here, and {other} in {count} places"
        yield make_warning("near-constant", text, at, f"did you mean {other}?")


def _places_of_names(index: ProgramIndex) -> _Places:
    """Return the arguments in rules and facts that are names."""
    places: _Places = defaultdict(list)
    for rule in index.statements:
        for use in (*rule.heads, *rule.reads):
            for place, term in enumerate(use.terms):
                if name := constant_name(term):
                    places[name].append((use.key, place))
    for facts in index.program.facts:
        for fact in facts.symbols():
            key = syntax.predicate(fact)
            for place, value in enumerate(fact.arguments):
                if name := _name_of(value):
                    places[name].append((key, place))
    return places


def _location_of_name(
    index: ProgramIndex,
    name: str,
) -> Location | None:
    """Return the location of the first literal or fact with the argument `name`."""
    for rule in index.statements:
        for use in (*rule.heads, *rule.reads):
            if name in map(constant_name, use.terms):
                return use.at
    for facts in index.program.facts:
        for fact, at in facts.places({}):
            if name in map(_name_of, fact.arguments):
                return at
    return None
