"""Patterns, which are atoms with unknown arguments, and substitutions of values in terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from asplan.clingo import Symbol
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.explaining import explanation
from asplan.program import syntax
from asplan.program.reading.source import ground_term
from asplan.program.syntax import AST, ASTType, Sign, Signature, SymbolicTerm, Walker


@dataclass(frozen=True)
class Pattern:
    """An atom some of whose arguments may be unknown; these are None."""

    key: Signature
    arguments: tuple[Symbol | None, ...]

    def __str__(self) -> str:
        sign, name, _ = self.key
        inside = ",".join("_" if a is None else str(a) for a in self.arguments)
        return f"{sign}{name}({inside})" if inside else f"{sign}{name}"

    def matches(self, atom: Symbol) -> bool:
        """Return whether an atom has the pattern's predicate and known arguments."""
        if syntax.predicate(atom) != self.key:
            return False
        pairs = zip(self.arguments, atom.arguments, strict=True)
        return all(argument in (None, term) for argument, term in pairs)


def pattern_of(atom: Symbol) -> Pattern:
    """Return the pattern of a ground atom: all its arguments are known."""
    return Pattern(syntax.predicate(atom), tuple(atom.arguments))


@dataclass
class Values(Walker):
    """A substitution: the values of variables, of a program part's parameter, and of constants.

    Attributes
    ----------
    values
        The values of variables by name.
    parameter, time
        The name of the part's parameter, for example t, and its value.
    constant
        Returns the value of a constant; None for other names.
    """

    values: Mapping[str, Symbol]
    parameter: str
    time: Symbol
    constant: Callable[[str], Symbol | None]

    @property
    def texts(self) -> explanation.Values:
        """The names of the variables with their values as text."""
        return tuple((name, str(value)) for name, value in self.values.items())

    def visit_Variable(self, node: AST) -> AST:
        """Return the value of a variable as a term, or the variable itself if it has no value."""
        value = self.values.get(node.name)
        return node if value is None else SymbolicTerm(node.location, value)

    def visit_SymbolicTerm(self, node: AST) -> AST:
        """Return the value of the part's parameter, or of a constant defined by `#const` or `-c`.

        Return other terms unchanged.
        """
        name = str(node.symbol)
        if self.parameter and name == self.parameter:
            return SymbolicTerm(node.location, self.time)
        value = self.constant(name) if name.isidentifier() else None
        return node if value is None else SymbolicTerm(node.location, value)

    def pattern(self, atom: AST) -> Pattern:
        """Return the pattern of an atom after the substitution.

        Arguments that have no single value are unknown.
        """
        return Pattern(syntax.signature(atom), tuple(map(self.value, syntax.arguments(atom))))

    def value(self, term: AST) -> Symbol | None:
        """Return the value of a term after the substitution; None if it has no single value."""
        term = self.visit(term)
        if syntax.find((ASTType.Variable, ASTType.Interval), [term]):
            return None
        try:
            return ground_term(str(term), "term")
        except UsageError:
            return None

    def atom_behind(
        self,
        literal: AST,
        sign: Sign,
    ) -> Pattern | None:
        """Return the pattern of a literal's atom after the substitution.

        Return None if the literal has another sign than `sign`, or is no atom.
        """
        if not syntax.is_literal(literal, sign=sign):
            return None
        return self.pattern(syntax.atoms(literal)[0])
