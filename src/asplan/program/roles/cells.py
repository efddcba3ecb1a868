"""The columns of a board, guessed from names of variables: X is a column in `at(Thing,X,Y)`.

The last two arguments of an atom, apart from its time, may be the row and the column of a cell; so
may the two terms of a pair that is its last argument.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.roles.roles import roles_of
from asplan.program.syntax import AST, ASTType

_COLUMN = {"x", "c", "col", "cols", "column"}
_ROW = {"y", "r", "row", "rows"}

Votes = tuple[tuple[str, int, int], ...]
"""Names of predicates, each with the index of the column in a cell (0 or 1) and its votes."""


def find_columns(program: Program) -> Votes:
    """Return votes on which coordinate of a cell is the column.

    Each vote is (name of a predicate or function, index of the column: 0 or 1, number of votes).
    """
    votes: Counter[tuple[str, int]] = Counter()
    for name, arguments in _named_terms(program):
        first, second = _sides(arguments)
        if first == second:
            continue
        column = 0 if _is_column_first(first, second) else 1
        # Two meaningful names are stronger evidence than one.
        votes[name, column] += 2 if first and second else 1
    return tuple((name, column, number) for (name, column), number in sorted(votes.items()))


def _named_terms(program: Program) -> Iterator[tuple[str, Sequence[AST]]]:
    """Yield (name, arguments) for all atoms and for the functions in them.

    The time argument is left out.
    """
    places = roles_of(program).places
    for key, literals in program.model.literals.items():
        time = places.get(key)
        for literal in literals:
            terms = [term for place, term in enumerate(literal.terms) if place != time]
            for _ in range(1 + literal.is_head):  # a head counts twice
                yield key[1], terms
                # A fluent may be a term: holds(at(Thing,X,Y),T).
                for term in terms:
                    if term.ast_type == ASTType.Function:
                        yield term.name, term.arguments


def _is_column_first(first: str, second: str) -> bool:
    """Return whether the first coordinate is the column.

    `first` and `second` are the meanings of the coordinates: `row`, `column` or empty text. They
    differ.
    """
    return first == "column" or (not first and second == "row")


def _sides(terms: Sequence[AST]) -> tuple[str, str]:
    """Return the meanings of a cell's two coordinates: `row`, `column`, or "" if unknown."""
    if not terms:
        return "", ""
    pair = _pair(terms[-1])
    if not pair:
        pair = terms[-2:]
    if len(pair) != 2:
        return "", ""
    first, second = pair
    return _meaning(first), _meaning(second)


def _pair(term: AST) -> Sequence[AST]:
    """Return the two terms of a pair `(a,b)`; empty for another term."""
    is_tuple = term.ast_type == ASTType.Function and not term.name
    return term.arguments if is_tuple and len(term.arguments) == 2 else ()


def _meaning(term: AST) -> str:
    """Return `row` or `column` if the term has one variable with such a name, else empty text."""
    names = syntax.variable_names(term)
    if len(names) != 1:
        return ""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]", names[0])}
    is_column = not words.isdisjoint(_COLUMN)
    is_row = not words.isdisjoint(_ROW)
    if is_column == is_row:
        return ""
    return "column" if is_column else "row"
