"""Lights Out as rows of lamps: `*-*/---/*-*`, one board a line, `*` for a lamp that is lit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from asplan.domains.base import Converted, Notation, Shape
from asplan.domains.reading import entries, headed
from asplan.errors import InputError
from asplan.facts import Facts
from lights_out.facts import read

LIT, OUT, END = "*", "-", "/"


def lamps_facts(rows: list[str]) -> str:
    """The facts of a board."""
    lines = [f"grid(1..{len(rows)},1..{len(rows[0])})."]
    for row, lamps in enumerate(rows, 1):
        lit = (column for column, lamp in enumerate(lamps, 1) if lamp == LIT)
        lines.append("  ".join(f"lit({row},{column})." for column in lit))
    return "\n".join(filter(None, lines)) + "\n"


def lamps_text(facts: Facts) -> str:
    """The rows of lamps that the facts of an instance describe."""
    board = read(facts, {"wrap": "no"})
    rows = board.text(board.initial).replace(" ", "").splitlines()
    return END.join(rows).translate(str.maketrans("o.", LIT + OUT)) + "\n"


def _read(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    for entry in entries(lines, file, "lamps"):
        rows = entry.text.split(END)
        if not rows[0] or {len(row) for row in rows} != {len(rows[0])}:
            yield InputError("the rows are not equally long", at=entry.at)
        elif wrong := sorted(set(entry.text) - {LIT, OUT, END}):
            yield InputError(f"{wrong[0]!r} is no lamp", at=entry.at)
        elif LIT not in entry.text:
            yield InputError("no lamp is lit", at=entry.at)
        else:
            yield Converted(entry.at.line, headed(lamps_facts(rows), entry, None))


LAMPS = Notation(
    "Lights Out row by row, one board a line",
    lambda line: bool(line.strip()) and set(line.strip()) <= {LIT, OUT, END},
    _read,
    lamps_text,
)
