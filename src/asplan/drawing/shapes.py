"""Reads the atoms of a drawing: the canvas, the shape of each object at every step, its look.

canvas(W,H)                        the size of the picture
rect(T,Id,X,Y,W,H)                 a shape at step T; without T, at every step
circle(T,Id,X,Y,R)                 X, Y is the centre
polygon(T,Id,((X,Y),(X,Y),…))
label(Id,Text)  layer(Id,N)  style(Id,Key,Value)
appears(Id)                        the object is absent at step 0 and fades in later
fold(X,Y,(A,B,C))                  the place in space of a point of the picture
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain, cycle
from typing import NamedTuple

from asplan.clingo import Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError
from asplan.core.facts import Facts
from asplan.core.text import shortened
from asplan.drawing.colours import NONE, PALETTE, parse_colour, readable_on
from asplan.drawing.scene import LONGEST_LABEL, DrawnShape, Look

GIVEN = "<plan>"  # the file name of the given atoms, which are not drawn


class ShapeForm(NamedTuple):
    """The arities that a predicate of the drawing language may have, and its
    notation for messages.
    """

    arities: frozenset[int]
    notation: str


FORMS = {
    "canvas": ShapeForm(frozenset({2}), "canvas(Width,Height)"),
    "rect": ShapeForm(
        frozenset({5, 6}), "rect(Step,Id,X,Y,Width,Height) or rect(Id,X,Y,Width,Height)"
    ),
    "circle": ShapeForm(frozenset({4, 5}), "circle(Step,Id,X,Y,Radius) or circle(Id,X,Y,Radius)"),
    "polygon": ShapeForm(frozenset({2, 3}), "polygon(Step,Id,((X,Y),…)) or polygon(Id,((X,Y),…))"),
    "label": ShapeForm(frozenset({2}), "label(Id,Text)"),
    "layer": ShapeForm(frozenset({2}), "layer(Id,Number)"),
    "style": ShapeForm(frozenset({3}), "style(Id,Key,Value)"),
    "appears": ShapeForm(frozenset({1}), "appears(Id)"),
    "fold": ShapeForm(frozenset({3}), "fold(X,Y,(A,B,C))"),
}

KINDS = ("rect", "circle", "polygon")

_LENGTHS = {"rect": ("width", "height"), "circle": ("radius",), "polygon": ()}
"""The names of the numbers of a shape that follow x and y and must be positive."""

MOST_STEPS = 100_000
MOST_ATOMS = 400_000
MOST_SHAPES = 100_000
MOST_OBJECTS = 20_000
MOST_POSES = 5_000_000  # objects times steps
LARGEST_CANVAS = 1_000_000
MOST_POINTS = 1_000


def is_timed(name: str, arity: int) -> bool:
    """Return whether a predicate with this arity is a shape whose first argument is a step."""
    return name in KINDS and arity == max(FORMS[name].arities)


@dataclass(frozen=True)
class Atoms:
    """The atoms that the drawing rules of a file derive; `last` is the number of the plan's last
    step.
    """

    facts: Facts
    file: str
    last: int

    @cached_property
    def _by_name(self) -> dict[str, list[Symbol]]:
        groups: dict[str, list[Symbol]] = {name: [] for name in FORMS}
        for atom, place in self.facts.places.items():
            if place.file == GIVEN or atom.type != SymbolType.Function:
                continue
            if atom.name in groups:
                groups[atom.name].append(atom)
        return groups

    def select(self, *names: str) -> Iterable[Symbol]:
        """Return the atoms of the predicates with these names, grouped by name."""
        return list(chain.from_iterable(self._by_name[name] for name in names))

    def by_object(self, name: str) -> dict[Symbol, Symbol]:
        """Map each object to its only atom of a predicate; raise `InputError` if an object has two
        atoms.
        """
        atoms: dict[Symbol, Symbol] = {}
        for atom in self.select(name):
            thing = atom.arguments[0]
            if other := atoms.get(thing):
                raise self.error(atom, f"a second {name}; the first is {other}")
            atoms[thing] = atom
        return atoms

    def check(self) -> None:
        """Raise `InputError` if there are too many shapes, or if a predicate has a wrong arity."""
        shapes = sum(len(self._by_name[kind]) for kind in KINDS)
        if shapes > MOST_SHAPES:
            raise self.too_many(f"{shapes} shapes")
        for atom in self.select(*FORMS):
            form = FORMS[atom.name]
            if len(atom.arguments) not in form.arities:
                raise self.error(atom, f"{atom.name} is written {form.notation}")

    def too_many(self, things: str) -> InputError:
        """Return the error for a drawing that is too large.

        `things` is the subject of the message, for example "9 shapes".
        """
        return InputError(
            f"{self.file}: {things} are too many",
            hint=f"there may be {MOST_SHAPES} shapes, {MOST_OBJECTS} things, and {MOST_POSES} "
            "things times steps; a shape can cover many cells, "
            "and a shape without T holds at all steps",
        )

    def number(
        self,
        atom: Symbol,
        term: Symbol,
        least: int | None = None,
        greatest: int | None = None,
    ) -> int:
        """Return a term of an atom as a number.

        Raises `InputError` if the term is not a number, or is below `least` or above `greatest`.
        """
        if term.type != SymbolType.Number:
            raise self.error(atom, f"{term} is not a number")
        if least is not None and term.number < least:
            raise self.error(atom, f"{term} is less than {least}")
        if greatest is not None and term.number > greatest:
            raise self.error(atom, f"{term} is more than {greatest}")
        return term.number

    def error(
        self,
        atom: Symbol,
        why: str,
        hint: str = "",
    ) -> InputError:
        """Return the error about an atom, with the place of the rule that derives it."""
        return InputError(f"{shortened(str(atom), 100)}: {why}", at=self.facts.at(atom), hint=hint)


def text_of(term: Symbol) -> str:
    """Return the text of a term; a string loses its quotes."""
    return term.string if term.type == SymbolType.String else str(term)


COLOURS = ("fill", "stroke", "text")
NUMBERS = {"stroke_width": None, "radius": None, "over": None, "opacity": 100}
"""The styles whose values are numbers from 0, with their greatest value; None for no limit.

