"""Finds the board of a plan without drawing rules: cells, pieces, areas and marks.

A fluent is on the board if its last two arguments, or its last one as a pair, are always the row
and the column of a cell: `at(Piece,Row,Column)`, or `box(Row,Column)` if there are facts such as
`cell(Row,Column)`. The arguments before the cell are the *owner* of the atom, here `Piece`. Other
facts of this form, such as `goal(Row,Column)`, are marks. If the fluents do not fit a board
clearly, none is drawn.

The parameter `number` of the functions is the number of states; they are numbered from 0.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from itertools import islice, product
from typing import NamedTuple

from asplan.clingo import Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.drawing.rows import (
    PlanRow,
    Steps,
    find_rows,
    find_values,
    group_by_predicate,
    read_states,
)

Cell = tuple[int, int]
Cells = frozenset[Cell]
Places = Mapping[Symbol, Cell]  # the cells of the atoms of a predicate

MOST_FACTS = 20_000
MOST_CELLS = 1_600
MOST_SIDE = 40  # cells

_CELL_NAMES = re.compile(
    "cell|grid|square|field|loc|floor|pos|board|place|tile|room|coord|point|node|free|area|land"
)
_WALL_NAMES = re.compile("wall|obstacle|block|forbid|imposs|impass|rock|barrier|^no$")


@dataclass(frozen=True)
class DrawnPiece:
    """A piece on the board, as its atoms describe it.

    `kind` is the predicate of the atoms, and `owner` the name of the piece in atoms such as
    `at(owner,1,2)`. Atoms such as `box(Row,Column)` name no owner; their pieces have an empty
    `owner` and all look the same. `alone` is set for a piece without owner that is the only one of
    its predicate. `cells` has the cell of the piece in each state, None where the piece is absent.
    """

    kind: str
    owner: str
    cells: tuple[Cell | None, ...]
    alone: bool = False

    @property
    def name(self) -> str:
        """The label of the piece: its owner, or its predicate if it has none."""
        return self.owner or self.kind


Vote = tuple[str, int, int]
"""A predicate's name, which of the two numbers of its cells (0 or 1) is the column, and a weight.

