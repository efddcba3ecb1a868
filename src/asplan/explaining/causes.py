"""Which rules come nearest to deriving some atoms, which of their literals is in the way, and what
stands behind that, from rule to rule.

Each body of a rule whose head may be the atom gets witnesses: for all its literals but one, and for
its beginnings. The nearest rule is one that lacks a single literal, or else the one that can be
followed furthest. An atom may be known in part: what stops a rule is an atom with variables of
which some have values by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from clingo import Symbol

from asplan.engines.asp.answer import Answer
from asplan.explaining.bodies import Body, Pattern, Values, bodies_of, in_safe_order, is_matchable
from asplan.explaining.explanation import Nearest, Violation
from asplan.explaining.question import NEAR, Pin, Question
from asplan.program.syntax import (
    AST,
    ASTType,
    Comparison,
    ComparisonOperator,
    Guard,
    Sign,
    Signature,
    SymbolicTerm,
    arguments,
    atoms,
    find,
    global_variables,
    signature,
)
from asplan.program.syntax import Literal as LiteralNode
from asplan.program.unit import Section

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


@dataclass(frozen=True)
class _Attempt:
    """A part of a body that is true of a witness; literal number `stop` is not."""

    pattern: Pattern
    body: Body
    stop: int
    names: tuple[str, ...]
    literals: tuple[AST, ...]

    def rank(self, actions: frozenset[Signature]) -> tuple[float, ...]:
        """How near it comes: all literals, all but one, or so many of them.

        Of rules that lack one literal those are nearer that do not lack the action.
        """
        whole, true = len(self.body.literals), len(self.literals)
        if true == whole:
            return 2, 0
        if true < whole - 1:
            return 0, true / whole
        return 1, actions.isdisjoint(map(signature, atoms(self.body.literals[self.stop])))

    def found(self, near: Symbol, constant: Callable[[str], Symbol | None]) -> _Found:
        """What a witness of it says."""
        _, time, values = near.arguments
        known = dict(zip(self.names, values.arguments, strict=True))
        texts = tuple((name, str(value)) for name, value in known.items())
        put = Values(known, self.body.section.parameter, time, constant)
        derived = Nearest(str(self.pattern), self.body.rule, None, texts)
        if self.stop < len(self.body.literals):
            missing = put.atom_behind(self.body.literals[self.stop], Sign.NoSign)
            return _Found(replace(derived, literal=self.body.places[self.stop]), missing)
        # The atom is derived; what could have kept it from that is what stands behind `not`.
        against = (put.atom_behind(literal, Sign.Negation) for literal in self.body.literals)
        return _Found(derived, next(filter(None, against), None))


def _nearest(
    question: Question, wanted: Sequence[Pattern], pins: Sequence[Pin], goal: int | None
) -> dict[Pattern, _Found]:
    """For each pattern the rule that comes nearest, from a program with witnesses for that."""
    attempts: list[_Attempt] = []
    sections: list[Section] = []
    for body in bodies_of(question.program):
        witnesses: list[AST] = []
        for pattern in wanted:
            head = next((head for head in body.heads if signature(head) == pattern.key), None)
            for attempt, literals in _attempts(body, head, pattern) if head is not None else ():
                witnesses.append(body.witness(NEAR, [len(attempts)], attempt.names, literals))
                attempts.append(attempt)
        sections.append(replace(body.section, statements=tuple(witnesses)))
    program = question.program
    again = question.variant(replace(program, sections=(*program.sections, *sections)))
    again.ground(question.horizon)
    answer = again.ask(pins, goal=goal)
    if not answer.models:
        return {}
    best: dict[Pattern, tuple[tuple[float, ...], _Attempt, Symbol]] = {}
    for symbol in (s for s in answer.models[-1].symbols if s.match(NEAR, 3)):
        number = symbol.arguments[0].number
        attempt = attempts[number]
        rank = (*attempt.rank(program.actions), -number)
        if attempt.pattern not in best or best[attempt.pattern][0] < rank:
            best[attempt.pattern] = rank, attempt, symbol
    constant = again.session.control.get_const
    return {
        pattern: best[pattern][1].found(best[pattern][2], constant)
        if pattern in best
        else _Found(Nearest(str(pattern)))
        for pattern in wanted
    }


def _attempts(body: Body, head: AST, pattern: Pattern) -> Iterator[tuple[_Attempt, list[AST]]]:
    """Parts of a body that may be true, each with what the witness for that asks for.

    The variables of the head are bound where it is to be like a pattern.
    """
    whole, everywhere = len(body.literals), global_variables(body.literals)
    pairs = list(zip(arguments(head), pattern.arguments, strict=True))
    matched = [term for term, value in pairs if value is not None and is_matchable(term)]
    bound = [name for term in matched for name in _names(term)]
    parts = [
        *((i, body.literals[:i] + body.literals[i + 1 :]) for i in reversed(range(whole))),
        *((i, body.literals[:i]) for i in (*range(whole - 1), whole)),
    ]
    for stop, true in parts:
        literals = in_safe_order(true, bound, everywhere)
        if literals is None:
            continue
        names = tuple(dict.fromkeys([*bound, *global_variables(true)]))
        equal = [
            LiteralNode(
                term.location,
                Sign.NoSign,
                Comparison(
                    SymbolicTerm(term.location, value), [Guard(ComparisonOperator.Equal, term)]
                ),
            )
            for term, value in pairs
            if value is not None and {*_names(term)} <= {*names}
        ]
        yield _Attempt(pattern, body, stop, names, true), [*equal, *literals]


def _names(term: AST) -> list[str]:
    return [v.name for v in find(ASTType.Variable, [term]) if v.name != "_"]
