"""Rush Hour boards as others write them: strings of cells, and cards of numbers.

`boards` and `cards` each know one notation, `facts` writes instances, `converting` whole files.
"""

from __future__ import annotations

from asplan.domains.base import Notation
from asplan.later import function_at
from asplan.numbers import whole

_CONVERTING = "asplan.domains.rush_hour.notations.converting"


def _looks_like_a_card(line: str) -> bool:
    words = line.split()
    return 0 < len(words) <= 2 and all(whole(word) is not None for word in words)


BOARD = Notation(
    "Rush Hour boards as strings, one a line",
    function_at("asplan.domains.rush_hour.notations.boards:looks_like_a_board"),
    function_at(f"{_CONVERTING}:read_boards"),
    function_at(f"{_CONVERTING}:write_board"),
)
CARD = Notation(
    "a Rush Hour card: size, goal cell, cars",
    _looks_like_a_card,
    function_at(f"{_CONVERTING}:read_card"),
    function_at(f"{_CONVERTING}:write_card"),
)
