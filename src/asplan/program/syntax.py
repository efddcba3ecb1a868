"""Reading clingo's syntax trees: atoms, their signatures, and the time that they speak of.

An atom may be a pool of atoms, `p(a,t;t)`, of different predicates even; `atoms` and `heads` give
its members one by one.
"""

# What is imported here from clingo.ast is handed on: no other module imports it.
# mypy: implicit-reexport
# ruff: noqa: F401

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableSequence
from functools import cached_property
from itertools import count
from operator import add, mul, sub
from typing import Any

from clingo import Number, Symbol, SymbolType
from clingo.ast import (
    AST,
    Aggregate,
    AggregateFunction,
    ASTSequence,
    ASTType,
    ASTUpdate,
    BinaryOperation,
    BinaryOperator,
    Comparison,
    ComparisonOperator,
    ConditionalLiteral,
    Function,
    Guard,
    Literal,
    Position,
    ProgramBuilder,
    Rule,
    Sign,
    SymbolicAtom,
    SymbolicTerm,
    Transformer,
    UnaryOperator,
    Variable,
    parse_string,
)
from clingo.ast import Location as Span

from asplan.core.errors import Location
from asplan.core.text import LARGEST

Signature = tuple[str, str, int]  # sign ("" or "-", for classical negation), name and arity
Call = tuple[str, Location]  # a function of a script, as in `@name(X)`, and where it is called

FindStatement = Callable[[Location], tuple[str, str] | None]
"""A function that returns the text of the statement at a place, and the parameter of its part."""

_PLAIN = (ASTType.SymbolicAtom, ASTType.Comparison)
_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)
_CHOICES = (ASTType.Aggregate, ASTType.Disjunction, ASTType.HeadAggregate)
_CONDITIONAL = (ASTType.ConditionalLiteral, ASTType.TheoryAtomElement)
_WORDS = {ASTType.External: "external_type", ASTType.Heuristic: "modifier"}

_OPERATORS = BinaryOperator.Plus, BinaryOperator.Minus, BinaryOperator.Multiplication
_COMPUTED = dict(zip(_OPERATORS, (add, sub, mul), strict=True))

_METHODS = {kind: f"visit_{kind.name}" for kind in ASTType}
_CHILD_KEYS: dict[ASTType, list[str]] = {}


class Node(AST):
    """A node that keeps what it was asked for: clingo makes new objects, which is slow."""

    ast_type: ASTType = ASTType.Id

    def __init__(self, made: AST) -> None:
        """Take the place of a node that nobody else holds."""
        self.__dict__["ast_type"] = made.ast_type
        # An interrupt in between may leave a node to nobody, but never to two.
        rep = made._rep
        object.__setattr__(made, "_rep", None)
        object.__setattr__(self, "_rep", rep)

    @cached_property
    def below(self) -> list[tuple[ASTType, AST]]:
        """The node and all below it, each with its kind, as `_walk` goes."""
        return list(_descend(self))

    @cached_property
    def children(self) -> list[AST]:
        return list(_find_children(self))

    def __getattr__(self, name: str) -> Any:
        if name == "_rep":  # of a node that was interrupted before it had one
            return None
        value: Any = AST.__getattr__(self, name)  # type: ignore[no-untyped-call]
        if isinstance(value, AST):
            value = Node(value)
        elif isinstance(value, MutableSequence):
            value = tuple(Node(each) if isinstance(each, AST) else each for each in value)
        self.__dict__[name] = value
        return value

    def __str__(self) -> str:
        if "_text" not in self.__dict__:
            self.__dict__["_text"] = AST.__str__(self)  # type: ignore[no-untyped-call]
        text: str = self.__dict__["_text"]
        return text

    def update(self, **changed: Any) -> AST:
        """A copy with other attributes, which keeps what is known of those that stay."""
        if not changed:
            return self
        new = Node(super().update(**changed))
        known = {**self.__dict__, **changed}
        for name in ("below", "children", "_text"):
            known.pop(name, None)
        new.__dict__.update((k, tuple(v) if isinstance(v, list) else v) for k, v in known.items())
        return new


def _child_keys(node: AST, kind: ASTType) -> list[str]:
    """The attributes in which a node has children; to ask clingo takes long."""
    if kind not in _CHILD_KEYS:
        _CHILD_KEYS[kind] = node.child_keys
    return _CHILD_KEYS[kind]


class Walker(Transformer):
    """clingo's transformer, only faster; functions for kinds of nodes may be given by name."""

    def __init__(self, **functions: Callable[[AST], AST]) -> None:
        vars(self).update({f"visit_{kind}": change for kind, change in functions.items()})

    def visit(self, ast: AST, *args: object, **kwargs: object) -> AST:
        """Return the result of the method for the node's kind; without one, visit its children."""
        method = getattr(self, _METHODS[ast.ast_type], None)
        if method is None:
            return ast.update(**self.visit_children(ast, *args, **kwargs))
        new: AST = method(ast, *args, **kwargs)
        return new

    def visit_children(self, ast: AST, *args: object, **kwargs: object) -> dict[str, ASTUpdate]:
        """Visit the children of a node; return the attributes that changed."""
        changed: dict[str, ASTUpdate] = {}
        for key in _child_keys(ast, ast.ast_type):
            old = getattr(ast, key)
            if old is None:
                continue
            visit = self.visit if isinstance(old, AST) else self.visit_sequence
            new = visit(old, *args, **kwargs)
            if new is not old:
                changed[key] = new
        return changed


