"""Reading of instances for all domains: cells, facts of objects, and files of many problems."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from asplan.clingo import Number, Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.core.text import amount, parse_natural
from asplan.domains.base import Converted

# The cells of a board: rows and columns count from 1, indices from 0, row by row.

Cell = tuple[int, int]
"""The row and the column of a cell."""

MOST_CELLS = 100_000
"""The most cells that a board may have."""


def is_on_grid(cell: Cell, rows: int, columns: int) -> bool:
    """Return True if a cell is on a board of this size."""
    row, column = cell
    return 1 <= row <= rows and 1 <= column <= columns


def cell_at(index: int, columns: int) -> Cell:
    """Return the row and column of the cell with an index; indices count from 0, row by row.

    >>> cell_at(0, columns=6), cell_at(7, columns=6)
    ((1, 1), (2, 2))
    """
    row, column = divmod(index, columns)
    return row + 1, column + 1


def index_of(cell: Cell, columns: int) -> int:
    """Return the index of a cell, counted from 0, row by row: the inverse of `cell_at`."""
    row, column = cell
    return (row - 1) * columns + column - 1


def read_grid(facts: Facts, example: str, hint: str) -> Cell:
    """Return the numbers of rows and columns of the board, whose cells are the `grid(Row,Column)`
    facts.

    The facts must fill a rectangle; else `InputError` is raised. `example` is a fact that would
    make a grid, for the error about a missing grid. `hint` is the hint of the error about a hole.
    """
    grid_facts = facts.named("grid", 2)
    if len(grid_facts) > MOST_CELLS:
        raise facts.error(f"has a grid of more than the {MOST_CELLS} cells that a board may have")
    fact_of = {read_cell(facts, fact): fact for fact in grid_facts}
    if not fact_of:
        raise facts.error("has no grid", hint=f"add, for example, {example}")
    for cell, fact in fact_of.items():
        if min(cell) < 1:
            raise facts.error("rows and columns count from 1", fact)
    rows = max(row for row, _ in fact_of)
    columns = max(column for _, column in fact_of)
    if len(fact_of) < rows * columns:
        row, column = _first_hole(fact_of, columns)
        first_fact = fact_of[min(fact_of)]
        raise facts.error(f"the grid has a hole at ({row},{column})", first_fact, hint)
    return rows, columns


def _first_hole(cells: Iterable[Cell], columns: int) -> Cell:
    """Return the first cell, row by row, that is not among `cells`.

    The time depends on the number of facts alone, not on the size of the board.
    """
    present = set(cells)
    index = 0
    while cell_at(index, columns) in present:
        index += 1
    return cell_at(index, columns)


def read_cell(facts: Facts, fact: Symbol) -> Cell:
    """Return the row and column that a fact has as its last two arguments."""
    row_term, column_term = fact.arguments[-2:]
    row = read_number(facts, fact, row_term)
    column = read_number(facts, fact, column_term)
    return row, column


def read_number(facts: Facts, fact: Symbol, argument: Symbol) -> int:
    """Return an argument of a fact as a number; raise `InputError` if it is not a number."""
    if argument.type != SymbolType.Number:
        raise facts.error(f"{argument} is not a number", fact)
    return argument.number


def at_start(
    facts: Facts,
    name: str,
    arity: int,
    noun: str,
) -> list[Symbol]:
    """Return the facts of a fluent; raise `InputError` if one has another time than 0.

    `noun` names the fluent in the error, such as "positions".
    """
    fluents = facts.named(name, arity)
    for fact in fluents:
        if fact.arguments[0] != Number(0):
            raise facts.error(f"an instance gives {noun} at time 0 only", fact)
    return fluents


def by_object(
    facts: Facts,
    found: Iterable[Symbol],
    argument: int,
    noun: str,
) -> dict[Symbol, Symbol]:
    """Map each object that facts describe to its fact; raise `InputError` if an object has two
    facts.

    Parameters
    ----------
    facts
        All facts, for the places of errors.
    found
        The facts to map.
    argument
        The index of the object among the arguments of a fact.
    noun
        The noun for an object in the error, such as "car".
    """
    fact_of: dict[Symbol, Symbol] = {}
    for fact in found:
        name = fact.arguments[argument]
        if name in fact_of:
            raise facts.error(f"{noun} {name} already has {fact_of[name]}", fact)
        fact_of[name] = fact
    return fact_of


# Files with one problem a line: plain lists, tables with named columns, databases. They are read
# line by line, so they may have any size.


@dataclass(frozen=True)
class Entry:
    """A problem from a file of many problems: its text, its place, and its number of moves if
    known.
    """

    text: str
    at: Location
    moves: int | None = None


def entries(
    lines: Iterable[str],
    file: str,
    column: str,
    spaced: bool = False,
) -> Iterator[Entry]:
    """Yield the problems of a file that has one problem a line.

    Empty lines and lines that begin with # are skipped. The first line is a header if it contains
    the name `column`; problems are then in the column of this name. Without a header, the problem
    is the first field, or the second if the first is a number of moves. If `spaced` is set,
    problems may contain spaces, and only tabs separate fields.
    """
    header: list[str] | None = None
    is_first = True
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        line = line.rstrip("\r\n")
        fields = _split_fields(line, spaced)
        if is_first and column in fields:
            header = fields
        else:
            columns = _find_columns(header, fields, column)
            yield _read_entry(line, fields, columns, file, number)
        is_first = False


@dataclass(frozen=True)
class _Columns:
    """The indices of the fields that hold the problem and its number of moves."""

    problem: int
    moves: int | None


def _split_fields(line: str, spaced: bool) -> list[str]:
    if spaced or "\t" in line:
        return line.split("\t")
    return line.split()


def _find_columns(
    header: list[str] | None,
    fields: list[str],
    column: str,
) -> _Columns:
    if header:
        counts = [name for name in ("slides", "moves") if name in header]
        moves = header.index(counts[0]) if counts else None
        return _Columns(header.index(column), moves)
    if len(fields) > 1 and parse_natural(fields[0]) is not None:
        return _Columns(problem=1, moves=0)
    return _Columns(problem=0, moves=None)


def _read_entry(
    line: str,
    fields: list[str],
    columns: _Columns,
    file: str,
    number: int,
) -> Entry:
    text = ""
    if columns.problem < len(fields):
        text = fields[columns.problem].strip()
    place = len(line.rstrip()) + 1
    if text:
        place = line.find(text) + 1
    moves = None
    if columns.moves is not None and columns.moves < len(fields):
        moves = parse_natural(fields[columns.moves])
    return Entry(text, Location(file, number, place), moves)


def converted(
    found: Iterable[Entry],
    facts_of: Callable[[Entry], str],
    noun: str,
) -> Iterator[Converted | InputError]:
    """Yield the facts of each entry under a heading comment, or the error that `facts_of` raises.

    `noun` is the word for one move in the heading.
    """
    for entry in found:
        try:
            facts = facts_of(entry)
        except InputError as error:
            yield error
            continue
        shortest = None
        if entry.moves is not None:
            shortest = f"shortest plan {amount(entry.moves, noun)}"
        text = headed(facts, entry, shortest)
        yield Converted(entry.at.line, text)


def headed(
    facts: str,
    entry: Entry,
    shortest: str | None,
) -> str:
    """Return the facts of a problem below a comment.

    The comment has the file and the line of the problem, `shortest`, and the problem's text.
    `shortest` is a description of the shortest plan, None if its length is unknown.
    """
    origin = f"{Path(entry.at.file).name}, line {entry.at.line}"
    heading = [origin, shortest, entry.text]
    return f"% {': '.join(filter(None, heading))}\n\n{facts}"
