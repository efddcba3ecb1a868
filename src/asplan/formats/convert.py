"""From a file in a foreign notation to instances, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from asplan.domains.rush_hour.facts import read
from asplan.errors import InputError
from asplan.facts import Facts
from asplan.formats.boards import board_text, parse_board
from asplan.formats.cards import card_text, parse_card
from asplan.formats.instances import instance_text
from asplan.formats.lines import Entry, entries
from asplan.formats.tiles import parse_tiles, tiles_facts, tiles_text


@dataclass(frozen=True)
class Shape:
    """What a notation leaves open: the width of a board, and where the blank ends up."""

    columns: int | None = None
    blank_first: bool = False


@dataclass(frozen=True)
class Converted:
    """One instance: the line it came from, and its facts under a comment that says so."""

    line: int
    text: str


@dataclass(frozen=True)
class Notation:
    """A foreign notation.

    Attributes
    ----------
    read
        The problems in the lines of a file; one that makes no sense is yielded as its error.
    write
        Facts in this notation; `InputError` for what it cannot say.
    """

    about: str
    read: Callable[[Iterable[str], str, Shape], Iterator[Converted | InputError]]
    write: Callable[[Facts], str]


def to_facts(
    lines: Iterable[str], file: str, notation: str | None = None, shape: Shape | None = None
) -> Iterator[Converted | InputError]:
    """Read a file, line by line, as far as its notation allows.

    Parameters
    ----------
    notation
        A name in `NOTATIONS`; without it the first line decides.

    Yields
    ------
    Converted or InputError
        Each instance, or what is wrong with it; the ones after it follow all the same.
    """
    if notation is None:
        notation, lines = _guess(lines)
    return NOTATIONS[notation].read(lines, file, shape or Shape())


def from_facts(facts: Facts, notation: str | None = None) -> str:
    """An instance in a foreign notation; without a name the usual one of its domain.

    Raises
    ------
    InputError
        The notation cannot say what the instance says.
    """
    return NOTATIONS[notation or ("tiles" if facts.named("tile", 1) else "board")].write(facts)


def _read_boards(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    for entry in entries(lines, file, "board"):
        try:
            facts = instance_text(parse_board(entry.text, shape.columns, entry.at))
        except InputError as error:
            yield error
        else:
            shortest = None if entry.moves is None else f"shortest plan {entry.moves} slides"
            yield Converted(entry.at.line, _headed(facts, entry, shortest, entry.text))


def _read_card(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    try:
        facts = instance_text(parse_card(list(lines), file))
    except InputError as error:
        yield error
    else:
        yield Converted(1, f"% {Path(file).name}\n\n{facts}")


def _read_tiles(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    for entry in entries(lines, file, "tiles", spaced=True):
        try:
            cells = parse_tiles(entry.text, shape.columns, entry.at)
        except InputError as error:
            yield error
        else:
            facts = tiles_facts(cells, shape.columns, shape.blank_first)
            shortest = None if entry.moves is None else f"shortest plan {entry.moves} moves"
            yield Converted(entry.at.line, _headed(facts, entry, shortest, entry.text))


def _headed(facts: str, entry: Entry, *notes: str | None) -> str:
    heading = [f"{Path(entry.at.file).name}, line {entry.at.line}", *notes]
    return f"% {': '.join(filter(None, heading))}\n\n{facts}"


def _write_board(facts: Facts) -> str:
    return board_text(read(facts, {})) + "\n"


def _write_card(facts: Facts) -> str:
    return card_text(read(facts, {}))


NOTATIONS: dict[str, Notation] = {
    "board": Notation("Rush Hour boards as strings, one a line", _read_boards, _write_board),
    "card": Notation("a Rush Hour card: size, goal cell, cars", _read_card, _write_card),
    "tiles": Notation(
        "sliding tiles row by row, one board a line", _read_tiles, lambda f: tiles_text(f) + "\n"
    ),
}


def _guess(lines: Iterable[str]) -> tuple[str, Iterable[str]]:
    """The notation that the first line with content suggests, and all the lines."""
    rest = iter(lines)
    read = []
    for line in rest:
        read.append(line)
        if line.strip() and not line.startswith("#"):
            break
    words = read[-1].split() if read else []
    numbers = all(word.isdigit() for word in words)
    name = "board"
    if "tiles" in words or (numbers and len(words) > 2):
        name = "tiles"
    elif numbers and words:
        name = "card"

    def again() -> Iterator[str]:
        yield from read
        yield from rest

    return name, again()
