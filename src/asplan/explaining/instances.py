"""The answer set of a question, and the instances of rules in it.

The atoms of the answer are facts of a small program of witnesses: a rule for each body, or part of
one, that is asked for. So clingo does the joins, and nothing is left to be decided. Why an atom
holds, and which rule comes nearest to it, are both read off such instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from clingo import Control, Function, Symbol

from asplan.core.errors import UsageError
from asplan.engines.asp.answer import Answer
from asplan.explaining import explanation
from asplan.explaining.bodies import Body, bodies_of
from asplan.explaining.question import MINUS, Question
from asplan.program.incremental import base, check, control_options, query, step
from asplan.program.scripts import ground
from asplan.program.source import ground_term, reporting
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
    is_literal,
    predicate,
    signature,
)
from asplan.program.syntax import Function as Term
from asplan.program.unit import Section, messages_of

_FOUND = "explain__found"


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
    """An atom that is known as a whole."""
    return Pattern(predicate(atom), tuple(atom.arguments))


@dataclass
class Values(Walker):
    """Puts values for variables, for the parameter of the part, and for constants."""

    values: Mapping[str, Symbol]
    parameter: str
    time: Symbol
    constant: Callable[[str], Symbol | None]

    @property
    def texts(self) -> explanation.Values:
        """The variables and their values, as text."""
        return tuple((name, str(value)) for name, value in self.values.items())

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

    def pattern(self, atom: AST) -> Pattern:
        """What is known of an atom."""
        return Pattern(signature(atom), tuple(map(self.value, arguments(atom))))

    def value(self, term: AST) -> Symbol | None:
        """The value of a term; None if it has a variable, no value, or several."""
        term = self(term)
        if find(ASTType.Variable, [term]) or find(ASTType.Interval, [term]):
            return None
        try:
            return ground_term(str(term), "term")
        except UsageError:
            return None

    def atom_behind(self, literal: AST, sign: Sign) -> Pattern | None:
        """The atom of a literal of a sign, with what is known of it."""
        return self.pattern(atoms(literal)[0]) if is_literal(literal, sign=sign) else None


@dataclass(frozen=True, eq=False)
class Search:
    """Some literals for which instances of a body are looked for.

    `names` are the variables whose values are wanted, and `more` terms are read off besides.
    """

    body: Body
    names: tuple[str, ...]
    literals: Sequence[AST]
    more: tuple[AST, ...] = ()


@dataclass(frozen=True)
class Instance:
    """What was found for a search; `key` is the same for all that agree in the variables."""

    search: Search
    key: tuple[Symbol, Symbol]
    values: Values
    more: tuple[Symbol, ...]


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

    def instances(
        self, searches: Iterable[Search], given: Iterable[Symbol] = ()
    ) -> Iterator[Instance]:
        """What is true in the answer, together with some given atoms, of some searches, in order.

        They are grounded together, and only once.
        """
        searches, program = list(searches), self.question.program
        known = [s for each in program.sections for s in each.statements]
        fixed = tuple(s for s in known if s.ast_type == ASTType.Definition)
        witnesses = (
            replace(
                one.body.section,
                statements=(
                    one.body.witness(
                        _FOUND, [n], one.names, one.literals, [tuple_of(one.body, one.more)]
                    ),
                ),
            )
            for n, one in enumerate(searches)
        )
        sections = (Section("base", "", fixed), *witnesses)
        looking = replace(program, sections=sections, facts=(), optimizes=False)
        messages = messages_of(looking.sections)
        with reporting(messages):
            control = Control(control_options(self.question.constants), logger=messages)
            looking.add_to(control)
            facts = sorted({*self.atoms, *given})
            control.add("base", [], " ".join(f"{atom}." for atom in facts))
            steps = range(1, self.question.horizon + 1)
            parts = [base(), check(0), *(part(t) for t in steps for part in (step, check))]
            ground(control, parts, looking.functions())
            found = sorted(a.symbol for a in control.symbolic_atoms.by_signature(_FOUND, 4))
        for symbol in found:
            number, time, values, more = symbol.arguments
            one = searches[number.number]
            known_values = dict(zip(one.names, values.arguments, strict=True))
            put = Values(known_values, one.body.section.parameter, time, self.constant)
            yield Instance(one, (time, values), put, tuple(more.arguments))

    def constant(self, name: str) -> Symbol | None:
        """The value of a constant of the program."""
        return self.question.session.control.get_const(name)


def tuple_of(body: Body, terms: Iterable[AST]) -> AST:
    """Some terms as one."""
    return Term(body.statement.location, "", list(terms), False)


def answered(question: Question, answer: Answer, goal: int | None = None) -> Answered:
    """The last model of an answer."""
    return Answered(question, answer.models[-1].symbols, goal)


def _as_written(atom: Symbol) -> Symbol:
    if not atom.name.startswith(MINUS):
        return atom
    return Function(atom.name.removeprefix(MINUS), atom.arguments, positive=False)
