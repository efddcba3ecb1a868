"""Makes the contradiction of `p(X)` and `-p(X)` a constraint like any other.

clingo allows no answer set with both, and nothing can switch that off. So `-p(X)` becomes an atom
of a predicate of its own, and `:- p(X), -p(X).` is written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clingo.ast import AST, ASTType, Function

from asplan.program.incremental import Program
from asplan.program.syntax import Signature, Walker, heads, signature
from asplan.program.unit import Section

MINUS = "explain__minus_"
"""How the names begin of predicates that stand for negated ones."""


def spelled_out(program: Program) -> Program:
    """The program with all its facts among the statements, if some of them are negated."""
    negated = any(sign for facts in program.facts for sign, _, _ in facts.signatures)
    return program.spelled_out() if negated else program


def without_minus(section: Section) -> Section:
    """A section in which negated atoms are such of predicates of their own."""
    renamer = _Renamer()
    return replace(section, statements=tuple(renamer.visit(s) for s in section.statements))


def contradictions(program: Program) -> Iterator[tuple[AST, Signature, int | None]]:
    """The predicates that are derived with both signs.

    Each with the first rule for the negated one, and the argument that is the time, if one is.
    """
    first: dict[Signature, AST] = {}
    for section in program.sections:
        for statement in section.statements:
            for atom in heads(statement):
                first.setdefault(signature(atom), statement)
    for key, statement in first.items():
        other = "", key[1], key[2]
        facts = any(other in found.signatures for found in program.facts)
        if key[0] == "-" and (other in first or facts):
            places = program.time_places.get(key, set()) & program.time_places.get(other, set())
            yield statement, key, min(places, default=None)


class _Renamer(Walker):
    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename a negated atom, or those of a pool of atoms."""
        return atom.update(symbol=_renamed(atom.symbol, negated=False))


def _renamed(term: AST, negated: bool) -> AST:
    if term.ast_type == ASTType.UnaryOperation:
        return _renamed(term.argument, negated=not negated)
    if term.ast_type == ASTType.Pool:
        return term.update(arguments=[_renamed(one, negated) for one in term.arguments])
    if not negated:
        return term
    if term.ast_type == ASTType.Function:
        return term.update(name=MINUS + term.name)
    return Function(term.location, MINUS + str(term), [], False)  # an atom without arguments
