"""What is imported when it is first used, so that a run pays only for what it does.

A place is written as entry points write it, `module:name`.

>>> function_at("math:gcd")(12, 18)
6
>>> list(items_at("keyword:softkwlist"))[:2]
['_', 'case']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from asplan.forking import holding_locks


@dataclass(frozen=True)
class Later:
    """A function that imports the one at a place when it is called, or when it is told to."""

    place: str

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return _found(self.place)(*arguments, **named)

    def load(self) -> None:
        """Import it, so that no fork has to."""
        _found(self.place)


def function_at(place: str) -> Later:
    """A function that imports the one at a place when it is called."""
    return Later(place)


def items_at(place: str) -> Sequence[Any]:
    """The sequence at a place, imported when somebody looks into it."""
    return _Items(place)


class _Items(Sequence[Any]):
    def __init__(self, place: str) -> None:
        self._place = place

    def __len__(self) -> int:
        return len(_found(self._place))

    def __getitem__(self, index: Any) -> Any:
        return _found(self._place)[index]


@cache
def _found(place: str) -> Any:
    module, _, name = place.partition(":")
    with holding_locks():
        return getattr(import_module(module), name)
