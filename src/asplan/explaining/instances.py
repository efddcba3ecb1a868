"""Rules taken apart, and their instances in the answer set of a question.

Of a choice each element has a body of its own: that of the rule, and its condition. Literals are
put in an order in which each beginning is safe, so that it can be asked how far a body can be true.
The atoms of the answer are facts of a small program with a witness for each body, or part of one,
that is asked for: clingo does the joins, and nothing is left to be decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from clingo import Control, Function, Symbol

from asplan.core.errors import Location, UsageError
from asplan.engines.asp.answer import Answer
from asplan.explaining import explanation
from asplan.explaining.explanation import Literal, Rule
from asplan.explaining.question import MINUS, Question, is_constraint, rule_of, witness
from asplan.program import syntax
from asplan.program.ground import ground
from asplan.program.incremental import Program, base, check, control_options, query, step
from asplan.program.source import ground_term, reporting
from asplan.program.syntax import (
    AST,
    ASTType,
    BinaryOperator,
    Sign,
    Signature,
    SymbolicTerm,
    Walker,
    arguments,
)
from asplan.program.terms import Op
from asplan.program.unit import Section, messages_of
from asplan.program.wording import Wording

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

    def is_like(self, atom: Symbol) -> bool:
        both = zip(self.arguments, atom.arguments, strict=False)
        return syntax.predicate(atom) == self.key and all(a in (None, b) for a, b in both)


def pattern_of(atom: Symbol) -> Pattern:
    """An atom that is known as a whole."""
    return Pattern(syntax.predicate(atom), tuple(atom.arguments))


@dataclass
class Values(Walker):
    """Puts values for variables, for the parameter of the part, and for constants."""

    values: Mapping[str, Symbol]
    parameter: str
    time: Symbol
    constant: Callable[[str], Symbol | None]

    @property
    def texts(self) -> explanation.Values:
        return tuple((name, str(value)) for name, value in self.values.items())

    def visit_Variable(self, node: AST) -> AST:
        value = self.values.get(node.name)
        return node if value is None else SymbolicTerm(node.location, value)

    def visit_SymbolicTerm(self, node: AST) -> AST:
        name = str(node.symbol)
        if self.parameter and name == self.parameter:
            return SymbolicTerm(node.location, self.time)
        value = self.constant(name) if name.isidentifier() else None
        return node if value is None else SymbolicTerm(node.location, value)

    def pattern(self, atom: AST) -> Pattern:
        return Pattern(syntax.signature(atom), tuple(map(self.value, arguments(atom))))

    def value(self, term: AST) -> Symbol | None:
        term = self(term)
        if syntax.find((ASTType.Variable, ASTType.Interval), [term]):
            return None
        try:
            return ground_term(str(term), "term")
        except UsageError:
            return None

    def atom_behind(self, literal: AST, sign: Sign) -> Pattern | None:
        """The atom of a literal of a sign, with what is known of it."""
        is_one = syntax.is_literal(literal, sign=sign)
        return self.pattern(syntax.atoms(literal)[0]) if is_one else None


@dataclass(frozen=True, eq=False)
class Search:
    """Some literals for which bodies have instances, `names` that are wanted, and `more` terms."""

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
        return bodies_of(self.question.program)

    def instances(
        self, searches: Iterable[Search], given: Iterable[Symbol] = ()
    ) -> Iterator[Instance]:
        """What is true in the answer and some given atoms, of searches grounded together."""
        searches, program = list(searches), self.question.program
        fixed = tuple(s for s in program.statements if s.ast_type == ASTType.Definition)
        sections = [Section("base", "", fixed)]
        for n, one in enumerate(searches):
            terms = [tuple_of(one.body, one.more)]
            witness = one.body.witness(_FOUND, [n], one.names, one.literals, terms)
            sections.append(one.body.section.of([witness]))
        looking = replace(program, sections=tuple(sections), facts=(), optimizes=False)
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
        return self.question.session.control.get_const(name)


def tuple_of(body: Body, terms: Iterable[AST]) -> AST:
    return syntax.named_term(body.statement, "", terms)


def answered(question: Question, answer: Answer, goal: int | None = None) -> Answered:
    return Answered(question, answer.models[-1].symbols, goal)


def _as_written(atom: Symbol) -> Symbol:
    if not atom.name.startswith(MINUS):
        return atom
    return Function(atom.name.removeprefix(MINUS), atom.arguments, positive=False)


@dataclass(frozen=True, eq=False)
class Body:
    """One body of a rule, in a safe order; its `heads` are atoms that it derives or allows."""

    rule: Rule
    section: Section
    statement: AST
    heads: tuple[AST, ...]
    literals: tuple[AST, ...]
    places: tuple[Literal, ...]

    def has(self, at: Location) -> bool:
        """Whether a place is in its statement."""
        begin, end = self.statement.location.begin, self.statement.location.end
        within = (begin.line, begin.column) <= (at.line, at.column) <= (end.line, end.column)
        return bool(begin.filename == at.file and within)

    def is_written(self, index: int) -> bool:
        """Whether a literal stands in its statement, and was not put in by a conversion."""
        return self.has(self.places[index].at)

    def witness(self, name: str, numbers: Iterable[int], *rest: Iterable[Any]) -> AST:
        """A rule that notes when some literals are true; the `rest` is as for `witness`."""
        return witness(self.statement, name, numbers, self.section.parameter, *rest)


def bodies_of(program: Program) -> tuple[Body, ...]:
    """The bodies of all rules that have one, in order."""
    wording, found = Wording(), list[Body]()
    for section in (section for section in program.sections if section.part != "plan"):
        for rule in (s for s in section.statements if s.ast_type == ASTType.Rule):
            for heads, body in _parts(rule):
                ordered = tuple(in_safe_order(body, (), syntax.global_variables(body)) or body)
                places = tuple(_placed(literal, rule, wording) for literal in ordered)
                said = rule_of(rule, section, wording)
                found.append(Body(said, section, rule, heads, ordered, places))
    return tuple(found)


def _parts(statement: AST) -> Iterator[tuple[tuple[AST, ...], list[AST]]]:
    """Each head of a rule, with what it takes to derive it."""
    head, body = statement.head, list(statement.body)
    if is_constraint(statement):
        yield (), body
    elif syntax.is_literal(head):
        yield (head.atom,), body
    elif head.ast_type in (ASTType.Aggregate, ASTType.HeadAggregate, ASTType.Disjunction):
        for element in head.elements:
            literal = element.condition if head.ast_type == ASTType.HeadAggregate else element
            yield (literal.literal.atom,), [*body, *literal.condition]


def _placed(literal: AST, statement: AST, wording: Wording) -> Literal:
    file, begin = statement.location.begin.filename, literal.location.begin
    return Literal(Location(file, begin.line, begin.column), wording(literal, file))


def in_safe_order(
    literals: Iterable[AST], bound: Iterable[str], everywhere: Iterable[str]
) -> list[AST] | None:
    """Some literals of a body, each as early as what it needs is bound, positive atoms first.

    The `bound` variables have values already; None if some literal cannot be bound.
    """
    shared = set(everywhere)
    left = sorted(literals, key=lambda literal: not syntax.is_literal(literal))
    known, found = set(bound), list[AST]()
    while left:
        literal = next((one for one in left if _needs(one, known, shared) <= known), None)
        if literal is None:
            return None
        left.remove(literal)
        known |= set(syntax.global_variables([literal]))
        found.append(literal)
    return found


def _needs(literal: AST, bound: set[str], shared: set[str]) -> set[str]:
    """The variables that must be bound before a literal can be looked at."""
    if syntax.is_literal(literal):
        return _unmatched(literal)
    names = {v.name for v in syntax.find(ASTType.Variable, [literal]) if v.name != "_"} & shared
    if literal.ast_type != ASTType.Literal or literal.sign != Sign.NoSign:
        return names
    atom = literal.atom
    if atom.ast_type in (ASTType.Aggregate, ASTType.BodyAggregate):
        guard = atom.left_guard
        if guard is not None and guard.comparison == Op.Equal:
            return names - set(syntax.variable_names(guard))
    if atom.ast_type == ASTType.Comparison and len(atom.guards) == 1:
        guard = atom.guards[0]
        sides = (atom.term, guard.term), (guard.term, atom.term)
        for side, other in sides if guard.comparison == Op.Equal else ():
            known = set(syntax.variable_names(other))
            if known <= bound and is_matchable(side):
                return known
    return names


def _unmatched(atom: AST) -> set[str]:
    """The variables of an atom that clingo cannot match with its arguments, as in `p(X+Y)`."""
    hidden = [o for o in syntax.find(ASTType.BinaryOperation, [atom]) if not _is_linear(o)]
    hidden += syntax.find(ASTType.Interval, [atom])
    inside = Counter(v.name for v in syntax.find(ASTType.Variable, hidden))
    everywhere = Counter(v.name for v in syntax.find(ASTType.Variable, [atom]))
    return {name for name, number in inside.items() if everywhere[name] <= number}


def is_matchable(term: AST) -> bool:
    """Whether clingo finds the variables of a term from its value."""
    several = (ASTType.Interval, ASTType.Pool, ASTType.UnaryOperation)
    operations = syntax.find(ASTType.BinaryOperation, [term])
    return not syntax.find(several, [term]) and all(map(_is_linear, operations))


def _is_linear(operation: AST) -> bool:
    linear = operation.operator_type in (BinaryOperator.Plus, BinaryOperator.Minus)
    return linear and len(syntax.variable_names(operation)) <= 1
