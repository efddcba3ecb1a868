"""Which rule comes nearest to deriving an atom, and which of its literals is in the way.

Each body of a rule whose head may be the atom gets witnesses: for all its literals but one, and for
its beginnings. The nearest rule is one that lacks a single literal, or else the one that can be
followed furthest. An atom may be known in part: what stops a rule is an atom with variables of
which some have values by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from clingo import Function, Number, Symbol

from asplan.engines.asp.answer import Shown
from asplan.explaining.bodies import Body, bodies_of, in_safe_order, tells_its_variables
from asplan.explaining.explanation import Nearest
from asplan.explaining.patterns import Constant, Pattern, Values, atom_behind
from asplan.explaining.relaxing import NEAR
from asplan.program.incremental import Program
from asplan.program.syntax import (
    AST,
    ASTType,
    Comparison,
    ComparisonOperator,
    Guard,
    Sign,
    Signature,
    SymbolicAtom,
    SymbolicTerm,
    Variable,
    arguments,
    atoms,
    find,
    global_variables,
    signature,
)
from asplan.program.syntax import Function as Term
from asplan.program.syntax import Literal as LiteralNode
from asplan.program.syntax import Rule as RuleNode
from asplan.program.unit import OCCURS


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
        put = Values(known, body.section.parameter, time, constant)
        if stop < len(body.literals):
            missing = atom_behind(body.literals[stop], put, Sign.NoSign)
            return Found(Nearest(str(pattern), body.rule, body.places[stop], texts), missing)
        # The atom is derived; what could have kept it from that is what stands behind `not`.
        against = (atom_behind(literal, put, Sign.Negation) for literal in body.literals)
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
