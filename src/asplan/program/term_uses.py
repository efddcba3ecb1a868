"""The uses of terms that are a name plus a number, as arguments of atoms and in comparisons.

A variable that is another name plus a number, as `S` in `S = T+1`, is an alias: its uses count as
uses of the other name.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.terms import Compared, Op, Time, is_name, shift_of

NONE: Signature = ("", "", 0)
"""The predicate of a term that is no argument of an atom."""


@dataclass(frozen=True)
class TermUse:
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


End = tuple[TermUse, AST, TermUse]
"""The upper end of an interval, the lower end, and the argument or variable between them."""

Successors = Mapping[Signature, tuple[int, int, int]]
"""For predicates such as `next(T,T+1)` two arguments, and how much the second exceeds the first.

They are no part of the state: no choice bears on them."""


@dataclass(frozen=True)
class TermReader:
    """The reading of terms in a statement, with the aliases of its variables."""

    aliases: dict[str, Time]
    file: str

    def use(
        self, term: AST, key: Signature = NONE, place: int = 0, head: bool = False
    ) -> TermUse | None:
        """Return the use of a term; None if it is not a name plus a number."""
        time = shift_of(term)
        if time is None:
            return None
        name, by = self.aliases.get(time[0], (time[0], 0))
        return TermUse(key, place, name, time[1] + by, term, self.file, head)

    def compared(self, pairs: Iterable[Compared]) -> list[tuple[TermUse, Op, TermUse]]:
        """Return the comparisons of two uses."""
        found: list[tuple[TermUse, Op, TermUse]] = []
        for left, operator, right in pairs:
            one = self.use(left)
            other = self.use(right)
            if one and other:
                found.append((one, operator, other))
        return found

    def ends_of_variables(self, pairs: Iterable[Compared]) -> Iterator[End]:
        """Yield the ends of intervals to which variables are equal, as in `T = 0..n`."""
        for left, operator, right in pairs:
            for side, other in ((left, right), (right, left)):
                between = self.use(side)
                if operator == Op.Equal and between and between.is_variable:
                    end = self._end(other, between)
                    if end is not None:
                        yield end

    def end_at(self, term: AST, key: Signature, place: int, head: bool) -> End | None:
        """Return the end of the interval that an argument is; None for another term."""
        return self._end(term, TermUse(key, place, "", 0, term, self.file, head))

    def _end(self, term: AST, between: TermUse) -> End | None:
        if term.ast_type != ASTType.Interval:
            return None
        high = self.use(term.right)
        return None if high is None else (high, term.left, between)


def find_aliases(
    statement: AST,
    pairs: Iterable[Compared],
    successors: Successors,
) -> dict[str, Time]:
    """Return the variables that are another name plus a number, each with both."""
    aliases: dict[str, Time] = {}
    for left, operator, right in pairs:
        if operator == Op.Equal:
            _equate(shift_of(left), shift_of(right), aliases)
    for one, other in _equations_of(statement, successors):
        _equate(one, other, aliases)
    return aliases


def _equate(one: Time | None, other: Time | None, aliases: dict[str, Time]) -> None:
    """Make the variable of one term an alias of the other's name, and its aliases with it."""
    if one is None or other is None:
        return
    if not _is_free(one[0], aliases):
        one, other = other, one
    name, shift = one
    if not _is_free(name, aliases) or not other[0]:
        return
    root, by = aliases.get(other[0], (other[0], 0))
    if root == name:
        return
    distance = by + other[1] - shift
    for alias, (end, more) in aliases.items():
        if end == name:
            aliases[alias] = root, more + distance
    aliases[name] = root, distance


def _is_free(name: str, aliases: Mapping[str, Time]) -> bool:
    """Return whether a name is a variable that is no alias yet."""
    return is_name(name) and name not in aliases


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
