"""The suite as stored in results; its text may have any content, because users can
edit the file.
"""

from typing import TypeVar

import msgspec

from asplan.bench.records import RunStart

Shape = TypeVar("Shape")


class _Suite(msgspec.Struct):
    methods: list[dict[str, object]] = []
    limits: dict[str, object] = {}


def suite_of(start: RunStart, shape: type[Shape]) -> Shape:
    """Return the stored suite as a struct or dictionary of type `shape`.

    If the stored suite does not fit this type, return an empty `shape()`.
    """
    try:
        return msgspec.json.decode(start.suite, type=shape)
    except (msgspec.MsgspecError, RecursionError):
        return shape()


def methods_of(start: RunStart) -> dict[str, dict[str, object]]:
    """Map the name of each method to its entry in the stored suite."""
    entries = suite_of(start, _Suite).methods
    return {str(entry.get("name")): entry for entry in entries}


def groups_of(entry: dict[str, object]) -> list[object]:
    """Return the groups of instances on which a method runs; an empty list stands for all
    instances.

    `entry` is the method's table in the stored suite.
    """
    on = entry.get("on")
    return on if isinstance(on, list) else []


def limits_of(start: RunStart) -> dict[str, object]:
    """Return the limits in the stored suite by key; the values may have any type."""
    return suite_of(start, _Suite).limits
