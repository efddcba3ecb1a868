"""Reading clingo's syntax trees: atoms, their signatures, and the time that they speak of.

An atom may be a pool of atoms, `p(a,t;t)`, of different predicates even; `atoms` and `heads` give
its members one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clingo import Number
from clingo.ast import AST, ASTSequence, ASTType, SymbolicAtom, SymbolicTerm, Transformer

from asplan.errors import Location

Signature = tuple[str, str, int]
"""Sign ("" or "-", for classical negation), name and arity."""


Call = tuple[str, Location]
"""The name of a function of a script, as in `@name(X)`, and where it is called."""


class _Visitor(Transformer):
    """Calls a function on every node of the kinds it names."""

    def __init__(self, **visits: Callable[[AST], object]) -> None:
        self.visits = visits

    def visit(self, ast: AST, *args: object, **kwargs: object) -> AST:
        if action := self.visits.get(ast.ast_type.name):
            action(ast)
        self.visit_children(ast)
        return ast


def location(statement: AST) -> Location:
    """Where a statement begins."""
    begin = statement.location.begin
    return Location(begin.filename, begin.line, begin.column)


def atoms(node: AST) -> list[AST]:
    """All symbolic atoms in a statement, heads and bodies alike; a pool is as many atoms."""
    if node.ast_type == ASTType.SymbolicAtom:
        return _members(node)
    return [atom for child in _children(node) for atom in atoms(child)]


def _children(node: AST) -> Iterator[AST]:
    for key in node.child_keys:
        child = getattr(node, key)
        if isinstance(child, AST):
            yield child
        elif child is not None:
            yield from child


def _members(atom: AST) -> list[AST]:
    """The atoms of a pool `p(1;2,3)`, which may be of different predicates; else the atom."""
    term, signs = atom.symbol, list[AST]()
    while term.ast_type == ASTType.UnaryOperation:
        signs.append(term)
        term = term.argument
    if term.ast_type != ASTType.Pool:
        return [atom]
    found = []
    for member in term.arguments:
        for sign in reversed(signs):
            member = sign.update(argument=member)
        found.append(SymbolicAtom(member))
    return found


def heads(statement: AST) -> list[AST]:
    """The atoms that a statement defines, without the conditions under which it does."""
    if statement.ast_type == ASTType.External:
        return _members(statement.atom)
    if statement.ast_type != ASTType.Rule:
        return []
    head = statement.head
    if head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        return [a for element in head.elements for a in atoms(element.literal)]
    if head.ast_type == ASTType.HeadAggregate:
        return [a for element in head.elements for a in atoms(element.condition.literal)]
    return [] if head.ast_type == ASTType.TheoryAtom else atoms(head)


def reads(statement: AST) -> list[AST]:
    """The atoms that a statement reads: in its body, and in conditions of its head."""
    if statement.ast_type not in (ASTType.Rule, ASTType.External):
        return atoms(statement)
    head = [statement.head] if statement.ast_type == ASTType.Rule else []
    conditions = find(ASTType.ConditionalLiteral, head)
    within = (node for literal in conditions for node in literal.condition)
    return [atom for node in (*statement.body, *within) for atom in atoms(node)]


def signature(atom: AST) -> Signature:
    """The predicate of one of the atoms that `atoms` or `heads` found."""
    term, sign = atom.symbol, ""
    while term.ast_type == ASTType.UnaryOperation:
        term, sign = term.argument, "-"
    if term.ast_type != ASTType.Function:
        return sign, str(term), 0
    return sign, term.name, len(term.arguments)


def arguments(atom: AST) -> list[AST]:
    """The arguments of one of the atoms that `atoms` or `heads` found."""
    term = atom.symbol
    while term.ast_type == ASTType.UnaryOperation:
        term = term.argument
    return list(term.arguments) if term.ast_type == ASTType.Function else []


def calls(statements: Iterable[AST]) -> list[Call]:
    """The calls of functions of scripts."""
    return [
        (function.name, location(statement))
        for statement in statements
        if "@" in str(statement)
        for function in find(ASTType.Function, [statement])
        if function.external
    ]


def constants(statements: Iterable[AST]) -> set[str]:
    """The names that may stand for constants: those defined, and those used as plain terms."""
    found: set[str] = set()
    visitor = _Visitor(
        SymbolicTerm=lambda node: found.add(str(node.symbol)),
        Definition=lambda node: found.add(node.name),
    )
    for statement in statements:
        visitor.visit(_without_words(statement))
    return {name for name in found if name.isidentifier()}


def _without_words(statement: AST) -> AST:
    """A statement without terms that are words of the language, as in `#external a. [false]`."""
    nothing = SymbolicTerm(statement.location, Number(0))
    if statement.ast_type == ASTType.External:
        return statement.update(external_type=nothing)
    if statement.ast_type == ASTType.Heuristic:
        return statement.update(modifier=nothing)
    return statement


def is_now(term: AST, parameter: str) -> bool:
    """Whether a term is just the parameter of its part."""
    return str(term) == parameter


def is_before(term: AST, parameter: str) -> bool:
    """Whether a term is the parameter minus a number from 1."""
    earlier = str(term).removeprefix(f"({parameter}-").removesuffix(")")
    return earlier != str(term) and earlier.isdigit() and int(earlier) > 0


class _Finder(Transformer):
    """Finds the nodes of one kind, but not inside those of another one."""

    def __init__(self, kind: ASTType, outside: ASTType | None) -> None:
        self.kind, self.outside, self.found = kind, outside, list[AST]()

    def visit(self, ast: AST, *args: object, **kwargs: object) -> AST:
        if ast.ast_type == self.kind:
            self.found.append(ast)
        if ast.ast_type != self.outside:
            self.visit_children(ast)
        return ast


def find(
    kind: ASTType, nodes: Iterable[AST] | ASTSequence, outside: ASTType | None = None
) -> list[AST]:
    """All nodes of a kind in some trees, but not inside nodes of the kind `outside`."""
    finder = _Finder(kind, outside)
    for node in nodes:
        finder.visit(node)
    return finder.found


def variable_names(*nodes: AST) -> list[str]:
    """The variables in some nodes; one that only a pool names is not in all of its rules."""
    variables = find(ASTType.Variable, nodes, outside=ASTType.Pool)
    return list(dict.fromkeys(v.name for v in variables if v.name != "_"))
