"""Converts whole files from the notations of Rush Hour boards, and instances into them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from asplan.domains.base import Converted, Shape
from asplan.domains.entries import entries, headed
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.notations.boards import board_text, parse_board
from asplan.domains.rush_hour.notations.cards import card_text, parse_card
from asplan.domains.rush_hour.notations.facts import instance_text
from asplan.errors import InputError
from asplan.facts import Facts


def read_boards(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    """The instances in a file with a board a line."""
    for entry in entries(lines, file, "board"):
        try:
            facts = instance_text(parse_board(entry.text, shape.columns, entry.at))
        except InputError as error:
            yield error
        else:
            shortest = None if entry.moves is None else f"shortest plan {entry.moves} slides"
            yield Converted(entry.at.line, headed(facts, entry, shortest))


def read_card(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    """The instance that a card is."""
    try:
        facts = instance_text(parse_card(list(lines), file))
    except InputError as error:
        yield error
    else:
        yield Converted(1, f"% {Path(file).name}\n\n{facts}")


def write_board(facts: Facts) -> str:
    """An instance as a board."""
    return board_text(read(facts, {})) + "\n"


def write_card(facts: Facts) -> str:
    """An instance as a card."""
    return card_text(read(facts, {}))
