"""Breaks an encoding in the ways in which people break theirs: one small slip in one rule.

A mutant is the text of the file with one statement written anew; all other lines stay where they
are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from clingo.ast import (
    AST,
    ASTType,
    BinaryOperation,
    BinaryOperator,
    ComparisonOperator,
    Sign,
    SymbolicTerm,
)
from clingo.symbol import Number

from asplan.program.reading.unit import Section, read_unit
from asplan.program.syntax import Walker, find, heads, is_before, is_now, signature

_OTHER = {
    ComparisonOperator.Equal: ComparisonOperator.NotEqual,
    ComparisonOperator.NotEqual: ComparisonOperator.Equal,
    ComparisonOperator.LessThan: ComparisonOperator.GreaterThan,
    ComparisonOperator.GreaterThan: ComparisonOperator.LessThan,
    ComparisonOperator.LessEqual: ComparisonOperator.GreaterThan,
    ComparisonOperator.GreaterEqual: ComparisonOperator.LessThan,
}


@dataclass(frozen=True)
class Mutant:
    """A broken encoding.

    Attributes
    ----------
    lines
        The first and the last line of the broken statement.
    derives
        The predicates that the statement derived.
    """

    kind: str
    text: str
    lines: tuple[int, int]
    before: str
    after: str
    derives: frozenset[str]


def mutants(path: Path, seed: int) -> Iterator[Mutant]:
    """Endless mutants of an encoding, in a random order that the seed fixes."""
    chance = random.Random(seed)
    text = path.read_text()
    targets = [
        (section, statement)
        for section in read_unit(str(path)).sections
        for statement in section.statements
        if statement.ast_type == ASTType.Rule
        and statement.body
        and statement.location.begin.filename == str(path)
    ]
    while True:
        kind = chance.choice(list(KINDS))
        section, statement = chance.choice(targets)
        after = KINDS[kind](statement, section, chance)
        if after is None or after == str(statement):
            continue
        begin, end = statement.location.begin, statement.location.end
        yield Mutant(
            kind,
            _replaced(text, statement, after),
            (begin.line, end.line),
            str(statement),
            after,
            frozenset(signature(head)[1] for head in heads(statement)),
        )


def _replaced(text: str, statement: AST, after: str) -> str:
    """The text with one statement written anew, on as many lines as before."""
    begin, end = statement.location.begin, statement.location.end
    lines = text.split("\n")
    left, right = lines[begin.line - 1][: begin.column - 1], lines[end.line - 1][end.column - 1 :]
    blank = [""] * (end.line - begin.line)
    return "\n".join([*lines[: begin.line - 1], left + after + right, *blank, *lines[end.line :]])


def _drop(statement: AST, section: Section, chance: random.Random) -> str | None:
    """A literal of the body is missing."""
    body = list(statement.body)
    del body[chance.randrange(len(body))]
    return str(statement.update(body=body))


def _delete(statement: AST, section: Section, chance: random.Random) -> str | None:
    """The rule is missing."""
    return "%"


def _swap(statement: AST, section: Section, chance: random.Random) -> str | None:
    """Two arguments of an atom are swapped."""

    def swapped(term: AST) -> AST:
        terms = list(term.arguments)
        i, j = chance.sample(range(len(terms)), 2)
        terms[i], terms[j] = terms[j], terms[i]
        return term.update(arguments=terms)

    return _changed(statement, ASTType.Function, lambda t: len(t.arguments) > 1, swapped, chance)


def _flip(statement: AST, section: Section, chance: random.Random) -> str | None:
    """A comparison is turned round, or a `not` is missing or one too many."""

    def other(comparison: AST) -> AST:
        guard = comparison.guards[0]
        operator = _OTHER[ComparisonOperator(guard.comparison)]
        return comparison.update(guards=[guard.update(comparison=operator)])

    def negated(literal: AST) -> AST:
        return literal.update(sign=Sign.Negation if literal.sign == Sign.NoSign else Sign.NoSign)

    if find(ASTType.Comparison, statement.body) and chance.random() < 0.6:
        return _changed(statement, ASTType.Comparison, lambda c: True, other, chance)
    number = chance.randrange(len(statement.body))
    literal = statement.body[number]
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.SymbolicAtom:
        return None
    body = list(statement.body)
    body[number] = negated(literal)
    return str(statement.update(body=body))


def _shift(statement: AST, section: Section, chance: random.Random) -> str | None:
    """The time of an atom is off by one."""
    parameter = section.parameter
    if not parameter:
        return None

    def shifted(atom: AST) -> AST:
        times = [
            i
            for i, term in enumerate(atom.symbol.arguments)
            if is_now(term, parameter) or is_before(term, parameter)
        ]
        place = chance.choice(times)
        terms = list(atom.symbol.arguments)
        time = terms[place]
        if is_now(time, parameter):
            one = SymbolicTerm(time.location, Number(1))
            terms[place] = BinaryOperation(time.location, BinaryOperator.Minus, time, one)
        else:
            terms[place] = time.left
        return atom.update(symbol=atom.symbol.update(arguments=terms))

    def timed(atom: AST) -> bool:
        if atom.symbol.ast_type != ASTType.Function:
            return False
        return any(is_now(t, parameter) or is_before(t, parameter) for t in atom.symbol.arguments)

    return _changed(statement, ASTType.SymbolicAtom, timed, shifted, chance)


def _changed(
    statement: AST,
    kind: ASTType,
    fits: Callable[[AST], bool],
    change: Callable[[AST], AST],
    chance: random.Random,
) -> str | None:
    """The statement with one node of a kind changed; None if there is none."""
    number = sum(fits(node) for node in find(kind, [statement]))
    if not number:
        return None
    return str(_Changer(kind, fits, change, chance.randrange(number)).visit(statement))


class _Changer(Walker):
    """Changes one node, in the order in which nodes are visited."""

    def __init__(
        self, kind: ASTType, fits: Callable[[AST], bool], change: Callable[[AST], AST], left: int
    ) -> None:
        self.kind, self.fits, self.change, self.left = kind, fits, change, left

    def visit(self, ast: AST) -> AST:
        """Count down to the node that is to be changed."""
        if ast.ast_type == self.kind and self.fits(ast):
            self.left -= 1
            if self.left == -1:
                return self.change(ast)
        return ast.update(**self.visit_children(ast))


KINDS = {"drop": _drop, "swap": _swap, "flip": _flip, "delete": _delete, "time": _shift}
"""The ways to break a rule."""
