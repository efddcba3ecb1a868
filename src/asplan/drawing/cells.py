"""The cells of a drawing, and the numbers of their rows and columns at its left and top edges.

A cell is an object whose name has two numbers, such as `cell(3,1)`, and which never moves. The
board of `board_scene` has such objects, and so have the drawing rules of Rush Hour and the sliding
tiles.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.drawing.board import Cell
from asplan.drawing.colours import DIM
from asplan.drawing.scene import Box, DrawnShape, Object, Scene
from asplan.drawing.timeline import make_look

_NAME = re.compile(r"(\w+)\((-?\d+), ?(-?\d+)\)")
_BORDER = 0.6  # the room for numbers as a share of a cell's side

CELLS_HINT = "drawing rules number cells by objects such as cell(Row,Column), one for each cell"


@dataclass(frozen=True)
class CellGrid:
    """The bounding boxes of the cells of a drawing, by the two numbers of each cell."""

    boxes: Mapping[Cell, Box]

    @cached_property
    def side(self) -> float:
        """The length of the shortest side of all cells."""
        return min(min(right - left, low - top) for left, top, right, low in self.boxes.values())


def find_cells(scene: Scene) -> CellGrid | None:
    """Find the cells of a drawing: objects with names such as `cell(3,1)` that never move.

    If the names begin with different words, return the largest group with the same word. None if no
    group has two cells.
    """
    groups: dict[str, dict[Cell, Box]] = defaultdict(dict)
    for thing in scene.objects:
        match = _NAME.fullmatch(thing.name)
        shape = thing.shapes[0]
        if match is None or shape is None or len(set(thing.shapes)) > 1:
            continue
        name, first, second = match.groups()
        groups[name][int(first), int(second)] = shape.box
    largest = max(groups.values(), key=len, default={})
    return CellGrid(largest) if len(largest) > 1 else None


def add_coordinates(scene: Scene) -> Scene:
    """Add the numbers of rows at the left edge and of columns at the top edge of a drawing.

    Raises `UsageError` for a drawing without cells, and if its cells are not in rows and columns. A
    board that asplan draws by default has these numbers already and is returned unchanged.
    """
    grid = find_cells(scene)
    if grid is None:
        raise UsageError("the drawing has no cells, so none can be numbered", hint=CELLS_HINT)
    if any(thing.name.startswith("column ") for thing in scene.objects):
        return scene
    border = round(_BORDER * grid.side)
    moved = shift_scene(scene, border)
    axes = _find_axes(grid)
    if axes is None:
        why = "the cells of the drawing are not in rows and columns, so they have no numbers"
        raise UsageError(why, hint=CELLS_HINT)
    numbers = tuple(_draw_numbers(axes, border, len(scene.actions) + 1))
    return replace(moved, objects=(*moved.objects, *numbers))


def shift_scene(scene: Scene, distance: int) -> Scene:
    """Widen the left and top margins of a scene: move all objects right and down by a distance."""
    objects = []
    for thing in scene.objects:
        shapes = tuple(shape and _shift(shape, distance) for shape in thing.shapes)
        over = thing.look.over
        look = thing.look if over is None else replace(thing.look, over=over + distance)
        objects.append(replace(thing, shapes=shapes, look=look))
    return replace(
        scene,
        width=scene.width + distance,
        height=scene.height + distance,
        objects=tuple(objects),
    )


def _shift(shape: DrawnShape, distance: float) -> DrawnShape:
    if shape.kind == "polygon":
        return DrawnShape(shape.kind, tuple(number + distance for number in shape.numbers))
    x, y, *lengths = shape.numbers
    return DrawnShape(shape.kind, (x + distance, y + distance, *lengths))


Span = tuple[float, float]
"""The least and the greatest coordinate of a row (its top and bottom) or a column
(left and right).
"""


@dataclass(frozen=True)
class _Axes:
    """The span of each row and of each column, by their numbers."""

    rows: Mapping[int, Span]
    columns: Mapping[int, Span]

    def fit(self, row: int, column: int, box: Box) -> bool:
        """Return whether a box is exactly the crossing of a row and a column."""
        left, top, right, bottom = box
        return self.rows[row] == (top, bottom) and self.columns[column] == (left, right)


def _find_axes(grid: CellGrid) -> _Axes | None:
    """Return the rows and columns of a grid of cells.

    Try the first number of each cell as its row, then the second. None if the cells form no rows
    and columns in either case.
    """
    for row in (0, 1):
        rows: dict[int, Span] = {}
        columns: dict[int, Span] = {}
        for cell, (left, top, right, bottom) in grid.boxes.items():
            rows.setdefault(cell[row], (top, bottom))
            columns.setdefault(cell[1 - row], (left, right))
        axes = _Axes(rows, columns)
        if all(axes.fit(cell[row], cell[1 - row], box) for cell, box in grid.boxes.items()):
            return axes
    return None


def _draw_numbers(axes: _Axes, border: int, steps: int) -> Iterator[Object]:
    """Draw the numbers of rows and columns into the border.

    `axes` has the spans before the scene was shifted by `border`; `steps` is the number of states.
    """
    look = make_look(text=DIM)
    for number, (top, bottom) in sorted(axes.rows.items()):
        shape = DrawnShape("rect", (0, top + border, border, bottom - top))
        yield Object(f"row {number}", str(number), look, (shape,) * steps)
    for number, (left, right) in sorted(axes.columns.items()):
        shape = DrawnShape("rect", (left + border, 0, right - left, border))
        yield Object(f"column {number}", str(number), look, (shape,) * steps)
