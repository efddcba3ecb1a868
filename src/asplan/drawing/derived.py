"""The atoms that a program derives at each time, drawn on the board of a plan.

`free(T,Row,Column)` tints a cell, because its last two arguments name a cell of the drawing.
`executable(T,Car,right,Row,Column)` becomes an arrow beside the object `Car`, because one argument
names an object of the drawing and another one a direction.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

from asplan.clingo import Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.plan import Plan
from asplan.drawing.board import Cell, cell_of
from asplan.drawing.board_scene import DIRECTIONS, Direction
from asplan.drawing.cells import CELLS_HINT, CellGrid, find_cells
from asplan.drawing.colours import INK, WHITE
from asplan.drawing.lettering import measure_width
from asplan.drawing.rules import inputs_of
from asplan.drawing.scene import DrawnShape, Look, Object, Scene
from asplan.drawing.timeline import make_look
from asplan.engines.asp.replay import replay
from asplan.engines.asp.trajectory import without_time
from asplan.problem import Problem, load
from asplan.program.roles.roles import roles_of
from asplan.program.syntax import Signature, predicate
from asplan.result import Result

States = Sequence[Collection[Symbol]]
"""The atoms of a predicate at step 0, 1, …; their time argument is removed."""

_GREEN = "#2e9e4f"
_DARK = "#6d0f1d"
_COLOURS = ("#1f5fbf", "#e07b00", "#7a3fb0", "#0b8f8f", "#a0522d")
_FREE_NAMES = re.compile("^(free|empty|open|clear)")
_BUSY_NAMES = re.compile("busy|taken|occup|block|not_?free|no_?free|full")

_TINT = 0.5  # the opacity of a tinted cell
_LEGEND = 0.5  # the height of a line of the legend as a share of a cell's side


def show_derived(
    scene: Scene,
    result: Result,
    names: Sequence[str],
    allow_includes: bool = False,
) -> Scene:
    """Draw atoms of the named predicates on a scene; the encoding of `result` derives them.

    Raises the errors of `find_derived` and `add_derived`.
    """
    inputs = replace(inputs_of(result), allow_includes=allow_includes)
    problem = load(inputs, needs_model=result.encoding is None)
    plan = result.plan or Plan(((),) * scene.last)
    return add_derived(scene, find_derived(problem, plan, names))


def find_derived(
    problem: Problem,
    plan: Plan,
    names: Sequence[str],
) -> dict[str, States]:
    """Return the atoms of the named predicates at each step of a plan, by replaying the plan in
    clingo.

    A name is `NAME` or `NAME/ARITY`, where the arity counts the time argument. Raises `UsageError`
    for a predicate without a time argument, and if the program rejects the plan.
    """
    if problem.encoding is None:
        why = "the plan was found without an encoding, so nothing is derived that could be shown"
        raise UsageError(why, hint="solve with an encoding: asplan solve … -e NAME --json")
    program = problem.written_program
    places = roles_of(program).places
    wanted = _choose_predicates(names, places, problem.encoding)
    try:
        atoms = replay(program, problem.user_constants, plan).all_atoms
    except InvalidPlan as error:
        raise UsageError(f"the program refuses the plan, so it derives nothing: {error}") from None
    start = 0 if program.horizon is None else program.horizon.start
    found = {name: [set[Symbol]() for _ in range(len(plan) + 1)] for name in names}
    for atom in atoms:
        name = wanted.get(_key(atom))
        if name is None:
            continue
        place = places[predicate(atom)]
        time = atom.arguments[place]
        if time.type == SymbolType.Number and 0 <= time.number - start <= len(plan):
            found[name][time.number - start].add(without_time(atom, place))
    return {name: tuple(states) for name, states in found.items()}


def _key(atom: Symbol) -> Signature | None:
    return predicate(atom) if atom.type == SymbolType.Function and atom.name else None


def _choose_predicates(
    names: Sequence[str],
    places: Mapping[Signature, int],
    encoding: str,
) -> dict[Signature | None, str]:
    """Map each selected predicate to the name by which the user selects it.

    `places` maps each predicate with a time argument to the index of this argument. Raises
    `UsageError` if a name selects none of them.
    """
    chosen: dict[Signature | None, str] = {}
    for name in names:
        keys = [key for key in places if name in (key[1], f"{key[1]}/{key[2]}") and not key[0]]
        if not keys:
            raise _unknown_predicate(name, places, encoding)
        chosen.update(dict.fromkeys(keys, name))
    return chosen


def _unknown_predicate(
    name: str,
    places: Mapping[Signature, int],
    encoding: str,
) -> UsageError:
    known = sorted({key[1] for key in places if not key[0] and not key[1].startswith("asplan_")})
    close = get_close_matches(name, known, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    return UsageError(
        f"{encoding} derives no {name} at a time",
        hint=f"{meant}it derives {', '.join(known)}; others: asplan solve … -e NAME --json",
    )


class _Arrow(NamedTuple):
    """An arrow beside the object named `thing`, with the name of a direction, such as `left`."""

    thing: str
    direction: str


@dataclass(frozen=True)
class _Reading:
    """The cells and the objects of a scene that atoms may name.

    `movers` has the objects that are not cells, by name and by label.
    """

    grid: CellGrid
    movers: Mapping[str, Object]

    def read(self, atom: Symbol) -> Cell | _Arrow | None:
        """Return the cell that an atom tints, or the arrow that it becomes; None if it cannot be
        drawn.
        """
        words = list(_words(atom))
        things = [word for word in words if word in self.movers]
        directions = [word for word in words if word in DIRECTIONS]
        if things and directions:
            return _Arrow(things[0], directions[0])
        cell = cell_of(atom)
        return cell if cell in self.grid.boxes else None


def _words(term: Symbol) -> Iterator[str]:
    """Yield the arguments of a term, their arguments, and so on, as text."""
    for argument in term.arguments if term.type == SymbolType.Function else ():
        yield str(argument)
        yield from _words(argument)


def add_derived(scene: Scene, derived: Mapping[str, States]) -> Scene:
    """Draw the atoms of predicates on a scene: tinted cells, arrows beside objects, a legend below.

    `derived` maps the name of each predicate to its atoms at each step. Raises `UsageError` for a
    drawing without cells, and for a predicate none of whose atoms names a cell or an arrow.
    """
    grid = find_cells(scene)
    if grid is None:
        why = f"the drawing has no cells on which {', '.join(derived)} could be shown"
        raise UsageError(why, hint=CELLS_HINT)
    reading = _Reading(grid, _find_movers(scene))
    tints: list[Object] = []
    hatches: list[Object] = []
    arrows: list[Object] = []
    colours = _choose_colours(derived)
    for name, states in derived.items():
        read = [[reading.read(atom) for atom in sorted(state)] for state in states]
        if not any(filter(None, map(any, read))) and any(states):
            raise _undrawable(name, states)
        if _BUSY_NAMES.search(name):
            hatches += _hatch_cells(name, read, grid, colours[name])
        else:
            tints += _tint_cells(name, read, grid, colours[name])
        arrows += _draw_arrows(name, read, reading, colours[name])
    legend, height = _draw_legend(colours, scene, grid)
    first = scene.first_moving
    objects = (*scene.objects[:first], *tints, *scene.objects[first:], *hatches, *arrows, *legend)
    return replace(scene, height=height, objects=objects)


def _undrawable(name: str, states: States) -> UsageError:
    example = next(atom for state in states for atom in sorted(state))
    return UsageError(
        f"{name} has no place on the board: {example}",
        hint="an atom is drawn if it ends with a cell of the board, "
        "or if it names an object of the drawing and a direction such as left",
    )


def _find_movers(scene: Scene) -> dict[str, Object]:
    """Map names to the objects that are not cells.

    An object is also found by its label, if no other object has this label.
    """
    labels: dict[str, list[Object]] = defaultdict(list)
    movers = {}
    for thing in scene.objects:
        if "(" in thing.name and not thing.label:
            continue
        if thing.label:
            labels[thing.label].append(thing)
        movers[thing.name] = thing
    alone = {label: things[0] for label, things in labels.items() if len(things) == 1}
    return alone | movers


def _choose_colours(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each predicate: green for names such as `free`, dark red for `busy`."""
    colours = {}
    others = 0
    for name in names:
        if _BUSY_NAMES.search(name):
            colours[name] = _DARK
        elif _FREE_NAMES.search(name):
            colours[name] = _GREEN
        else:
            colours[name] = _COLOURS[others % len(_COLOURS)]
            others += 1
    return colours


