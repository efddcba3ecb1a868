"""Gaps of worksheets: comments such as `% GAP 1. Define at(R,t).` with nothing below them."""

import re
from collections.abc import Iterator

from asplan.core.errors import InputError, Location
from asplan.core.files import is_there, read_text

_GAP = re.compile(r"^[ \t]*%+ *(?P<gap>GAP \d+)\. *(?P<task>.*)\n?(?P<next>.*)", re.MULTILINE)


def refuse_gaps(file: str) -> None:
    """Raise `InputError` if a file has gaps that are not filled, at the first of them."""
    gaps = list(_find_gaps(file)) if is_there(file) else []
    if gaps:
        names = ", ".join(gap for gap, _, _ in gaps)
        first, task, line = gaps[0]
        message = f"the worksheet has gaps, so it has no plans yet: fill {names}"
        raise InputError(message, at=Location(file, line, 1), hint=f"{first}: {task}")


def _find_gaps(file: str) -> Iterator[tuple[str, str, int]]:
    """Yield the name, the task and the line of each gap that is followed by an empty line."""
    text = read_text(file)
    for match in _GAP.finditer(text):
        if not match["next"].strip():
            yield match["gap"], match["task"], text.count("\n", 0, match.start("gap")) + 1
