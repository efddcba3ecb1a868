"""The statements of a program with the terms of their atoms that are a name plus a number.

A clause has what the inference of sorts needs: the uses of such terms as arguments, the comparisons
of two of them, the ends of intervals, and which variables are another name plus a number.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Sign, Signature
from asplan.program.terms import Compared, Op, Time, comparisons, is_name, shift_of
from asplan.program.unit import Unit

NONE: Signature = ("", "", 0)
"""The predicate of a term that is no argument of an atom."""


@dataclass(frozen=True)
class Use:
    """A term that is a name (a variable, a constant, or none) plus a number.

    It is the argument `place` of an atom of `key`, of a `head` or a body; or it is compared.
    """

    key: Signature
    place: int
    name: str
    shift: int
    term: AST
    file: str
    head: bool = False

    @property
    def is_variable(self) -> bool:
        """True if the name is a variable."""
        return is_name(self.name)


End = tuple[Use, AST, Use]
"""The upper end of an interval, the lower end, and the argument or variable between them."""

Successors = Mapping[Signature, tuple[int, int, int]]
"""For predicates such as `next(T,T+1)` two arguments, and how much the second exceeds the first.

They are no part of the state: no choice bears on them."""


@dataclass(frozen=True, eq=False)
class Clause:
    """A statement with its uses, comparisons, ends of intervals and aliases of variables."""

    statement: AST
    uses: tuple[Use, ...]
    compared: tuple[tuple[Use, Op, Use], ...]
    ends: tuple[End, ...]
    aliases: dict[str, Time]

    @cached_property
    def defined(self) -> frozenset[Signature]:
        """The predicates of its heads."""
        return frozenset(syntax.defined_in(self.statement))

    @cached_property
    def read(self) -> frozenset[Signature]:
        """The predicates of its body and of conditions in its head."""
        return frozenset(syntax.read_in(self.statement))

    @cached_property
    def denied(self) -> frozenset[Signature]:
        """The predicates behind `not` in its body."""
        body = self.statement.body if self.statement.ast_type == ASTType.Rule else ()
        literals = (b for b in body if b.ast_type == ASTType.Literal and b.sign == Sign.Negation)
        atoms = (atom for literal in literals for atom in syntax.atoms(literal))
        return frozenset(map(syntax.signature, atoms))

    @cached_property
    def is_open(self) -> bool:
        """True if it leaves open which atoms of its head hold."""
        return syntax.is_choice(self.statement) or self.statement.ast_type == ASTType.External


def clause_of(statement: AST, successors: Successors = {}) -> Clause:  # noqa: B006
    """Return the clause of a statement; `successors` make aliases, as in `next(T,S)`."""
    pairs = list(comparisons(statement))
    reader = _Reader(_aliases(statement, pairs, successors), syntax.location(statement).file)
    uses: list[Use] = []
    ends = list(reader.ends_of_variables(pairs))
    for is_head, atoms in ((True, syntax.heads(statement)), (False, syntax.reads(statement))):
        for atom in atoms:
            for use, end in reader.arguments(atom, is_head):
                uses += [] if use is None else [use]
                ends += [] if end is None else [end]
    compared = tuple(reader.compared(pairs))
    return Clause(statement, tuple(uses), compared, tuple(ends), reader.aliases)


@dataclass(frozen=True)
class _Reader:
    """The reading of terms in a statement, with the aliases of its variables."""

    aliases: dict[str, Time]
    file: str

    def use(
        self, term: AST, key: Signature = NONE, place: int = 0, head: bool = False
    ) -> Use | None:
        """Return the use of a term; None if it is not a name plus a number."""
        time = shift_of(term)
        if time is None:
            return None
        name, by = self.aliases.get(time[0], (time[0], 0))
        return Use(key, place, name, time[1] + by, term, self.file, head)

    def compared(self, pairs: Iterable[Compared]) -> Iterator[tuple[Use, Op, Use]]:
        """Yield the comparisons of two uses."""
        for left, operator, right in pairs:
            one = self.use(left)
            other = self.use(right)
            if one and other:
                yield one, operator, other

    def ends_of_variables(self, pairs: Iterable[Compared]) -> Iterator[End]:
        """Yield the ends of intervals to which variables are equal, as in `T = 0..n`."""
        for left, operator, right in pairs:
            for side, other in ((left, right), (right, left)):
                between = self.use(side)
                if operator == Op.Equal and between and between.is_variable:
                    end = self._end(other, between)
                    if end is not None:
                        yield end

    def arguments(self, atom: AST, head: bool) -> Iterator[tuple[Use | None, End | None]]:
        """Yield the use that each argument of an atom is, or the end of its interval."""
        key = syntax.signature(atom)
        for place, term in enumerate(syntax.arguments(atom)):
            use = self.use(term, key, place, head)
            if use is not None:
                yield use, None
            else:
                yield None, self._end(term, Use(key, place, "", 0, term, self.file, head))

    def _end(self, term: AST, between: Use) -> End | None:
        if term.ast_type != ASTType.Interval:
            return None
        high = self.use(term.right)
        return None if high is None else (high, term.left, between)


def _aliases(statement: AST, pairs: Iterable[Compared], successors: Successors) -> dict[str, Time]:
    """Return the variables that are another name plus a number, each with both.

    Each equation makes a variable an alias, and aliases of it follow.
    """
    equations = [(shift_of(left), shift_of(right)) for left, op, right in pairs if op == Op.Equal]
    equations += _equations_of(statement, successors)
    aliases: dict[str, Time] = {}
    for one, other in equations:
        if one and other and (not is_name(one[0]) or one[0] in aliases):
            one, other = other, one
        if not one or not other or not is_name(one[0]) or one[0] in aliases or not other[0]:
            continue
        root, by = aliases.get(other[0], (other[0], 0))
        if root == one[0]:
            continue
        distance = by + other[1] - one[1]
        for name, (end, shift) in aliases.items():
            if end == one[0]:
                aliases[name] = root, shift + distance
        aliases[one[0]] = root, distance
    return aliases


def _equations_of(
    statement: AST, successors: Successors
) -> Iterator[tuple[Time | None, Time | None]]:
    """Yield the equations of times that the successor atoms of a body mean."""
    if statement.ast_type != ASTType.Rule or not successors:
        return
    for literal in filter(syntax.is_literal, statement.body):
        for atom in syntax.atoms(literal):
            if (places := successors.get(syntax.signature(atom))) is None:
                continue
            first, second, by = places
            terms = syntax.arguments(atom)
            before = shift_of(terms[first])
            yield shift_of(terms[second]), before and (before[0], before[1] + by)


def clauses_of(unit: Unit) -> tuple[list[Clause], Successors]:
    """Return the clauses of a program, read with its successor predicates, and these."""
    statements = [s for s in unit.statements if s.ast_type != ASTType.Script]
    plain = [clause_of(s) for s in statements]
    successors = _successors(unit, plain)
    clauses = [
        clause_of(c.statement, successors) if any(u.key in successors for u in c.uses) else c
        for c in plain
    ]
    return clauses, successors


def _successors(unit: Unit, clauses: Iterable[Clause]) -> Successors:
    """Return the predicates with two arguments that differ by the same number in all heads."""
    facts = {key for found in unit.facts for key in found.signatures}
    distances: dict[Signature, set[tuple[int, int, int] | None]] = {}
    for clause in clauses:
        for key in map(syntax.signature, syntax.heads(clause.statement)):
            distances.setdefault(key, set()).add(_distance_in(clause, key))
    found: dict[Signature, tuple[int, int, int]] = {}
    for key, (only, *others) in distances.items():
        if only is not None and not others and key not in facts:
            found[key] = only
    return found


def _distance_in(clause: Clause, key: Signature) -> tuple[int, int, int] | None:
    """Return the only two arguments of a head that differ by a number, and the number."""
    uses = [use for use in clause.uses if use.head and use.key == key and use.is_variable]
    apart = [
        (a.place, b.place, b.shift - a.shift)
        for a, b in product(uses, repeat=2)
        if a.name == b.name and b.shift > a.shift
    ]
    return apart[0] if len(apart) == 1 and not clause.is_open else None


def depending_on(
    starts: Iterable[Signature], rules: Iterable[tuple[Set[Signature], Set[Signature]]]
) -> set[Signature]:
    """Return some predicates and all that depend on them.

    Each rule is given by the predicates that it defines and those that it reads.
    """
    after: dict[Signature, set[Signature]] = {}
    for defined, read in rules:
        for key in read:
            after.setdefault(key, set()).update(defined)
    return closure(starts, lambda key: after.get(key, ()))