_Read = Sequence[Sequence[Cell | _Arrow | None]]
"""The cell, the arrow, or None for each atom of a predicate, by step."""


def _tint_cells(
    name: str,
    read: _Read,
    grid: CellGrid,
    colour: str,
) -> Iterator[Object]:
    """Tint the cells that the atoms of a predicate name, at the steps at which they hold.

    `read` has, for each step, the cell or the arrow of each atom, or None.
    """
    look = make_look(colour, radius=grid.side / 6, opacity=_TINT)
    for cell, (left, top, right, bottom) in sorted(grid.boxes.items()):
        square = DrawnShape("rect", (left, top, right - left, bottom - top))
        yield from _draw_in_cell(f"{name}{cell}", cell, square, look, read)


def _hatch_cells(
    name: str,
    read: _Read,
    grid: CellGrid,
    colour: str,
) -> Iterator[Object]:
    """Hatch the cells that the atoms of a predicate name; objects below the stripes stay visible.

    `read` has, for each step, the cell or the arrow of each atom, or None.
    """
    look = make_look(colour, opacity=_TINT)
    for cell, (left, top, right, _) in sorted(grid.boxes.items()):
        for number, corners in enumerate(_HATCH, 1):
            stripe = _place_stripe(corners, left, top, right - left)
            yield from _draw_in_cell(f"{name}{cell} {number}", cell, stripe, look, read)


