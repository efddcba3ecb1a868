"""Syntax trees of clingo: their atoms, predicates, variables and times.

A node is a syntax tree of a statement or of a part of one. An atom may be a pool of atoms,
`p(a,t;t)`, even of different predicates; `atoms` and `heads` return its members one by one.

The modules inside: `terms` has sums with a number and comparisons, `term_uses` the terms of rules
that may be times, and `wording` the author's text of a statement.
"""

# This module exports names of clingo.ast: no other module imports them from there.
# mypy: implicit-reexport
# ruff: noqa: F401

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableSequence,
    Sequence,
)
from functools import cache, cached_property
from itertools import count
from operator import add, is_, mul, sub
from typing import Any

from clingo import ast as trees
from clingo.ast import (
    AST,
    AggregateFunction,
    ASTSequence,
    ASTType,
    ASTUpdate,
    BinaryOperator,
    ComparisonOperator,
    Position,
    ProgramBuilder,
    Sign,
    UnaryOperator,
    parse_string,
)
from clingo.ast import Location as Span

from asplan.clingo import Number, Symbol, SymbolType
from asplan.core.errors import Location
from asplan.core.text import LARGEST

Signature = tuple[str, str, int]
"""A predicate: sign ("" or "-" for classical negation), name and arity."""

Call = tuple[str, Location]
"""A call of a script function: its name, as in `@name(X)`, and its location."""

FindStatement = Callable[[Location], tuple[str, str] | None]
FindRule = Callable[[str], Location | None]
"""A function from a location to the text of the statement there and its part's parameter."""

_PLAIN = (ASTType.SymbolicAtom, ASTType.Comparison)
_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)
BRACES = (ASTType.Aggregate, ASTType.HeadAggregate)
"""The kinds of heads that choose atoms in braces, and may have bounds."""

_CHOICES = (*BRACES, ASTType.Disjunction)
_CONDITIONAL = (ASTType.ConditionalLiteral, ASTType.TheoryAtomElement)
_NAMES = (ASTType.SymbolicTerm, ASTType.Function)

_KEYWORDS = {ASTType.External: "external_type", ASTType.Heuristic: "modifier"}
"""The attributes of statements that hold a keyword, which looks like a constant."""

_COMPUTED: dict[BinaryOperator, Callable[[int, int], int]] = {
    BinaryOperator.Plus: add,
    BinaryOperator.Minus: sub,
    BinaryOperator.Multiplication: mul,
}

_METHODS = {kind: f"visit_{kind.name}" for kind in ASTType}
_CHILD_KEYS: dict[ASTType, list[str]] = {}


class Node(AST):
    """A syntax tree that remembers its attributes.

    clingo makes new objects at each access of an attribute, which is slow. It is slow to make trees
    too, and most are never grounded. So `of` and `update` only keep the attributes of a new tree.
    `_rep`, clingo's own data, is made from the attributes when clingo reads, compares or writes the
    tree.
    """

    ast_type: ASTType = ASTType.Id

    def __init__(self, made: AST) -> None:
        """Make a node with clingo's data of `made`, which must not be used afterwards."""
        self.__dict__["ast_type"] = made.ast_type
        self._take_over(made)

    def _take_over(self, made: AST) -> None:
        # An interrupt in between may leave a node to nobody, but never to two.
        rep = made._rep
        object.__setattr__(made, "_rep", None)
        object.__setattr__(self, "_rep", rep)

    @classmethod
    def of(cls, kind: ASTType, attributes: Mapping[str, ASTUpdate]) -> AST:
        """Return a tree of a kind with all of its attributes."""
        node = cls.__new__(cls)
        kept = node.__dict__
        kept["ast_type"] = kind
        kept["_is_open"] = True  # `_rep` is not made yet
        for name, value in attributes.items():
            kept[name] = tuple(value) if isinstance(value, list) else value
        return node

    @cached_property
    def below(self) -> list[tuple[ASTType, AST]]:
        """Return (kind, node) for this node and all nodes below it, in depth-first order."""
        return list(_descend(self))

    @cached_property
    def kinds_below(self) -> frozenset[ASTType]:
        """Return the kinds of this node and of all nodes below it."""
        return frozenset(kind for kind, _ in self.below)

    @cached_property
    def children(self) -> list[AST]:
        """Return the child nodes."""
        return list(_find_children(self))

    def __getattr__(self, name: str) -> object:
        if name == "_rep":
            return self._make()
        value: Any = AST.__getattr__(self, name)  # type: ignore[no-untyped-call]
        if isinstance(value, AST):
            value = Node(value)
        elif isinstance(value, MutableSequence):
            value = tuple(Node(each) if isinstance(each, AST) else each for each in value)
        self.__dict__[name] = value
        return value

    def _make(self) -> object:
        """Make clingo's data from the attributes; return None if an interrupt has lost them."""
        if "_is_open" not in self.__dict__:
            return None
        make = getattr(trees, self.ast_type.name)
        self._take_over(make(*[getattr(self, name) for name in _keys(self.ast_type)]))
        del self.__dict__["_is_open"]
        return self._rep

    def __del__(self) -> None:
        if "_is_open" not in self.__dict__:
            AST.__del__(self)  # type: ignore[no-untyped-call]

    def __str__(self) -> str:
        if "_text" not in self.__dict__:
            self.__dict__["_text"] = AST.__str__(self)  # type: ignore[no-untyped-call]
        text: str = self.__dict__["_text"]
        return text

    def update(self, **changed: ASTUpdate) -> AST:
        """Return a copy in which some attributes are replaced; other attributes are shared."""
        if not changed:
            return self
        kept = {name: getattr(self, name) for name in _keys(self.ast_type)}
        return Node.of(self.ast_type, kept | changed)


