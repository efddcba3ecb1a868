"""What the domains share when they read an instance, and how they say what is wrong."""

from __future__ import annotations

from collections.abc import Iterable

from clingo import Number, Symbol, SymbolType

from asplan.facts import Facts

Cell = tuple[int, int]

MOST_CELLS = 100_000
"""A board has at most so many cells."""


def read_grid(facts: Facts, example: str, mend: str) -> Cell:
    """The rows and columns of the rectangle that `grid(Row,Column)` facts fill.

    Parameters
    ----------
    example
        Facts that would make a grid, for the error that there is none.
    mend
        What to do about a hole.
    """
    if len(facts.named("grid", 2)) > MOST_CELLS:
        raise facts.error(f"has a grid of more than the {MOST_CELLS} cells that a board may have")
    cells = {read_cell(facts, fact): fact for fact in facts.named("grid", 2)}
    if not cells:
        raise facts.error("has no grid", mend=f"add, for example, {example}")
    for (row, column), fact in cells.items():
        if row < 1 or column < 1:
            raise facts.error("rows and columns count from 1", fact)
    rows, columns = max(r for r, _ in cells), max(c for _, c in cells)
    holes = (
        (r, c) for r in range(1, rows + 1) for c in range(1, columns + 1) if (r, c) not in cells
    )
    if len(cells) < rows * columns:
        row, column = next(holes)
        raise facts.error(f"the grid has a hole at ({row},{column})", cells[min(cells)], mend)
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
