"""Reads what objects look like: colours, lines and opacity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clingo import Symbol

from asplan.drawing.atoms import Atoms, text
from asplan.drawing.colours import NONE, PALETTE, parse_colour, readable_on
from asplan.drawing.scene import Look
from asplan.errors import nearest

COLOURS = ("fill", "stroke", "text")
NUMBERS = {"stroke_width": None, "radius": None, "over": None, "opacity": 100}
"""The styles that are numbers from 0, with the greatest value where there is one that is known
before the canvas is."""

Styles = dict[tuple[Symbol, str], str | int]


def read_looks(atoms: Atoms, things: Iterable[Symbol], height: int) -> dict[Symbol, Look]:
    """The look of each object; those without a fill get the default colours in turn.

    `height` is that of the canvas.
    """
    styles = _read_styles(atoms, {**NUMBERS, "over": height})
    things = sorted(things)
    plain = [thing for thing in things if (thing, "fill") not in styles]
    for place, thing in enumerate(plain):
        styles[thing, "fill"] = PALETTE[place % len(PALETTE)]
    return {thing: _look(styles, thing) for thing in things}


def _look(styles: Styles, thing: Symbol) -> Look:
    fill = str(styles[thing, "fill"])
    stroke = str(styles.get((thing, "stroke"), NONE))
    over = styles.get((thing, "over"))
    return Look(
        fill=fill,
        stroke=stroke,
        text=str(styles.get((thing, "text"), readable_on(fill))),
        stroke_width=int(styles.get((thing, "stroke_width"), stroke != NONE)),
        radius=int(styles.get((thing, "radius"), 0)),
        opacity=int(styles.get((thing, "opacity"), 100)) / 100,
        over=None if over is None else int(over),
    )


def _read_styles(atoms: Atoms, numbers: Mapping[str, int | None]) -> Styles:
    values: Styles = {}
    origins: dict[tuple[Symbol, str], Symbol] = {}
    for atom in atoms.named("style"):
        thing, key = atom.arguments[0], str(atom.arguments[1])
        if key not in (*COLOURS, *NUMBERS):
            mend = nearest(key, (*COLOURS, *NUMBERS), noun="styles")
            raise atoms.error(atom, f"there is no style {key}", mend=mend)
        if other := origins.get((thing, key)):
            raise atoms.error(atom, f"a second {key}; the first is {other}")
        origins[thing, key] = atom
        values[thing, key] = _value(atoms, atom, key, numbers)
    return values


def _value(atoms: Atoms, atom: Symbol, key: str, numbers: Mapping[str, int | None]) -> str | int:
    value = atom.arguments[2]
    if key in numbers:
        return atoms.number(atom, value, least=0, greatest=numbers[key])
    try:
        return parse_colour(text(value))
    except ValueError as error:
        raise atoms.error(atom, f"there is no colour {value}", mend=str(error)) from None
