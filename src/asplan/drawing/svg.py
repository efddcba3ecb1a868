"""Writes pictures of steps in a row, as PNG or as SVG, where shapes and text stay what they are."""

from collections.abc import Sequence
from typing import BinaryIO
from xml.etree.ElementTree import Element, ElementTree, SubElement

from PIL import Image

from asplan.core.errors import UsageError
from asplan.core.text import printable
from asplan.drawing.colours import INK, NONE, WHITE
from asplan.drawing.scene import Look, Pose, Shape, poses
from asplan.drawing.stage import DIM, DONE, TRACK, Caption, Stage, text_size

_NAMESPACE = "http://www.w3.org/2000/svg"
_FONT = "DejaVu Sans, Verdana, sans-serif"

WIDEST = 32_768  # pixels; many programs show no wider picture


def row(stage: Stage, steps: Sequence[int]) -> tuple[list[int], int]:
    """The left edges of the pictures of some steps side by side, and how wide all are together."""
    if not steps:
        raise UsageError("there is no step to show")
    for step in steps:
        if not 0 <= step <= stage.scene.last:
            last = stage.scene.last
            raise UsageError(f"there is no step {step}: the plan has steps 0 to {last}")
    between = max(4, stage.width // 20)
    lefts = [i * (stage.width + between) for i in range(len(steps))]
    width = lefts[-1] + stage.width
    if width > WIDEST:
        why = f"{len(steps)} steps side by side are {width} pixels wide, and the most is {WIDEST}"
        raise UsageError(why, hint="choose fewer steps or a smaller --size")
    return lefts, width


def write_png(file: BinaryIO, stage: Stage, steps: Sequence[int]) -> tuple[int, int]:
    lefts, width = row(stage, steps)
    image = Image.new("RGB", (width, stage.size[1]), WHITE)
    for left, step in zip(lefts, steps, strict=True):
        image.paste(stage.picture(step), (left, 0))
    image.save(file, "PNG", optimize=True)
    return image.size


Value = float | str


def write_svg(file: BinaryIO, stage: Stage, steps: Sequence[int]) -> tuple[int, int]:
    lefts, width = row(stage, steps)
    height = stage.size[1]
    root = Element("svg", _texts({"xmlns": _NAMESPACE, **_sides(width, height)}))
    root.attrib |= {"viewBox": f"0 0 {width} {height}", "font-family": _FONT, "font-weight": "bold"}
    SubElement(root, "title").text = _written(stage.scene.title)
    _add(root, "rect", fill=WHITE, **_sides(width, height))
    for place, step in enumerate(steps):
        picture = _add(root, "g", id=f"p{place}", transform=f"translate({lefts[place]})")
        _add_picture(picture, stage, step)
    ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    return width, height


def _add_picture(parent: Element, stage: Stage, step: int) -> None:
    scene = stage.scene
    drawing = _add(parent, "svg", **_sides(stage.width, stage.drawing))
    drawing.attrib |= {
        "viewBox": f"0 0 {scene.width} {scene.height}",
        "preserveAspectRatio": "none",
    }
    for number, pose in enumerate(poses(scene.objects, step)):
        _add_pose(_add(drawing, "g", id=f"{parent.get('id')}-{number}"), pose)
    if stage.strip:
        below = _add(parent, "g", transform=f"translate(0 {stage.drawing})")
        _add_caption(below, stage.layout(step))


def _add_pose(group: Element, pose: Pose) -> None:
    look, label, shape = pose.object.look, pose.object.label, pose.shape
    SubElement(group, "title").text = _written(pose.object.name)
    drawn = [_add_shape(group, shape, look)]
    if label and look.text != NONE:
        left, top, right, bottom = shape.box
        middle = (left + right) / 2, (top + bottom) / 2
        size = text_size(label, shape)
        drawn.append(_add_text(group, label, *middle, size, look.text, "middle"))
    if pose.opacity < 1:
        for element in drawn:
            element.set("opacity", f"{pose.opacity:g}")


def _add_shape(group: Element, shape: Shape, look: Look) -> Element:
    """A shape with the line around it, which lies inside: SVG lays half of it outside."""
    line = look.stroke_width if look.stroke != NONE else 0
    if shape.kind == "polygon":
        outline = {"points": " ".join(f"{number:.10g}" for number in shape.numbers)}
        if line:
            # The outer half of a line twice as wide is cut off.
            name = f"{group.get('id')}-inside"
            _add(_add(group, "clipPath", id=name), "polygon", **outline)
            outline["clip-path"] = f"url(#{name})"
            line *= 2
    else:
        outline = _texts(_inset(shape, line / 2, look.radius))
    if line:
        outline |= _texts({"stroke": look.stroke, "stroke-width": line})
    return _add(group, shape.kind, fill=look.fill, **outline)


def _inset(shape: Shape, inset: float, radius: float) -> dict[str, Value]:
    """A circle or rectangle that is smaller on all sides."""
    n = shape.numbers
    if shape.kind == "circle":
        return {"cx": n[0], "cy": n[1], "r": max(0, n[2] - inset)}
    sides = _sides(max(0, n[2] - 2 * inset), max(0, n[3] - 2 * inset))
    return {"x": n[0] + inset, "y": n[1] + inset, **sides, "rx": max(0, radius - inset)}


def _add_caption(parent: Element, caption: Caption) -> None:
    _add(parent, "rect", fill=TRACK, **_sides(caption.width, caption.bar))
    _add(parent, "rect", fill=DONE, **_sides(caption.done, caption.bar))
    right, middle, letters = caption.width - caption.margin, caption.middle, caption.letters
    _add_text(parent, caption.count, right, middle, letters, DIM, "end")
    _add_text(parent, caption.action, caption.margin, middle, letters, INK, "start")


def _add_text(
    parent: Element, text: str, x: float, y: float, size: float, fill: str, anchor: str
) -> Element:
    element = _add(parent, "text", x=x, y=y, fill=fill)
    element.attrib |= _texts({"font-size": size, "text-anchor": anchor})
    element.set("dominant-baseline", "central")
    element.text = _written(text)
    return element


def _add(parent: Element, tag: str, **attributes: Value) -> Element:
    return SubElement(parent, tag, _texts(attributes))


def _sides(width: float, height: float) -> dict[str, Value]:
    return {"width": width, "height": height}


def _texts(attributes: dict[str, Value]) -> dict[str, str]:
    return {k: v if isinstance(v, str) else f"{v:.10g}" for k, v in attributes.items()}


def _written(text: str) -> str:
    """A text without the characters that no XML may hold."""
    seen = printable(text).translate(dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd"))
    return seen.encode("utf-8", "replace").decode()


WRITERS = {"png": write_png, "svg": write_svg}
"""What writes the pictures of some steps, from left to right, by suffix; returns their size."""
