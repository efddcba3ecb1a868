"""The columns of a board, as a program names them: X is a column in `at(Thing,X,Y)`.

The last two arguments of an atom beside its time, or the pair that is the last one, may be the row
and the column of a cell.
"""

import re
from collections import Counter
from collections.abc import Sequence

from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.roles import occurrences, roles_of
from asplan.program.syntax import AST, ASTType

_COLUMN = {"x", "c", "col", "cols", "column"}
_ROW = {"y", "r", "row", "rows"}

Votes = tuple[tuple[str, int, int], ...]
"""The names of predicates, which of the two numbers of a cell is the column, and votes for that."""


def find_columns(program: Program) -> Votes:
    """Return the columns that the names of variables tell, by predicate or function."""
    places = roles_of(program).places
    votes: Counter[tuple[str, int]] = Counter()
    for key, found in occurrences(program).items():
        for occurrence in found:
            time = places.get(key)
            terms = [term for place, term in enumerate(occurrence.terms) if place != time]
            named = [(key[1], terms)]
            # A fluent may be a term: holds(at(Thing,X,Y),T).
            named += [(t.name, t.arguments) for t in terms if t.ast_type == ASTType.Function]
            for name, arguments in named:
                first, second = _sides(arguments)
                if first != second:
                    # A number of which nothing is known is the other one.
                    is_first = first == "column" or (not first and second == "row")
                    votes[name, 0 if is_first else 1] += 2 if first and second else 1
    return tuple((name, column, number) for (name, column), number in sorted(votes.items()))


def _sides(terms: Sequence[AST]) -> tuple[str, str]:
    """Return the meanings of the two numbers of a cell: `row`, `column`, or empty text."""
    pair = _pair(terms[-1]) if terms else ()
    first, second = pair or (terms[-2:] if len(terms) > 1 else (None, None))
    return _meaning(first), _meaning(second)


def _pair(term: AST) -> Sequence[AST]:
    """Return the two terms of a pair; none for another term."""
    is_tuple = term.ast_type == ASTType.Function and not term.name
    return term.arguments if is_tuple and len(term.arguments) == 2 else ()


def _meaning(term: AST | None) -> str:
    """Return `row` or `column` where the name of the only variable of a term says so."""
    names = [] if term is None else syntax.variable_names(term)
    if len(names) != 1:
        return ""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]", names[0])}
    if words.isdisjoint(_COLUMN) == words.isdisjoint(_ROW):
        return ""
    return "row" if words.isdisjoint(_COLUMN) else "column"
