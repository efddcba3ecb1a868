"""Finds out whether a plan plays on a board that nobody drew, and draws it.

A fluent is of the board if its last two arguments, or its last one as a pair, are always the row
and the column of a cell: `at(Thing,Row,Column)`, or `box(Row,Column)` where facts as
`cell(Row,Column)` exist. Others of these, as `goal(Row,Column)`, are marks. In doubt there is no
board.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import isqrt

from clingo import Symbol, SymbolType

from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.drawing.colours import DIM, INK, NONE, PALETTE
from asplan.drawing.lettering import measure_width
from asplan.drawing.scene import Look, Object, Scene, Shape
from asplan.drawing.timeline import (
    LETTERS,
    Row,
    Steps,
    by_kind,
    cut,
    find_rows,
    find_values,
    look,
    read_states,
)

Cell = tuple[int, int]

MOST_FACTS, MOST_CELLS, MOST_SIDE, MOST_NOTES = 20_000, 1_600, 40, 8

_CELL_NAMES = re.compile(
    "cell|grid|square|field|loc|floor|pos|board|place|tile|room|coord|point|node|free|area|land"
)
_WALL_NAMES = re.compile("wall|obstacle|block|forbid|imposs|impass|rock|barrier|^no$")
_CELL, _GROUND = "#eef1f5", "#57606c"
MARGIN, _FAINT = 20, 0.25


@dataclass(frozen=True)
class Thing:
    """What is on the board: where it is at each step, and whether it is the only one of a kind."""

    kind: str
    owner: str  # its name, empty where it looks like others of its kind
    cells: tuple[Cell | None, ...]
    alone: bool = False

    @property
    def name(self) -> str:
        return self.owner or self.kind


@dataclass(frozen=True)
class Board:
    """What is on it: things, areas, which grow and shrink, and marks of kinds in cells."""

    cells: frozenset[Cell]
    things: list[Thing] = field(default_factory=list)
    areas: dict[str, list[frozenset[Cell]]] = field(default_factory=dict)
    marks: list[tuple[str, Cell, str]] = field(default_factory=list)
    notes: list[Row] = field(default_factory=list)  # what changes elsewhere


Places = Mapping[Symbol, Cell]


def find_board(steps: Steps, number: int, facts: Iterable[str]) -> Board | None:
    """The board on which fluents play in a number of states; None where there is none for sure."""
    located, others = dict[str, dict[Symbol, Cell]](), set[str]()
    for (name, _, positive), atoms in by_kind(steps).items():
        places = {atom: cell for atom in atoms if positive and (cell := cell_of(atom))}
        if len(places) == len(atoms):
            located[name] = places
    given: dict[str, list[tuple[Cell, str]]] = defaultdict(list)
    for atom in read_states([islice(facts, MOST_FACTS)]) if located else ():
        cell = cell_of(atom)
        if cell is not None and len(atom.arguments) <= 3 and atom.positive:
            given[atom.name].append((cell, owner_of(atom)))
        elif atom.type == SymbolType.Function:
            others.add(atom.name)
    for name in others & given.keys():  # not all of them put at most one thing into a cell
        del given[name]
    grids = [
        frozenset(cell for cell, _ in places)
        for name, places in given.items()
        if _CELL_NAMES.search(name) and not any(owner for _, owner in places)
    ]
    grids = list(filter(_is_board, grids))
    found = [_cells(places, grids, steps, number) for places in located.values()]
    cells = max(filter(None, found), key=len, default=None)
    if cells is None:
        return None
    board, rest = Board(cells), dict(steps)
    for kind, places in located.items():
        if cells.issuperset(places.values()):
            _place(board, kind, places, steps, number)
            rest = {atom: at for atom, at in rest.items() if atom not in places}
    board.notes.extend(row for row in find_rows(rest, number) if row.changes(number))
    _mark(board, {name: places for name, places in given.items() if name not in located})
    return board


def cell_of(atom: Symbol) -> Cell | None:
    """The two numbers at the end of an atom, or in the pair there."""
    terms = atom.arguments if atom.type == SymbolType.Function and atom.name else []
    if terms and _is_pair(terms[-1]):
        terms = terms[-1].arguments
    if len(terms) < 2 or any(term.type != SymbolType.Number for term in terms[-2:]):
        return None
    return terms[-2].number, terms[-1].number


def _is_pair(term: Symbol) -> bool:
    return term.type == SymbolType.Function and not term.name and len(term.arguments) == 2


def owner_of(atom: Symbol) -> str:
    """The thing that an atom with a cell puts there; empty where the atom is of the cell alone."""
    terms = atom.arguments
    return ",".join(map(str, terms[: -1 if _is_pair(terms[-1]) else -2]))


def _is_board(cells: frozenset[Cell]) -> bool:
    sides = [len(set(side)) for side in zip(*cells, strict=True)]
    return min(sides) >= 2 and max(sides) <= MOST_SIDE and len(cells) <= MOST_CELLS


def _cells(
    places: Places, grids: list[frozenset[Cell]], steps: Steps, number: int
) -> frozenset[Cell] | None:
    """The cells of the board that the atoms of a predicate play on; None where it is unclear."""
    taken = frozenset(places.values())
    known = max((grid for grid in grids if taken <= grid), key=len, default=None)
    owners = {atom: owner_of(atom) for atom in places}
    if not any(owners.values()):
        values = find_values(sorted(places), steps, number)
        # Each first number always has just one second number, as in has(Vertex,Colour).
        is_function = values is not None and values[0] and len(values[1]) == 1
        return None if is_function else known
    moments = [(atom, t) for atom in places for t in steps[atom]]
    at = {(owners[atom], t) for atom, t in moments}
    if len(at) < len(moments):
        return None  # a thing in two places
    if known is not None:
        return known
    is_complete = len(at) == len(set(owners.values())) * number
    is_apart = len({(places[atom], t) for atom, t in moments}) == len(moments)
    if not (is_complete and is_apart and _is_board(taken)):
        return None
    rows, columns = (range(min(1, *side), max(side) + 1) for side in zip(*taken, strict=True))
    whole = frozenset((row, column) for row in rows for column in columns)
    return whole if _is_board(whole) else None


def _place(board: Board, kind: str, places: Places, steps: Steps, number: int) -> None:
    tracks: dict[str, list[Cell | None]] = {}
    states: list[set[Cell]] = [set() for _ in range(number)]
    for atom, cell in places.items():
        owner = owner_of(atom)
        for t in steps[atom]:
            states[t].add(cell)
            if owner:
                tracks.setdefault(owner, [None] * number)[t] = cell
    if tracks:
        board.things.extend(Thing(kind, name, tuple(track)) for name, track in tracks.items())
    elif len({len(state) for state in states}) == 1:
        tokens = _follow(states)
        board.things.extend(Thing(kind, "", tuple(t), len(tokens) == 1) for t in tokens)
    else:
        board.areas[kind] = list(map(frozenset, states))


def _follow(states: list[set[Cell]]) -> list[list[Cell]]:
    """Where each of some tokens is that look the same: one that is gone is the nearest new one."""
    tokens = [[cell] for cell in sorted(states[0])]
    for state in states[1:]:
        new = state - {token[-1] for token in tokens}
        for token in tokens:
            row, column = token[-1]
            if token[-1] not in state:
                nearest = min(new, key=lambda c: (abs(c[0] - row) + abs(c[1] - column), c))
                new.remove(nearest)
                token.append(nearest)
            else:
                token.append(token[-1])
    return tokens


def _mark(board: Board, given: Mapping[str, list[tuple[Cell, str]]]) -> None:
    """Mark cells as facts say, but for those that say where things are at first."""
    starts = {(thing.cells[0], thing.owner) for thing in board.things}
    names = {thing.owner for thing in board.things}
    for kind, places in given.items():
        cells = {cell for cell, _ in places}
        owners = {owner for _, owner in places} - {""}
        sits = cells <= board.cells or _WALL_NAMES.search(kind)
        if sits and cells != board.cells and owners <= names and not starts.issuperset(places):
            board.marks.extend((kind, cell, owner) for cell, owner in sorted(places))


# Whether a way is up or down, and whether it goes ahead.
_WAYS = {"left": (0, -1), "west": (0, -1), "right": (0, 1), "east": (0, 1)}
_WAYS |= {"up": (1, -1), "north": (1, -1), "down": (1, 1), "south": (1, 1)}


def find_axes(board: Board, plan: Plan) -> tuple[int, int, int]:
    """Which number of a cell is the column, and the signs of x and y, as moves tell."""
    votes: Counter[tuple[str, int]] = Counter()
    for t, step in enumerate(plan, 1):
        words = [set(re.findall(r"\w+", action)) for action in step]
        for thing in board.things:
            old, new = thing.cells[t - 1 : t + 1]
            if old is None or new is None or (old[0] != new[0]) == (old[1] != new[1]):
                continue
            axis = int(old[0] == new[0])
            ahead = 1 if new[axis] > old[axis] else -1
            for said in words:
                if len(words) == 1 or thing.name in said:
                    for is_down, sign in map(_WAYS.__getitem__, said & _WAYS.keys()):
                        votes["column", abs(axis - is_down)] += 1
                        votes["xy"[is_down], ahead * sign] += 1
    column = int(votes["column", 1] >= votes["column", 0])
    x, y = (1 if votes[side, 1] >= votes[side, -1] else -1 for side in "xy")
    return column, x, y


@dataclass(frozen=True)
class Grid:
    """Where cells are drawn."""

    lefts: Mapping[int, float]
    tops: Mapping[int, float]
    side: float
    column: int

    def box(self, cell: Cell, inset: float, slot: int = 0, slots: int = 1) -> Shape:
        """A square in a cell, or in one of the slots into which it is divided."""
        rank = isqrt(slots - 1) + 1
        side = self.side / rank
        left = self.lefts[cell[self.column]] + slot % rank * side
        top = self.tops[cell[1 - self.column]] + slot // rank * side
        inner = side * (1 - 2 * inset)
        return Shape("rect", (left + inset * side, top + inset * side, inner, inner))


def draw_board(title: str, plan: Plan, board: Board) -> Scene:
    number = len(plan) + 1
    column, x, y = find_axes(board, plan)
    every = board.cells.union(cell for _, cell, _ in board.marks)
    columns, rows = (sorted({cell[i] for cell in every}) for i in (column, 1 - column))
    span_x = range(columns[0], columns[-1] + 1)[::x]
    span_y = range(rows[0], rows[-1] + 1)[::y]
    side = max(14, min(48, 600 // max(len(span_x), len(span_y))))
    lefts, tops = ({n: MARGIN + i * side for i, n in enumerate(span)} for span in (span_x, span_y))
    grid = Grid(lefts, tops, side, column)
    right, bottom = MARGIN + side * len(span_x), MARGIN + side * len(span_y)

    def still(name: str, shape: Shape, style: Look, label: str = "") -> Object:
        return Object(name, label, style, (shape,) * number)

    ground = Shape("rect", (MARGIN - 3, MARGIN - 3, right - MARGIN + 6, bottom - MARGIN + 6))
    objects = [still("board", ground, look(_GROUND, radius=4))]
    for n, left in lefts.items():
        box = Shape("rect", (left, 0, side, MARGIN - 2))
        objects.append(still(f"column {n}", box, look(text=DIM), str(n)))
    for n, top in tops.items():
        box = Shape("rect", (0, top, MARGIN - 2, side))
        objects.append(still(f"row {n}", box, look(text=DIM), str(n)))
    plain = look(_CELL, radius=3)
    objects += (still(f"cell{cell}", grid.box(cell, 0.02), plain) for cell in sorted(board.cells))
    kinds = dict.fromkeys([*(t.name for t in board.things), *board.areas])
    kinds |= dict.fromkeys(kind for kind, _, owner in board.marks if not owner)
    colours = {kind: PALETTE[i % len(PALETTE)] for i, kind in enumerate(kinds)}
    for kind, states in board.areas.items():
        style = look(colours[kind], radius=3, opacity=_FAINT)
        for cell in sorted(frozenset[Cell]().union(*states)):
            box = grid.box(cell, 0.02)
            shapes = tuple(box if cell in state else None for state in states)
            objects.append(Object(f"{kind}{cell}", "", style, shapes))
    for kind, cell, owner in board.marks:
        style, inset = look(_GROUND), 0.0
        if not _WALL_NAMES.search(kind):
            style = look(NONE, DIM, colours[owner or kind], max(2, side // 14), side // 8)
            inset = 0.03
        objects.append(still(f"{kind}{cell}{owner}", grid.box(cell, inset), style, owner))
    objects += _draw_things(board, grid, colours)
    key = [*board.areas, *dict.fromkeys(kind for kind, _, _ in board.marks)]
    below, end = _write_below(board, key, colours, MARGIN, bottom + 8, number)
    whole = max(right, *(o.shapes[0].box[2] for o in below if o.shapes[0]), 0) + 8
    actions = tuple(", ".join(map(plan.name, step)) for step in plan)
    return Scene(title, round(whole), round(end + 6), (*objects, *below), actions)


def _draw_things(board: Board, grid: Grid, colours: Mapping[str, str]) -> Iterator[Object]:
    """Things, smaller where several are in one cell; one that is alone of its kind is round."""
    inhabited: list[dict[Cell, list[int]]] = []
    for state in zip(*(thing.cells for thing in board.things), strict=True):
        inhabited.append(defaultdict(list))
        for number, cell in enumerate(state):
            if cell is not None:
                inhabited[-1][cell].append(number)
    for number, thing in enumerate(board.things):
        shapes = list[Shape | None]()
        for t, cell in enumerate(thing.cells):
            if cell is None:
                shapes.append(None)
                continue
            others = inhabited[t][cell]
            shapes.append(grid.box(cell, 0.15, others.index(number), len(others)))
        radius = grid.side if thing.alone else grid.side / 6
        style = look(colours[thing.name], radius=radius)
        yield Object(f"{thing.kind} {thing.owner or number}", thing.name, style, tuple(shapes))


def _write_below(
    board: Board,
    key: Sequence[str],
    colours: Mapping[str, str],
    left: float,
    top: float,
    number: int,
) -> tuple[list[Object], float]:
    """What the colours of areas and marks mean, and what changes elsewhere; and where it ends."""
    objects = []
    for kind in key:
        swatch, style = Shape("rect", (left + 3, top + 5, 12, 12)), look(_GROUND, radius=2)
        if kind in board.areas:
            style = look(colours[kind], radius=2, opacity=_FAINT)
        elif not _WALL_NAMES.search(kind):
            style = look(stroke=colours.get(kind, DIM), stroke_width=2, radius=2)
        objects.append(Object(f"key {kind}", "", style, (swatch,) * number))
        objects.append(_line(f"name {kind}", kind, left + 20, top, (0, number - 1), number))
        top += 22
    for row in board.notes[:MOST_NOTES]:
        for run in row.runs:
            text = cut(f"{row.name} = {run.value}" if row.is_variable else row.name, 300)
            name = f"{row.name} {run.first}"
            objects.append(_line(name, text, left, top, (run.first, run.last), number))
        top += 22
    if (more := len(board.notes) - MOST_NOTES) > 0:
        text = f"not drawn: {amount(more, 'more row')}"
        objects.append(_line("left out", text, left, top, (0, number - 1), number))
        top += 22
    return objects, top


def _line(
    name: str, text: str, left: float, top: float, during: tuple[int, int], number: int
) -> Object:
    width = max(measure_width(text), 0.9) * LETTERS / 0.8
    shape = Shape("rect", (left - 0.1 * width, top, width, 2 * LETTERS))
    first, last = during
    shapes = tuple(shape if first <= t <= last else None for t in range(number))
    return Object(name, text, look(text=INK), shapes)
