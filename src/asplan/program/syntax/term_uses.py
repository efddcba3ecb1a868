"""Terms that are a name plus a number, such as `T+1`, as arguments and in comparisons.

The `use` of a term is such a term with its position. A variable that equals another name plus a
number, as `S` in `S = T+1`, is an alias: a use of `S` counts as a use of `T+1`.
"""

from collections.abc import Iterable, Iterator, Mapping

from asplan.core.dataclass import dataclass
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.syntax.terms import Compared, Op, Time, is_name, shift_of

NONE: Signature = ("", "", 0)
"""The predicate of a term that is not an argument of an atom."""


@dataclass(frozen=True)
class TermUse:
    """A term that is a name plus a number, and its position.

    Attributes
    ----------
    key, place
        The predicate of the atom and the index of the argument; `NONE` and 0 in a comparison.
    name, shift
        The variable or constant, empty for a plain number, and the number that is added to it.
    term
        The syntax tree of the term.
    file
        The file of the statement.
    head
        Whether the atom is a head of the rule.
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
"""An interval: its upper end, its lower end, and the argument or variable that ranges over it."""

Successors = Mapping[Signature, tuple[int, int, int]]
"""Predicates such as `next(T,T+1)`: (first index, second index, difference of the two).

These predicates are not part of the state, because no choice influences them.
"""


@dataclass(frozen=True)
class TermReader:
    """Reads the terms of one statement as names plus numbers, and replaces aliases."""

    aliases: dict[str, Time]
    file: str

    def use(
        self, term: AST, key: Signature = NONE, place: int = 0, head: bool = False
    ) -> TermUse | None:
        """Return a term with its position; None if the term is not a name plus a number.

        `key` and `place` are the predicate and the argument index; `head` means that the atom is a
        head.
        """
        time = shift_of(term)
        if time is None:
            return None
        name, by = self.aliases.get(time[0], (time[0], 0))
        return TermUse(key, place, name, time[1] + by, term, self.file, head)

    def compared(self, pairs: Iterable[Compared]) -> list[tuple[TermUse, Op, TermUse]]:
        """Return the comparisons in which both sides are a name plus a number."""
        found: list[tuple[TermUse, Op, TermUse]] = []
        for left, operator, right in pairs:
            one = self.use(left)
            other = self.use(right)
            if one and other:
                found.append((one, operator, other))
        return found

    def ends_of_variables(self, pairs: Iterable[Compared]) -> Iterator[End]:
        """Yield the intervals that variables equal, as `0..n` in `T = 0..n`."""
        for left, operator, right in pairs:
            for side, other in ((left, right), (right, left)):
                between = self.use(side)
                if operator == Op.Equal and between and between.is_variable:
                    end = self._end(other, between)
                    if end is not None:
                        yield end

    def end_at(self, term: AST, key: Signature, place: int, head: bool) -> End | None:
        """Return the interval in an argument, with its ends; None if `term` has another form."""
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
    """Map each alias to its name and number: for `S = T+1`, return `{"S": ("T", 1)}`.

    `pairs` are the comparisons in the statement.
    """
    aliases: dict[str, Time] = {}
    for left, operator, right in pairs:
        if operator == Op.Equal:
            _equate(shift_of(left), shift_of(right), aliases)
    for one, other in _equations_of(statement, successors):
        _equate(one, other, aliases)
    return aliases


def _equate(one: Time | None, other: Time | None, aliases: dict[str, Time]) -> None:
    """Add the alias that the equation `one = other` gives.

    Other aliases of the variable are updated.
    """
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
    """Return whether a name is a variable and not an alias yet."""
    return is_name(name) and name not in aliases


def _equations_of(
    statement: AST, successors: Successors
) -> Iterator[tuple[Time | None, Time | None]]:
    """Yield the equations that successor atoms of a body state: `next(T,S)` gives S = T+1."""
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