@cache
def _keys(kind: ASTType) -> list[str]:
    """Return the names of the attributes of nodes of a kind, in the order of its constructor."""
    names: list[str] = Node.of(kind, {}).keys()
    return names


def _constructor(kind: ASTType) -> Callable[..., AST]:
    """Return a function that makes nodes of a kind, with clingo's parameters in their order."""

    def make(*values: ASTUpdate) -> AST:
        return Node.of(kind, dict(zip(_keys(kind), values, strict=True)))

    return make


Aggregate = _constructor(ASTType.Aggregate)
BinaryOperation = _constructor(ASTType.BinaryOperation)
Comparison = _constructor(ASTType.Comparison)
ConditionalLiteral = _constructor(ASTType.ConditionalLiteral)
Function = _constructor(ASTType.Function)
Guard = _constructor(ASTType.Guard)
Literal = _constructor(ASTType.Literal)
Rule = _constructor(ASTType.Rule)
SymbolicAtom = _constructor(ASTType.SymbolicAtom)
SymbolicTerm = _constructor(ASTType.SymbolicTerm)
Variable = _constructor(ASTType.Variable)


def _child_keys(node: AST, kind: ASTType) -> list[str]:
    """Return the names of the attributes that hold child nodes, for nodes of a kind.

    The names are remembered, because clingo is slow to list them.
    """
    if kind not in _CHILD_KEYS:
        _CHILD_KEYS[kind] = node.child_keys
    return _CHILD_KEYS[kind]


class Walker:
    """A transformer of syntax trees, which is faster than clingo's `Transformer`.

    Parameters
    ----------
    functions
        Functions that return a changed node, by the kind of node: `Walker(Variable=change)`.
    """

    def __init__(self, **functions: Callable[[AST], AST]) -> None:
        vars(self).update({f"visit_{kind}": change for kind, change in functions.items()})

    def visit(self, ast: AST) -> AST:
        """Return a node, changed by the method for its kind.

        Without such a method, change its child nodes.
        """
        method = getattr(self, _METHODS[ast.ast_type], None)
        if method is None:
            return ast.update(**self.visit_children(ast))
        new: AST = method(ast)
        return new

    def visit_children(self, ast: AST) -> dict[str, ASTUpdate]:
        """Change the children of a node; return only attributes that changed."""
        changed: dict[str, ASTUpdate] = {}
        for key in _child_keys(ast, ast.ast_type):
            old = getattr(ast, key)
            if old is None:
                continue
            new = self.visit(old) if isinstance(old, AST) else self.visit_sequence(old)
            if new is not old:
                changed[key] = new
        return changed

    def visit_sequence(self, sequence: Sequence[AST]) -> Sequence[AST]:
        """Change the nodes of a sequence; return the sequence itself if no node changed."""
        new = [self.visit(node) for node in sequence]
        return sequence if all(map(is_, new, sequence)) else new


