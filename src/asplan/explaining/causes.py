"""Which rules come nearest to deriving some atoms, which of their literals is in the way, and what
stands behind that, from rule to rule.

Each body of a rule whose head may be the atom gets witnesses: for all its literals but one, and for
its beginnings. The nearest rule is one that lacks a single literal, or else the one that can be
followed furthest. An atom may be known in part: what stops a rule is an atom with variables of
which some have values by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from clingo import Symbol

from asplan.engines.asp.answer import Answer
from asplan.explaining.bodies import Body, Pattern, Values, bodies_of, in_safe_order, is_matchable
from asplan.explaining.explanation import Nearest, Violation
from asplan.explaining.question import Pin, Question
from asplan.explaining.relaxing import NEAR, witness
from asplan.program.syntax import (
    AST,
    ASTType,
    Comparison,
    ComparisonOperator,
    Guard,
    Sign,
    SymbolicTerm,
    arguments,
    atoms,
    find,
    global_variables,
    signature,
)
from asplan.program.syntax import Literal as LiteralNode
from asplan.program.unit import OCCURS

_DEPTH = 3
"""How many rules are followed, one behind the other."""


@dataclass(frozen=True)
class _Found:
    """The nearest rule, and the atom behind the literal that stops it, if that is one."""

    nearest: Nearest
    missing: Pattern | None = None


def find_causes(
    question: Question, wanted: Iterable[Pattern], pins: Sequence[Pin], goal: int | None = None
) -> dict[Pattern, Nearest]:
    """For each atom the rule that comes nearest to deriving it, and so on.

    The program is grounded once for each rule in a row, with witnesses for what may derive the
    atoms that are missing. `pins`, and the goal at a horizon, lead to the answer set in question.
    """
    levels: list[dict[Pattern, _Found]] = []
    known: set[Pattern] = set()
    for _ in range(_DEPTH):
        wanted = [pattern for pattern in dict.fromkeys(wanted) if pattern not in known]
        known |= {*wanted}
        levels.append(_nearest(question, wanted, pins, goal) if wanted else {})
        wanted = [f.missing for f in levels[-1].values() if f.missing is not None]
    found = {pattern: f for level in reversed(levels) for pattern, f in level.items()}

    def linked(pattern: Pattern, depth: int) -> Nearest:
        missing = found[pattern].missing
        because = linked(missing, depth - 1) if depth and missing in found else None
        if because and because.rule and because.rule.choice and because.literal is None:
            because = None  # it could have been chosen, and was not
        return replace(found[pattern].nearest, because=because)

    return {pattern: linked(pattern, _DEPTH - 1) for pattern in levels[0]}


def with_causes(
    question: Question, answer: Answer, pins: Sequence[Pin], goal: int | None = None
) -> tuple[Violation, ...]:
    """The constraints that an answer breaks, each with the rules behind its atoms."""
    violations = question.violations(answer.models[-1])
    behind = {one: _atoms_in(question, one) for one in violations}
    wanted = (pattern for several in behind.values() for pattern, _ in several)
    broken = [(one, True) for one in violations]
    causes = find_causes(question, wanted, [*pins, *broken], goal)
    return tuple(
        replace(violation, because=tuple(_notable(causes, behind[one])))
        for one, violation in violations.items()
    )


def _atoms_in(question: Question, instance: Symbol) -> list[tuple[Pattern, bool]]:
    """The atoms of an instance of a constraint, as far as its witness says what they are.

    Each with whether it is true; those behind `not`, which are missing, come first.
    """
    number, time, values = instance.arguments
    constraint = question.constraints[number.number]
    if constraint.rule.bound:
        return []  # what counts is how many elements are chosen
    known = dict(zip(constraint.variables, values.arguments, strict=True))
    put = Values(known, constraint.parameter, time, question.session.control.get_const)
    found = [
        (pattern, literal.sign == Sign.NoSign)
        for literal in constraint.body
        if literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.SymbolicAtom
        for pattern in map(put.pattern, atoms(literal))
        if None not in pattern.arguments
    ]
    return sorted(found, key=lambda pair: pair[1])


def _notable(
    causes: dict[Pattern, Nearest], behind: Iterable[tuple[Pattern, bool]]
) -> Iterator[Nearest]:
    """The causes of the atoms of a constraint, but of facts, and of what was chosen."""
    for atom, true in behind:
        nearest = causes.get(atom)
        if nearest is None or (true and nearest.rule is None):
            continue
        if nearest.rule is None or nearest.literal is not None or not nearest.rule.choice:
            yield nearest


def _nearest(
    question: Question, wanted: Sequence[Pattern], pins: Sequence[Pin], goal: int | None
) -> dict[Pattern, _Found]:
    """For each pattern the rule that comes nearest, from a program with witnesses for that."""
    keys = {pattern.key for pattern in wanted}
    bodies = [
        body
        for body in bodies_of(question.program)
        if any(signature(head) in keys for head in body.heads)
    ]
    sections = [
        replace(
            body.section,
            statements=tuple(
                found
                for n, pattern in enumerate(wanted)
                if pattern.key in map(signature, body.heads)
                for found in _witnesses(body, number, n, pattern)
            ),
        )
        for number, body in enumerate(bodies)
    ]
    program = question.program
    again = question.variant(replace(program, sections=(*program.sections, *sections)))
    again.ground(question.horizon)
    answer = again.ask(pins, goal=goal)
    if not answer.models:
        return {}
    best: dict[int, tuple[tuple[float, ...], Symbol]] = {}
    for symbol in answer.models[-1].symbols:
        if symbol.match(NEAR, 5):
            n, number, code = (a.number for a in symbol.arguments[:3])
            rank = (*_rank(bodies[number], code), -number)
            if n not in best or best[n][0] < rank:
                best[n] = rank, symbol
    return {
        pattern: _found(again, bodies, pattern, best[n][1])
        if n in best
        else _Found(Nearest(str(pattern)))
        for n, pattern in enumerate(wanted)
    }


def _found(question: Question, bodies: Sequence[Body], pattern: Pattern, near: Symbol) -> _Found:
    """What a witness says."""
    _, number, code, time, values = near.arguments
    body, stop = bodies[number.number], _stop(code.number)
    names = _bound(body, _true(body, code.number), pattern)
    known = dict(zip(names, values.arguments, strict=True))
    texts = tuple((name, str(value)) for name, value in known.items())
    put = Values(known, body.section.parameter, time, question.session.control.get_const)
    if stop < len(body.literals):
        missing = put.atom_behind(body.literals[stop], Sign.NoSign)
        return _Found(Nearest(str(pattern), body.rule, body.places[stop], texts), missing)
    # The atom is derived; what could have kept it from that is what stands behind `not`.
    against = (put.atom_behind(literal, Sign.Negation) for literal in body.literals)
    derived = Nearest(str(pattern), body.rule, None, texts)
    return _Found(derived, next(filter(None, against), None))


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


def _witnesses(body: Body, number: int, n: int, pattern: Pattern) -> Iterable[AST]:
    """The witnesses of a body, as far as its head can be what is wanted."""
    head = _head(body, pattern)
    whole, everywhere = len(body.literals), global_variables(body.literals)
    bound = _bound(body, (), pattern)
    for code in (*range(-whole, 0), *range(whole + 1)):
        names = _bound(body, _true(body, code), pattern)
        literals = in_safe_order(_true(body, code), bound, everywhere)
        if literals is not None:
            whole_body = [*_equal(head, pattern, names), *literals]
            numbers = (n, number, code)
            yield witness(body.statement, NEAR, numbers, body.section.parameter, names, whole_body)


def _equal(head: AST, pattern: Pattern, names: Sequence[str]) -> Iterable[AST]:
    """That the arguments of a head are those that are wanted, as far as they are bound."""
    for term, value in zip(arguments(head), pattern.arguments, strict=True):
        if value is not None and set(_names(term)) <= {*names}:
            guard = Guard(ComparisonOperator.Equal, term)
            wanted = SymbolicTerm(term.location, value)
            yield LiteralNode(term.location, Sign.NoSign, Comparison(wanted, [guard]))


def _bound(body: Body, literals: Sequence[AST], pattern: Pattern) -> list[str]:
    """The variables that the head binds, where it is to be like a pattern, and some literals."""
    terms = zip(arguments(_head(body, pattern)), pattern.arguments, strict=True)
    matched = (term for term, value in terms if value is not None and is_matchable(term))
    names = (name for term in matched for name in _names(term))
    return list(dict.fromkeys([*names, *global_variables(literals)]))


def _head(body: Body, pattern: Pattern) -> AST:
    return next(head for head in body.heads if signature(head) == pattern.key)


def _names(term: AST) -> list[str]:
    return [v.name for v in find(ASTType.Variable, [term]) if v.name != "_"]
