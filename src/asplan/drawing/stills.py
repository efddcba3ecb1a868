"""Writes pictures of one or more steps side by side, as PNG or SVG."""

from collections.abc import Sequence
from typing import BinaryIO
from xml.etree.ElementTree import Element, ElementTree, SubElement

from PIL import Image

from asplan.core.errors import UsageError
from asplan.core.text import printable
from asplan.drawing.colours import DIM, DONE, INK, NONE, TRACK, WHITE
from asplan.drawing.lettering import fit_letters
from asplan.drawing.scene import DrawnShape, Look, Pose, iterate_poses
from asplan.drawing.stage import Stage

_NAMESPACE = "http://www.w3.org/2000/svg"
_FONT = "DejaVu Sans, Verdana, sans-serif"

WIDEST = 32_768  # pixels; many programs show no wider picture


def lay_out_row(stage: Stage, steps: Sequence[int]) -> tuple[list[int], int]:
    """Lay out the pictures of some steps in a row; return the left edge of each, and the row's
    width.

    Raises `UsageError` if there is no step, for a step outside the plan, and for a row wider than
    `WIDEST`.
    """
    if not steps:
        raise UsageError("there is no step to show")
    last = stage.scene.last
    for step in steps:
        if not 0 <= step <= last:
            raise UsageError(f"there is no step {step}: the plan has steps 0 to {last}")
    gap = max(4, stage.width // 20)
    lefts = [place * (stage.width + gap) for place in range(len(steps))]
    width = lefts[-1] + stage.width
    if width > WIDEST:
        why = f"{len(steps)} steps side by side are {width} pixels wide, and the most is {WIDEST}"
        raise UsageError(why, hint="choose fewer steps or a smaller --size")
    return lefts, width


def write_png(
    file: BinaryIO,
    stage: Stage,
    steps: Sequence[int],
) -> tuple[int, int]:
    """Write the pictures of some steps side by side as PNG; return width and height in pixels."""
    lefts, width = lay_out_row(stage, steps)
    _, height = stage.size
    image = Image.new("RGB", (width, height), WHITE)
    for left, step in zip(lefts, steps, strict=True):
        image.paste(stage.draw_picture(step), (left, 0))
    image.save(file, "PNG", optimize=True)
    return image.size


Value = float | str


def write_svg(
    file: BinaryIO,
    stage: Stage,
    steps: Sequence[int],
) -> tuple[int, int]:
    """Write the pictures of some steps side by side as SVG; return width and height in pixels."""
    lefts, width = lay_out_row(stage, steps)
    _, height = stage.size
    root = _set(Element("svg"), xmlns=_NAMESPACE, **_sides(width, height))
    _set(root, viewBox=f"0 0 {width} {height}", font_family=_FONT, font_weight="bold")
    _add(root, "title", stage.scene.title)
    _add(root, "rect", fill=WHITE, **_sides(width, height))
    for place, (left, step) in enumerate(zip(lefts, steps, strict=True)):
        picture = _add(root, "g", id=f"p{place}", transform=f"translate({left})")
        _add_picture(picture, stage, step)
    ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    return width, height


def _add_picture(parent: Element, stage: Stage, step: int) -> None:
    scene = stage.scene
    drawing = _add(parent, "svg", **_sides(stage.width, stage.drawing))
    _set(drawing, viewBox=f"0 0 {scene.width} {scene.height}", preserveAspectRatio="none")
    for number, pose in enumerate(iterate_poses(scene.objects, step)):
        group = _add(drawing, "g", id=f"{parent.get('id')}-{number}")
        _add_pose(group, pose)
    if stage.strip:
        below = _add(parent, "g", transform=f"translate(0 {stage.drawing})")
        _add_caption(below, stage, step)


def _add_caption(group: Element, stage: Stage, step: int) -> None:
    caption = stage.lay_out_caption(step)
    _add(group, "rect", fill=TRACK, **_sides(caption.width, caption.bar))
    _add(group, "rect", fill=DONE, **_sides(caption.done, caption.bar))
    for text, x, fill, anchor in (
        (caption.count, caption.width - caption.margin, DIM, "end"),
        (caption.action, caption.margin, INK, "start"),
    ):
        _add_text(
            group,
            text,
            x=x,
            y=caption.middle,
            fill=fill,
            font_size=caption.letters,
            text_anchor=anchor,
        )


def _add_pose(group: Element, pose: Pose) -> None:
    look = pose.object.look
    label = pose.object.label
    _add(group, "title", pose.object.name)
    drawn = [_add_shape(group, pose.shape, look)]
    if label and look.text != NONE:
        left, top, right, bottom = pose.shape.box
        text = _add_text(
            group,
            label,
            x=(left + right) / 2,
            y=(top + bottom) / 2,
            fill=look.text,
            font_size=fit_letters(label, pose.shape),
            text_anchor="middle",
        )
        drawn.append(text)
    if pose.opacity < 1:
        for element in drawn:
            element.set("opacity", f"{pose.opacity:g}")


def _add_shape(group: Element, shape: DrawnShape, look: Look) -> Element:
    """Add a shape whose stroke lies inside its edge; SVG by itself centres a stroke on the edge."""
    stroke = look.stroke_width if look.stroke != NONE else 0
    outline = _outline(shape, stroke, look.radius)
    if stroke and shape.kind == "polygon":
        # A stroke twice as wide is clipped to the polygon, which leaves its inner half.
        name = f"{group.get('id')}-inside"
        clip = _add(group, "clipPath", id=name)
        _add(clip, "polygon", **outline)
        outline["clip_path"] = f"url(#{name})"
        stroke *= 2
    if stroke:
        outline["stroke"] = look.stroke
        outline["stroke_width"] = stroke
    return _add(group, shape.kind, fill=look.fill, **outline)


def _outline(
    shape: DrawnShape,
    stroke: float,
    radius: float,
) -> dict[str, Value]:
    """Return the SVG attributes of a shape.

    Rectangles and circles are made smaller by half of the stroke, so that the stroke lies inside.
    """
    if shape.kind == "polygon":
        return {"points": " ".join(f"{number:.10g}" for number in shape.numbers)}
    half = stroke / 2
    if shape.kind == "circle":
        x, y, circle_radius = shape.numbers
        return {"cx": x, "cy": y, "r": max(0, circle_radius - half)}
    left, top, width, height = shape.numbers
    return {
        "x": left + half,
        "y": top + half,
        "width": max(0, width - stroke),
        "height": max(0, height - stroke),
        "rx": max(0, radius - half),
    }


def _add_text(
    parent: Element,
    text: str,
    /,
    **attributes: Value,
) -> Element:
    element = _add(parent, "text", text, **attributes)
    return _set(element, dominant_baseline="central")


def _add(
    parent: Element,
    tag: str,
    text: str = "",
    /,
    **attributes: Value,
) -> Element:
    element = _set(SubElement(parent, tag), **attributes)
    element.text = _escape_unprintable(text)
    return element


def _set(element: Element, /, **attributes: Value) -> Element:
    """Set attributes of an element; `_` in a name stands for `-`."""
    for name, value in attributes.items():
        text = value if isinstance(value, str) else f"{value:.10g}"
        element.set(name.replace("_", "-"), text)
    return element


def _sides(width: float, height: float) -> dict[str, Value]:
    return {"width": width, "height": height}


def _escape_unprintable(text: str) -> str:
    """Replace the characters that XML must not contain."""
    unseen = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")
    return printable(text).translate(unseen).encode("utf-8", "replace").decode()


WRITERS = {"png": write_png, "svg": write_svg}
"""The writers of pictures by suffix."""