For `over` the greatest value is the height of the canvas.
"""


def read_looks(
    atoms: Atoms,
    things: Iterable[Symbol],
    height: int,
) -> dict[Symbol, Look]:
    """Return the look of each object; `height` is the height of the canvas.

    Objects without a fill colour get the default colours in turn. Raises `InputError` for a second
    value of a style, and for a wrong number or colour.
    """
    styles = _read_styles(atoms, {**NUMBERS, "over": height})
    colours = cycle(PALETTE)
    looks = {}
    for thing in sorted(things):
        style = styles.get(thing, {})
        fill = style.get("fill") or next(colours)
        looks[thing] = _make_look(str(fill), style)
    return looks


Style = dict[str, str | int]  # values by key


def _make_look(fill: str, style: Style) -> Look:
    stroke = str(style.get("stroke", NONE))
    return Look(
        fill=fill,
        stroke=stroke,
        text=str(style.get("text", readable_on(fill))),
        stroke_width=int(style.get("stroke_width", stroke != NONE)),
        radius=int(style.get("radius", 0)),
        opacity=int(style.get("opacity", 100)) / 100,
        over=int(style["over"]) if "over" in style else None,
    )


def _read_styles(atoms: Atoms, numbers: Mapping[str, int | None]) -> dict[Symbol, Style]:
    styles: dict[Symbol, Style] = {}
    origins: dict[tuple[Symbol, str], Symbol] = {}
    for atom in atoms.select("style"):
        thing, term, value = atom.arguments
        key = str(term)
        if key not in COLOURS and key not in numbers:
            continue  # `find_unknown_styles` warns
        if other := origins.get((thing, key)):
            raise atoms.error(atom, f"a second {key}; the first is {other}")
        origins[thing, key] = atom
        style = styles.setdefault(thing, {})
        if key in numbers:
            greatest = numbers[key]
            style[key] = atoms.number(atom, value, least=0, greatest=greatest)
        else:
            style[key] = _read_colour(atoms, atom, value)
    return styles


def _read_colour(atoms: Atoms, atom: Symbol, value: Symbol) -> str:
    try:
        return parse_colour(text_of(value))
    except ValueError as error:
        raise atoms.error(atom, f"there is no colour {value}", hint=str(error)) from None


def read_label(atoms: Atoms, atom: Symbol) -> str:
    """Return the text of a label in one line; raise `InputError` if it is too long."""
    label = " ".join(text_of(atom.arguments[1]).split())
    if len(label) > LONGEST_LABEL:
        raise atoms.error(atom, f"a label has at most {LONGEST_LABEL} characters, not {len(label)}")
    return label


Track = list[DrawnShape | None]  # the shapes of an object at steps 0, 1, …


def read_canvas(atoms: Atoms) -> tuple[int, int]:
    """Return the width and height of the picture; raise `InputError` unless there is one canvas
    atom.
    """
    found = list(atoms.select("canvas"))
    if not found:
        hint = "add, for example, canvas(600,600)."
        raise InputError(f"{atoms.file}: the rules derive no canvas", hint=hint)
    canvas = found[0]
    if len(found) > 1:
        raise atoms.error(found[1], f"a second canvas; the first is {canvas}")
    sides = [atoms.number(canvas, side, 1, LARGEST_CANVAS) for side in canvas.arguments]
    width, height = sides
    return width, height


def read_fold(atoms: Atoms) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Map points (x, y) of the picture to points (a, b, c) in space, as the atoms of `fold` say.

    Raises `InputError` if a point in space is not three numbers, and if a point of the picture has
    two points in space.
    """
    places: dict[tuple[int, int], tuple[int, int, int]] = {}
    for atom in atoms.select("fold"):
        across, down, term = atom.arguments
        if not _is_tuple(term) or len(term.arguments) != 3:
            raise atoms.error(atom, f"{term} is not a place (A,B,C)")
        point = (atoms.number(atom, across), atoms.number(atom, down))
        a, b, c = (atoms.number(atom, number) for number in term.arguments)
        if places.setdefault(point, (a, b, c)) != (a, b, c):
            raise atoms.error(atom, f"a second place of the point {point[0]},{point[1]}")
    return places


