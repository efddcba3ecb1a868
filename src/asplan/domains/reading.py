"""What the domains share when they read an instance, and how they say what is wrong."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from clingo import Number, Symbol, SymbolType

from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.core.text import amount, whole
from asplan.domains.base import Converted

Cell = tuple[int, int]

MOST_CELLS = 100_000
"""A board has at most so many cells."""


def read_grid(facts: Facts, example: str, hint: str) -> Cell:
    """The rows and columns of the rectangle that `grid(Row,Column)` facts fill.

    `example` are facts that would make a grid, for the error that there is none; `hint` says what
    to do about a hole.
    """
    if len(facts.named("grid", 2)) > MOST_CELLS:
        raise facts.error(f"has a grid of more than the {MOST_CELLS} cells that a board may have")
    cells = {read_cell(facts, fact): fact for fact in facts.named("grid", 2)}
    if not cells:
        raise facts.error("has no grid", hint=f"add, for example, {example}")
    for (row, column), fact in cells.items():
        if row < 1 or column < 1:
            raise facts.error("rows and columns count from 1", fact)
    rows, columns = max(r for r, _ in cells), max(c for _, c in cells)
    if len(cells) < rows * columns:
        # No `product`, which would keep the numbers of all rows, of which there may be billions.
        all_cells = ((r, c) for r in range(1, rows + 1) for c in range(1, columns + 1))
        row, column = next(cell for cell in all_cells if cell not in cells)
        raise facts.error(f"the grid has a hole at ({row},{column})", cells[min(cells)], hint)
    return rows, columns


def read_cell(facts: Facts, fact: Symbol) -> Cell:
    """The row and column that a fact has as its last two arguments."""
    row, column = (read_number(facts, fact, argument) for argument in fact.arguments[-2:])
    return row, column


def read_number(facts: Facts, fact: Symbol, argument: Symbol) -> int:
    """An argument of a fact that must be a number."""
    if argument.type != SymbolType.Number:
        raise facts.error(f"{argument} is no number", fact)
    return argument.number


def at_start(facts: Facts, name: str, arity: int, noun: str) -> list[Symbol]:
    """The facts of a fluent, which an instance gives at time 0 only."""
    found = facts.named(name, arity)
    for fact in found:
        if fact.arguments[0] != Number(0):
            raise facts.error(f"an instance gives {noun} at time 0 only", fact)
    return found


def by_object(
    facts: Facts, found: Iterable[Symbol], argument: int, noun: str
) -> dict[Symbol, Symbol]:
    """The facts by the object they speak of, which is one of their arguments; one for each."""
    known: dict[Symbol, Symbol] = {}
    for fact in found:
        name = fact.arguments[argument]
        if name in known:
            raise facts.error(f"{noun} {name} has another one already: {known[name]}", fact)
        known[name] = fact
    return known


# Files with one problem a line: plain lists, tables with named columns, whole databases. They are
# read line by line, so their size does not matter.


@dataclass(frozen=True)
class Entry:
    """The text of one problem, its place, and the number of moves that stands beside it."""

    text: str
    at: Location
    moves: int | None = None


def entries(lines: Iterable[str], file: str, column: str, spaced: bool = False) -> Iterator[Entry]:
    """The problems in a file; empty lines and lines that begin with # are skipped.

    `column` is the name of the problem's column. A first line with that name is a header; in files
    without one the problem comes first, or second after a number of moves. With `spaced` the
    problem itself has spaces, so that only tabs part the columns.
    """
    header: list[str] | None = None
    first = True
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        line = line.rstrip("\r\n")
        fields = line.split("\t") if spaced or "\t" in line else line.split()
        if first and column in fields:
            header = fields
        else:
            index, moves = _columns(header, fields, column)
            text = fields[index].strip() if index < len(fields) else ""
            place = line.find(text) + 1 if text else len(line.rstrip()) + 1
            counted = None if moves is None or moves >= len(fields) else whole(fields[moves])
            yield Entry(text, Location(file, number, place), counted)
        first = False


def _columns(header: list[str] | None, fields: list[str], column: str) -> tuple[int, int | None]:
    """Which fields hold the problem and its number of moves."""
    if header:
        moves = next((header.index(name) for name in ("slides", "moves") if name in header), None)
        return header.index(column), moves
    return (1, 0) if len(fields) > 1 and whole(fields[0]) is not None else (0, None)


def converted(
    found: Iterable[Entry], facts_of: Callable[[Entry], str], noun: str
) -> Iterator[Converted | InputError]:
    """The facts of problems, under comments that say where they come from; `noun` is a move."""
    for entry in found:
        try:
            facts = facts_of(entry)
        except InputError as error:
            yield error
            continue
        shortest = None if entry.moves is None else f"shortest plan {amount(entry.moves, noun)}"
        yield Converted(entry.at.line, headed(facts, entry, shortest))


def headed(facts: str, entry: Entry, shortest: str | None) -> str:
    """The facts of a problem under a comment that says where they come from."""
    heading = [f"{Path(entry.at.file).name}, line {entry.at.line}", shortest, entry.text]
    return f"% {': '.join(filter(None, heading))}\n\n{facts}"