The weight grows with the number of atoms in the program whose variables have names such as
`Column`.
"""


class MarkedCell(NamedTuple):
    """A cell that a fact marks.

    `kind` is the predicate of the fact. `owner` has the arguments before the cell, as text; it is
    empty if there are none.
    """

    kind: str
    cell: Cell
    owner: str

    @property
    def is_wall(self) -> bool:
        """True if the name of the predicate, such as `wall`, says that the cell
        cannot be entered.
        """
        return is_wall_name(self.kind)


@dataclass(frozen=True)
class DrawnBoard:
    """The cells of a board, and everything on it.

    `areas` maps a predicate to the cells of its atoms in each state. Unlike a set of pieces, an
    area may grow and shrink. `notes` are rows over time: the values of changing fluents that are
    not on the board. `columns` are hints, from the names of variables such as `Column`, about which
    of the two numbers of a cell is the column; see `Vote`.
    """

    cells: Cells
    pieces: Sequence[DrawnPiece] = ()
    areas: Mapping[str, Sequence[Cells]] = field(default_factory=dict)
    marks: Sequence[MarkedCell] = ()
    notes: Sequence[PlanRow] = ()
    columns: Sequence[Vote] = ()


class Fact(NamedTuple):
    """The cell of a fact of the instance.

    `owner` is the argument before the cell, as text; empty if there is none.
    """

    cell: Cell
    owner: str


class Moment(NamedTuple):
    """A step at which a piece, named by its owner, is in a cell."""

    owner: str
    cell: Cell
    step: int


def find_board(
    steps: Steps,
    number: int,
    facts: Iterable[str],
    changing: Collection[str] = (),
    columns: Sequence[Vote] = (),
) -> DrawnBoard | None:
    """Return the board of the fluents in the states 0 to `number` - 1; None if they fit no board.

    Parameters
    ----------
    steps
        The numbers of the states in which each fluent holds.
    facts
        The facts of the instance, as text.
    changing
        Predicates, as NAME/ARITY, whose facts hold at certain times only and so are no marks.
    columns
        Hints, from the names of variables, about which of the two numbers of a cell is the column;
        see `Vote`.
    """
    located = _locate(steps)
    given = _locate_facts(facts, changing) if located else {}
    cells = _find_cells(located, given, steps, number)
    if cells is None:
        return None
    pieces: list[DrawnPiece] = []
    areas: dict[str, list[Cells]] = {}
    elsewhere = dict(steps)
    for kind, places in located.items():
        if not cells.issuperset(places.values()):
            continue
        states = _occupied(places, steps, number)
        found = _find_pieces(kind, places, steps, states)
        if found:
            pieces += found
        else:
            areas[kind] = states
        for atom in places:
            elsewhere.pop(atom, None)
    others = {kind: group for kind, group in given.items() if kind not in located}
    return DrawnBoard(
        cells=cells,
        pieces=pieces,
        areas=areas,
        marks=_find_marks(cells, pieces, others),
        notes=_find_notes(elsewhere, number),
        columns=[vote for vote in columns if vote[0] in located or vote[0] in given],
    )


def _find_notes(steps: Steps, number: int) -> list[PlanRow]:
    """Return a row over time for each changing fluent.

    `steps` has the fluents that are not on the board; `number` is the number of states.
    """
    return [row for row in find_rows(steps, number) if row.changes(number)]


def _find_cells(
    located: Mapping[str, Places],
    given: Mapping[str, Sequence[Fact]],
    steps: Steps,
    number: int,
) -> Cells | None:
    """Return the cells of the board; None if no predicate suggests any.

    The atoms of each predicate may suggest a set of cells; the board is the largest of these sets.
    `located` has the cells of each predicate of fluents, `given` the facts with cells; `number` is
    the number of states.
    """
    grids = _find_grids(given)
    candidates = []
    for places in located.values():
        candidates.append(_cells_of(places, grids, steps, number))
    return max(filter(None, candidates), key=len, default=None)


def _locate(steps: Steps) -> dict[str, Places]:
    """Map each predicate whose atoms all end with a cell to the cells of its atoms.

    Classically negated atoms are ignored.
    """
    located: dict[str, Places] = {}
    for (name, _, positive), atoms in group_by_predicate(steps).items():
        if not positive:
            continue
        places = _cells_by_atom(atoms)
        if len(places) == len(atoms):
            located[name] = places
    return located


def _cells_by_atom(atoms: Iterable[Symbol]) -> dict[Symbol, Cell]:
    places = {}
    for atom in atoms:
        cell = cell_of(atom)
        if cell is not None:
            places[atom] = cell
    return places


def _locate_facts(facts: Iterable[str], changing: Collection[str]) -> dict[str, list[Fact]]:
    """Group the facts that end with a cell by predicate.

    A predicate is left out if one of its facts has no cell, or more than one argument before the
    cell. Facts of the predicates `changing` (as NAME/ARITY) are ignored.
    """
    located: dict[str, list[Fact]] = defaultdict(list)
    others: set[str] = set()
    for atom in read_states([islice(facts, MOST_FACTS)]):
        if atom.type != SymbolType.Function or f"{atom.name}/{len(atom.arguments)}" in changing:
            continue
        cell = cell_of(atom)
        if cell is not None and len(atom.arguments) <= 3 and atom.positive:
            located[atom.name].append(Fact(cell, owner_of(atom)))
        else:
            others.add(atom.name)
    return {name: group for name, group in located.items() if name not in others}


def _find_grids(given: Mapping[str, Sequence[Fact]]) -> list[Cells]:
    """Return the sets of cells that facts such as `cell(1,1)` define, one for each predicate."""
    grids = []
    for name, facts in given.items():
        has_owners = any(fact.owner for fact in facts)
        if has_owners or not _CELL_NAMES.search(name):
            continue
        grid = frozenset(fact.cell for fact in facts)
        if _is_board(grid):
            grids.append(grid)
    return grids


def cell_of(atom: Symbol) -> Cell | None:
    """Return the cell at the end of an atom: its last two numbers, or the two of a pair.

    For `at(a,1,2)` and for `at(a,(1,2))`, return (1, 2). None if the atom does not end with a cell.
    """
    terms = atom.arguments if atom.type == SymbolType.Function and atom.name else []
    if terms and _is_pair(terms[-1]):
        terms = terms[-1].arguments
    last = terms[-2:]
    if len(last) < 2 or any(term.type != SymbolType.Number for term in last):
        return None
    first, second = last
    return first.number, second.number


def _is_pair(term: Symbol) -> bool:
    return term.type == SymbolType.Function and not term.name and len(term.arguments) == 2


def owner_of(atom: Symbol) -> str:
    """Return the arguments before the cell of an atom, as text; empty if there are none.

    For `at(a,1,2)`, return "a".
    """
    terms = atom.arguments
    end = -1 if _is_pair(terms[-1]) else -2
    return ",".join(map(str, terms[:end]))


def is_wall_name(name: str) -> bool:
    """Return whether a predicate's name, such as `wall`, says that its cells cannot be entered."""
    return _WALL_NAMES.search(name) is not None


def _is_board(cells: Cells) -> bool:
    sides = [len(set(numbers)) for numbers in zip(*cells, strict=True)]
    return min(sides) >= 2 and max(sides) <= MOST_SIDE and len(cells) <= MOST_CELLS


def _cells_of(
    places: Places,
    grids: list[Cells],
    steps: Steps,
    number: int,
) -> Cells | None:
    """Return the cells of the board that one predicate's atoms suggest; None if they suggest none.

    The result is the largest of `grids` that contains all cells of the atoms, or a rectangle around
    pieces. `number` is the number of states.
    """
    taken = frozenset(places.values())
    possible = [grid for grid in grids if taken <= grid]
    grid = max(possible, key=len, default=None)
    if any(map(owner_of, places)):
        return _cells_of_pieces(_find_moments(places, steps), grid, number)
    return None if _is_mapping(places, steps, number) else grid