def location(statement: AST) -> Location:
    """Return the location of a statement."""
    begin = statement.location.begin
    return Location(begin.filename, begin.line, begin.column)


def place_in(statement: AST, node: AST) -> Location:
    """Return the location of a node in a statement.

    The file is the statement's, because some nodes do not know their file.
    """
    begin = node.location.begin
    return Location(statement.location.begin.filename, begin.line, begin.column)


def atoms(node: AST) -> list[AST]:
    """Return all atoms in a node, in heads and bodies; a pool gives its members."""
    if node.ast_type == ASTType.SymbolicAtom:
        return _members(node)
    return [atom for child in children(node) for atom in atoms(child)]


def children(node: AST) -> list[AST]:
    """Return the child nodes of a node."""
    return node.children if isinstance(node, Node) else list(_find_children(node))


def _find_children(node: AST) -> Iterator[AST]:
    for key in _child_keys(node, node.ast_type):
        child = getattr(node, key)
        if isinstance(child, AST):
            yield child
        elif child is not None:
            yield from child


def _walk(node: AST, outside: ASTType | None = None) -> Iterable[tuple[ASTType, AST]]:
    """Yield (kind, node) for a node and all nodes below it.

    Do not descend into nodes of the kind `outside`.
    """
    if isinstance(node, Node) and outside not in node.kinds_below:
        return node.below
    return _descend(node, outside)


def _descend(node: AST, outside: ASTType | None = None) -> Iterator[tuple[ASTType, AST]]:
    kind = node.ast_type
    yield kind, node
    if kind != outside:
        for child in children(node):
            yield from _descend(child, outside)


def _members(atom: AST) -> list[AST]:
    """Return the atoms of a pool such as `p(1;2,3)`, or just the atom if it is no pool.

    The atoms of a pool may differ in arity.
    """
    signs = list[AST]()
    term = atom.symbol
    while term.ast_type == ASTType.UnaryOperation:
        signs.append(term)
        term = term.argument
    if term.ast_type != ASTType.Pool:
        return [atom]
    members = list[AST]()
    for member in term.arguments:
        for sign in reversed(signs):
            member = sign.update(argument=member)
        members.append(SymbolicAtom(member))
    return members


def heads(statement: AST) -> list[AST]:
    """Return the atoms that a statement derives, chooses or declares external; no conditions."""
    if statement.ast_type == ASTType.External:
        return _members(statement.atom)
    if statement.ast_type != ASTType.Rule:
        return []
    if statement.head.ast_type == ASTType.Literal:
        return atoms(statement.head)
    found = list[AST]()
    for literal in _head_literals(statement.head):
        found.extend(atoms(literal))
    return found


def _head_literals(head: AST) -> list[AST]:
    """Return the head literals of a choice, a head aggregate or a disjunction."""
    match head.ast_type:
        case ASTType.Aggregate | ASTType.Disjunction:
            return [element.literal for element in head.elements]
        case ASTType.HeadAggregate:
            return [element.condition.literal for element in head.elements]
    return []


def has_body(statement: AST) -> bool:
    """Return whether statements of this kind have a body, which may be empty."""
    return "body" in _child_keys(statement, statement.ast_type)


def is_choice(statement: AST) -> bool:
    """Return whether a statement is a rule with a choice, a head aggregate or a disjunction."""
    return statement.ast_type == ASTType.Rule and statement.head.ast_type in _CHOICES


def is_constraint(statement: AST) -> bool:
    """Return whether a statement is an integrity constraint: a rule with the head `#false`."""
    if statement.ast_type != ASTType.Rule:
        return False
    return is_literal(statement.head, ASTType.BooleanConstant) and not statement.head.atom.value


