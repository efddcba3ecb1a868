"""Shows the plan of a result in a notebook."""

from __future__ import annotations

from asplan.drawing.html import frame
from asplan.drawing.rules import make_scene
from asplan.drawing.timing import Timing
from asplan.errors import AsplanError
from asplan.result import Result


def player(result: Result) -> str | None:
    """The player as a piece of a page; None where there is no plan or nothing draws it."""
    try:
        return frame(make_scene(result), Timing())
    except AsplanError:
        return None
