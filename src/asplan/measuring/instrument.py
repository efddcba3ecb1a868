"""Puts a counter into each rule of a program.

A rule gets one more body literal, `1 = @asplan_K((X,Y,t))`, with all variables of its body: clingo
calls the function each time it has bound them, and it is always true. Conditions inside choices,
aggregates and conditional literals get counters of their own that count for the same rule.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import count

from clingo import Function as Constant
from clingo import Number

from asplan.core.graphs import closure
from asplan.program import syntax as ast
from asplan.program.incremental import Program
from asplan.program.syntax import AST, ASTType, find
from asplan.program.unit import Section

PREFIX = "asplan_"  # begins the names of the counting functions

_WITH_BODY = {
    ASTType.Rule,
    ASTType.Minimize,
    ASTType.External,
    ASTType.ShowTerm,
    ASTType.Edge,
    ASTType.Heuristic,
    ASTType.ProjectAtom,
}

Link = tuple[Set[ast.Signature], Set[ast.Signature]]  # what a rule derives, and what it reads


@dataclass(frozen=True)
class Source:
    """A statement in its file, why its count is not exact, and how many plain facts it has."""

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
    program = program.expand_facts()
    wording, sources, counters = ast.Wording(), list[Source](), list[int]()

    def counted(statement: AST, section: Section) -> AST:
        if statement.ast_type not in _WITH_BODY:
            return statement
        named = _without_lone_anonymous(statement)
        facts, begin = 0, statement.location.begin
        if _is_plain(statement) and not statement.body and not find(ASTType.Interval, [statement]):
            facts = len(statement.unpool())
        place = begin.filename, begin.line, begin.column, section.part
        heads, read = (set(map(ast.signature, of(statement))) for of in (ast.heads, ast.reads))
        why = _approximate(named)
        sources.append(Source(*place, wording(statement), why, facts, (heads, read)))
        return statement if facts else _Counting(section, counters, len(sources) - 1).rule(named)

    sections = tuple(
        replace(section, statements=tuple(counted(s, section) for s in section.statements))
        for section in program.sections
    )
    return Instrumented(replace(program, sections=sections), tuple(sources), tuple(counters))


@dataclass
class _Counting(ast.Walker):
    """Puts counters into one statement, which is number `source`."""

    section: Section
    counters: list[int]
    source: int

    def rule(self, statement: AST) -> AST:
        """The statement with a counter in its body, and in each condition."""
        ranges: list[AST] = []

        def variable(interval: AST) -> AST:
            # As clingo itself does before it grounds.
            found = ast.Variable(interval.location, f"AsplanRange{len(ranges)}")
            comparison = ast.Comparison(found, [ast.Guard(ast.ComparisonOperator.Equal, interval)])
            ranges.append(ast.Literal(interval.location, ast.Sign.NoSign, comparison))
            return found

        if _is_plain(statement):
            head = _Replacing("Interval", variable)(statement.head)
            statement = statement.update(head=head)
        names = [*ast.global_variables(statement.body), *(str(r.atom.term) for r in ranges)]
        counted = self(statement)
        body = [*counted.body, *ranges, self._call(names, statement)]
        result: AST = counted.update(body=body)
        return result

    def visit_ConditionalLiteral(self, node: AST) -> AST:
        if not node.condition:
            return node
        call = self._call(ast.variable_names(node), node.condition[0])
        result: AST = node.update(condition=[*node.condition, call])
        return result

    visit_BodyAggregateElement = visit_ConditionalLiteral

    def _call(self, names: Iterable[str], place: AST) -> AST:
        """A literal that is true, and counts for the statement at hand."""
        name, location = f"{PREFIX}{len(self.counters)}", place.location
        self.counters.append(self.source)
        parameter = self.section.parameter
        times = [ast.SymbolicTerm(location, Constant(parameter))] if parameter else []
        variables = [ast.Variable(location, name) for name in dict.fromkeys(names)]
        key = ast.Function(location, "", [*variables, *times], 0)
        equal = ast.Guard(ast.ComparisonOperator.Equal, ast.Function(location, name, [key], 1))
        one = ast.SymbolicTerm(location, Number(1))
        return ast.Literal(location, ast.Sign.NoSign, ast.Comparison(one, [equal]))


def _is_plain(statement: AST) -> bool:
    """Whether a statement is a rule whose head is a literal."""
    return bool(statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Literal)


class _Replacing(ast.Walker):
    """Replaces the nodes of a kind, each by what a function makes of it."""

    def __init__(self, kind: str, new: Callable[[AST], AST]) -> None:
        setattr(self, f"visit_{kind}", new)


def _without_lone_anonymous(statement: AST) -> AST:
    """Name anonymous variables where, but for the counter, clingo would not project them away."""
    if not _is_plain(statement):
        return statement
    others = [
        literal
        for literal in statement.body
        if literal.ast_type != ASTType.Literal
        or literal.atom.ast_type != ASTType.Comparison
        or find(ASTType.Interval, [literal])
    ]
    lone = others[0] if len(others) == 1 else None
    if lone is None or lone.ast_type != ASTType.Literal or lone.sign != ast.Sign.NoSign:
        return statement
    names = (f"AsplanAny{i}" for i in count(1))
    naming = _Replacing(
        "Variable", lambda v: ast.Variable(v.location, next(names)) if v.name == "_" else v
    )
    named: AST = statement.update(body=[naming(literal) for literal in statement.body])
    return named


def _approximate(statement: AST) -> str:
    if any(v.name == "_" for v in find(ASTType.Variable, statement.body)):
        return "Anonymous variable: the projection that clingo adds is not counted."
    conditions = find(ASTType.ConditionalLiteral, [statement])
    elements = find(ASTType.BodyAggregateElement, [statement])
    if find(ASTType.Interval, [*statement.body, *conditions, *elements]):
        return "Interval in the body or in a condition: its values may not be counted."
    pools = find(ASTType.Pool, [*statement.body, *conditions, *elements])
    if {v.name for v in find(ASTType.Variable, pools)} - set(ast.variable_names(*statement.body)):
        return "Pool: values of variables that only it names are not told apart."
    return ""


def feeding_back(links: Sequence[Link]) -> list[bool]:
    """For each rule whether what it derives leads to something that it reads.

    clingo sorts rules by the predicates they read and derive, whatever their arguments. Rules on a
    cycle are instantiated again and again until nothing new comes out, and in a multi-shot program
    that goes over the atoms of all earlier steps.

    >>> p, q, r = ("", "p", 1), ("", "q", 1), ("", "r", 1)
    >>> feeding_back([({p}, {q}), ({q}, {p}), ({r}, {p})])
    [True, True, False]
    """
    successors: dict[ast.Signature, set[ast.Signature]] = {}
    for derived, read in links:
        for predicate in read:
            successors.setdefault(predicate, set()).update(derived)

    return [
        not read.isdisjoint(closure(derived, lambda predicate: successors.get(predicate, ())))
        for derived, read in links
    ]
