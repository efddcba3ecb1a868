"""Checks of names that stand where numbers are computed with, and have no value."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches

from clingo import SymbolType

from asplan.core.errors import InputWarning, Location
from asplan.program.syntax import (
    AST,
    ASTType,
    ComparisonOperator,
    arguments,
    atoms,
    find,
    names_term,
)
from asplan.program.unit import Section
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clauses

_SAME = (ComparisonOperator.Equal, ComparisonOperator.NotEqual)
_COMPUTED = (ASTType.BinaryOperation, ASTType.UnaryOperation)
_SIZES = (ASTType.Aggregate, ASTType.BodyAggregate, ASTType.HeadAggregate)


def find_constants(program: Clauses, given: Collection[str]) -> Iterator[InputWarning]:
    """Names without a value that are bounds, in arithmetic, or compared with numbers.

    `given` are those that were set. A name that is an object of the program is passed over.
    """
    sections = program.program.sections
    known = {node.name for node in program.of_kind(ASTType.Definition)}.union(given)
    times = {section.parameter for section in sections} - {""}
    named = set(known).union(*(facts.names for facts in program.program.facts))
    for section in sections:
        yield from _find_strange_times(section, times - named)
    named |= {name for s in sections for node in s.statements for name in _objects(node)}
    for section in sections:
        for statement in section.statements:
            for name, term, what in _numbers(statement):
                if name not in named | times:
                    named.add(name)  # once is enough
                    alike = get_close_matches(name, known, n=1, cutoff=0.7)
                    give = f"give it one: #const {name}=… or -c {name}=…"
                    hint = f"did you mean {alike[0]}?" if alike else give
                    text = f"{name} has no value, so {what}"
                    yield make_warning("undefined-constant", text, _place(statement, term), hint)


def _find_strange_times(section: Section, times: Collection[str]) -> Iterator[InputWarning]:
    """The first atom of a timed part that speaks of the parameter of another part."""
    for statement in section.statements if section.parameter else ():
        for atom in atoms(statement):
            for name in sorted(set(times) - {section.parameter}):
                if any(names_term(term, name) for term in arguments(atom)):
                    text = f"{name} is a constant here; the parameter of this part is "
                    hint = f"write {section.parameter} for {name}, or #program {section.part}"
                    yield make_warning(
                        "undefined-constant",
                        f"{text}{section.parameter}",
                        _place(statement, atom.symbol),
                        f"{hint}({name}).",
                    )
                    return


def _objects(statement: AST) -> Iterator[str]:
    """The names that are arguments as they stand."""
    for kind in (ASTType.Function, ASTType.Pool):
        for term in find(kind, [statement]):
            yield from filter(None, map(_name, term.arguments))


def _numbers(statement: AST) -> Iterator[tuple[str, AST, str]]:
    """The names that stand for numbers, each with its term, and what is wrong without a value."""
    for node in find(ASTType.Interval, [statement]):
        for term in (node.left, node.right):
            if name := _name(term):
                yield name, term, f"the interval {_plain(node)} is empty"
    for kind in _COMPUTED:
        for node in find(kind, [statement]):
            for key in node.child_keys:
                if name := _name(getattr(node, key)):
                    yield name, getattr(node, key), f"{_plain(node)} is no number"
    for node in find(ASTType.Comparison, [statement]):
        terms = [node.term, *(guard.term for guard in node.guards)]
        is_ordered = any(guard.comparison not in _SAME for guard in node.guards)
        for term in terms if is_ordered and not all(map(_name, terms)) else ():
            if name := _name(term):
                yield name, term, f"{node} compares with a mere name"
    for kind in _SIZES:
        for node in find(kind, [statement]):
            for guard in filter(None, (node.left_guard, node.right_guard)):
                if (name := _name(guard.term)) and guard.comparison not in _SAME:
                    yield name, guard.term, "a number is compared with a mere name"


def _name(term: AST) -> str:
    """The name that a term is; empty if it is anything else."""
    if term.ast_type != ASTType.SymbolicTerm or term.symbol.type != SymbolType.Function:
        return ""
    return str(term.symbol) if not term.symbol.arguments and term.symbol.name else ""


def _plain(term: AST) -> str:
    """A term without the brackets that clingo puts around it."""
    text = str(term)
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _place(statement: AST, term: AST) -> Location:
    begin = term.location.begin
    return Location(statement.location.begin.filename, begin.line, begin.column)
