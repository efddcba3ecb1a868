"""Checks of constants: names without a value, and names that resemble other names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
)
from difflib import get_close_matches

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

_Flaw = tuple[AST, str]
"""A term that must be a number, and a phrase about the consequence if it is not."""


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
        for term, consequence in _number_terms(statement):
            name = constant_name(term)
            if name and name not in meant:
                meant.add(name)  # one warning is enough
                text = f"{name} has no value, so {consequence}"
                at = syntax.place_in(statement, term)
                yield make_warning("undefined-constant", text, at, _value_hint(name, constants))


def constant_name(term: AST) -> str:
    """Return the name of a term such as `table`, without arguments; else an empty text."""
    if term.ast_type != ASTType.SymbolicTerm:
        return ""
    return _name_of(term.symbol)


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
    if not own:
        return
    for statement in section.statements:
        for atom in syntax.atoms(statement):
            for name in sorted(parameters - {own}):
                if any(syntax.names_term(term, name) for term in syntax.arguments(atom)):
                    text = f"{name} is a constant here; the parameter of this part is {own}"
                    hint = f"write {own} for {name}, or #program {section.part}({name})."
                    at = syntax.place_in(statement, atom.symbol)
                    yield make_warning("undefined-constant", text, at, hint)
                    return


def _number_terms(statement: AST) -> Iterator[_Flaw]:
    """Yield the terms of a statement that must be numbers.

    Each comes with a phrase about the consequence if the term is a name instead.
    """
    for kinds, find in _FINDERS:
        for kind in kinds:
            for node in syntax.find(kind, [statement]):
                yield from find(node)


def _interval_ends(interval: AST) -> Iterator[_Flaw]:
    consequence = f"the interval {plain_text(interval)} is empty"
    yield interval.left, consequence
    yield interval.right, consequence


def _operands(operation: AST) -> Iterator[_Flaw]:
    for key in operation.child_keys:
        yield getattr(operation, key), f"{plain_text(operation)} is not a number"


def _compared_terms(comparison: AST) -> Iterator[_Flaw]:
    """Yield the terms of a comparison with <, <=, > or >=, unless all of them are names."""
    if all(guard.comparison in _EQUALITIES for guard in comparison.guards):
        return
    terms = [comparison.term, *(guard.term for guard in comparison.guards)]
    if not all(map(constant_name, terms)):
        for term in terms:
            yield term, f"{plain_text(comparison)} compares with a mere name"


def _bounds(aggregate: AST) -> Iterator[_Flaw]:
    for guard in (aggregate.left_guard, aggregate.right_guard):
        if guard is not None and guard.comparison not in _EQUALITIES:
            yield guard.term, "a number is compared with a mere name"


def _weights(objective: AST) -> Iterator[_Flaw]:
    yield objective.weight, "clingo ignores this objective"
    yield objective.priority, "clingo ignores this objective"


def _summands(aggregate: AST) -> Iterator[_Flaw]:
    if aggregate.function in _SUMS:
        for element in aggregate.elements:
            if element.terms:
                yield element.terms[0], "the sum ignores this tuple"


_FINDERS: tuple[tuple[tuple[ASTType, ...], Callable[[AST], Iterator[_Flaw]]], ...] = (
    ((ASTType.Interval,), _interval_ends),
    ((ASTType.BinaryOperation, ASTType.UnaryOperation), _operands),
    ((ASTType.Comparison,), _compared_terms),
    ((ASTType.Aggregate, *_AGGREGATES), _bounds),
    ((ASTType.Minimize,), _weights),
    (_AGGREGATES, _summands),
)
"""For kinds of syntax nodes a function that yields the terms in them that must be numbers.

The order is that of the warnings.
"""

_Spots = dict[str, list[tuple[Place, Location | None]]]
"""For each name the arguments of predicates in which it occurs, with places in the files."""


def find_near_constants(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each name that occurs once and resembles a more frequent name.

    The other name must occur in the same argument. Arguments of unary predicates are left out,
    since their facts introduce objects.
    """
    if any(len(facts.text) > MAX_TEXT for facts in index.program.facts):
        return
    spots = _spots(index)
    mismatches = {warning.at for warning in find_mismatches(index)}
    for name, occurrences in spots.items():
        place, at = occurrences[0]
        # An argument without a matching atom has a warning of its own.
        if len(occurrences) > 1 or place[0][2] == 1 or at in mismatches:
            continue
        other = _similar_name(name, place, spots)
        if other:
            text = f"{name} occurs only here, and {other} in {len(spots[other])} places"
            yield make_warning("near-constant", text, at, f"did you mean {other}?")


def _similar_name(
    name: str,
    place: Place,
    spots: _Spots,
) -> str:
    """Return a name that resembles `name`, and occurs several times, at least once in `place`.

    Return an empty text if there is none. `spots` has the occurrences of all names.
    """
    for other, occurrences in spots.items():
        places = {each for each, _ in occurrences}
        if len(occurrences) > 1 and place in places and is_slip(name, other):
            return other
    return ""


def _spots(index: ProgramIndex) -> _Spots:
    """Return the occurrences of all names as arguments in rules and facts."""
    spots: _Spots = defaultdict(list)
    for rule in index.statements:
        for use in (*rule.heads, *rule.reads):
            for place, term in enumerate(use.terms):
                if name := constant_name(term):
                    spots[name].append(((use.key, place), use.at))
    for facts in index.program.facts:
        for fact, at in facts.of(facts.signatures).places({}):
            key = syntax.predicate(fact)
            for place, value in enumerate(fact.arguments):
                if name := _name_of(value):
                    spots[name].append(((key, place), at))
    return spots
