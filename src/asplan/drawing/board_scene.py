"""Draws the board of a plan without drawing rules: its cells, areas, marks and pieces, and a
legend.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isqrt
from typing import NamedTuple

from asplan.core.dataclass import dataclass
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.drawing.board import Cell, DrawnBoard, DrawnPiece, is_wall_name
from asplan.drawing.colours import DIM, INK, PALETTE
from asplan.drawing.lettering import measure_width, shorten_label
from asplan.drawing.rows import PlanRow
from asplan.drawing.scene import DrawnShape, Look, Object, Scene, action_lines
from asplan.drawing.timeline import LETTERS, make_look

MOST_NOTES = 8

MARGIN = 20
_BOARD = 600  # the usual length of the longer side
_LEAST_SIDE = 14  # of a cell
_GREATEST_SIDE = 48
_LINE = 22  # from one line of the legend to the next
_LONGEST_NOTE = 300
_CELL = "#eef1f5"
_GROUND = "#57606c"
_FAINT = 0.12  # the opacity of areas


class Direction(NamedTuple):
    """A direction on the screen; `sign` is 1 for right and down, -1 for left and up."""

    is_vertical: bool
    sign: int


DIRECTIONS = {
    "left": Direction(False, -1),
    "west": Direction(False, -1),
    "right": Direction(False, 1),
    "east": Direction(False, 1),
    "up": Direction(True, -1),
    "north": Direction(True, -1),
    "down": Direction(True, 1),
    "south": Direction(True, 1),
}


class Axes(NamedTuple):
    """The orientation of a board on the screen.

    `column` is the index (0 or 1) of the number of a cell that is its column. `x` is 1 if column
    numbers grow to the right and -1 if they grow to the left; `y` is 1 if row numbers grow
    downwards, else -1.
    """

    column: int
    x: int
    y: int


def find_axes(board: DrawnBoard, plan: Plan) -> Axes:
    """Find the orientation of a board from actions that name a direction, such as `move(a,left)`.

    Return the orientation with which most of these actions agree. If there are no actions of this
    kind, the hints in `board.columns` decide which number of a cell is the column; without hints it
    is the second number.
    """
    columns: Counter[int] = Counter()
    across: Counter[int] = Counter()
    down: Counter[int] = Counter()
    for axis, ahead, direction in _find_moves(board, plan):
        sign = ahead * direction.sign
        if direction.is_vertical:
            columns[1 - axis] += 1
            down[sign] += 1
        else:
            columns[axis] += 1
            across[sign] += 1
    if not columns:
        for _, number, votes in board.columns:
            columns[number] += votes
    column = 1 if columns[1] >= columns[0] else 0
    return Axes(column, _elect_sign(across), _elect_sign(down))


def _elect_sign(votes: Counter[int]) -> int:
    return 1 if votes[1] >= votes[-1] else -1


def _find_moves(board: DrawnBoard, plan: Plan) -> Iterator[tuple[int, int, Direction]]:
    """Yield the moves of pieces by actions that name a direction, such as `move(a,left)`.

    A cell is a pair of numbers. A move changes one of them. Yield the index of this number in the
    pair (0 or 1), the sign of the change (1 or -1), and the direction. An action moves a piece if
    it names the piece, or if it is the only action of its step.
    """
    for number, step in enumerate(plan):
        words = [set(re.findall(r"\w+", action)) for action in step]
        for piece in board.pieces:
            change = _find_change(piece.cells[number], piece.cells[number + 1])
            if change is None:
                continue
            for own in words:
                if len(words) > 1 and piece.name not in own:
                    continue
                for word in own & DIRECTIONS.keys():
                    yield *change, DIRECTIONS[word]


def _find_change(old: Cell | None, new: Cell | None) -> tuple[int, int] | None:
    """Return the index (0 or 1) of the only number that differs, and the sign of its change.

    None if both numbers differ, if neither differs, or if a cell is missing.
    """
    if old is None or new is None:
        return None
    changed = [axis for axis in (0, 1) if old[axis] != new[axis]]
    if len(changed) != 1:
        return None
    (axis,) = changed
    return axis, 1 if new[axis] > old[axis] else -1


@dataclass(frozen=True)
class Grid:
    """The layout of a board in units of the scene.

    `lefts` has the left edge of each column and `tops` the top edge of each row, by their numbers.
    `side` is the side of a cell; `column` is the index (0 or 1) of the column in a cell.
    """

    lefts: Mapping[int, int]
    tops: Mapping[int, int]
    side: int
    column: int

    @property
    def right(self) -> int:
        """The x coordinate of the right edge of the board."""
        return MARGIN + self.side * len(self.lefts)

    @property
    def bottom(self) -> int:
        """The y coordinate of the bottom edge of the board."""
        return MARGIN + self.side * len(self.tops)

    def square(
        self,
        cell: Cell,
        inset: float,
        slot: int = 0,
        slots: int = 1,
    ) -> DrawnShape:
        """Return a square for a piece in a cell.

        If `slots` pieces share the cell, the square is smaller and lies in part number `slot` of
        the cell. `inset` is the margin on each edge, as a share of the side.
        """
        rank = isqrt(slots - 1) + 1
        side = self.side / rank
        column = cell[self.column]
        row = cell[1 - self.column]
        left = self.lefts[column] + slot % rank * side
        top = self.tops[row] + slot // rank * side
        margin = inset * side
        inner = side * (1 - 2 * inset)
        return DrawnShape("rect", (left + margin, top + margin, inner, inner))


def draw_board(title: str, plan: Plan, board: DrawnBoard) -> Scene:
    """Draw a board, with the pieces at every step of the plan, as a scene."""
    steps = len(plan) + 1
    grid = _lay_out_grid(board, find_axes(board, plan))
    colours = _choose_colours(board)
    objects = [
        *_draw_frame(grid, steps),
        *_draw_cells(board, grid, steps),
        *_draw_areas(board, grid, colours),
        *_draw_marks(board, grid, colours, steps),
        *_draw_pieces(board, grid, colours),
    ]
    legend, bottom = _draw_legend(board, colours, grid.bottom + 8, steps)
    rights = [shape.box[2] for shape in _first_shapes(legend)]
    width = max(grid.right, *rights, 0) + 8
    return Scene(
        title=title,
        width=round(width),
        height=round(bottom + 6),
        objects=(*objects, *legend),
        actions=action_lines(plan),
    )


def _first_shapes(objects: Iterable[Object]) -> list[DrawnShape]:
    """Return the shapes that objects have at step 0."""
    first = (thing.shapes[0] for thing in objects)
    return [shape for shape in first if shape]


def _lay_out_grid(board: DrawnBoard, axes: Axes) -> Grid:
    cells = board.cells.union(mark.cell for mark in board.marks)
    columns = [cell[axes.column] for cell in cells]
    rows = [cell[1 - axes.column] for cell in cells]
    across = _span(columns, axes.x)
    down = _span(rows, axes.y)
    most = max(len(across), len(down))
    side = max(_LEAST_SIDE, min(_GREATEST_SIDE, _BOARD // most))
    lefts = {number: MARGIN + place * side for place, number in enumerate(across)}
    tops = {number: MARGIN + place * side for place, number in enumerate(down)}
    return Grid(lefts, tops, side, axes.column)


def _span(numbers: Sequence[int], sign: int) -> range:
    """Return all numbers from the least to the greatest; in descending order if the sign is -1."""
    return range(min(numbers), max(numbers) + 1)[::sign]


def _choose_colours(board: DrawnBoard) -> dict[str, str]:
    """Choose a colour for each piece (by its label), each area and each mark without an owner."""
    kinds = [piece.name for piece in board.pieces]
    kinds += board.areas
    kinds += [mark.kind for mark in board.marks if not mark.owner]
    distinct = dict.fromkeys(kinds)
    return {kind: PALETTE[number % len(PALETTE)] for number, kind in enumerate(distinct)}


def _draw_still(
    name: str,
    shape: DrawnShape,
    look: Look,
    steps: int,
    label: str = "",
) -> Object:
    """Make an object with the same shape in all states; `steps` is the number of states."""
    return Object(name, label, look, (shape,) * steps)


def _draw_frame(grid: Grid, steps: int) -> Iterator[Object]:
    """Draw the background of the board, and the numbers of columns and rows along its edges.

    `steps` is the number of states.
    """
    width = grid.right - MARGIN + 6
    height = grid.bottom - MARGIN + 6
    ground = DrawnShape("rect", (MARGIN - 3, MARGIN - 3, width, height))
    yield _draw_still("board", ground, make_look(_GROUND, radius=4), steps)
    look = make_look(text=DIM)
    for number, left in grid.lefts.items():
        shape = DrawnShape("rect", (left, 0, grid.side, MARGIN - 2))
        yield _draw_still(
            f"column {number}",
            shape,
            look,
            steps,
            str(number),
        )
    for number, top in grid.tops.items():
        shape = DrawnShape("rect", (0, top, MARGIN - 2, grid.side))
        yield _draw_still(
            f"row {number}",
            shape,
            look,
            steps,
            str(number),
        )


def _draw_cells(
    board: DrawnBoard,
    grid: Grid,
    steps: int,
) -> Iterator[Object]:
    look = make_look(_CELL, radius=3)
    for cell in sorted(board.cells):
        yield _draw_still(f"cell{cell}", grid.square(cell, 0.02), look, steps)


def _draw_areas(
    board: DrawnBoard,
    grid: Grid,
    colours: Mapping[str, str],
) -> Iterator[Object]:
    for kind, states in board.areas.items():
        look = make_look(colours[kind], radius=3, opacity=_FAINT)
        for cell in sorted(frozenset[Cell]().union(*states)):
            square = grid.square(cell, 0.02)
            shapes = tuple(square if cell in state else None for state in states)
            yield Object(f"{kind}{cell}", "", look, shapes)


def _draw_marks(
    board: DrawnBoard,
    grid: Grid,
    colours: Mapping[str, str],
    steps: int,
) -> Iterator[Object]:
    """Draw walls as filled squares, and other marks as outlines in the colour of their owner.

    `steps` is the number of states.
    """
    for mark in board.marks:
        name = f"{mark.kind}{mark.cell}{mark.owner}"
        if mark.is_wall:
            shape = grid.square(mark.cell, 0)
            look = make_look(_GROUND)
        else:
            shape = grid.square(mark.cell, 0.03)
            look = _outline(colours[mark.owner or mark.kind], grid.side)
        yield _draw_still(
            name,
            shape,
            look,
            steps,
            mark.owner,
        )


def _outline(colour: str, side: int) -> Look:
    width = max(2, side // 14)
    return make_look(text=DIM, stroke=colour, stroke_width=width, radius=side // 8)


def _draw_pieces(
    board: DrawnBoard,
    grid: Grid,
    colours: Mapping[str, str],
) -> Iterator[Object]:
    """Draw the pieces: smaller if several share a cell, round if a piece is the only one of its
    kind.
    """
    inhabitants = _find_inhabitants(board.pieces)
    for number, piece in enumerate(board.pieces):
        shapes: list[DrawnShape | None] = []
        for step, cell in enumerate(piece.cells):
            if cell is None:
                shapes.append(None)
                continue
            together = inhabitants[step, cell]
            slot = together.index(number)
            shapes.append(grid.square(cell, 0.15, slot, len(together)))
        radius = grid.side if piece.alone else grid.side / 6
        look = make_look(colours[piece.name], radius=radius)
        yield Object(f"{piece.kind} {piece.owner or number}", piece.name, look, tuple(shapes))


def _find_inhabitants(pieces: Sequence[DrawnPiece]) -> dict[tuple[int, Cell], list[int]]:
    """Return the indices of the pieces in each cell at each step, by (step, cell)."""
    inhabitants: dict[tuple[int, Cell], list[int]] = defaultdict(list)
    for number, piece in enumerate(pieces):
        for step, cell in enumerate(piece.cells):
            if cell is not None:
                inhabitants[step, cell].append(number)
    return inhabitants


def _draw_legend(
    board: DrawnBoard,
    colours: Mapping[str, str],
    top: float,
    steps: int,
) -> tuple[list[Object], float]:
    """Draw the legend from `top` downwards; return the objects of the legend and its bottom edge.

    The legend has a line for each area, each kind of mark, and each fluent outside the board.
    `steps` is the number of states.
    """
    objects: list[Object] = []
    always = (0, steps - 1)
    marked = dict.fromkeys(mark.kind for mark in board.marks)
    for kind in (*board.areas, *marked):
        swatch = DrawnShape("rect", (MARGIN + 3, top + 5, 12, 12))
        look = _legend_look(kind, kind in board.areas, colours)
        objects.append(_draw_still(f"key {kind}", swatch, look, steps))
        objects.append(
            _draw_line(
                f"name {kind}",
                kind,
                (MARGIN + 20, top),
                always,
                steps,
            )
        )
        top += _LINE
    for row in board.notes[:MOST_NOTES]:
        objects += _draw_note(row, top, steps)
        top += _LINE
    more = len(board.notes) - MOST_NOTES
    if more > 0:
        text = f"not drawn: {amount(more, 'more row')}"
        objects.append(
            _draw_line(
                "left out",
                text,
                (MARGIN, top),
                always,
                steps,
            )
        )
        top += _LINE
    return objects, top


def _legend_look(
    kind: str,
    is_area: bool,
    colours: Mapping[str, str],
) -> Look:
    if is_area:
        return make_look(colours[kind], radius=2, opacity=_FAINT)
    if is_wall_name(kind):
        return make_look(_GROUND, radius=2)
    return make_look(stroke=colours.get(kind, DIM), stroke_width=2, radius=2)


def _draw_note(row: PlanRow, top: float, steps: int) -> Iterator[Object]:
    """Draw the value of a variable or proposition, in one line whose text changes over time.

    `top` is the y coordinate of the line's top; `steps` is the number of states.
    """
    for run in row.runs:
        text = f"{row.name} = {run.value}" if row.is_variable else row.name
        label = shorten_label(text, _LONGEST_NOTE, LETTERS)
        name = f"{row.name} {run.first}"
        yield _draw_line(
            name,
            label,
            (MARGIN, top),
            (run.first, run.last),
            steps,
        )


def _draw_line(
    name: str,
    text: str,
    place: tuple[float, float],
    during: tuple[int, int],
    steps: int,
) -> Object:
    """Make a line of text whose left top corner is `place`.

    The text is shown from the first to the last step of `during`; `steps` is the number of states.
    """
    left, top = place
    first, last = during
    width = max(2.0, measure_width(text) / 0.8) * LETTERS
    margin = (width - measure_width(text) * LETTERS) / 2
    shape = DrawnShape("rect", (left - margin, top, width, 2 * LETTERS))
    shapes = tuple(shape if first <= step <= last else None for step in range(steps))
    return Object(name, text, make_look(text=INK), shapes)
