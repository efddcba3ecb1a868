"""Which rules feed back into themselves, if they are grounded together.

clingo sorts rules by the predicates they read and derive, whatever their arguments. Rules on a
cycle are instantiated again and again until nothing new comes out, and in a multi-shot program
that goes over the atoms of all earlier steps.

>>> p, q, r = ("", "p", 1), ("", "q", 1), ("", "r", 1)
>>> feeding_back([Link({p}, {q}), Link({q}, {p}), Link({r}, {p})])
[True, True, False]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

from clingo import Function as Constant
from clingo import Number

from asplan.program.incremental import Program
from asplan.program.syntax import (
    AST,
    ASTType,
    Comparison,
    ComparisonOperator,
    Function,
    Guard,
    Literal,
    Sign,
    Signature,
    Span,
    SymbolicTerm,
    Variable,
    Walker,
    Wording,
    find,
    global_variables,
    heads,
    reads,
    signature,
    variable_names,
)
from asplan.program.unit import Section


@dataclass(frozen=True)
class Link:
    """The predicates that a rule derives, and those that it reads."""

    heads: Set[Signature]
    reads: Set[Signature]


def link(statement: AST) -> Link:
    """The link that a rule makes; what stands behind a colon in its head is read."""
    return Link(set(map(signature, heads(statement))), set(map(signature, reads(statement))))


def feeding_back(links: Sequence[Link]) -> list[bool]:
    """For each rule whether what it derives leads to something that it reads."""
    successors: dict[Signature, set[Signature]] = {}
    for rule in links:
        for read in rule.reads:
            successors.setdefault(read, set()).update(rule.heads)
    return [not rule.reads.isdisjoint(_reachable(rule.heads, successors)) for rule in links]


def _reachable(
    start: Set[Signature], successors: dict[Signature, set[Signature]]
) -> set[Signature]:
    found: set[Signature] = set()
    waiting = list(start)
    while waiting:
        predicate = waiting.pop()
        if predicate not in found:
            found.add(predicate)
            waiting.extend(successors.get(predicate, ()))
    return found


# Puts a counter into each rule of a program.
#
# A rule gets one more body literal, `1 = @asplan_K((X,Y,t))`, with all variables of its body as
# arguments: clingo calls the function each time it has bound them. The literal is always true, so
# the ground program stays the same. Conditions inside choices, aggregates and conditional literals
# get counters of their own that count for the same rule.


PREFIX = "asplan_"
"""What the names of the counting functions begin with."""

_WITH_BODY = {
    ASTType.Rule,
    ASTType.Minimize,
    ASTType.External,
    ASTType.ShowTerm,
    ASTType.Edge,
    ASTType.Heuristic,
    ASTType.ProjectAtom,
}


@dataclass(frozen=True)
class Source:
    """A statement as it stands in its file.

    Attributes
    ----------
    approximate
        Why its count is not exact; empty where it is.
    facts
        How many facts it writes down, if it does nothing else; these need no counter, as each is
        instantiated once whenever its part is. Else 0.
    link
        The predicates that it derives and reads.
    """

    file: str
    line: int
    column: int
    part: str
    text: str
    approximate: str
    facts: int
    link: Link


@dataclass(frozen=True)
class Instrumented:
    """A program with counters: function K counts for `sources[counters[K]]`."""

    program: Program
    sources: tuple[Source, ...]
    counters: tuple[int, ...]


def instrument(program: Program) -> Instrumented:
    """The same program with counters in its rules."""
    work = _Instrumenter()
    program = program.spelled_out()
    sections = tuple(work.instrument(section) for section in program.sections)
    instrumented = replace(program, sections=sections)
    return Instrumented(instrumented, tuple(work.sources), tuple(work.counters))


@dataclass
class _Instrumenter:
    part: str = ""
    parameter: str = ""
    sources: list[Source] = field(default_factory=list)
    counters: list[int] = field(default_factory=list)
    wording: Wording = field(default_factory=Wording)

    def instrument(self, section: Section) -> Section:
        self.part, self.parameter = section.part, section.parameter
        return replace(section, statements=tuple(map(self.statement, section.statements)))

    def statement(self, statement: AST) -> AST:
        if statement.ast_type not in _WITH_BODY:
            return statement
        facts = _plain_facts(statement)
        named = _without_lone_anonymous(statement)
        self.sources.append(self._source(statement, _approximate(named), facts))
        return statement if facts else self._with_counters(named)

    def _with_counters(self, statement: AST) -> AST:
        head, ranges = _without_intervals(statement)
        names = [*global_variables(statement.body), *(str(r.atom.term) for r in ranges)]
        counted = _Conditions(self)(head if head is not None else statement)
        body = [*counted.body, *ranges, self.call(names, statement.location)]
        result: AST = counted.update(body=body)
        return result

    def call(self, names: Iterable[str], location: Span) -> AST:
        """A literal that is true, and counts for the statement at hand."""
        name = f"{PREFIX}{len(self.counters)}"
        self.counters.append(len(self.sources) - 1)
        times = [SymbolicTerm(location, Constant(self.parameter))] if self.parameter else []
        variables = [Variable(location, name) for name in dict.fromkeys(names)]
        key = Function(location, "", [*variables, *times], 0)
        function = Function(location, name, [key], 1)
        equal = Guard(ComparisonOperator.Equal, function)
        one = SymbolicTerm(location, Number(1))
        return Literal(location, Sign.NoSign, Comparison(one, [equal]))

    def _source(self, statement: AST, approximate: str, facts: int) -> Source:
        begin = statement.location.begin
        return Source(
            file=begin.filename,
            line=begin.line,
            column=begin.column,
            part=self.part,
            text=self.wording(statement),
            approximate=approximate,
            facts=facts,
            link=link(statement),
        )


class _Conditions(Walker):
    """Counts the instances of conditions."""

    def __init__(self, work: _Instrumenter) -> None:
        self.work = work

    def visit_ConditionalLiteral(self, node: AST) -> AST:
        return self._count(node)

    def visit_BodyAggregateElement(self, node: AST) -> AST:
        return self._count(node)

    def _count(self, node: AST) -> AST:
        if not node.condition:
            return node
        call = self.work.call(variable_names(node), node.condition[0].location)
        result: AST = node.update(condition=[*node.condition, call])
        return result


class _Intervals(Walker):
    """Replaces intervals by variables, as clingo itself does before it grounds."""

    def __init__(self) -> None:
        self.ranges: list[AST] = []

    def visit_Interval(self, node: AST) -> AST:
        variable = Variable(node.location, f"AsplanRange{len(self.ranges)}")
        comparison = Comparison(variable, [Guard(ComparisonOperator.Equal, node)])
        self.ranges.append(Literal(node.location, Sign.NoSign, comparison))
        return variable


def _without_intervals(statement: AST) -> tuple[AST | None, list[AST]]:
    """A rule with variables for the intervals of a plain head, and the literals that bind them."""
    plain = statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Literal
    if not plain:
        return None, []
    intervals = _Intervals()
    head = intervals(statement.head)
    return statement.update(head=head), intervals.ranges


class _Naming(Walker):
    """Gives anonymous variables names."""

    def __init__(self) -> None:
        self.number = 0

    def visit_Variable(self, node: AST) -> AST:
        if node.name != "_":
            return node
        self.number += 1
        return Variable(node.location, f"AsplanAny{self.number}")


def _without_lone_anonymous(statement: AST) -> AST:
    """Name the anonymous variables of a rule with only one positive literal in its body.

    There clingo projects nothing, but would do so once the counter stands beside that literal.
    """
    if statement.ast_type != ASTType.Rule or statement.head.ast_type != ASTType.Literal:
        return statement
    others = [literal for literal in statement.body if not _is_test(literal)]
    if len(others) != 1 or others[0].ast_type != ASTType.Literal or others[0].sign != Sign.NoSign:
        return statement
    named: AST = statement.update(body=[_Naming()(literal) for literal in statement.body])
    return named


def _is_test(literal: AST) -> bool:
    return bool(
        literal.ast_type == ASTType.Literal
        and literal.atom.ast_type == ASTType.Comparison
        and not find(ASTType.Interval, [literal])
    )


def _plain_facts(statement: AST) -> int:
    plain = (
        statement.ast_type == ASTType.Rule
        and statement.head.ast_type == ASTType.Literal
        and not statement.body
        and not find(ASTType.Interval, [statement])
    )
    return len(statement.unpool()) if plain else 0


def _approximate(statement: AST) -> str:
    if any(v.name == "_" for v in find(ASTType.Variable, statement.body)):
        return "Anonymous variable: the projection that clingo adds is not counted."
    conditions = find(ASTType.ConditionalLiteral, [statement])
    elements = find(ASTType.BodyAggregateElement, [statement])
    if find(ASTType.Interval, [*statement.body, *conditions, *elements]):
        return "Interval in the body or in a condition: its values may not be counted."
    pools = find(ASTType.Pool, [*statement.body, *conditions, *elements])
    if {v.name for v in find(ASTType.Variable, pools)} - set(variable_names(*statement.body)):
        return "Pool: values of variables that only it names are not told apart."
    return ""