def location(statement: AST) -> Location:
    begin = statement.location.begin
    return Location(begin.filename, begin.line, begin.column)


def place_in(statement: AST, node: AST) -> Location:
    """The place of a node in a statement: not all nodes know their file."""
    begin = node.location.begin
    return Location(statement.location.begin.filename, begin.line, begin.column)


def atoms(node: AST) -> list[AST]:
    """All symbolic atoms in a statement, heads and bodies alike; a pool is as many atoms."""
    kind = node.ast_type
    if kind == ASTType.SymbolicAtom:
        return _members(node)
    return [atom for child in _children(node) for atom in atoms(child)]


def _children(node: AST) -> list[AST]:
    return node.children if isinstance(node, Node) else list(_find_children(node))


def _find_children(node: AST) -> Iterator[AST]:
    for key in _child_keys(node, node.ast_type):
        child = getattr(node, key)
        if isinstance(child, AST):
            yield child
        elif child is not None:
            yield from child


def _walk(node: AST, outside: ASTType | None = None) -> Iterable[tuple[ASTType, AST]]:
    """A node and all below it, each with its kind, but not below nodes of the kind `outside`."""
    if outside is None and isinstance(node, Node):
        return node.below
    return _descend(node, outside)


def _descend(node: AST, outside: ASTType | None = None) -> Iterator[tuple[ASTType, AST]]:
    kind = node.ast_type
    yield kind, node
    if kind != outside:
        for child in _children(node):
            yield from _descend(child, outside)


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


def has_body(statement: AST) -> bool:
    """Return whether a kind of statement has a body, which may be empty."""
    return "body" in _child_keys(statement, statement.ast_type)


def is_choice(statement: AST) -> bool:
    """Whether a statement leaves it open which atoms of its head hold."""
    return statement.ast_type == ASTType.Rule and statement.head.ast_type in _CHOICES


def reads(statement: AST, body: Iterable[AST] | None = None) -> list[AST]:
    """The atoms that a statement reads: in its body, or a part of it, and in heads' conditions."""
    if statement.ast_type not in (ASTType.Rule, ASTType.External):
        return atoms(statement)
    parts = _walk(statement.head) if statement.ast_type == ASTType.Rule else ()
    within = (node for kind, part in parts if kind in _CONDITIONAL for node in part.condition)
    nodes = (*(statement.body if body is None else body), *within)
    return [atom for node in nodes for atom in atoms(node)]


def signature(atom: AST) -> Signature:
    """The predicate of one of the atoms that `atoms` or `heads` found."""
    term, sign = atom.symbol, ""
    while term.ast_type == ASTType.UnaryOperation:
        term, sign = term.argument, "-"
    if term.ast_type != ASTType.Function:
        return sign, str(term), 0
    return sign, term.name, len(term.arguments)


def predicate(atom: Symbol) -> Signature:
    """The predicate of a ground atom."""
    return "" if atom.positive else "-", atom.name, len(atom.arguments)


def named_by(statement: AST) -> Signature:
    """The predicate that `#show p/n.` or `#defined p/n.` names."""
    return "" if statement.positive else "-", statement.name, statement.arity


def general_atom(key: Signature, place: int, time: str, prefix: str = "") -> str:
    """The most general atom of a predicate at a time, whose place among its arguments is given."""
    sign, name, arity = key
    terms = [f"V{i}" for i in range(arity)]
    terms[place] = time
    return f"{sign}{prefix}{name}({','.join(terms)})"


def arguments(atom: AST) -> list[AST]:
    """The arguments of one of the atoms that `atoms` or `heads` found."""
    term = atom.symbol
    while term.ast_type == ASTType.UnaryOperation:
        term = term.argument
    return list(term.arguments) if term.ast_type == ASTType.Function else []


def time_of(atom: AST, places: Mapping[Signature, int]) -> AST | None:
    """The argument of an atom that is its time, by the `places` of such in predicates."""
    place = places.get(signature(atom))
    return None if place is None else arguments(atom)[place]


def calls(statements: Iterable[AST]) -> list[Call]:
    told = ((f, s) for s in statements if "@" in str(s) for f in find(ASTType.Function, [s]))
    return [(function.name, location(s)) for function, s in told if function.external]


def constants(statements: Iterable[AST]) -> set[str]:
    """The names that may stand for constants: those defined, and those used as plain terms."""
    found: set[str] = set()
    for statement in statements:
        # A word of the language is no constant, as in `#external a. [false]`.
        word = _WORDS.get(statement.ast_type)
        if word is not None:
            statement = statement.update(**{word: SymbolicTerm(statement.location, Number(0))})
        for kind, node in _walk(statement):
            if kind == ASTType.SymbolicTerm:
                found.add(str(node.symbol))
            elif kind == ASTType.Definition:
                found.add(node.name)
    return {name for name in found if name.isidentifier()}


