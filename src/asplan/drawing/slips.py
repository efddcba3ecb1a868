"""Common slips in drawing rules: what they derive is drawn, but most likely is not what was meant.

draw-shape    a predicate that nothing reads has nearly the name of one that is drawn
draw-object   a label, layer or style is of a thing that has no shape
draw-style    a style has a key that does not exist
draw-hidden   a thing lies behind others of its layer, wherever it is
draw-empty    there is nothing to be seen
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import groupby

from clingo import Symbol

from asplan.core.errors import InputWarning, Location, nearest
from asplan.core.text import amount, shortened
from asplan.drawing.colours import NONE
from asplan.drawing.scene import Object
from asplan.drawing.shapes import COLOURS, FORMS, GIVEN, KINDS, NUMBERS, Atoms, Track
from asplan.program.syntax import reads, signature
from asplan.program.unit import Unit

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
    lost = [
        a for a in atoms.named("label", "layer", "style", "appears") if a.arguments[0] not in tracks
    ]
    places: dict[Location | None, list[Symbol]] = {}
    for atom in lost:
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
    pairs = {pair for pair in zip(thing.shapes, cover.shapes, strict=True) if pair[0]}
    return all(
        over is not None
        and (inner := shape.box)[0] >= (outer := over.box)[0]
        and inner[1] >= outer[1]
        and inner[2] <= outer[2]
        and inner[3] <= outer[3]
        for shape, over in pairs
        if shape is not None
    )
