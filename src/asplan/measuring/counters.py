"""Counters in the rules of a program, which do not change its ground program.

A counter is an additional body literal, `1 = @asplan_K((X,Y,t))`, with all variables of the body; K
is its number. It is always true. clingo calls its function each time it has bound these variables.
Conditions in choices, aggregates and conditional literals get further counters for the same rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import count

from asplan.clingo import Function as Constant
from asplan.clingo import Number
from asplan.core.dataclass import dataclass
from asplan.core.graphs import closure
from asplan.program import syntax as ast
from asplan.program.incremental import Program
from asplan.program.reading.unit import Section
from asplan.program.syntax import AST, ASTType, find
from asplan.program.syntax.wording import Wording

PREFIX = "asplan_"
"""The prefix of the names of counting functions."""

_ONE = Number(1)

Link = tuple[Set[ast.Signature], Set[ast.Signature]]
"""The predicates that a rule derives, and the predicates that it reads."""


@dataclass(frozen=True)
class SourceStatement:
    """A statement of the author's program with its place.

    `role` is the kind of statement: `rule`, `choice`, `constraint`, `external`, or `directive` for
    all others. `approximate` is the reason why its count is not exact, or empty. `facts` is the
    number of facts of a statement that consists of plain facts; such statements have no counter.
    """

    file: str
    line: int
    column: int
    part: str
    role: str
    text: str
    approximate: str
    facts: int
    link: Link


@dataclass(frozen=True)
class Instrumented:
    """A program with counters; the counter with number K counts for the rule
    `sources[counters[K]]`.
    """

    program: Program
    sources: tuple[SourceStatement, ...]
    counters: tuple[int, ...]


def instrument(program: Program) -> Instrumented:
    """Add counters to all rules of a program."""
    wording = Wording()
    sources: list[SourceStatement] = []
    counters: list[int] = []

    def add_counters(statement: AST, section: Section) -> Iterable[AST]:
        if not ast.has_body(statement):
            return [statement]
        named = _name_anonymous_variables(statement)
        begin = statement.location.begin
        facts = _count_facts(statement)
        source = SourceStatement(
            file=begin.filename,
            line=begin.line,
            column=begin.column,
            part=section.part,
            role=_role_of(statement),
            text=wording(statement),
            approximate=_find_inexactness(named),
            facts=facts,
            link=(_signatures(ast.heads(statement)), _signatures(ast.reads(statement))),
        )
        sources.append(source)
        if facts:
            return [statement]
        return [_CounterAdder(section, counters, len(sources) - 1).add_to_rule(named)]

    changed = program.expand_facts().changed(add_counters)
    return Instrumented(changed, tuple(sources), tuple(counters))


def _role_of(statement: AST) -> str:
    """Return the kind of a statement; see `SourceStatement`."""
    if ast.is_choice(statement):
        return "choice"
    if ast.is_constraint(statement):
        return "constraint"
    kinds = {ASTType.Rule: "rule", ASTType.External: "external"}
    return kinds.get(statement.ast_type, "directive")


def _signatures(atoms: Iterable[AST]) -> set[ast.Signature]:
    return {ast.signature(atom) for atom in atoms}


def _count_facts(statement: AST) -> int:
    """Return the number of facts that a statement with pools stands for.

    0 if the statement does not consist of plain facts, or contains an interval.
    """
    has_interval = bool(find(ASTType.Interval, [statement]))
    if statement.body or has_interval or not _has_literal_head(statement):
        return 0
    return len(statement.unpool())


@dataclass
class _CounterAdder(ast.Walker):
    """Adds counters to a statement; `source` is the index of the statement among the sources."""

    section: Section
    counters: list[int]
    source: int

    def add_to_rule(self, statement: AST) -> AST:
        """Return a rule with a counting literal added to its body and to each condition."""
        ranges: list[AST] = []
        if _has_literal_head(statement):
            head = _extract_intervals(statement.head, ranges)
            statement = statement.update(head=head)
        names = [*ast.global_variables(statement.body)]
        names += [str(literal.atom.term) for literal in ranges]
        counted = self.visit(statement)
        counter = self._make_counter(names, statement)
        return counted.update(body=[*counted.body, *ranges, counter])

    def visit_ConditionalLiteral(self, node: AST) -> AST:
        """Return a conditional literal or aggregate element with a counter added to its condition.

        An element without a condition is returned unchanged.
        """
        if not node.condition:
            return node
        counter = self._make_counter(ast.variable_names(node), node.condition[0])
        return node.update(condition=[*node.condition, counter])

    visit_BodyAggregateElement = visit_ConditionalLiteral

    def _make_counter(self, names: Iterable[str], place: AST) -> AST:
        """Return a literal that is always true and counts the bindings of variables.

        The literal gets the line and column of the syntax tree `place`.
        """
        location = place.location
        function = f"{PREFIX}{len(self.counters)}"
        self.counters.append(self.source)
        arguments = [ast.Variable(location, name) for name in dict.fromkeys(names)]
        if self.section.parameter:
            arguments.append(ast.SymbolicTerm(location, Constant(self.section.parameter)))
        key = ast.Function(location, "", arguments, 0)
        one = ast.SymbolicTerm(location, _ONE)
        return ast.compared(place, one, ast.Function(location, function, [key], 1))


def _extract_intervals(head: AST, ranges: list[AST]) -> AST:
    """Replace intervals in a head by variables.

    The literals that bind these variables are appended to `ranges`. clingo does the same before it
    grounds.
    """

    def extract(interval: AST) -> AST:
        variable = ast.Variable(interval.location, f"AsplanRange{len(ranges)}")
        ranges.append(ast.compared(interval, variable, interval))
        return variable

    return ast.Walker(Interval=extract).visit(head)


def _has_literal_head(statement: AST) -> bool:
    """Return whether a statement is a rule whose head is a literal."""
    return bool(statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Literal)


def _name_anonymous_variables(statement: AST) -> AST:
    """Name the anonymous variables of a rule whose body is one positive literal and comparisons.

    clingo does not project away the anonymous variables of a body's only literal. With a counter as
    a second literal, clingo would project them away.
    """
    if not _has_literal_head(statement):
        return statement
    literals = [literal for literal in statement.body if not _is_plain_comparison(literal)]
    if len(literals) != 1:
        return statement
    [literal] = literals
    if literal.ast_type != ASTType.Literal or literal.sign != ast.Sign.NoSign:
        return statement
    names = (f"AsplanAny{i}" for i in count(1))

    def name_variable(variable: AST) -> AST:
        if variable.name != "_":
            return variable
        return ast.Variable(variable.location, next(names))

    walker = ast.Walker(Variable=name_variable)
    return statement.update(body=[walker.visit(literal) for literal in statement.body])


def _is_plain_comparison(literal: AST) -> bool:
    """Return whether a body literal is a comparison, negated or not, without an interval."""
    is_comparison = ast.is_literal(literal, ASTType.Comparison, None)
    return is_comparison and not find(ASTType.Interval, [literal])


def _find_inexactness(statement: AST) -> str:
    """Return the reason why the count of a statement is not exact; an empty text if it is exact."""
    if any(variable.name == "_" for variable in find(ASTType.Variable, statement.body)):
        return "Anonymous variable: the projection that clingo adds is not counted."
    nodes = [
        *statement.body,
        *find(ASTType.ConditionalLiteral, [statement]),
        *find(ASTType.BodyAggregateElement, [statement]),
    ]
    if find(ASTType.Interval, nodes):
        return "Interval in the body or in a condition: its values may not be counted."
    pools = find(ASTType.Pool, nodes)
    pooled = {variable.name for variable in find(ASTType.Variable, pools)}
    if pooled - set(ast.variable_names(*statement.body)):
        return "Pool: the values of variables that occur only there are counted together."
    return ""


def find_recursive(links: Sequence[Link]) -> list[bool]:
    """Return for each rule whether it is recursive: whether its body depends on its head.

    `links` has, for each rule, the predicates in its head and the predicates in its body. clingo
    sorts rules by predicates without their arguments. It instantiates rules on a cycle again and
    again until nothing new is derived. In a multi-shot program this covers the atoms of all earlier
    steps.

    >>> p, q, r = ("", "p", 1), ("", "q", 1), ("", "r", 1)
    >>> find_recursive([({p}, {q}), ({q}, {p}), ({r}, {p})])
    [True, True, False]
    """
    successors: dict[ast.Signature, set[ast.Signature]] = {}
    for derived, read in links:
        for predicate in read:
            successors.setdefault(predicate, set()).update(derived)

    def successors_of(predicate: ast.Signature) -> Set[ast.Signature]:
        return successors.get(predicate, set())

    return [not read.isdisjoint(closure(derived, successors_of)) for derived, read in links]