def read_tracks(atoms: Atoms, canvas: tuple[int, int]) -> dict[Symbol, Track]:
    """Return the shape of each object at each step, None while it is absent.

    Raises `InputError` for a shape outside the canvas, for two shapes of an object at a step, for
    too many objects, and for an object without a shape at step 0 unless `appears` names it.
    """
    tracks: dict[Symbol, Track] = {}
    origins: dict[tuple[Symbol, int], Symbol] = {}
    for atom in atoms.select(*KINDS):
        steps, thing, shape = _read_shape(atoms, atom)
        _check_place(atoms, atom, shape, canvas)
        track = tracks.setdefault(thing, [None] * (atoms.last + 1))
        for step in steps:
            if other := origins.get((thing, step)):
                raise atoms.error(
                    atom, f"object {thing} already has a shape at step {step}: {other}"
                )
            track[step] = shape
            origins[thing, step] = atom
        if len(tracks) > min(MOST_OBJECTS, MOST_POSES // len(track)):
            raise atoms.too_many(f"{len(tracks)} things at {len(track)} steps")
    _check_starts(atoms, tracks, origins)
    return tracks


def _check_place(
    atoms: Atoms,
    atom: Symbol,
    shape: DrawnShape,
    canvas: tuple[int, int],
) -> None:
    width, height = canvas
    left, top, right, bottom = shape.box
    if min(left, top) < 0 or right > width or bottom > height:
        raise atoms.error(atom, f"the shape leaves the canvas of {width} by {height}")


def _check_starts(
    atoms: Atoms, tracks: Mapping[Symbol, Track], origins: Mapping[tuple[Symbol, int], Symbol]
) -> None:
    appearing = {atom.arguments[0] for atom in atoms.select("appears")}
    for thing, track in tracks.items():
        if track[0] is None and thing not in appearing:
            first = next(step for step, shape in enumerate(track) if shape)
            hint = f"draw it there too, or, if it is to appear later, add appears({thing})."
            raise atoms.error(origins[thing, first], f"{thing} has no shape at step 0", hint=hint)


def _read_shape(atoms: Atoms, atom: Symbol) -> tuple[range, Symbol, DrawnShape]:
    """Return the steps at which an atom draws an object, the object, and its shape."""
    steps = range(atoms.last + 1)
    arguments = atom.arguments
    if is_timed(atom.name, len(arguments)):
        step = atoms.number(atom, arguments[0])
        if step not in steps:
            text = f"the first argument is step {step}, but the plan has steps 0 to {atoms.last}"
            raise atoms.error(atom, text)
        steps = range(step, step + 1)
        arguments = arguments[1:]
    thing, *terms = arguments
    if atom.name == "polygon":
        terms = _read_points(atoms, atom, terms[0])
    numbers = tuple(atoms.number(atom, term) for term in terms)
    lengths = numbers[2:]
    for name, length in zip(_LENGTHS[atom.name], lengths, strict=False):
        if length < 1:
            raise atoms.error(atom, f"the {name} {length} is less than 1")
    return steps, thing, DrawnShape(atom.name, numbers)


def _read_points(
    atoms: Atoms,
    atom: Symbol,
    term: Symbol,
) -> list[Symbol]:
    """Return the coordinates of a polygon as a flat list: x and y of the first point, then the
    next.
    """
    points = term.arguments if _is_tuple(term) else [term]
    for point in points:
        if not _is_tuple(point) or len(point.arguments) != 2:
            raise atoms.error(atom, f"{point} is not a point (X,Y)")
    if len(points) > MOST_POINTS:
        raise atoms.error(atom, f"a polygon has at most {MOST_POINTS} points, not {len(points)}")
    if len(points) < 3:
        raise atoms.error(atom, f"a polygon has three points or more, not {len(points)}")
    return list(chain.from_iterable(point.arguments for point in points))


def _is_tuple(term: Symbol) -> bool:
    return term.type == SymbolType.Function and term.name == ""