def defined_in(statement: AST) -> set[Signature]:
    """The predicates of its heads."""
    return set(map(signature, heads(statement)))


def read_in(statement: AST) -> set[Signature]:
    return set(map(signature, reads(statement)))


def named_in(node: AST) -> set[Signature]:
    """The predicates of all its atoms."""
    return set(map(signature, atoms(node)))


def names_term(node: AST, name: str) -> bool:
    """Whether one of the terms in a node is just this name."""
    kinds = (ASTType.SymbolicTerm, ASTType.Function)
    return name in str(node) and any(str(t) == name for kind, t in _walk(node) if kind in kinds)


def number_of(term: AST) -> int | None:
    """The number that a term is, if it is one as it stands; `-1` and `2*3` are.

    It is computed here, for clingo's own reader of terms dies of a remainder by 0.
    """
    if term.ast_type == ASTType.SymbolicTerm and term.symbol.type == SymbolType.Number:
        return int(term.symbol.number)
    if term.ast_type == ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus:
        values, compute = [0, number_of(term.argument)], sub
    elif term.ast_type == ASTType.BinaryOperation and term.operator_type in _COMPUTED:
        values, compute = (
            list(map(number_of, (term.left, term.right))),
            _COMPUTED[term.operator_type],
        )
    else:
        return None
    found = None if None in values else compute(*values)
    return found if found is not None and abs(found) <= LARGEST else None


def is_now(term: AST, parameter: str) -> bool:
    """Whether a term is just the parameter of its part."""
    return str(term) == parameter


def is_before(term: AST, parameter: str) -> bool:
    """Whether a term is the parameter minus a number from 1."""
    earlier = str(term).removeprefix(f"({parameter}-").removesuffix(")")
    return earlier != str(term) and earlier.isdigit() and int(earlier) > 0


def is_just_before(term: AST, parameter: str) -> bool:
    """Whether a term is the parameter minus 1."""
    return str(term) == f"({parameter}-1)"


def find(
    kind: ASTType | Collection[ASTType],
    nodes: Iterable[AST] | ASTSequence,
    outside: ASTType | None = None,
) -> list[AST]:
    """All nodes of a kind, or of some, in trees, but not inside nodes of the kind `outside`."""
    kinds = (kind,) if isinstance(kind, ASTType) else kind
    return [node for root in nodes for found, node in _walk(root, outside) if found in kinds]


def kinds(node: AST) -> set[ASTType]:
    return {kind for kind, _ in _walk(node)}


def is_literal(
    node: AST, kind: ASTType = ASTType.SymbolicAtom, sign: Sign | None = Sign.NoSign
) -> bool:
    """Whether a node is a literal of a sign, or of any, whose atom is of a kind."""
    is_one = node.ast_type == ASTType.Literal and node.atom.ast_type == kind
    return bool(is_one and sign in (None, node.sign))


def named_term(at: AST, name: str, terms: Iterable[AST] = ()) -> AST:
    """A function, or a tuple where the name is empty, in the place of a node."""
    return Function(at.location, name, list(terms), False)


def named_atom(at: AST, name: str, terms: Iterable[AST] = ()) -> AST:
    """A literal whose atom has a name and terms, in the place of a node."""
    return Literal(at.location, Sign.NoSign, SymbolicAtom(named_term(at, name, terms)))


def renamed(atom: AST, name: str, terms: Iterable[AST]) -> AST:
    """An atom with another name and terms."""
    term = atom.symbol
    is_denied = term.ast_type == ASTType.UnaryOperation
    function = (term.argument if is_denied else term).update(name=name, arguments=list(terms))
    return atom.update(symbol=term.update(argument=function) if is_denied else function)


def compared(
    at: AST, left: AST, right: AST, operator: ComparisonOperator = ComparisonOperator.Equal
) -> AST:
    """A literal that compares two terms, in the place of a node."""
    return Literal(at.location, Sign.NoSign, Comparison(left, [Guard(int(operator), right)]))


def fresh_names(start: str, taken: Collection[str]) -> Iterator[str]:
    """Names with a number that are not taken."""
    return (name for i in count(1) if (name := f"{start}{i}") not in taken)


def variable_names(*nodes: AST) -> list[str]:
    """The variables in some nodes; one that only a pool names is not in all of its rules."""
    variables = find(ASTType.Variable, nodes, outside=ASTType.Pool)
    return list(dict.fromkeys(v.name for v in variables if v.name != "_"))


def global_variables(body: Iterable[AST]) -> list[str]:
    """The variables that a body binds outside of conditions and aggregates."""
    nodes: list[AST] = []
    for literal in body:
        if literal.ast_type != ASTType.Literal:
            continue
        if literal.atom.ast_type in _PLAIN:
            nodes.append(literal)
        elif literal.atom.ast_type in _AGGREGATES:
            guards = (literal.atom.left_guard, literal.atom.right_guard)
            nodes.extend(guard for guard in guards if guard is not None)
    return variable_names(*nodes)
