"""The instances of rules in an answer set.

clingo finds them by grounding. The atoms of the answer set become facts of a small program, and
each search becomes a rule: its body has the searched literals, and its head is a *witness* with the
values of an instance. The program has no choices, so nothing is to be solved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from asplan.clingo import Function, Symbol, control_options, open_control
from asplan.core.dataclass import dataclass
from asplan.engines.asp.answer import Answer
from asplan.explaining.bodies import Body, bodies_of
from asplan.explaining.patterns import Values
from asplan.explaining.question import Question
from asplan.explaining.relaxation import MINUS
from asplan.program import syntax
from asplan.program.ground import ground
from asplan.program.incremental import Program, base, check, query, step
from asplan.program.reading.source import reporting
from asplan.program.reading.unit import Section, messages_of
from asplan.program.syntax import AST, ASTType

_FOUND = "explain__found"


@dataclass(frozen=True, eq=False)
class InstanceSearch:
    """A search for the rule instances in which some literals of a rule's body are true.

    Each result has values for the variables `names`, and for the terms `more`.
    """

    body: Body
    names: tuple[str, ...]
    literals: Sequence[AST]
    more: tuple[AST, ...] = ()


@dataclass(frozen=True)
class Instance:
    """A result of a search: values of variables under which the searched literals are true.

    Attributes
    ----------
    key
        The time of the instance, and the tuple of the values. It identifies the instance among
        those of the same body.
    values
        The values of the variables, as a substitution.
    more
        The values of the terms `more` of the search.
    """

    search: InstanceSearch
    key: tuple[Symbol, Symbol]
    values: Values
    more: tuple[Symbol, ...]


@dataclass(frozen=True)
class Answered:
    """An answer set of a question.

    Attributes
    ----------
    symbols
        The atoms of the answer set.
    goal
        The horizon at which the goal was demanded; None if it was not.
    """

    question: Question
    symbols: tuple[Symbol, ...]
    goal: int | None = None

    @cached_property
    def atoms(self) -> frozenset[Symbol]:
        """The atoms of the answer set in the author's predicates.

        If the goal was demanded at horizon t, `query(t)` is among them.
        """
        demanded = [] if self.goal is None else [query(self.goal)]
        return frozenset([*map(_as_written, self.symbols), *demanded])

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies of all rules of the program."""
        return bodies_of(self.question.program)

    def instances(
        self,
        searches: Iterable[InstanceSearch],
        given: Iterable[Symbol] = (),
    ) -> Iterator[Instance]:
        """Run searches on the answer set, and yield the rule instances that they find.

        The atoms `given` count as true, too.
        """
        searches = list(searches)
        program = _search_program(self.question.program, searches)
        for symbol in self._ground(program, given):
            number, time, values, more = symbol.arguments
            search = searches[number.number]
            by_name = dict(zip(search.names, values.arguments, strict=True))
            parameter = search.body.source.parameter
            substitution = Values(by_name, parameter, time, self.constant)
            yield Instance(search, (time, values), substitution, tuple(more.arguments))

    def _ground(
        self,
        program: Program,
        given: Iterable[Symbol],
    ) -> list[Symbol]:
        """Ground a program of search rules, and return the head atoms that it derives.

        Each of these atoms has the values of one rule instance. The atoms of the answer set and the
        atoms `given` are the facts of the program.
        """
        messages = messages_of(program.sections)
        with reporting(messages):
            control = open_control(control_options(self.question.constants), messages)
            program.add_to(control)
            facts = sorted({*self.atoms, *given})
            control.add("base", [], " ".join(f"{atom}." for atom in facts))
            parts = [base(), check(0)]
            for t in range(1, self.question.horizon + 1):
                parts += [step(t), check(t)]
            ground(control, parts, program.functions())
            witnesses = control.symbolic_atoms.by_signature(_FOUND, 4)
            return sorted(atom.symbol for atom in witnesses)

    def constant(self, name: str) -> Symbol | None:
        """Return the value of a constant of the program; None for other names."""
        return self.question.solver.control.get_const(name)


def _search_program(
    program: Program,
    searches: Iterable[InstanceSearch],
) -> Program:
    """Return a program that has a rule for each search, and the constants of the given program."""
    definitions = program.of_kind(ASTType.Definition)
    sections = [Section("base", "", tuple(definitions))]
    for number, search in enumerate(searches):
        terms = [tuple_of(search.body, search.more)]
        witness = search.body.witness(_FOUND, [number], search.names, search.literals, terms)
        sections.append(search.body.source.section_of(witness))
    return replace(program.with_own_sections(sections), facts=(), optimizes=False)


def tuple_of(
    body: Body,
    terms: Iterable[AST],
) -> AST:
    """Return a tuple of terms as a syntax tree, with the location of a body's statement."""
    return syntax.named_term(body.statement, "", terms)


def answered(
    question: Question,
    answer: Answer,
    goal: int | None = None,
) -> Answered:
    """Return the last answer set that the solver found for a question.

    `goal` is the horizon at which the goal was demanded; None if it was not.
    """
    return Answered(question, answer.models[-1].symbols, goal)


def _as_written(atom: Symbol) -> Symbol:
    if not atom.name.startswith(MINUS):
        return atom
    return Function(atom.name.removeprefix(MINUS), atom.arguments, positive=False)
