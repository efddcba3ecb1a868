"""Writes pictures of steps in a row, as PNG or as SVG, where shapes and text stay what they are."""

from collections.abc import Sequence
from typing import BinaryIO
from xml.etree.ElementTree import Element, ElementTree, SubElement

from PIL import Image

from asplan.core.errors import UsageError
from asplan.core.text import printable
from asplan.drawing.colours import INK, NONE, WHITE
from asplan.drawing.scene import Look, Pose, Shape, poses
from asplan.drawing.stage import DIM, DONE, TRACK, Stage, text_size

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
    root = _set(Element("svg"), xmlns=_NAMESPACE, **_sides(width, height))
    _set(root, viewBox=f"0 0 {width} {height}", font_family=_FONT, font_weight="bold")
    _add(root, "title", stage.scene.title)
    _add(root, "rect", fill=WHITE, **_sides(width, height))
    for place, step in enumerate(steps):
        picture = _add(root, "g", id=f"p{place}", transform=f"translate({lefts[place]})")
        _add_picture(picture, stage, step)
    ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    return width, height


def _add_picture(parent: Element, stage: Stage, step: int) -> None:
    scene = stage.scene
    drawing = _add(parent, "svg", **_sides(stage.width, stage.drawing))
    _set(drawing, viewBox=f"0 0 {scene.width} {scene.height}", preserveAspectRatio="none")
    for number, pose in enumerate(poses(scene.objects, step)):
        _add_pose(_add(drawing, "g", id=f"{parent.get('id')}-{number}"), pose)
    if stage.strip:
        below = _add(parent, "g", transform=f"translate(0 {stage.drawing})")
        caption = stage.layout(step)
        _add(below, "rect", fill=TRACK, **_sides(caption.width, caption.bar))
        _add(below, "rect", fill=DONE, **_sides(caption.done, caption.bar))
        right, middle, letters = caption.width - caption.margin, caption.middle, caption.letters
        _add_text(below, caption.count, right, middle, letters, DIM, "end")
        _add_text(below, caption.action, caption.margin, middle, letters, INK, "start")


def _add_pose(group: Element, pose: Pose) -> None:
    look, label, shape = pose.object.look, pose.object.label, pose.shape
    _add(group, "title", pose.object.name)
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
    line, n = look.stroke_width if look.stroke != NONE else 0, shape.numbers
    outline: dict[str, Value]
    if shape.kind == "polygon":
        outline = {"points": " ".join(f"{number:.10g}" for number in n)}
        if line:
            # The outer half of a line twice as wide is cut off.
            name = f"{group.get('id')}-inside"
            _add(_add(group, "clipPath", id=name), "polygon", **outline)
            outline["clip_path"] = f"url(#{name})"
            line *= 2
    elif shape.kind == "circle":
        outline = {"cx": n[0], "cy": n[1], "r": max(0, n[2] - line / 2)}
    else:
        outline = {"x": n[0] + line / 2, "y": n[1] + line / 2}
        outline |= _sides(max(0, n[2] - line), max(0, n[3] - line))
        outline["rx"] = max(0, look.radius - line / 2)
    if line:
        outline |= {"stroke": look.stroke, "stroke_width": line}
    return _add(group, shape.kind, fill=look.fill, **outline)


def _add_text(
    parent: Element, text: str, x: float, y: float, size: float, fill: str, anchor: str
) -> Element:
    element = _add(parent, "text", text, x=x, y=y, fill=fill, font_size=size, text_anchor=anchor)
    return _set(element, dominant_baseline="central")


def _add(parent: Element, tag: str, text: str = "", /, **attributes: Value) -> Element:
    element = _set(SubElement(parent, tag), **attributes)
    element.text = _written(text)
    return element


def _set(element: Element, /, **attributes: Value) -> Element:
    for name, value in attributes.items():
        element.set(name.replace("_", "-"), value if isinstance(value, str) else f"{value:.10g}")
    return element


def _sides(width: float, height: float) -> dict[str, Value]:
    return {"width": width, "height": height}


def _written(text: str) -> str:
    """A text without the characters that no XML may hold."""
    seen = printable(text).translate(dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd"))
    return seen.encode("utf-8", "replace").decode()


WRITERS = {"png": write_png, "svg": write_svg}
"""What writes the pictures of some steps, from left to right, by suffix; returns their size."""