def reads(statement: AST, body: Iterable[AST] | None = None) -> list[AST]:
    """Return the atoms in the body of a statement and in conditions of its head.

    If `body` is given, it is used in place of the statement's own body.
    """
    if statement.ast_type not in (ASTType.Rule, ASTType.External):
        return atoms(statement)
    nodes = list(statement.body if body is None else body)
    if statement.ast_type == ASTType.Rule:
        for kind, part in _walk(statement.head):
            if kind in _CONDITIONAL:
                nodes.extend(part.condition)
    return [atom for node in nodes for atom in atoms(node)]


def signature(atom: AST) -> Signature:
    """Return the predicate of an atom, which must not be a pool."""
    sign = ""
    term = atom.symbol
    while term.ast_type == ASTType.UnaryOperation:
        sign = "-"
        term = term.argument
    if term.ast_type != ASTType.Function:
        return sign, str(term), 0
    return sign, term.name, len(term.arguments)


def predicate(atom: Symbol) -> Signature:
    """Return the predicate of a ground atom, a symbol of clingo."""
    return "" if atom.positive else "-", atom.name, len(atom.arguments)


def named_by(statement: AST) -> Signature:
    """Return the predicate p/n that a statement `#show p/n.` or `#defined p/n.` names."""
    return "" if statement.positive else "-", statement.name, statement.arity


def general_atom(key: Signature, place: int, time: str, prefix: str = "") -> str:
    """Return the atom of a predicate with variables for all arguments except the time.

    `time` is put at index `place`; `prefix` is put before the name. For example, `general_atom(("",
    "at", 2), 1, "t")` is `at(V0,t)`.
    """
    sign, name, arity = key
    terms = [f"V{i}" for i in range(arity)]
    terms[place] = time
    return f"{sign}{prefix}{name}({','.join(terms)})"


def arguments(atom: AST) -> list[AST]:
    """Return the arguments of an atom, which must not be a pool."""
    term = atom.symbol
    while term.ast_type == ASTType.UnaryOperation:
        term = term.argument
    return list(term.arguments) if term.ast_type == ASTType.Function else []


def time_of(atom: AST, places: Mapping[Signature, int]) -> AST | None:
    """Return the time argument of an atom; None if its predicate has no time.

    `places` maps each predicate to the index of its time argument.
    """
    place = places.get(signature(atom))
    return None if place is None else arguments(atom)[place]


def calls(statements: Iterable[AST]) -> list[Call]:
    """Return the calls of script functions such as `@f(X)`."""
    found = list[Call]()
    for statement in statements:
        if "@" not in str(statement):
            continue
        for function in find(ASTType.Function, [statement]):
            if function.external:
                found.append((function.name, location(statement)))
    return found


def constants(statements: Iterable[AST]) -> set[str]:
    """Return the names that may be constants: names in `#const`, and names that are terms."""
    names: set[str] = set()
    for statement in statements:
        # A keyword is no constant, as in `#external a. [false]`.
        keyword = _KEYWORDS.get(statement.ast_type)
        if keyword is not None:
            zero = SymbolicTerm(statement.location, Number(0))
            statement = statement.update(**{keyword: zero})
        for kind, node in _walk(statement):
            if kind == ASTType.SymbolicTerm:
                names.add(str(node.symbol))
            elif kind == ASTType.Definition:
                names.add(node.name)
    return {name for name in names if name.isidentifier()}


def defined_in(statement: AST) -> set[Signature]:
    """Return the predicates of the atoms that a statement derives, chooses or declares external."""
    return set(map(signature, heads(statement)))


def read_in(statement: AST) -> set[Signature]:
    """Return the predicates in the body of a statement and in conditions of its head."""
    return set(map(signature, reads(statement)))


def named_in(node: AST) -> set[Signature]:
    """Return the predicates of all atoms in a node."""
    return set(map(signature, atoms(node)))


def names_term(node: AST, name: str) -> bool:
    """Return whether some term in a node is just the name `name`."""
    if name not in str(node):
        return False
    return any(kind in _NAMES and str(term) == name for kind, term in _walk(node))


def number_of(term: AST) -> int | None:
    """Return the value of a term such as `-1` or `2*3`; None if it is not a number.

    The value is computed in Python, because clingo's own reader of terms ends the process at a
    remainder by 0.
    """
    if term.ast_type == ASTType.SymbolicTerm:
        return int(term.symbol.number) if term.symbol.type == SymbolType.Number else None
    value = _computed(term)
    return value if value is not None and abs(value) <= LARGEST else None


