"""Atoms that are known in part: a predicate, and values for some of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clingo import Symbol

from asplan.errors import UsageError
from asplan.explaining.relaxing import Constraint
from asplan.program.source import ground_term
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
    SymbolicTerm,
    Walker,
    arguments,
    atoms,
    find,
    predicate,
    signature,
)

Constant = Callable[[str], Symbol | None]
"""The value of a constant of the program."""


@dataclass(frozen=True)
class Pattern:
    """An atom of which some arguments may be unknown."""

    key: Signature
    arguments: tuple[Symbol | None, ...]

    def __str__(self) -> str:
        sign, name, _ = self.key
        inside = ",".join("_" if a is None else str(a) for a in self.arguments)
        return f"{sign}{name}({inside})" if inside else f"{sign}{name}"


def pattern_of(atom: Symbol) -> Pattern:
    """The pattern of an atom that is known as a whole."""
    return Pattern(predicate(atom), tuple(atom.arguments))


def atom_behind(literal: AST, put: Values, sign: Sign) -> Pattern | None:
    """The atom of a literal of a sign, with what is known of it."""
    if literal.ast_type != ASTType.Literal or literal.sign != sign:
        return None
    if literal.atom.ast_type != ASTType.SymbolicAtom:
        return None
    atom = atoms(literal)[0]
    return Pattern(signature(atom), tuple(_value(put(term)) for term in arguments(atom)))


def _value(term: AST) -> Symbol | None:
    """The value of a term; None if it has a variable, no value, or several."""
    if find(ASTType.Variable, [term]) or find(ASTType.Interval, [term]):
        return None
    try:
        return ground_term(str(term), "term")
    except UsageError:
        return None


def atoms_in(
    constraint: Constraint, witness: Symbol, constant: Constant
) -> list[tuple[Pattern, bool]]:
    """The atoms of an instance of a constraint, as far as its witness tells them.

    Each with whether it is true; those behind `not`, which are missing, come first.
    """
    if constraint.rule.bound:
        return []  # what counts is how many elements are chosen
    _, time, values = witness.arguments
    known = dict(zip(constraint.variables, values.arguments, strict=True))
    put = Values(known, constraint.parameter, time, constant)
    found = [
        (Pattern(signature(atom), terms), literal.sign == Sign.NoSign)
        for literal in constraint.statement.body
        if literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.SymbolicAtom
        for atom in atoms(literal)
        if None not in (terms := tuple(_value(put(term)) for term in arguments(atom)))
    ]
    return sorted(found, key=lambda pair: pair[1])


class Values(Walker):
    """Puts values for variables, for the parameter of the part, and for constants."""

    def __init__(
        self,
        values: dict[str, Symbol],
        parameter: str,
        time: Symbol,
        constant: Constant,
    ) -> None:
        self.values, self.parameter, self.time, self.constant = values, parameter, time, constant

    def visit_Variable(self, node: AST) -> AST:
        """The value of a variable, if it is known."""
        value = self.values.get(node.name)
        return node if value is None else SymbolicTerm(node.location, value)

    def visit_SymbolicTerm(self, node: AST) -> AST:
        """The value of a constant."""
        name = str(node.symbol)
        if self.parameter and name == self.parameter:
            return SymbolicTerm(node.location, self.time)
        value = self.constant(name) if name.isidentifier() else None
        return node if value is None else SymbolicTerm(node.location, value)
