"""A check of arguments: literals that no atom of the program can be like.

Of each argument of a predicate it is worked out which shapes it may have: a number, a string, a
name, or a function with so many arguments. Rules hand shapes on from their bodies to their heads,
until nothing new comes. What cannot be told (the values of scripts and constants, variables inside
of functions, files with very many facts) may have any shape.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from difflib import get_close_matches

from clingo import Symbol, SymbolType

from asplan.core.warning import InputWarning
from asplan.program.scan import PlainFacts
from asplan.program.syntax import AST, ASTType, Sign, Signature, predicate
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clause, Clauses, Use, spelled

Shape = tuple[str, int]
"""The name of a function and how many arguments it has; what stands for numbers has no name."""

_NUMBER: Shape = ("#number", 0)
_STRING: Shape = ("#string", 0)
_ANY: frozenset[Shape] = frozenset({("#any", 0)})
"""Any shape; a set that has more in it is no other."""

_MOST_SHAPES = 60
_MOST_TEXT = 60_000
"""Characters of the facts of a file that are looked at."""

_Place = tuple[Signature, int]


def find_strange(program: Clauses) -> Iterator[InputWarning]:
    """Literals with an argument that no atom of their predicate has."""
    shapes = _Shapes(program)
    shapes.run()
    for clause in program.clauses:
        for use in clause.reads:
            if (hint := shapes.hint(use)) is not None:
                text = f"no {spelled(use.key)} is like {use.atom}"
                yield make_warning("no-match", text, use.at, hint)


class _Shapes:
    """The shapes of the arguments of all predicates."""

    def __init__(self, program: Clauses) -> None:
        self.program = program
        self.found: dict[_Place, frozenset[Shape]] = defaultdict(frozenset)
        self.given: set[_Place] = set()
        """The places that facts, which may be those of an instance, have a part in."""
        statements = [s for section in program.program.sections for s in section.statements]
        self.constants = {s.name for s in statements if s.ast_type == ASTType.Definition}
        self.changed = False
        for key in (*program.declared, *program.reads):
            if key not in program.defined:
                for place in range(key[2]):
                    self.found[key, place] = _ANY

    def run(self) -> None:
        """Work out all shapes."""
        for facts in self.program.program.facts:
            self._take_facts(facts)
        self.changed = True
        while self.changed:
            self.changed = False
            for clause in self.program.rules:
                known = self._variables(clause)
                for head in clause.heads:
                    for place, term in enumerate(head.terms):
                        self._add((head.key, place), self._shapes(term, known, head.parameter))

    def _take_facts(self, facts: PlainFacts) -> None:
        if len(facts.text) > _MOST_TEXT:
            for key in facts.signatures:
                for place in range(key[2]):
                    self._add((key, place), _ANY)
            return
        for fact in facts.symbols():
            for place, value in enumerate(fact.arguments):
                self.given.add((predicate(fact), place))
                self._add((predicate(fact), place), frozenset({_shape(value)}))

    def _add(self, place: _Place, shapes: frozenset[Shape]) -> None:
        old = self.found[place]
        if not shapes <= old and old != _ANY:
            new = _ANY if shapes >= _ANY else old | shapes
            self.found[place] = new if len(new) <= _MOST_SHAPES else _ANY
            self.changed = True

    def _variables(self, clause: Clause) -> dict[str, frozenset[Shape]]:
        """The shapes of the variables that literals of a rule bind."""
        known: dict[str, frozenset[Shape]] = {}
        for use in clause.reads:
            if use.sign == Sign.NoSign and (not use.inner or clause.is_choice):
                for place, term in enumerate(use.terms):
                    if term.ast_type == ASTType.Variable:
                        shapes = self.found[use.key, place]
                        old = known.get(term.name, _ANY)
                        if old == _ANY or (shapes != _ANY and shapes < old):
                            known[term.name] = shapes
        return known

    def _shapes(
        self, term: AST, known: dict[str, frozenset[Shape]], parameter: str
    ) -> frozenset[Shape]:
        """The shapes that a term may have."""
        match term.ast_type:
            case ASTType.Variable:
                return known.get(term.name, _ANY)
            case ASTType.SymbolicTerm:
                if str(term) == parameter:
                    return frozenset({_NUMBER})
                name = str(term.symbol)
                return _ANY if name in self.constants else frozenset({_shape(term.symbol)})
            case ASTType.Function:
                if term.external or (not term.arguments and term.name in self.constants):
                    return _ANY
                return frozenset({(term.name, len(term.arguments))})
            case ASTType.BinaryOperation | ASTType.Interval:
                return frozenset({_NUMBER})
            case ASTType.Pool:
                return frozenset().union(
                    *(self._shapes(each, known, parameter) for each in term.arguments)
                )
        return _ANY

    def hint(self, use: Use) -> str | None:
        """What to say of a literal that no atom is like; None if some may be."""
        wrong = [place for place in range(len(use.terms)) if self._is_strange(use, place)]
        if not wrong:
            return None
        for one in wrong:
            for other in range(len(use.terms)):
                swapped = list(use.terms)
                swapped[one], swapped[other] = swapped[other], swapped[one]
                if other != one and not any(
                    self._excludes((use.key, i), term, use) for i, term in enumerate(swapped)
                ):
                    if self._says(use.terms[other], use):
                        key, inside = use.key, ",".join(map(str, swapped))
                        return f"did you mean {key[0]}{key[1]}({inside})?"
        place = wrong[0]
        (name, arity), *_ = self._shapes(use.terms[place], {}, use.parameter)
        known = {n: a for n, a in self.found[use.key, place] if not n.startswith("#")}
        if name in known:
            return f"there is {name} with {known[name]} arguments"
        alike = get_close_matches(name, known, n=1, cutoff=0.6)
        if alike:
            return f"did you mean {alike[0]}?"
        if (use.key, place) in self.given and not self.program.is_one_file:
            return None  # another instance may have it
        is_number = self.found[use.key, place] == {_NUMBER}
        known_names = ", ".join(sorted(known)[:5])
        return f"argument {place + 1} is {'a number' if is_number else 'one of ' + known_names}"

    def _is_strange(self, use: Use, place: int) -> bool:
        return self._excludes((use.key, place), use.terms[place], use)

    def _says(self, term: AST, use: Use) -> bool:
        """Whether a term has a shape that is known."""
        return not self._shapes(term, {}, use.parameter) >= _ANY

    def _excludes(self, place: _Place, term: AST, use: Use) -> bool:
        """Whether no argument at a place is like a term."""
        shapes, known = self._shapes(term, {}, use.parameter), self.found[place]
        return bool(known) and known != _ANY and not shapes >= _ANY and not shapes & known


def _shape(value: Symbol) -> Shape:
    if value.type == SymbolType.Number:
        return _NUMBER
    if value.type == SymbolType.String:
        return _STRING
    if value.type == SymbolType.Function:
        return value.name, len(value.arguments)
    return "#any", 0
