"""Shows the plan of a result in a notebook."""

from __future__ import annotations

from asplan.errors import AsplanError
from asplan.render.drawing import make_scene
from asplan.render.html import frame
from asplan.render.timing import Timing
from asplan.result import Result


def player(result: Result) -> str | None:
    """The player as a piece of a page; None where there is no plan or nothing draws it.

    A notebook then shows the result as text, and `asplan.render` says what is missing.
    """
    try:
        return frame(make_scene(result), Timing())
    except AsplanError:
        return None
