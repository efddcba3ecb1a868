"""A check of arguments: literals that no atom of the program can be like.

Each argument of a predicate has shapes: a number, a string, a name, or a function with so many
arguments. Rules hand them on from bodies to heads, until nothing new comes; what cannot be told
(values of scripts and constants, files with very many facts) may have any. A function inside of an
atom is looked at as if it were an atom: so `holds(at(X,courier),t-1)` is noticed where only
`at(courier,X)` is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

from clingo import Symbol, SymbolType

from asplan.core.errors import InputWarning
from asplan.core.text import amount
from asplan.program.scan import PlainFacts
from asplan.program.syntax import AST, ASTType, Sign, Signature, find, predicate
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import INSIDE, Clause, Clauses, Use, as_written, is_slip, spelled

Shape = tuple[str, int]  # name and arity of a function; other things have no such name

Shapes = frozenset[Shape]

_NUMBER: Shape = ("#number", 0)
_STRING: Shape = ("#string", 0)
_ANY: Shapes = frozenset({("#any", 0)})
_SEVERAL = 3  # literals that are strange for one reason and that are named each

_MOST_SHAPES = 60
_MOST_TEXT = 60_000  # characters of the facts of a file that are looked at

_Place = tuple[Signature, int]


def find_strange(program: Clauses) -> Iterator[InputWarning]:
    """Literals with an argument that no atom of their predicate has."""
    known = shapes_of(program)
    strange: dict[tuple[Signature, str], list[Use]] = {}
    for clause in program.clauses:
        for use in clause.reads:
            hints = (known.hint(part) for part in (use, *use.inside))
            if (hint := next((hint for hint in hints if hint is not None), None)) is not None:
                strange.setdefault((use.key, hint), []).append(use)
    for (key, hint), uses in strange.items():
        # A level of a game without locks has no atoms for all the rules about locks.
        named = uses if len(uses) <= _SEVERAL else uses[:1]
        more = len(uses) - len(named)
        for use in named:
            text = f"no {spelled(key)} is like {use.text}"
            text += f", nor like {more} more literals of it" if more else ""
            yield make_warning("no-match", text, use.at, hint)


@lru_cache(maxsize=1)
def shapes_of(program: Clauses) -> KnownShapes:
    """What is known of the arguments of the predicates of a program."""
    constants = {s.name for s in program.program.of_kind(ASTType.Definition)}
    uses = (use for clause in program.clauses for use in (*clause.heads, *clause.reads))
    parts = (part for use in uses for part in (use, *use.inside))
    known = KnownShapes(
        program,
        {p: tuple(_shapes_of(term, p.parameter, constants) for term in p.terms) for p in parts},
    )
    known.run()
    return known


def _shapes_of(term: AST, parameter: str, constants: Set[str]) -> Shapes | str:
    """The shapes that a term may have, or the name of a variable."""
    match term.ast_type:
        case ASTType.Variable:
            return str(term.name)
        case ASTType.SymbolicTerm:
            shape = _shape(term.symbol)
            shape = _NUMBER if shape == (parameter, 0) else shape
            return _ANY if shape[0] in constants else frozenset({shape})
        case ASTType.Function if not term.external:
            return frozenset({(term.name, len(term.arguments))})
        case ASTType.BinaryOperation | ASTType.Interval:
            return frozenset({_NUMBER})
    return _ANY


def _shape(value: Symbol) -> Shape:
    if value.type == SymbolType.Function:
        return value.name, len(value.arguments)
    kinds = {SymbolType.Number: _NUMBER, SymbolType.String: _STRING}
    return kinds.get(value.type, ("#any", 0))


def _places(key: Signature) -> list[_Place]:
    return [(key, place) for place in range(key[2])]


class KnownShapes:
    """The shapes of the arguments of all predicates."""

    def __init__(self, program: Clauses, terms: dict[Use, tuple[Shapes | str, ...]]) -> None:
        self.program, self.terms = program, terms
        self.found: dict[_Place, Shapes] = defaultdict(frozenset)
        self.open: set[_Place] = set()
        """The places where another instance may have other shapes."""
        self.changed = False
        unknown = (
            k for k in (*program.program.declared, *program.reads) if k not in program.defined
        )
        for key in (*unknown, *self._unknown()):
            self.found.update(dict.fromkeys(_places(key), _ANY))
        for key in () if program.is_one_file and program.has_facts else program.defined:
            if not program.timed_definitions(key):
                self.open.update(_places(key))

    def _unknown(self) -> Iterator[Signature]:
        """The functions that may be made elsewhere than in heads and facts."""
        made = [
            node
            for clause in self.program.clauses
            for node in getattr(clause.statement, "body", ())
            if node.ast_type != ASTType.Literal or node.atom.ast_type != ASTType.SymbolicAtom
        ]
        made += self.program.program.of_kind(ASTType.Definition)
        statements = [clause.statement for clause in self.program.clauses]
        has_scripts = any(node.external for node in find(ASTType.Function, statements))
        for node in find(ASTType.Function, statements if has_scripts else made):
            yield INSIDE, node.name, len(node.arguments)

    def run(self) -> None:
        for facts in self.program.program.facts:
            self._take_facts(facts)
        self.changed = True
        while self.changed:
            self.changed = False
            for clause in self.program.rules:
                bound = self._bound(clause)
                for head in (part for use in clause.heads for part in (use, *use.inside)):
                    for place, term in enumerate(self.terms[head]):
                        if isinstance(term, str):
                            self._add((head.key, place), *bound.get(term, (_ANY, False)))
                        else:
                            self._add((head.key, place), term, False)

    def _take_facts(self, facts: PlainFacts) -> None:
        if len(facts.text) > _MOST_TEXT:
            inside = (part.key for use in self.terms for part in use.inside)
            for key in (*facts.signatures, *inside):
                self.found.update(dict.fromkeys(_places(key), _ANY))
            return
        left = [(predicate(fact), fact) for fact in facts.symbols()]
        while left:
            key, term = left.pop()
            for place, value in enumerate(term.arguments):
                self._add((key, place), frozenset({_shape(value)}), not self.program.is_one_file)
                if value.type == SymbolType.Function and value.arguments:
                    left.append(((INSIDE, value.name, len(value.arguments)), value))

    def _add(self, place: _Place, shapes: Shapes, is_open: bool) -> None:
        old = self.found[place]
        if is_open and place not in self.open:
            self.open.add(place)
            self.changed = True
        if not shapes <= old and old != _ANY:
            new = _ANY if shapes & _ANY else old | shapes
            self.found[place] = new if len(new) <= _MOST_SHAPES else _ANY
            self.changed = True

    def _bound(self, clause: Clause) -> dict[str, tuple[Shapes, bool]]:
        """The shapes of the variables that literals of a rule bind; whether there may be others."""
        bound: dict[str, tuple[Shapes, bool]] = {}
        for use in clause.reads:
            is_binding = use.sign == Sign.NoSign and (not use.inner or clause.is_choice)
            for part in (use, *use.inside) if is_binding else ():
                is_made = part is use or not any(
                    self._excludes((part.key, i), term, is_so_far=True)
                    for i, term in enumerate(self.terms[part])
                )
                for place, term in enumerate(self.terms[part]):
                    if isinstance(term, str):
                        shapes = self.found[part.key, place] if is_made else frozenset()
                        old, _ = bound.get(term, (_ANY, False))
                        if old == _ANY or (shapes != _ANY and shapes < old):
                            bound[term] = shapes, (part.key, place) in self.open
        return bound

    def _excludes(self, place: _Place, term: Shapes | str, is_so_far: bool = False) -> bool:
        """Whether no argument at a place is like a term; where none is known, only `is_so_far`."""
        known = self.found[place]
        if isinstance(term, str) or term == _ANY or known == _ANY:
            return False
        return (bool(known) or is_so_far) and not term & known

    def lacks(self, place: _Place, terms: Iterable[Shapes | str]) -> bool:
        """Whether there is an argument at a place that is like none of some terms."""
        told = [_ANY if isinstance(term, str) else term for term in terms]
        known = self.found[place]
        return known != _ANY and _ANY not in told and bool(known.difference(*told))

    def hint(self, use: Use) -> str | None:
        """What to say of a literal that no atom is like; None if some may be."""
        key, terms = use.key, self.terms[use]
        wrong = [i for i, term in enumerate(terms) if self._excludes((key, i), term)]
        if not wrong:
            return None
        if swapped := self._swapped(use, wrong[0]):
            inside = ",".join(map(as_written, swapped))
            return f"did you mean {key[0].strip()}{key[1]}({inside})?"
        place, told = (key, wrong[0]), terms[wrong[0]]
        assert not isinstance(told, str)
        ((name, _),) = told
        known = {n: a for n, a in self.found[place] if not n.startswith("#")}
        slips = [other for other in known if is_slip(name, other)]
        if slips:
            return f"did you mean {slips[0]}?"
        if place in self.open or key[0] == INSIDE or (use.sign and not use.parameter):
            return None  # what no state is at the start may be there in another instance
        if name in known:
            return f"there is {name} with {amount(known[name], 'argument')}"
        kinds = [*sorted(known)[:5], *["a number"] * (_NUMBER in self.found[place])]
        return f"argument {wrong[0] + 1} is {' or '.join(kinds) or 'a string'}"

    def _swapped(self, use: Use, wrong: int) -> list[AST] | None:
        """The arguments, with a wrong one and another swapped, if some atom is like that."""
        key, terms = use.key, self.terms[use]
        for other in (place for place in range(len(terms)) if place != wrong):
            order = list(range(len(terms)))
            order[wrong], order[other] = other, wrong
            is_told = self.found[key, other] != _ANY
            if {(key, wrong), (key, other)} & self.open:  # at least one kind is numbers
                is_told = terms[wrong] == self.found[key, other] == frozenset({_NUMBER})
            if is_told and not any(self._excludes((key, i), terms[j]) for i, j in enumerate(order)):
                return [use.terms[i] for i in order]
        return None
