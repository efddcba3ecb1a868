"""The shapes of arguments: the kinds of terms that the atoms of each predicate have.

A *shape* is a number, a string, or a name with an arity (0 for a constant). Rules propagate shapes
from the arguments of bodies to arguments of heads, until nothing changes. Values of scripts and
constants, and arguments in long files of facts, may have any shape. A function in an argument is
treated like an atom.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import (
    Collection,
    Iterable,
    Iterator,
    Mapping,
)
from functools import lru_cache
from itertools import chain

from asplan.clingo import Symbol, SymbolType
from asplan.program import syntax
from asplan.program.model.program import INSIDE, Literal, TemporalRule
from asplan.program.reading.plain_facts import PlainFacts
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
)
from asplan.warnings.index import ProgramIndex

Place = tuple[Signature, int]
"""An argument: a predicate, and the index of the argument."""

Shape = tuple[str, int]
"""The name and arity of a function; numbers and strings have names of their own."""

Shapes = frozenset[Shape]
"""The possible shapes of a term."""

NUMBER: Shape = ("#number", 0)
STRING: Shape = ("#string", 0)
ANY: Shapes = frozenset({("#any", 0)})
"""The shapes of a term that may be anything."""

TermShapes = Shapes | str
"""The possible shapes of a term, or the name of the variable if the term is a variable."""

MAX_TEXT = 60_000  # the most characters of a file's facts; more are not analysed
_MAX_SHAPES = 60  # the most shapes of an argument; with more it may have any shape

_Bindings = Mapping[str, tuple[Shapes, bool]]
"""For each variable its possible shapes, and whether other instances may allow other shapes."""


@lru_cache(maxsize=1)
def shapes_of(index: ProgramIndex) -> ArgumentShapes:
    """Return the shapes of the arguments of all predicates in a program."""
    shapes = ArgumentShapes(index)
    shapes.propagate()
    return shapes


def with_functions(uses: Iterable[Literal]) -> Iterator[Literal]:
    """Yield each literal, followed by the functions in its arguments as further literals."""
    for use in uses:
        yield use
        yield from use.functions


class ArgumentShapes:
    """The shapes of the arguments of all predicates, and of functions in arguments.

    Attributes
    ----------
    terms
        The shapes of the arguments of each literal, and of each function in a literal.
    by_place
        The shapes that atoms have in each argument of their predicate, as far as they are known.
    open
        The arguments of predicates in which another instance may have other shapes.
    """

    def __init__(self, index: ProgramIndex) -> None:
        self._index = index
        self.terms = dict(_terms_of(index))
        self.by_place: dict[Place, Shapes] = defaultdict(frozenset)
        self.open: set[Place] = set()
        self._has_changed = False
        undefined = {*index.program.declared, *index.reads} - index.defined
        for key in (*undefined, *self._made_functions()):
            self._admit_any(key)
        if not index.is_complete:
            for key in index.defined:
                if not index.timed_heads(key):
                    self.open.update(_places(key))

    def _admit_any(self, key: Signature) -> None:
        self.by_place.update(dict.fromkeys(_places(key), ANY))

    def _made_functions(self) -> Iterator[Signature]:
        """Yield the functions that may get into atoms in other ways than by heads and facts.

        Scripts and comparisons, for example, may make functions.
        """
        statements = [rule.statement for rule in self._index.statements]
        if any(node.external for node in syntax.find(ASTType.Function, statements)):
            nodes = statements  # a script may return any function
        else:
            nodes = [*_other_literals(statements)]
            nodes += self._index.program.of_kind(ASTType.Definition)
        for node in syntax.find(ASTType.Function, nodes):
            yield INSIDE, node.name, len(node.arguments)

    def propagate(self) -> None:
        """Add the shapes in facts and heads to `by_place`, until nothing changes."""
        for facts in self._index.program.facts:
            self._add_facts(facts)
        self._has_changed = True
        while self._has_changed:
            self._has_changed = False
            for rule in self._index.rules:
                self._add_heads(rule)

    def _add_heads(self, rule: TemporalRule) -> None:
        bound = self.bindings(rule, rule.reads)
        for head in with_functions(rule.heads):
            for place, term in enumerate(self.terms[head]):
                if isinstance(term, str):
                    shapes, is_open = bound.get(term, (ANY, False))
                    self._add((head.key, place), shapes, is_open)
                else:
                    self._add((head.key, place), term, False)

    def _add_facts(self, facts: PlainFacts) -> None:
        if len(facts.text) > MAX_TEXT:
            parts = chain.from_iterable(use.functions for use in self.terms)
            functions = {part.key for part in parts}
            for key in (*facts.signatures, *functions):
                self._admit_any(key)
            return
        is_open = not self._index.is_one_file
        remaining = [(syntax.predicate(fact), fact) for fact in facts.symbols()]
        while remaining:
            key, term = remaining.pop()
            for place, value in enumerate(term.arguments):
                self._add((key, place), frozenset({_shape(value)}), is_open)
                if value.type == SymbolType.Function and value.arguments:
                    remaining.append(((INSIDE, value.name, len(value.arguments)), value))

    def _add(
        self,
        place: Place,
        shapes: Shapes,
        is_open: bool,
    ) -> None:
        old = self.by_place[place]
        if is_open and place not in self.open:
            self.open.add(place)
            self._has_changed = True
        if not shapes <= old and old != ANY:
            new = ANY if shapes & ANY else old | shapes
            self.by_place[place] = new if len(new) <= _MAX_SHAPES else ANY
            self._has_changed = True

    def bindings(
        self,
        rule: TemporalRule,
        uses: Iterable[Literal],
    ) -> _Bindings:
        """Return the possible shapes of a rule's variables.

        A variable in a positive literal of `uses` has only shapes that the predicate's argument
        has.
        """
        bound: dict[str, tuple[Shapes, bool]] = {}
        for use in uses:
            if use.outer_sign == Sign.NoSign and (rule.is_choice or not use.is_inner):
                for part in (use, *use.functions):
                    # If no atom has such a function yet, its variables have no shapes.
                    self._bind(part, bound, is_empty=part is not use and self._is_excluded(part))
        return bound

    def _is_excluded(self, use: Literal) -> bool:
        """Return whether a function in a literal can match no function that atoms have so far.

        This is so if one of its arguments has another shape than in all these functions.
        """
        places = enumerate(self.terms[use])
        return any(self._differs((use.key, place), term) for place, term in places)

    def _bind(
        self,
        use: Literal,
        bound: dict[str, tuple[Shapes, bool]],
        is_empty: bool,
    ) -> None:
        """Restrict the shapes of variables in a literal to the shapes of its arguments.

        If `is_empty` is set, no atom matches the literal: the variables then have no shapes.
        `bound` has the shapes of variables so far, and is updated.
        """
        for argument, term in enumerate(self.terms[use]):
            if not isinstance(term, str):
                continue
            place = use.key, argument
            shapes = frozenset() if is_empty else self.by_place[place]
            old, _ = bound.get(term, (ANY, False))
            if old == ANY or (shapes != ANY and shapes < old):
                bound[term] = shapes, place in self.open

    def _differs(
        self,
        place: Place,
        term: TermShapes,
    ) -> bool:
        """Return whether no shape found so far in an argument is a possible shape of a term."""
        present = self.by_place[place]
        if isinstance(term, str) or term == ANY or present == ANY:
            return False
        return not term & present

    def excludes(
        self,
        place: Place,
        term: TermShapes,
    ) -> bool:
        """Return whether the shapes of an argument are known, but a term can have none of them."""
        return bool(self.by_place[place]) and self._differs(place, term)

    def has_others(
        self,
        place: Place,
        terms: Iterable[TermShapes],
    ) -> bool:
        """Return whether an argument may have a shape that none of the `terms` has."""
        present = self.by_place[place]
        shapes = [ANY if isinstance(term, str) else term for term in terms]
        return present != ANY and ANY not in shapes and bool(present.difference(*shapes))


def _terms_of(index: ProgramIndex) -> Iterator[tuple[Literal, tuple[TermShapes, ...]]]:
    """Yield all literals and the functions in their arguments, each with its arguments' shapes."""
    constants = {node.name for node in index.program.of_kind(ASTType.Definition)}
    horizon = index.program.horizon
    if horizon is not None:
        constants.add(horizon.constant)
    for rule in index.statements:
        for part in with_functions((*rule.heads, *rule.reads)):
            yield part, tuple(_term_shapes(term, part.parameter, constants) for term in part.terms)


