"""Warnings about drawing rules: atoms that draw nothing, or most likely not what
the author meant.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import groupby

from asplan.clingo import Symbol
from asplan.core.errors import InputWarning, Location, nearest
from asplan.core.text import amount, shortened
from asplan.drawing.colours import NONE
from asplan.drawing.scene import Box, Object
from asplan.drawing.shapes import COLOURS, FORMS, GIVEN, KINDS, NUMBERS, Atoms, Track
from asplan.program.reading.unit import Unit
from asplan.program.syntax import reads, signature

_OTHER_NAMES = {
    **dict.fromkeys(("square", "box", "cell", "rectangle"), "rect"),
    **dict.fromkeys(("disc", "disk", "ellipse", "oval"), "circle"),
    **dict.fromkeys(("line", "triangle", "path"), "polygon"),
    **dict.fromkeys(("text", "caption", "title"), "label"),
    **dict.fromkeys(("colour", "color", "fill", "stroke", "opacity"), "style"),
    **dict.fromkeys(("z", "z_index", "depth"), "layer"),
    "size": "canvas",
}
"""Names of shapes in other drawing tools, with the predicate that draws the same here."""

_MOST_COVERS = 50  # rectangles of a layer, the largest ones, that are examined as covers
_MOST_NAMES = 50  # with more objects no similar names are suggested


def find_unknown_shapes(atoms: Atoms, unit: Unit) -> Iterator[InputWarning]:
    """Yield a warning for each predicate that looks like a misspelt shape, such as `rectangle`.

    The drawing rules (`unit`) derive the predicate, but no rule reads it.
    """
    read = {signature(atom) for statement in unit.statements for atom in reads(statement)}
    for (name, arity, positive), group in atoms.facts.groups.items():
        if not positive or name in FORMS or ("", name, arity) in read:
            continue
        shape = _nearest_shape(name)
        if shape is None:
            continue
        place = atoms.facts.at(group[0])
        if place is None or place.file == GIVEN:
            continue
        text = f"{name}/{arity} is not drawn: there is no such shape, and no rule reads it"
        hint = f"did you mean {FORMS[shape].notation}?"
        yield InputWarning("draw-shape", text, place, hint)


def _nearest_shape(name: str) -> str | None:
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    # A name such as gold or hold is not a misspelt fold.
    matches = get_close_matches(name, FORMS.keys() - {"fold"}, n=1)
    return matches[0] if matches else None


def find_lost_atoms(atoms: Atoms, tracks: Mapping[Symbol, Track]) -> Iterator[InputWarning]:
    """Yield a warning for each rule that labels or styles objects without any shape.

    `tracks` has the objects with shapes.
    """
    by_rule: dict[Location | None, list[Symbol]] = {}
    for atom in atoms.select("label", "layer", "style", "appears"):
        if atom.arguments[0] not in tracks:
            place = atoms.facts.at(atom)
            by_rule.setdefault(place, []).append(atom)
    for place, (first, *others) in by_rule.items():
        thing = shortened(str(first.arguments[0]), 60)
        more = f", and {amount(len(others), 'more atom')} of this rule" if others else ""
        text = f"{shortened(str(first), 100)}: {thing} has no shape at any step{more}"
        yield InputWarning("draw-object", text, place, _nearest_object(thing, tracks))


def _nearest_object(name: str, tracks: Mapping[Symbol, Track]) -> str:
    """Return a hint that suggests object names similar to `name`; empty if there are none."""
    if len(tracks) > _MOST_NAMES:
        return ""
    names = sorted(map(str, tracks))
    close = get_close_matches(name, names, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else ""


def find_unknown_styles(atoms: Atoms) -> Iterator[InputWarning]:
    """Yield a warning for each atom `style(Id,Key,Value)` whose key does not exist."""
    keys = (*COLOURS, *NUMBERS)
    by_key: dict[str, Symbol] = {}
    for atom in atoms.select("style"):
        _, key, _ = map(str, atom.arguments)
        by_key[key] = atom
    for key, atom in by_key.items():
        if key not in keys:
            text = f"{shortened(str(atom), 100)}: there is no style {key}"
            hint = nearest(key, keys, noun="styles")
            yield InputWarning("draw-style", text, atoms.facts.at(atom), hint)


def find_hidden_objects(
    objects: Sequence[Object], layers: Mapping[str, int], atoms: Atoms
) -> Iterator[InputWarning]:
    """Yield a warning if objects of a layer are always covered by other objects of the layer.

    The only warning is about the first covered object, and has the number of further ones. `layers`
    has the layers of objects, by name; an object without a layer is in layer 0.
    """
    hidden: list[tuple[Object, Object]] = []

    def layer_of(thing: Object) -> int:
        return layers.get(thing.name, 0)

    for _, group in groupby(objects, key=layer_of):
        hidden += _find_hidden(list(group))
    if not hidden:
        return
    thing, cover = hidden[0]
    more = f", and so with {amount(len(hidden) - 1, 'more thing')}" if hidden[1:] else ""
    text = f"{thing.name} is never seen: {cover.name} covers it in the same layer{more}"
    hint = f"give it a nearer layer: layer({thing.name},{layer_of(thing) + 1})."
    yield InputWarning("draw-hidden", text, _find_shape(thing, atoms), hint)


def _find_shape(thing: Object, atoms: Atoms) -> Location | None:
    """Return where in the rules the first shape of an object is derived; None if unknown."""
    for atom in atoms.select(*KINDS):
        if thing.name in map(str, atom.arguments[:2]):
            return atoms.facts.at(atom)
    return None


def _find_hidden(layer: Sequence[Object]) -> Iterator[tuple[Object, Object]]:
    """Yield pairs of a hidden object of a layer and an object in front that covers it.

    Only opaque rectangles are tried as covers, the largest first.
    """
    opaque = [index for index, thing in enumerate(layer) if _is_opaque(thing)]
    opaque.sort(key=lambda index: _largest_area(layer[index]), reverse=True)
    for index, thing in enumerate(layer):
        for front in opaque[:_MOST_COVERS]:
            if front > index and _covers(layer[front], thing):
                yield thing, layer[front]
                break


def _is_opaque(thing: Object) -> bool:
    kinds = {shape.kind for shape in thing.shapes if shape}
    return thing.look.fill != NONE and thing.look.opacity == 1 and kinds == {"rect"}


def _largest_area(thing: Object) -> float:
    areas = []
    for shape in thing.shapes:
        if shape:
            _, _, width, height = shape.numbers
            areas.append(width * height)
    return max(areas)


def _covers(cover: Object, thing: Object) -> bool:
    """Return whether `cover` hides the whole of `thing` at each step at which `thing` is drawn."""
    pairs = set(zip(thing.shapes, cover.shapes, strict=True))
    for shape, front in pairs:
        if shape and not (front and _contains(front.box, shape.box)):
            return False
    return True


def _contains(outer: Box, inner: Box) -> bool:
    left, top, right, bottom = inner
    if outer[0] > left or outer[1] > top:
        return False
    return outer[2] >= right and outer[3] >= bottom
