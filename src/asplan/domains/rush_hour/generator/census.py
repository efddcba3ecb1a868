"""All boards of a small size, space by space.

A space is what can be reached from a board. Boards of one space have the same cars on the same
lines in the same order, so all placements of such cars are listed line by line, those that overlap
left out, and parted into spaces. Those whose cars have the same lengths in the rows are one part of
the count. The red car is in a row of its own, and no line is full, for its cars could not move; so
it is in Michael Fogleman's enumeration.

The counts, by name: `boards`, all legal placements; of these `packed`, in which no car can go left
or up; `spaces`; of these `solvable`, in which a goal
can be reached; of these `minimal`, whose hardest start has no superfluous car; and for each number
of slides, as `slides 07`, the solvable spaces whose hardest start takes so many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from asplan.domains.rush_hour.generator.board import Board, Piece
from asplan.domains.rush_hour.generator.hardest import farthest_of, fewest, hardest
from asplan.domains.rush_hour.generator.space import Size, Space
from asplan.domains.rush_hour.generator.wish import RED_LENGTH, Wish
from asplan.domains.rush_hour.lines import State
from asplan.domains.wishes import Range
from asplan.errors import UsageError

Lengths = tuple[int, ...]
Placed = list[tuple[State, int]]
"""Ways to place the cars of some lines: the state that they make, and the cells that they take."""

MOST_CELLS = 36
"""Boards that are larger would be counted for longer than anybody waits."""


def parts(wish: Wish) -> int:
    """How many parts the count has."""
    rows, columns = wish.size
    if rows * columns > MOST_CELLS:
        raise UsageError(
            f"the boards of {wish.size} are too many to be counted",
            mend=f"a board of at most {MOST_CELLS} cells, such as 4x4, can be",
        )
    number: int = len(_lengths(columns, wish.lengths)) ** (rows - 1)
    return number


def count(wish: Wish, part: int) -> Counter[str]:
    """The counts of one part, from 0."""
    found: Counter[str] = Counter()
    for states, space in _placements(wish, part):
        found["boards"] += len(states)
        found["packed"] += sum(map(space.is_packed, states))
        left = set(states)
        while left:
            inside = space.component(left.pop(), len(states)) or set()
            left -= inside
            found.update(_counted(space, inside))
    return found


def _counted(space: Space, states: set[State]) -> Iterator[str]:
    """What one space counts as."""
    yield "spaces"
    far = farthest_of(space, states, "slide")
    if far is None:
        return
    yield "solvable"
    yield f"slides {far.moves:02}"
    board = hardest(far).board
    if all((fewest(board.without(car), "slide") or 0) < far.moves for car in board.others):
        yield "minimal"


def _placements(wish: Wish, part: int) -> Iterator[tuple[list[State], Space]]:
    """For each choice of lengths in the columns the states, and their space."""
    rows, lines = list(_row_lengths(wish, part)), _Lines(Size(*wish.size))
    red = Piece("h", wish.row, 1, RED_LENGTH)
    placed: Placed = [(0, 0)]
    for number, lengths in enumerate(rows, 1):
        placed = lines.with_line(placed, "h", number, lengths)
    packed = {piece for n, lengths in enumerate(rows, 1) for piece in _packed("h", n, lengths)}
    known = _lengths(wish.size.rows, wish.lengths)
    for all_placed, columns in lines.with_columns(placed, known):
        others = [piece for n, lengths in columns for piece in _packed("v", n, lengths)]
        board = Board(*wish.size, red, tuple(sorted([*packed - {red}, *others])))
        yield [state for state, _ in all_placed], Space(board)


def _packed(axis: str, number: int, lengths: Lengths) -> Iterator[Piece]:
    """The cars of a line side by side from its beginning."""
    for index, length in enumerate(lengths):
        yield Piece(axis, number, 1 + sum(lengths[:index]), length)


def _row_lengths(wish: Wish, part: int) -> Iterator[Lengths]:
    """The lengths in the rows of one part; the red car's row has the red car alone."""
    known = _lengths(wish.size.columns, wish.lengths)
    for row in range(1, wish.size.rows + 1):
        if row == wish.row:
            yield (RED_LENGTH,)
        else:
            part, index = divmod(part, len(known))
            yield known[index]


@cache
def _lengths(cells: int, allowed: Range) -> list[Lengths]:
    """All lengths of cars that fit side by side into a line and leave a cell of it free."""
    found: list[Lengths] = [()]
    for lengths in found:  # which grows meanwhile
        room = min(allowed.most, cells - 1 - sum(lengths))
        found += [(*lengths, length) for length in range(allowed.least, room + 1)]
    return found


@dataclass(frozen=True)
class _Lines:
    """Places the cars of a line after the other."""

    size: Size

    def with_line(self, placed: Placed, axis: str, number: int, lengths: Lengths) -> Placed:
        """The placements with the cars of one more line, those that overlap left out."""
        if not lengths:
            return placed
        ways = list(self._ways(axis, number, lengths))
        return [
            (state + more, taken | cells)
            for state, taken in placed
            for more, cells in ways
            if not taken & cells
        ]

    def with_columns(
        self, placed: Placed, known: list[Lengths], number: int = 1
    ) -> Iterator[tuple[Placed, list[tuple[int, Lengths]]]]:
        """The placements with cars in the columns from one on, for each choice of their lengths."""
        if number > self.size.columns:
            yield placed, []
            return
        for lengths in known:
            if more := self.with_line(placed, "v", number, lengths):
                for last, rest in self.with_columns(more, known, number + 1):
                    yield last, [(number, lengths), *rest]

    def _ways(self, axis: str, number: int, lengths: Lengths) -> Iterator[tuple[State, int]]:
        line = self.size.columns if axis == "h" else self.size.rows
        for gaps in product(range(line - sum(lengths) + 1), repeat=len(lengths)):
            if list(gaps) != sorted(gaps):
                continue
            pieces = [
                Piece(axis, number, 1 + gap + sum(lengths[:index]), lengths[index])
                for index, gap in enumerate(gaps)
            ]
            cells = [cell for piece in pieces for cell in piece.cells]
            yield sum(map(self.size.mask, pieces)), sum(self.size.bit(0, *cell) for cell in cells)
