"""Names that PDDL allows, for the items of a problem."""

import re
from collections.abc import Hashable
from typing import Any

_WORDS = """
    and assign decrease define either exists forall imply increase maximize minimize not number
    object or preference scale-down scale-up total-cost when
"""
_RESERVED = frozenset(_WORDS.split())
"""Words that have a meaning in PDDL, or in programs that read it, where a name may stand."""


class PddlNaming:
    """Unique names for items of any kind, as PDDL allows them.

    `names` maps items to names, and `items` maps names to items.

    >>> names = PddlNaming()
    >>> names.of("first", "Move to"), names.of("second", "move_to"), names.of("third", "3d", "o")
    ('move_to', 'move_to_2', 'o_3d')
    >>> names.of("first", "Move to"), names.items["move_to_2"]
    ('move_to', 'second')
    """

    def __init__(self) -> None:
        self.names: dict[Hashable, str] = {}
        self.items: dict[str, Any] = {}  # as untyped as unified-planning

    def of(self, item: Hashable, like: str, letter: str = "x") -> str:
        """Return the name of an item; a new name is made similar to `like`.

        If `like` does not begin with a letter, the name begins with `letter`.
        """
        if item not in self.names:
            name = self._make_unique(_make_legal(like, letter))
            self.names[item] = name
            self.items[name] = item
        return self.names[item]

    def _make_unique(self, name: str) -> str:
        unique = name
        number = 1
        while unique in self.items or unique in _RESERVED:
            number += 1
            unique = f"{name}_{number}"
        return unique


def _make_legal(text: str, letter: str) -> str:
    name = re.sub(r"[^0-9a-z_-]", "_", text.lower())
    if re.match(r"[a-z]", name):
        return name
    return f"{letter}_{name.lstrip('_')}"
