"""Lights Out: states, presses and the goal. A state is the set of the lamps that are lit.

>>> board = LightsOut(2, 2, frozenset({(1, 1), (1, 2), (2, 1)}))
>>> board.apply(board.initial, Press(1, 1))
frozenset()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from clingo import Function, Number, Symbol, SymbolType

Cell = tuple[int, int]
State = frozenset[Cell]


class Press(NamedTuple):
    """Press one lamp."""

    row: int
    column: int

    def __str__(self) -> str:
        return f"press({self.row},{self.column})"


@dataclass(frozen=True)
class LightsOut:
    """One board. With `wrap`, lamps on opposite edges are neighbours."""

    rows: int
    columns: int
    initial: State
    wrap: bool = False

    def actions(self, state: State) -> Iterable[Press]:
        """Every lamp can be pressed at any time; row by row."""
        return self._switched

    def apply(self, state: State, action: Press) -> State:
        """Return the lit lamps after a press: lamps lit before or switched, but not both."""
        return state ^ self._switched[action]

    def is_goal(self, state: State) -> bool:
        """Return whether all lamps are out."""
        return not state

    def goals(self) -> list[State]:
        """The one goal state."""
        return [frozenset()]

    def parse_action(self, term: Symbol) -> Press:
        """Read `press(Row,Column)`; ValueError if the term is none."""
        if not term.match("press", 2):
            raise ValueError(f"{term} is no press(Row,Column)")
        for argument in term.arguments:
            if argument.type != SymbolType.Number:
                raise ValueError(f"{term}: {argument} is not a number")
        row, column = term.arguments
        return Press(row.number, column.number)

    def why_not(self, state: State, action: Press) -> str | None:
        """A lamp that is not there cannot be pressed."""
        return None if action in self._switched else "there is no such lamp"

    def fluents(self, state: State) -> Iterator[Symbol]:
        """`lit(Row,Column)` for every lamp that is lit, row by row."""
        for row, column in sorted(state):
            yield Function("lit", [Number(row), Number(column)])

    def text(self, state: State) -> str:
        """The board row by row, `o` for a lamp that is lit."""
        lines = (
            ["o" if (row, column) in state else "." for column in range(1, self.columns + 1)]
            for row in range(1, self.rows + 1)
        )
        return "\n".join(map(" ".join, lines))

    @cached_property
    def _switched(self) -> Mapping[Press, State]:
        """Return the lamps that each press switches."""
        cells = [(r, c) for r in range(1, self.rows + 1) for c in range(1, self.columns + 1)]
        return {Press(*cell): frozenset(self._cross(*cell)) & frozenset(cells) for cell in cells}

    def _cross(self, row: int, column: int) -> Iterator[Cell]:
        """Return a cell and its neighbours; some may be off the board."""
        for down, right in [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]:
            near = row + down, column + right
            if self.wrap:
                near = (near[0] - 1) % self.rows + 1, (near[1] - 1) % self.columns + 1
            yield near
