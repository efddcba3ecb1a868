"""Which rules come nearest to deriving some atoms, which of their literals is in the way, and what
stands behind that, from rule to rule.

The atoms of an answer set are facts of a small program, in which each body of a rule whose head may
be the atom gets witnesses: for all its literals but one, and for its beginnings. So clingo does the
joins, and nothing is left to be decided. The nearest rule is one that lacks a single literal, or
else the one that can be followed furthest. An atom may be known in part: what stops a rule is an
atom with variables of which some have values by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from clingo import Control, Function, Symbol

from asplan.engines.asp.answer import Answer
from asplan.explaining.bodies import Body, Pattern, Values, bodies_of, in_safe_order, is_matchable
from asplan.explaining.explanation import Nearest, Violation
from asplan.explaining.question import MINUS, Question
from asplan.program.incremental import base, check, control_options, query, step
from asplan.program.scripts import ground
from asplan.program.source import reporting
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
from asplan.program.unit import Section, messages_of

_NEAR = "explain__near"

_DEPTH = 3
"""How many rules are followed, one behind the other."""


@dataclass(frozen=True)
class Answered:
    """An answer set of a question: its atoms, and the horizon at which the goal was demanded."""

    question: Question
    symbols: tuple[Symbol, ...]
    goal: int | None = None

    @cached_property
    def atoms(self) -> frozenset[Symbol]:
        """The atoms that the program speaks of, as it writes them."""
        demanded = [] if self.goal is None else [query(self.goal)]
        return frozenset([*map(_as_written, self.symbols), *demanded])

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies of all rules."""
        return bodies_of(self.question.program)

    def witnesses(self, sections: Iterable[Section], name: str, arity: int) -> list[Symbol]:
        """The atoms of a predicate that rules of some sections derive from those of the answer."""
        program = self.question.program
        known = [s for each in program.sections for s in each.statements]
        fixed = tuple(s for s in known if s.ast_type == ASTType.Definition)
        looking = replace(
            program, sections=(Section("base", "", fixed), *sections), facts=(), optimizes=False
        )
        messages = messages_of(looking.sections)
        with reporting(messages):
            control = Control(control_options(self.question.constants), logger=messages)
            looking.add_to(control)
            control.add("base", [], " ".join(f"{atom}." for atom in sorted(self.atoms)))
            steps = range(1, self.question.horizon + 1)
            parts = [base(), check(0), *(part(t) for t in steps for part in (step, check))]
            ground(control, parts, looking.functions())
            found = control.symbolic_atoms.by_signature(name, arity)
            return sorted(atom.symbol for atom in found)

    def constant(self, name: str) -> Symbol | None:
        """The value of a constant of the program."""
        return self.question.session.control.get_const(name)


def answered(question: Question, answer: Answer, goal: int | None = None) -> Answered:
    """The last model of an answer."""
    return Answered(question, answer.models[-1].symbols, goal)


def _as_written(atom: Symbol) -> Symbol:
    if not atom.name.startswith(MINUS):
        return atom
    return Function(atom.name.removeprefix(MINUS), atom.arguments, positive=False)


@dataclass(frozen=True)
class _Found:
    """The nearest rule, and the atom behind the literal that stops it, if that is one."""

    nearest: Nearest
    missing: Pattern | None = None


def find_causes(answer: Answered, wanted: Iterable[Pattern]) -> dict[Pattern, Nearest]:
    """For each atom the rule that comes nearest to deriving it, and so on."""
    return {key: several[0] for key, several in find_nearest(answer, wanted).items()}


def find_nearest(answer: Answered, wanted: Iterable[Pattern]) -> dict[Pattern, tuple[Nearest, ...]]:
    """For each atom the rules that may derive it, the nearest first, and what is behind each.

    Witnesses are grounded once for each rule in a row.
    """
    levels: list[dict[Pattern, list[_Found]]] = []
    known: set[Pattern] = set()
    for _ in range(_DEPTH):
        wanted = [pattern for pattern in dict.fromkeys(wanted) if pattern not in known]
        known |= {*wanted}
        levels.append(_nearest(answer, wanted) if wanted else {})
        every = [f for several in levels[-1].values() for f in several]
        wanted = [f.missing for f in every if f.missing is not None]
    found = {pattern: f for level in reversed(levels) for pattern, f in level.items()}

    def linked(one: _Found, depth: int) -> Nearest:
        behind = found.get(one.missing) if depth and one.missing is not None else None
        because = linked(behind[0], depth - 1) if behind else None
        if because and because.rule and because.rule.choice and because.literal is None:
            because = None  # it could have been chosen, and was not
        return replace(one.nearest, because=because)

    return {
        pattern: tuple(linked(one, _DEPTH - 1) for one in several)
        for pattern, several in levels[0].items()
    }


def with_causes(answer: Answered) -> tuple[Violation, ...]:
    """The constraints that an answer breaks, each with the rules behind its atoms."""
    violations = answer.question.violations(answer.symbols)
    behind = {one: _atoms_in(answer.question, one) for one in violations}
    wanted = (pattern for several in behind.values() for pattern, _ in several)
    causes = find_causes(answer, wanted)
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


def _nearest(answer: Answered, wanted: Sequence[Pattern]) -> dict[Pattern, list[_Found]]:
    """For each pattern what comes nearest of each body, the best first."""
    attempts: list[_Attempt] = []
    sections: list[Section] = []
    for body in answer.bodies:
        witnesses: list[AST] = []
        for pattern in wanted:
            head = next((head for head in body.heads if signature(head) == pattern.key), None)
            for attempt, literals in _attempts(body, head, pattern) if head is not None else ():
                witnesses.append(body.witness(_NEAR, [len(attempts)], attempt.names, literals))
                attempts.append(attempt)
        sections.append(replace(body.section, statements=tuple(witnesses)))
    actions = answer.question.program.actions
    best: dict[Pattern, dict[Body, tuple[tuple[float, ...], _Attempt, Symbol]]] = {}
    for symbol in answer.witnesses(sections, _NEAR, 3):
        number = symbol.arguments[0].number
        attempt = attempts[number]
        rank = (*attempt.rank(actions), -number)
        of_body = best.setdefault(attempt.pattern, {})
        if attempt.body not in of_body or of_body[attempt.body][0] < rank:
            of_body[attempt.body] = rank, attempt, symbol
    nothing = {pattern: [_Found(Nearest(str(pattern)))] for pattern in wanted}
    return nothing | {
        pattern: [
            attempt.found(symbol, answer.constant)
            for _, attempt, symbol in sorted(of_body.values(), key=lambda one: one[0], reverse=True)
        ]
        for pattern, of_body in best.items()
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