def _computed(term: AST) -> int | None:
    """Return the value of an operation on numbers, such as a sum; None for another term."""
    if term.ast_type == ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus:
        number = number_of(term.argument)
        return None if number is None else -number
    if term.ast_type == ASTType.BinaryOperation and term.operator_type in _COMPUTED:
        left = number_of(term.left)
        right = number_of(term.right)
        if left is not None and right is not None:
            return _COMPUTED[term.operator_type](left, right)
    return None


def is_now(term: AST, parameter: str) -> bool:
    """Return whether a term is the parameter itself, as `t` in `step(t)`."""
    return str(term) == parameter


def is_before(term: AST, parameter: str) -> bool:
    """Return whether a term is the parameter minus a positive number, as `t-2`."""
    text = str(term)
    earlier = text.removeprefix(f"({parameter}-").removesuffix(")")
    return earlier != text and earlier.isdigit() and int(earlier) > 0


def is_just_before(term: AST, parameter: str) -> bool:
    """Return whether a term is the parameter minus 1."""
    return str(term) == f"({parameter}-1)"


def find(
    kind: ASTType | Collection[ASTType],
    nodes: Iterable[AST] | ASTSequence,
    outside: ASTType | None = None,
) -> list[AST]:
    """Return all nodes of some kinds in trees.

    The search does not descend into nodes of the kind `outside`.
    """
    kinds = (kind,) if isinstance(kind, ASTType) else kind
    return [node for root in nodes for found, node in _walk(root, outside) if found in kinds]


def kinds(node: AST) -> set[ASTType]:
    """Return the kinds of a node and of all nodes below it."""
    return {kind for kind, _ in _walk(node)}


def is_literal(
    node: AST, kind: ASTType = ASTType.SymbolicAtom, sign: Sign | None = Sign.NoSign
) -> bool:
    """Return whether a node is a literal with an atom of some kind and with some sign.

    By default the atom is an ordinary one, and there is no `not`. The sign None allows any sign.
    """
    is_one = node.ast_type == ASTType.Literal and node.atom.ast_type == kind
    return bool(is_one and sign in (None, node.sign))


def named_term(at: AST, name: str, terms: Iterable[AST] = ()) -> AST:
    """Return the function `name(terms)` with the location of the node `at`.

    If `name` is empty, return a tuple.
    """
    return Function(at.location, name, list(terms), False)


def named_atom(at: AST, name: str, terms: Iterable[AST] = ()) -> AST:
    """Return the literal of the atom `name(terms)`, with the location of the node `at`."""
    return Literal(at.location, Sign.NoSign, SymbolicAtom(named_term(at, name, terms)))


def renamed(atom: AST, name: str, terms: Iterable[AST]) -> AST:
    """Return an atom with another name and other arguments; its sign stays."""
    term = atom.symbol
    if term.ast_type != ASTType.UnaryOperation:
        return atom.update(symbol=term.update(name=name, arguments=list(terms)))
    function = term.argument.update(name=name, arguments=list(terms))
    return atom.update(symbol=term.update(argument=function))


def compared(
    at: AST, left: AST, right: AST, operator: ComparisonOperator = ComparisonOperator.Equal
) -> AST:
    """Return the literal that compares two terms, with the location of the node `at`."""
    comparison = Comparison(left, [Guard(int(operator), right)])
    return Literal(at.location, Sign.NoSign, comparison)


def fresh_names(start: str, taken: Collection[str]) -> Iterator[str]:
    """Yield the names `start` followed by 1, 2 and so on, except the names in `taken`."""
    for i in count(1):
        name = f"{start}{i}"
        if name not in taken:
            yield name


def variable_names(*nodes: AST) -> list[str]:
    """Return the names of the variables in some nodes, except anonymous ones.

    Variables inside pools are left out, since only some of the rules that replace the pool have
    them.
    """
    variables = find(ASTType.Variable, nodes, outside=ASTType.Pool)
    return list(dict.fromkeys(v.name for v in variables if v.name != "_"))


def global_variables(body: Iterable[AST]) -> list[str]:
    """Return the variables in a body outside of conditions and of elements of aggregates."""
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
