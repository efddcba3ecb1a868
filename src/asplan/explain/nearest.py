"""Which rule comes nearest to deriving an atom, and which of its literals is in the way.

What is wanted is given as facts `explain__wanted(Atom)`. Each body of a rule whose head may be such
an atom gets witnesses for its beginnings: the rule that can be followed furthest is the nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from clingo import Function, Number, Symbol
from clingo.ast import AST, ASTType, BinaryOperator, Sign, SymbolicAtom, SymbolicTerm, Variable
from clingo.ast import Function as Term
from clingo.ast import Literal as LiteralNode
from clingo.ast import Rule as RuleNode

from asplan.asp.planning.answer import Shown
from asplan.errors import UsageError
from asplan.explain.bodies import Body, bodies_of
from asplan.explain.explanation import Nearest
from asplan.explain.relaxing import NEAR, Constraint
from asplan.program.incremental import Program
from asplan.program.source import ground_term, parse_text
from asplan.program.syntax import (
    Walker,
    arguments,
    atoms,
    find,
    global_variables,
    signature,
)
from asplan.program.unit import Section

_WANTED = "explain__wanted"

_LINEAR = (BinaryOperator.Plus, BinaryOperator.Minus)


@dataclass(frozen=True)
class Trail:
    """The bodies that may derive what is wanted, and the program with their witnesses."""

    program: Program
    bodies: tuple[Body, ...]
    wanted: tuple[Symbol, ...]

    def nearest(self, shown: Shown) -> dict[Symbol, Nearest]:
        """For each atom the rule that an answer set comes nearest to applying."""
        best: dict[Symbol, tuple[tuple[float, int], Body, int, Symbol]] = {}
        for symbol in shown.symbols:
            if symbol.match(NEAR, 5):
                number, end, _, atom, values = symbol.arguments
                body = self.bodies[number.number]
                rank = end.number / len(body.literals) if body.literals else 1.0, -number.number
                if atom not in best or best[atom][0] < rank:
                    best[atom] = rank, body, end.number, values
        return {atom: self._found(atom, best.get(atom)) for atom in self.wanted}

    def _found(
        self, atom: Symbol, best: tuple[tuple[float, int], Body, int, Symbol] | None
    ) -> Nearest:
        if best is None:
            return Nearest(str(atom))
        _, body, end, values = best
        literal = body.places[end] if end < len(body.literals) else None
        names = _bound(body, end)
        bound = tuple(zip(names, map(str, values.arguments), strict=True))
        return Nearest(str(atom), body.rule, literal, bound)


def follow(program: Program, wanted: Iterable[Symbol]) -> Trail:
    """A program with witnesses for what may derive some atoms."""
    wanted = tuple(dict.fromkeys(wanted))
    keys = {("" if a.positive else "-", a.name, len(a.arguments)) for a in wanted}
    bodies = tuple(
        body
        for body in bodies_of(program)
        if any(signature(head) in keys for head in body.heads)
        and (body.literals or body.rule.bound or body.section.parameter)
    )
    facts = "".join(f"{_WANTED}({atom})." for atom in wanted)
    sections = [
        replace(body.section, statements=tuple(_witnesses(body, number, keys)))
        for number, body in enumerate(bodies)
    ]
    base = Section("base", "", parse_text(f"{facts} #defined {_WANTED}/1.")[1:])
    return Trail(replace(program, sections=(*program.sections, base, *sections)), bodies, wanted)


def _witnesses(body: Body, number: int, keys: set[tuple[str, str, int]]) -> Iterable[AST]:
    """One for each beginning of a body, the empty one included where the head binds enough."""
    place, parameter = body.statement.location, body.section.parameter
    time = Function(parameter) if parameter else Number(0)
    for head in body.heads:
        if signature(head) not in keys:
            continue
        wanted = SymbolicAtom(Term(place, _WANTED, [head.symbol], False))
        like = LiteralNode(place, Sign.NoSign, wanted)
        for end in range(0 if _binds(head) else len(body.literals), len(body.literals) + 1):
            values = [Variable(place, name) for name in _bound(body, end)]
            terms = [SymbolicTerm(place, value) for value in (Number(number), Number(end), time)]
            atom = Term(place, NEAR, [*terms, head.symbol, Term(place, "", values, False)], False)
            literal = LiteralNode(place, Sign.NoSign, SymbolicAtom(atom))
            yield RuleNode(place, literal, [like, *body.literals[:end]])


def _bound(body: Body, end: int) -> list[str]:
    """The variables of the first literals of a body, and of its head if that binds them."""
    names = [n for head in body.heads if _binds(head) for n in _names(head)]
    return list(dict.fromkeys([*names, *global_variables(body.literals[:end])]))


def _names(atom: AST) -> list[str]:
    return [v.name for v in find(ASTType.Variable, [atom]) if v.name != "_"]


def _binds(head: AST) -> bool:
    """Whether all variables of a head are bound by an atom like it."""
    if find(ASTType.Interval, [head]) or find(ASTType.Pool, [head]):
        return False
    if find(ASTType.UnaryOperation, [head]):
        return False
    return all(
        operation.operator_type in _LINEAR and len(_names(operation)) <= 1
        for operation in find(ASTType.BinaryOperation, [head])
    )


def atoms_in(
    constraint: Constraint, witness: Symbol, constant: Callable[[str], Symbol | None]
) -> list[tuple[Symbol, bool]]:
    """The atoms of an instance of a constraint that can be told from its witness.

    Each with whether it is true; those behind `not`, which are missing, come first.
    """
    if constraint.rule.bound:
        return []  # what counts is how many elements are chosen
    _, time, values = witness.arguments
    known = dict(zip(constraint.variables, values.arguments, strict=True))
    put = _Putting(known, constraint.parameter, time, constant)
    found: list[tuple[Symbol, bool]] = []
    for literal in constraint.statement.body:
        if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.SymbolicAtom:
            continue
        for atom in atoms(literal):
            terms = [put(term) for term in arguments(atom)]
            if any(find(kind, terms) for kind in (ASTType.Variable, ASTType.Interval)):
                continue
            sign, name, _ = signature(atom)
            inside = f"({','.join(map(str, terms))})" if terms else ""
            try:
                symbol = ground_term(f"{sign}{name}{inside}", "atom")
            except UsageError:
                continue  # an operation that has no value, or may have none
            found.append((symbol, literal.sign == Sign.NoSign))
    return sorted(found, key=lambda pair: pair[1])


class _Putting(Walker):
    """Puts values for variables, for the parameter of the part, and for constants."""

    def __init__(
        self,
        values: dict[str, Symbol],
        parameter: str,
        time: Symbol,
        constant: Callable[[str], Symbol | None],
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
