"""Names that PDDL can have for what unified-planning may call anything.

>>> names = Names()
>>> names.of("first", "Move to"), names.of("second", "move_to"), names.of("third", "3d", "o")
('move_to', 'move_to_2', 'o_3d')
>>> names.of("first", "Move to"), names.item("move_to_2")
('move_to', 'second')
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

_WORDS = """
    and assign decrease define either exists forall imply increase maximize minimize not number
    object or scale-down scale-up total-cost when
"""

_TAKEN = frozenset(_WORDS.split())
"""Words that mean something in PDDL, or to those who read it, where a name may stand."""


class Names:
    """A name for each item, and each item by its name; no two have the same."""

    def __init__(self) -> None:
        self._names: dict[Hashable, str] = {}
        self._items: dict[str, Any] = {}

    def of(self, item: Hashable, wished: str, letter: str = "x") -> str:
        """The name of an item: what is wished for, as far as that is free and PDDL allows it.

        Parameters
        ----------
        letter
            Goes in front of what does not begin with a letter.
        """
        if item not in self._names:
            name = free = _spelt(wished, letter)
            number = 1
            while free in self._items or free in _TAKEN:
                number += 1
                free = f"{name}_{number}"
            self._names[item], self._items[free] = free, item
        return self._names[item]

    def known(self, item: Hashable) -> str:
        """The name that an item has; KeyError if it has none."""
        return self._names[item]

    def item(self, name: str) -> Any:
        """The item that has a name; KeyError if none has."""
        return self._items[name]


def _spelt(wished: str, letter: str) -> str:
    name = re.sub(r"[^0-9a-z_-]", "_", wished.lower())
    return name if re.match(r"[a-z]", name) else f"{letter}_{name.lstrip('_')}"
