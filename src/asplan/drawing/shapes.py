"""Reads the canvas, and for each object its shape at every step."""

from __future__ import annotations

from collections.abc import Iterable

from clingo import Symbol, SymbolType

from asplan.drawing.atoms import (
    FORMS,
    KINDS,
    LARGEST_CANVAS,
    MOST_POINTS,
    MOST_POSES,
    MOST_THINGS,
    Atoms,
)
from asplan.drawing.scene import Shape
from asplan.errors import InputError

Track = list[Shape | None]
"""The shapes of an object at steps 0, 1, …"""


def read_canvas(atoms: Atoms) -> tuple[int, int]:
    """Width and height of the picture."""
    found = list(atoms.named("canvas"))
    if not found:
        mend = "add, for example, canvas(600,600)."
        raise InputError(f"{atoms.file}: the rules derive no canvas", mend=mend)
    if len(found) > 1:
        raise atoms.error(found[1], f"a second canvas; the first is {found[0]}")
    width, height = (
        atoms.number(found[0], side, least=1, greatest=LARGEST_CANVAS)
        for side in found[0].arguments
    )
    return width, height


def read_tracks(atoms: Atoms, canvas: tuple[int, int]) -> dict[Symbol, Track]:
    """The shapes of each object."""
    tracks: dict[Symbol, Track] = {}
    origins: dict[tuple[Symbol, int], Symbol] = {}
    for atom in atoms.named(*KINDS):
        steps, thing, shape = _read_shape(atoms, atom)
        _check_inside(atoms, atom, shape, canvas)
        track = tracks.setdefault(thing, [None] * (atoms.last + 1))
        for t in steps:
            if other := origins.get((thing, t)):
                raise atoms.error(atom, f"{thing} has a shape at step {t} already: {other}")
            track[t], origins[thing, t] = shape, atom
        if len(tracks) > min(MOST_THINGS, MOST_POSES // len(track)):
            raise atoms.too_many(f"{len(tracks)} things at {len(track)} steps")
    _check_all_drawn(atoms, tracks)
    _check_first_step(atoms, tracks, origins)
    return tracks


def _read_shape(atoms: Atoms, atom: Symbol) -> tuple[range, Symbol, Shape]:
    steps = range(atoms.last + 1)
    arities, _ = FORMS[atom.name]
    timed = len(atom.arguments) == max(arities)
    if timed:
        t = atoms.number(atom, atom.arguments[0])
        if t not in steps:
            raise atoms.error(atom, f"the plan has steps 0 to {atoms.last}, not {t}")
        steps = range(t, t + 1)
    thing, *terms = atom.arguments[timed:]
    if atom.name == "polygon":
        terms = _points(atoms, atom, terms[0])
    numbers = tuple(atoms.number(atom, term) for term in terms)
    if atom.name != "polygon":
        _check_lengths(atoms, atom, numbers[2:])
    return steps, thing, Shape(atom.name, numbers)


def _points(atoms: Atoms, atom: Symbol, term: Symbol) -> list[Symbol]:
    """The coordinates of ((X,Y),(X,Y),…)."""
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


def _check_lengths(atoms: Atoms, atom: Symbol, lengths: Iterable[int]) -> None:
    names = ("width", "height") if atom.name == "rect" else ("radius",)
    for name, length in zip(names, lengths, strict=True):
        if length < 1:
            raise atoms.error(atom, f"the {name} {length} is less than 1")


def _check_inside(atoms: Atoms, atom: Symbol, shape: Shape, canvas: tuple[int, int]) -> None:
    width, height = canvas
    left, top, right, bottom = shape.box
    if left < 0 or top < 0 or right > width or bottom > height:
        raise atoms.error(atom, f"the shape leaves the canvas of {width} by {height}")


def _check_all_drawn(atoms: Atoms, tracks: dict[Symbol, Track]) -> None:
    for atom in atoms.named("label", "layer", "style", "appears") if tracks else ():
        if atom.arguments[0] not in tracks:
            raise atoms.error(atom, f"{atom.arguments[0]} has no shape at any step")


def _check_first_step(
    atoms: Atoms, tracks: dict[Symbol, Track], origins: dict[tuple[Symbol, int], Symbol]
) -> None:
    later = {atom.arguments[0] for atom in atoms.named("appears")}
    for thing, track in tracks.items():
        if track[0] is None and thing not in later:
            first = next(t for t, shape in enumerate(track) if shape)
            raise atoms.error(
                origins[thing, first],
                f"{thing} has no shape at step 0",
                mend=f"draw it there too, or, if it is to appear later, add appears({thing}).",
            )
