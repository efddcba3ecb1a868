"""Rush Hour boards as others write them: strings of cells, and cards of numbers.

`boards` and `cards` each know one notation, `facts` writes instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from asplan.domains.base import Converted, Notation, Shape
from asplan.domains.entries import entries, headed
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.notations.boards import board_text, looks_like_a_board, parse_board
from asplan.domains.rush_hour.notations.cards import card_text, parse_card
from asplan.domains.rush_hour.notations.facts import instance_text
from asplan.errors import InputError
from asplan.facts import Facts
from asplan.numbers import whole


def _read_boards(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    for entry in entries(lines, file, "board"):
        try:
            facts = instance_text(parse_board(entry.text, shape.columns, entry.at))
        except InputError as error:
            yield error
        else:
            shortest = None if entry.moves is None else f"shortest plan {entry.moves} slides"
            yield Converted(entry.at.line, headed(facts, entry, shortest))


def _read_card(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    try:
        facts = instance_text(parse_card(list(lines), file))
    except InputError as error:
        yield error
    else:
        yield Converted(1, f"% {Path(file).name}\n\n{facts}")


def _write_board(facts: Facts) -> str:
    return board_text(read(facts, {})) + "\n"


def _write_card(facts: Facts) -> str:
    return card_text(read(facts, {}))


def _looks_like_a_card(line: str) -> bool:
    words = line.split()
    return 0 < len(words) <= 2 and all(whole(word) is not None for word in words)


BOARD = Notation(
    "Rush Hour boards as strings, one a line", looks_like_a_board, _read_boards, _write_board
)
CARD = Notation(
    "a Rush Hour card: size, goal cell, cars", _looks_like_a_card, _read_card, _write_card
)