def _other_literals(statements: Iterable[AST]) -> Iterator[AST]:
    """Yield the elements of bodies other than literals of atoms, for example comparisons."""
    for statement in filter(syntax.has_body, statements):
        for node in statement.body:
            if not syntax.is_literal(node, sign=None):
                yield node


def _term_shapes(
    term: AST,
    parameter: str,
    constants: Collection[str],
) -> TermShapes:
    """Return the shapes that a term may have, or the name if it is a variable.

    `parameter` is the name of the part's time, and `constants` have unknown values.
    """
    match term.ast_type:
        case ASTType.Variable:
            return str(term.name)
        case ASTType.SymbolicTerm:
            shape = _shape(term.symbol)
            if shape == (parameter, 0):
                shape = NUMBER
            return ANY if shape[0] in constants else frozenset({shape})
        case ASTType.Function if not term.external:
            return frozenset({(term.name, len(term.arguments))})
        case ASTType.BinaryOperation | ASTType.Interval:
            return frozenset({NUMBER})
    return ANY


def _shape(value: Symbol) -> Shape:
    if value.type == SymbolType.Function:
        return value.name, len(value.arguments)
    kinds = {SymbolType.Number: NUMBER, SymbolType.String: STRING}
    return kinds.get(value.type, ("#any", 0))


def _places(key: Signature) -> list[Place]:
    return [(key, place) for place in range(key[2])]