def _draw_in_cell(
    name: str,
    cell: Cell,
    shape: DrawnShape,
    look: Look,
    read: _Read,
) -> Iterator[Object]:
    """Yield an object in a cell, shown at the steps at which an atom names the cell.

    Yield nothing if no atom names the cell. `read` has, for each step, the cell or the arrow of
    each atom, or None.
    """
    shapes = tuple(shape if cell in state else None for state in read)
    if any(shapes):
        yield Object(name, "", look, shapes)


_HATCH = (
    ((0.06, 0.3), (0.3, 0.06), (0.42, 0.06), (0.06, 0.42)),
    ((0.06, 0.62), (0.62, 0.06), (0.74, 0.06), (0.06, 0.74)),
    ((0.06, 0.94), (0.94, 0.06), (0.94, 0.18), (0.18, 0.94)),
    ((0.38, 0.94), (0.94, 0.38), (0.94, 0.5), (0.5, 0.94)),
    ((0.7, 0.94), (0.94, 0.7), (0.94, 0.82), (0.82, 0.94)),
)
"""The corners of the stripes of a hatched cell; the unit is the side of a cell."""


def _place_stripe(
    corners: Sequence[tuple[float, float]],
    left: float,
    top: float,
    side: float,
) -> DrawnShape:
    numbers: list[float] = []
    for x, y in corners:
        numbers += [left + x * side, top + y * side]
    return DrawnShape("polygon", tuple(numbers))


def _draw_arrows(
    name: str,
    read: _Read,
    reading: _Reading,
    colour: str,
) -> Iterator[Object]:
    """Draw each arrow of a predicate, at the steps at which one of its atoms names the arrow.

    `read` has, for each step, the cell or the arrow of each atom, or None.
    """
    side = reading.grid.side
    look = make_look(colour, stroke=WHITE, stroke_width=side / 30)
    wanted = {each for state in read for each in state if isinstance(each, _Arrow)}
    for arrow in sorted(wanted):
        thing = reading.movers[arrow.thing]
        shapes: list[DrawnShape | None] = []
        for state, shape in zip(read, thing.shapes, strict=True):
            if shape is None or arrow not in state:
                shapes.append(None)
            else:
                shapes.append(_point_beside(shape, DIRECTIONS[arrow.direction], side))
        yield Object(f"{name} {arrow.thing} {arrow.direction}", "", look, tuple(shapes))


_ARROW = (
    (-0.14, -0.08),
    (0.22, -0.08),
    (0.22, -0.22),
    (0.52, 0),
    (0.22, 0.22),
    (0.22, 0.08),
    (-0.14, 0.08),
)
"""The corners of an arrow: distances ahead of the object's edge and sideways, in
sides of a cell.
"""


def _point_beside(shape: DrawnShape, direction: Direction, side: float) -> DrawnShape:
    """Return the arrow that crosses the edge of a shape and points in a direction.

    `side` is the side of a cell.
    """
    left, top, right, bottom = shape.box
    corners = []
    for ahead, aside in _ARROW:
        along = ahead * direction.sign * side
        across = aside * side
        if direction.is_vertical:
            edge = bottom if direction.sign > 0 else top
            corners += [(left + right) / 2 + across, edge + along]
        else:
            edge = right if direction.sign > 0 else left
            corners += [edge + along, (top + bottom) / 2 + across]
    return DrawnShape("polygon", tuple(corners))


def _draw_legend(
    colours: Mapping[str, str],
    scene: Scene,
    grid: CellGrid,
) -> tuple[list[Object], int]:
    """Draw the names of the predicates, with their colours, in lines below the drawing.

    Returns the objects of the legend and the new height of the scene.
    """
    line = _LEGEND * grid.side
    swatch = 0.5 * line
    steps = scene.last + 1
    margin = min(box[0] for box in grid.boxes.values())
    x = margin
    y = float(scene.height)
    objects: list[Object] = []
    for name, colour in colours.items():
        width = 0.55 * line * measure_width(name) / 0.8
        if x > margin and x + 1.4 * swatch + width > scene.width - margin:
            x = margin
            y += line
        shape = DrawnShape("rect", (x, y + 0.2 * line, swatch, swatch))
        look = make_look(colour, radius=swatch / 4)
        objects.append(Object(f"key {name}", "", look, (shape,) * steps))
        start = x + 1.4 * swatch - 0.1 * width
        text = DrawnShape("rect", (start, y - 0.1 * line, width, 1.1 * line))
        objects.append(Object(f"name {name}", name, make_look(text=INK), (text,) * steps))
        x += 1.4 * swatch + width + 0.2 * line
    return objects, round(y + 1.1 * line)
