"""Which rule comes nearest to deriving an atom, and which of its literals is in the way.

Each body of a rule whose head may be the atom gets witnesses: for all its literals but one, and for
its beginnings. The nearest rule is one that lacks a single literal, or else the one that can be
followed furthest. An atom may be known in part: what stops a rule is an atom with variables of
which some have values by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from clingo import Function, Number, Symbol
from clingo.ast import (
    AST,
    ASTType,
    Comparison,
    ComparisonOperator,
    Guard,
    Sign,
    SymbolicAtom,
    SymbolicTerm,
    Variable,
)
from clingo.ast import Function as Term
from clingo.ast import Literal as LiteralNode
from clingo.ast import Rule as RuleNode

from asplan.asp.planning.answer import Shown
from asplan.errors import UsageError
from asplan.program.incremental import Program
from asplan.program.source import ground_term
from asplan.program.syntax import (
    Signature,
    Walker,
    arguments,
    atoms,
    find,
    global_variables,
    signature,
)
from asplan.program.unit import OCCURS
from asplan.why.bodies import Body, bodies_of
from asplan.why.explanation import Nearest
from asplan.why.relaxing import NEAR, Constraint
from asplan.why.safety import in_safe_order, tells_its_variables

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
    sign = "" if atom.positive else "-"
    return Pattern((sign, atom.name, len(atom.arguments)), tuple(atom.arguments))


@dataclass(frozen=True)
class Found:
    """The nearest rule, and the atom behind the literal that stops it, if that is one."""

    nearest: Nearest
    missing: Pattern | None = None


@dataclass(frozen=True)
class Trail:
    """The bodies that may derive what is wanted, and the program with their witnesses."""

    program: Program
    bodies: tuple[Body, ...]
    wanted: tuple[Pattern, ...]

    def nearest(self, shown: Shown, constant: Constant) -> dict[Pattern, Found]:
        """For each pattern the rule that an answer set comes nearest to applying."""
        best: dict[int, tuple[tuple[float, ...], Symbol]] = {}
        for symbol in shown.symbols:
            if symbol.match(NEAR, 5):
                wanted, number, code = (a.number for a in symbol.arguments[:3])
                rank = (*_rank(self.bodies[number], code), -number)
                if wanted not in best or best[wanted][0] < rank:
                    best[wanted] = rank, symbol
        return {
            pattern: self._found(pattern, best[n][1] if n in best else None, constant)
            for n, pattern in enumerate(self.wanted)
        }

    def _found(self, pattern: Pattern, near: Symbol | None, constant: Constant) -> Found:
        if near is None:
            return Found(Nearest(str(pattern)))
        _, number, code, time, values = near.arguments
        body, stop = self.bodies[number.number], _stop(code.number)
        names = _bound(body, _true(body, code.number), pattern)
        known = dict(zip(names, values.arguments, strict=True))
        texts = tuple((name, str(value)) for name, value in known.items())
        put = _Putting(known, body.section.parameter, time, constant)
        if stop < len(body.literals):
            missing = _missing(body.literals[stop], put, Sign.NoSign)
            return Found(Nearest(str(pattern), body.rule, body.places[stop], texts), missing)
        # The atom is derived; what could have kept it from that is what stands behind `not`.
        against = (_missing(literal, put, Sign.Negation) for literal in body.literals)
        return Found(
            Nearest(str(pattern), body.rule, None, texts), next(filter(None, against), None)
        )


def follow(program: Program, wanted: Iterable[Pattern]) -> Trail:
    """A program with witnesses for what may derive some atoms."""
    wanted = tuple(dict.fromkeys(wanted))
    keys = {pattern.key for pattern in wanted}
    bodies = tuple(
        body for body in bodies_of(program) if any(signature(head) in keys for head in body.heads)
    )
    sections = [
        replace(
            body.section,
            statements=tuple(
                witness
                for n, pattern in enumerate(wanted)
                if (head := _head(body, pattern.key)) is not None
                for witness in _witnesses(body, number, head, n, pattern)
            ),
        )
        for number, body in enumerate(bodies)
    ]
    return Trail(replace(program, sections=(*program.sections, *sections)), bodies, wanted)


def _head(body: Body, key: Signature) -> AST | None:
    return next((head for head in body.heads if signature(head) == key), None)


# A witness has a code: from 0 how many literals are true, or below 0 which one is left out.


def _stop(code: int) -> int:
    """The literal that is not true."""
    return code if code >= 0 else -code - 1


def _true(body: Body, code: int) -> tuple[AST, ...]:
    """The literals that are."""
    end = _stop(code)
    return body.literals[:end] if code >= 0 else (*body.literals[:end], *body.literals[end + 1 :])


def _rank(body: Body, code: int) -> tuple[float, ...]:
    """How near a witness is: all literals, all but one, or so many of them.

    Of rules that lack one literal those are nearer that do not lack the action.
    """
    whole = len(body.literals)
    if code == whole:
        return 2, 0
    lacking = body.literals[_stop(code)]
    acts = any(signature(atom) == OCCURS for atom in atoms(lacking))
    return (1, not acts) if code < 0 or code == whole - 1 else (0, code / whole)


def _witnesses(body: Body, number: int, head: AST, n: int, pattern: Pattern) -> Iterable[AST]:
    """The witnesses of a body, as far as its head can be what is wanted."""
    place, parameter = body.statement.location, body.section.parameter
    time, whole = Function(parameter) if parameter else Number(0), len(body.literals)
    for code in (*range(-whole, 0), *range(whole + 1)):
        names = _bound(body, _true(body, code), pattern)
        equal = list(_equal(head, pattern, names))
        told, everywhere = _bound(body, (), pattern), global_variables(body.literals)
        literals = in_safe_order(_true(body, code), told, everywhere)
        if literals is None:
            continue
        values = Term(place, "", [Variable(place, name) for name in names], False)
        numbers = [SymbolicTerm(place, Number(value)) for value in (n, number, code)]
        terms = [*numbers, SymbolicTerm(place, time), values]
        literal = LiteralNode(place, Sign.NoSign, SymbolicAtom(Term(place, NEAR, terms, False)))
        yield RuleNode(place, literal, [*equal, *literals])


def _equal(head: AST, pattern: Pattern, names: Sequence[str]) -> Iterable[AST]:
    """That the arguments of a head are those that are wanted, as far as they are bound."""
    for term, value in zip(arguments(head), pattern.arguments, strict=True):
        if value is not None and set(_names(term)) <= {*names}:
            guard = Guard(ComparisonOperator.Equal, term)
            wanted = SymbolicTerm(term.location, value)
            yield LiteralNode(term.location, Sign.NoSign, Comparison(wanted, [guard]))


def _bound(body: Body, literals: Sequence[AST], pattern: Pattern) -> list[str]:
    """The variables that the head binds, where it is to be like a pattern, and some literals."""
    head = _head(body, pattern.key)
    terms = [] if head is None else zip(arguments(head), pattern.arguments, strict=True)
    told = [
        n
        for term, value in terms
        if value is not None and tells_its_variables(term)
        for n in _names(term)
    ]
    return list(dict.fromkeys([*told, *global_variables(literals)]))


def _names(term: AST) -> list[str]:
    return [v.name for v in find(ASTType.Variable, [term]) if v.name != "_"]


def _missing(literal: AST, put: _Putting, sign: Sign) -> Pattern | None:
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
    put = _Putting(known, constraint.parameter, time, constant)
    found = [
        (Pattern(signature(atom), terms), literal.sign == Sign.NoSign)
        for literal in constraint.statement.body
        if literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.SymbolicAtom
        for atom in atoms(literal)
        if None not in (terms := tuple(_value(put(term)) for term in arguments(atom)))
    ]
    return sorted(found, key=lambda pair: pair[1])


class _Putting(Walker):
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