def _cells_of_pieces(
    moments: Sequence[Moment],
    grid: Cells | None,
    number: int,
) -> Cells | None:
    """Return `grid`; if it is None, return the cells of the rectangle around all pieces.

    There is a rectangle only if every piece is present in each of the `number` states, and no two
    pieces share a cell. None if there is neither grid nor rectangle, or if a piece is in two cells
    at once.
    """
    present = {(moment.owner, moment.step) for moment in moments}
    if len(present) < len(moments):
        return None
    if grid is not None:
        return grid
    owners = {moment.owner for moment in moments}
    occupied = {(moment.cell, moment.step) for moment in moments}
    is_complete = len(present) == len(owners) * number
    is_apart = len(occupied) == len(moments)
    taken = frozenset(moment.cell for moment in moments)
    if is_complete and is_apart and _is_board(taken):
        return _fill_rectangle(taken)
    return None


def _find_moments(places: Places, steps: Steps) -> list[Moment]:
    moments = []
    for atom, cell in places.items():
        owner = owner_of(atom)
        moments += [Moment(owner, cell, step) for step in steps[atom]]
    return moments


def _is_mapping(places: Places, steps: Steps, number: int) -> bool:
    """Return whether the first number of each cell determines the second, as in
    `has(Vertex,Colour)`.

    Such numbers are not the row and the column of a cell. `number` is the number of states.
    """
    values = find_values(sorted(places), steps, number)
    return values is not None and values.is_total and len(values.places) == 1


def _fill_rectangle(taken: Cells) -> Cells | None:
    """Return all cells of the smallest rectangle that contains the taken cells and the cell (1,1).

    None if the rectangle has too many cells for a board.
    """
    rows, columns = map(_span, zip(*taken, strict=True))
    whole = frozenset(product(rows, columns))
    return whole if _is_board(whole) else None


def _span(numbers: tuple[int, ...]) -> range:
    return range(min(1, *numbers), max(numbers) + 1)


def _occupied(
    places: Places,
    steps: Steps,
    number: int,
) -> list[Cells]:
    """Return for each of the `number` states the set of cells that a predicate's atoms name."""
    states: list[set[Cell]] = [set() for _ in range(number)]
    for atom, cell in places.items():
        for step in steps[atom]:
            states[step].add(cell)
    return list(map(frozenset, states))


def _find_pieces(
    kind: str,
    places: Places,
    steps: Steps,
    states: Sequence[Cells],
) -> list[DrawnPiece]:
    """Return the pieces of a predicate; `states` has the set of its cells in each state.

    If the atoms have no owners and their number changes, they form an area, and there are no
    pieces.
    """
    tracks: dict[str, list[Cell | None]] = {}
    for atom, cell in places.items():
        owner = owner_of(atom)
        if owner:
            track = tracks.setdefault(owner, [None] * len(states))
            for step in steps[atom]:
                track[step] = cell
    if tracks:
        return [DrawnPiece(kind, owner, tuple(track)) for owner, track in tracks.items()]
    if len(set(map(len, states))) > 1:
        return []
    followed = _follow(states)
    is_alone = len(followed) == 1
    return [DrawnPiece(kind, "", tuple(track), is_alone) for track in followed]


def _follow(states: Sequence[Cells]) -> list[list[Cell]]:
    """Return the cell of each piece in each state, for pieces whose atoms have no owners.

    A piece whose cell is free in the next state moves to the nearest newly occupied cell.
    """
    tracks = [[cell] for cell in sorted(states[0])]
    for state in states[1:]:
        new = set(state.difference(track[-1] for track in tracks))
        for track in tracks:
            cell = track[-1]
            if cell not in state:
                cell = min(new, key=partial(_distance, cell))
                new.remove(cell)
            track.append(cell)
    return tracks


def _distance(cell: Cell, other: Cell) -> tuple[int, Cell]:
    """Return the key that sorts cells by nearness: their Manhattan distance to `cell`, then
    `other`.
    """
    down = abs(cell[0] - other[0])
    across = abs(cell[1] - other[1])
    return down + across, other


def _find_marks(
    cells: Cells, pieces: Sequence[DrawnPiece], given: Mapping[str, Sequence[Fact]]
) -> list[MarkedCell]:
    """Return the marks that facts make on the board, grouped by predicate.

    A predicate is omitted if it marks all cells, if it repeats the initial cells of pieces, or if
    its atoms have owners that are not pieces.
    """
    starts = {(piece.cells[0], piece.owner) for piece in pieces}
    owners = {"", *(piece.owner for piece in pieces)}
    marks = []
    for kind, facts in given.items():
        is_known = owners.issuperset(fact.owner for fact in facts)
        is_initial = starts.issuperset(facts)
        if is_known and not is_initial and _is_partial(kind, facts, cells):
            marks += [MarkedCell(kind, *fact) for fact in sorted(facts)]
    return marks


def _is_partial(
    kind: str,
    facts: Sequence[Fact],
    cells: Cells,
) -> bool:
    """Return whether facts name some but not all cells of the board.

    Facts of a predicate named like a wall may also name cells outside.
    """
    marked = {fact.cell for fact in facts}
    if marked == cells:
        return False
    return marked <= cells or is_wall_name(kind)
