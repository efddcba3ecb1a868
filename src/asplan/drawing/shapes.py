"""What the atoms of a drawing say: the canvas, the shape of each object at every step, its look.

canvas(W,H)                        the size of the picture
rect(T,Id,X,Y,W,H)                 a shape at step T; without T it stands at every step
circle(T,Id,X,Y,R)                 X, Y is the centre
polygon(T,Id,((X,Y),(X,Y),…))
label(Id,Text)  layer(Id,N)  style(Id,Key,Value)
appears(Id)                        Id is not there at step 0, and fades in later

What is drawn all the same, but is most likely not what was meant, gets a warning.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from itertools import cycle, groupby

from clingo import Symbol, SymbolType

from asplan.core.errors import InputError, InputWarning, Location, nearest
from asplan.core.facts import Facts
from asplan.core.text import amount, shortened
from asplan.drawing.colours import NONE, PALETTE, parse_colour, readable_on
from asplan.drawing.scene import Look, Object, Shape
from asplan.program.syntax import reads, signature
from asplan.program.unit import Unit

GIVEN = "<plan>"  # the file of an atom that was given to the rules, not derived by them

FORMS = {
    "canvas": ({2}, "canvas(Width,Height)"),
    "rect": ({5, 6}, "rect(Step,Id,X,Y,Width,Height) or rect(Id,X,Y,Width,Height)"),
    "circle": ({4, 5}, "circle(Step,Id,X,Y,Radius) or circle(Id,X,Y,Radius)"),
    "polygon": ({2, 3}, "polygon(Step,Id,((X,Y),…)) or polygon(Id,((X,Y),…))"),
    "label": ({2}, "label(Id,Text)"),
    "layer": ({2}, "layer(Id,Number)"),
    "style": ({3}, "style(Id,Key,Value)"),
    "appears": ({1}, "appears(Id)"),
}
"""The numbers of arguments that a predicate of the drawing may have, and how it is written."""

KINDS = ("rect", "circle", "polygon")

MOST_STEPS = 100_000
MOST_ATOMS = 400_000
MOST_SHAPES = 100_000
MOST_THINGS = 20_000
MOST_POSES = 5_000_000  # things times steps
LARGEST_CANVAS = 1_000_000
MOST_POINTS = 1_000
LONGEST_LABEL = 1_000


@dataclass(frozen=True)
class Atoms:
    """What the rules of a file derived for a plan whose last step is `last`."""

    facts: Facts
    file: str
    last: int

    @cached_property
    def _by_name(self) -> dict[str, list[Symbol]]:
        found: dict[str, list[Symbol]] = {name: [] for name in FORMS}
        for atom, place in self.facts.places.items():
            if place.file != GIVEN and atom.type == SymbolType.Function and atom.name in found:
                found[atom.name].append(atom)
        return found

    def named(self, *names: str) -> Iterable[Symbol]:
        """The atoms with one of some names, those of each in the order of the rules."""
        return [atom for name in names for atom in self._by_name[name]]

    def by_thing(self, name: str) -> dict[Symbol, Symbol]:
        """The atoms of a predicate that may speak of each object once, by object."""
        found: dict[Symbol, Symbol] = {}
        for atom in self.named(name):
            if other := found.get(atom.arguments[0]):
                raise self.error(atom, f"a second {name}; the first is {other}")
            found[atom.arguments[0]] = atom
        return found

    def check(self) -> None:
        if (found := sum(len(self._by_name[kind]) for kind in KINDS)) > MOST_SHAPES:
            raise self.too_many(f"{found} shapes")
        for atom in self.named(*FORMS):
            arities, form = FORMS[atom.name]
            if len(atom.arguments) not in arities:
                raise self.error(atom, f"{atom.name} is written {form}")

    def too_many(self, what: str) -> InputError:
        return InputError(
            f"{self.file}: {what} are too many",
            hint=f"there may be {MOST_SHAPES} shapes, {MOST_THINGS} things, and {MOST_POSES} "
            "things times steps; one can stand for many cells, and one without T for all steps",
        )

    def number(
        self, atom: Symbol, term: Symbol, least: int | None = None, greatest: int | None = None
    ) -> int:
        """The number that a term in an atom is; `InputError` if it is none, or out of range."""
        if term.type != SymbolType.Number:
            raise self.error(atom, f"{term} is no number")
        if least is not None and term.number < least:
            raise self.error(atom, f"{term} is less than {least}")
        if greatest is not None and term.number > greatest:
            raise self.error(atom, f"{term} is more than {greatest}")
        return term.number

    def error(self, atom: Symbol, why: str, hint: str = "") -> InputError:
        return InputError(f"{shortened(str(atom), 100)}: {why}", at=self.facts.at(atom), hint=hint)


def text(term: Symbol) -> str:
    """A string without its quotes, any other term as it is written."""
    return term.string if term.type == SymbolType.String else str(term)


COLOURS = ("fill", "stroke", "text")
NUMBERS = {"stroke_width": None, "radius": None, "over": None, "opacity": 100}
"""The styles that are numbers from 0, with the greatest value where there is one that is known
before the canvas is."""


def read_looks(atoms: Atoms, things: Iterable[Symbol], height: int) -> dict[Symbol, Look]:
    """The look of each object on a canvas of a height; without a fill they get colours in turn."""
    styles = _read_styles(atoms, {**NUMBERS, "over": height})
    colours, looks = cycle(PALETTE), {}
    for thing in sorted(things):
        own = styles.get(thing, {})
        fill = str(own.get("fill") or next(colours))
        stroke = str(own.get("stroke", NONE))
        looks[thing] = Look(
            fill=fill,
            stroke=stroke,
            text=str(own.get("text", readable_on(fill))),
            stroke_width=int(own.get("stroke_width", stroke != NONE)),
            radius=int(own.get("radius", 0)),
            opacity=int(own.get("opacity", 100)) / 100,
            over=int(own["over"]) if "over" in own else None,
        )
    return looks


def _read_styles(
    atoms: Atoms, numbers: Mapping[str, int | None]
) -> dict[Symbol, dict[str, str | int]]:
    values: dict[Symbol, dict[str, str | int]] = {}
    origins: dict[tuple[Symbol, str], Symbol] = {}
    for atom in atoms.named("style"):
        thing, key = atom.arguments[0], str(atom.arguments[1])
        if key not in (*COLOURS, *NUMBERS):
            continue  # which is a slip, see there
        if other := origins.get((thing, key)):
            raise atoms.error(atom, f"a second {key}; the first is {other}")
        origins[thing, key] = atom
        value, own = atom.arguments[2], values.setdefault(thing, {})
        if key in numbers:
            own[key] = atoms.number(atom, value, least=0, greatest=numbers[key])
            continue
        try:
            own[key] = parse_colour(text(value))
        except ValueError as error:
            raise atoms.error(atom, f"there is no colour {value}", hint=str(error)) from None
    return values


Track = list[Shape | None]  # the shapes of an object at steps 0, 1, …


def read_canvas(atoms: Atoms) -> tuple[int, int]:
    found = list(atoms.named("canvas"))
    if not found:
        hint = "add, for example, canvas(600,600)."
        raise InputError(f"{atoms.file}: the rules derive no canvas", hint=hint)
    if len(found) > 1:
        raise atoms.error(found[1], f"a second canvas; the first is {found[0]}")
    width, height = (atoms.number(found[0], side, 1, LARGEST_CANVAS) for side in found[0].arguments)
    return width, height


def read_tracks(atoms: Atoms, canvas: tuple[int, int]) -> dict[Symbol, Track]:
    tracks: dict[Symbol, Track] = {}
    origins: dict[tuple[Symbol, int], Symbol] = {}
    for atom in atoms.named(*KINDS):
        steps, thing, shape = _read_shape(atoms, atom)
        left, top, right, bottom = shape.box
        if left < 0 or top < 0 or right > canvas[0] or bottom > canvas[1]:
            raise atoms.error(atom, "the shape leaves the canvas of {} by {}".format(*canvas))
        track = tracks.setdefault(thing, [None] * (atoms.last + 1))
        for t in steps:
            if other := origins.get((thing, t)):
                raise atoms.error(atom, f"{thing} has a shape at step {t} already: {other}")
            track[t], origins[thing, t] = shape, atom
        if len(tracks) > min(MOST_THINGS, MOST_POSES // len(track)):
            raise atoms.too_many(f"{len(tracks)} things at {len(track)} steps")
    later = {atom.arguments[0] for atom in atoms.named("appears")}
    for thing, track in tracks.items():
        if track[0] is None and thing not in later:
            first = next(t for t, shape in enumerate(track) if shape)
            hint = f"draw it there too, or, if it is to appear later, add appears({thing})."
            raise atoms.error(origins[thing, first], f"{thing} has no shape at step 0", hint=hint)
    return tracks


def _read_shape(atoms: Atoms, atom: Symbol) -> tuple[range, Symbol, Shape]:
    steps = range(atoms.last + 1)
    if timed := len(atom.arguments) == max(FORMS[atom.name][0]):
        t = atoms.number(atom, atom.arguments[0])
        if t not in steps:
            raise atoms.error(atom, f"the plan has steps 0 to {atoms.last}, not {t}")
        steps = range(t, t + 1)
    thing, *terms = atom.arguments[timed:]
    if atom.name == "polygon":
        terms = _points(atoms, atom, terms[0])
    numbers = tuple(atoms.number(atom, term) for term in terms)
    lengths = {"rect": ("width", "height"), "circle": ("radius",), "polygon": ()}[atom.name]
    for name, length in zip(lengths, numbers[2:], strict=False):
        if length < 1:
            raise atoms.error(atom, f"the {name} {length} is less than 1")
    return steps, thing, Shape(atom.name, numbers)


def _points(atoms: Atoms, atom: Symbol, term: Symbol) -> list[Symbol]:
    points = term.arguments if _is_tuple(term) else [term]
    for point in points:
        if not _is_tuple(point) or len(point.arguments) != 2:
            raise atoms.error(atom, f"{point} is no point (X,Y)")
    if len(points) > MOST_POINTS:
        raise atoms.error(atom, f"a polygon has at most {MOST_POINTS} points, not {len(points)}")
    if len(points) < 3:
        raise atoms.error(atom, f"a polygon has three points or more, not {len(points)}")
    return [number for point in points for number in point.arguments]


def _is_tuple(term: Symbol) -> bool:
    return term.type == SymbolType.Function and term.name == ""


_OTHER_NAMES = {
    **dict.fromkeys(("square", "box", "cell", "rectangle"), "rect"),
    **dict.fromkeys(("disc", "disk", "ellipse", "oval"), "circle"),
    **dict.fromkeys(("line", "triangle", "path"), "polygon"),
    **dict.fromkeys(("text", "caption", "title"), "label"),
    **dict.fromkeys(("colour", "color", "fill", "stroke", "opacity"), "style"),
    **dict.fromkeys(("z", "z_index", "depth"), "layer"),
    "size": "canvas",
}
"""What people who know other drawing tools may write."""

_MOST_COVERS = 50


def unknown_shapes(atoms: Atoms, unit: Unit) -> Iterator[InputWarning]:
    """Predicates that rules derive and nothing reads, with nearly the name of one that is drawn."""
    read = {signature(atom) for statement in unit.statements for atom in reads(statement)}
    for (name, arity, positive), found in atoms.facts.groups.items():
        if not positive or name in FORMS or ("", name, arity) in read:
            continue
        meant = _OTHER_NAMES.get(name) or next(iter(get_close_matches(name, FORMS, n=1)), None)
        place = atoms.facts.at(found[0]) if meant else None
        if meant is not None and place is not None and place.file != GIVEN:
            text = f"{name}/{arity} is not drawn: there is no such shape, and no rule reads it"
            yield InputWarning("draw-shape", text, place, f"did you mean {FORMS[meant][1]}?")


def lost_atoms(atoms: Atoms, tracks: Mapping[Symbol, Track]) -> Iterator[InputWarning]:
    """Atoms of things without a shape, one warning for each rule."""
    places: dict[Location | None, list[Symbol]] = {}
    for atom in atoms.named("label", "layer", "style", "appears"):
        if atom.arguments[0] not in tracks:
            places.setdefault(atoms.facts.at(atom), []).append(atom)
    for place, found in places.items():
        thing = shortened(str(found[0].arguments[0]), 60)
        more = f", and {amount(len(found) - 1, 'more atom')} of this rule" if found[1:] else ""
        text = f"{shortened(str(found[0]), 100)}: {thing} has no shape at any step{more}"
        hint = nearest(thing, map(str, tracks), noun="things") if len(tracks) <= 50 else ""
        yield InputWarning("draw-object", text, place, hint if "mean" in hint else "")


def unknown_styles(atoms: Atoms) -> Iterator[InputWarning]:
    """Styles of a key that does not exist, one warning for each key."""
    known = (*COLOURS, *NUMBERS)
    unknown = {str(atom.arguments[1]): atom for atom in atoms.named("style")}
    for key, atom in unknown.items():
        if key not in known:
            text = f"{shortened(str(atom), 100)}: there is no style {key}"
            hint = nearest(key, known, noun="styles")
            yield InputWarning("draw-style", text, atoms.facts.at(atom), hint)


def hidden_things(
    objects: Sequence[Object], layers: Mapping[str, int], atoms: Atoms
) -> Iterator[InputWarning]:
    """The first thing that is behind others of its layer at all its steps, and how many more."""
    found: list[tuple[Object, Object]] = []
    for _, group in groupby(objects, key=lambda thing: layers.get(thing.name, 0)):
        things = list(group)
        solid = [i for i, thing in enumerate(things) if _is_solid(thing)]
        covers = sorted(
            solid, key=lambda i: -max(s.numbers[2] * s.numbers[3] for s in things[i].shapes if s)
        )[:_MOST_COVERS]
        for i, thing in enumerate(things):
            cover = next((things[j] for j in covers if j > i and _covers(things[j], thing)), None)
            if cover is not None:
                found.append((thing, cover))
    if found:
        thing, cover = found[0]
        more = f", and so with {amount(len(found) - 1, 'more thing')}" if found[1:] else ""
        text = f"{thing.name} is never seen: {cover.name} covers it in the same layer{more}"
        hint = f"give it a nearer layer: layer({thing.name},{layers.get(thing.name, 0) + 1})."
        drawn = (a for a in atoms.named(*KINDS) if thing.name in map(str, a.arguments[:2]))
        yield InputWarning("draw-hidden", text, atoms.facts.at(next(drawn)), hint)


def _is_solid(thing: Object) -> bool:
    kinds = {shape.kind for shape in thing.shapes if shape}
    return thing.look.fill != NONE and thing.look.opacity == 1 and kinds == {"rect"}


def _covers(cover: Object, thing: Object) -> bool:
    """Whether one thing hides all of another wherever that is."""
    both = {(s.box, c and c.box) for s, c in zip(thing.shapes, cover.shapes, strict=True) if s}
    return all(
        c and s[0] >= c[0] and s[1] >= c[1] and s[2] <= c[2] and s[3] <= c[3] for s, c in both
    )
