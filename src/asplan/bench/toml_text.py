"""A TOML file whose errors name the key and its line, which the library that reads it does not."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from asplan.errors import InputError, Location
from asplan.program.files import read_text

Keys = tuple[str | int, ...]
"""A way to a value: keys, and the numbers of tables in an array, from 0."""

Shape = TypeVar("Shape")


@dataclass(frozen=True)
class TomlText:
    """The text of a TOML file."""

    path: str
    text: str

    def data(self) -> dict[str, Any]:
        """What it says; raises `InputError` where it is no TOML."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            said, _, place = str(error).partition(" (at ")
            numbers = [int(number) for number in re.findall(r"\d+", place)]
            at = Location(self.path, *(numbers if len(numbers) == 2 else (1, 1)))
            raise InputError(f"this is no TOML: {said}", at=at) from None
        except RecursionError:
            raise InputError(f"{self.path}: this is nested too deep") from None

    def shaped(self, data: Any, shape: type[Shape], *keys: str | int) -> Shape:
        """Some of its data in a shape; raises `InputError` where it has another."""
        try:
            return msgspec.convert(data, shape)
        except msgspec.ValidationError as error:
            said, _, place = str(error).partition(" - at `")
            keys = (*keys, *_keys(place.rstrip("`")))
            if unknown := re.search(r"unknown field `(.+)`", said):
                keys = (*keys, unknown[1])
                said = "there is no such key"
            raise self.wrong(_plain(said), *keys) from None

    def wrong(self, message: str, *keys: str | int, mend: str = "") -> InputError:
        """An error about the value that some keys lead to."""
        named = "".join(f"[{k + 1}]" if isinstance(k, int) else f".{k}" for k in keys)
        at = Location(self.path, line_of(self.text, keys), 1)
        return InputError(f"{named.lstrip('.')}: {message}" if keys else message, at=at, mend=mend)


def read_toml(path: str) -> TomlText:
    """The text of a file; raises `InputError` where it cannot be read."""
    return TomlText(path, read_text(path))


def _plain(message: str) -> str:
    """What msgspec says, in our words."""
    lacks = message.replace("Object missing required field", "it lacks the key")
    return lacks.replace("Expected", "expected")


_TABLE = re.compile(r"\s*\[([^\[\]]+)\]\s*(#.*)?$")
_ARRAY = re.compile(r"\s*\[\[([^\[\]]+)\]\]\s*(#.*)?$")
_KEY = re.compile(r"""\s*([\w.-]+|"[^"]*"|'[^']*')\s*=""")
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")


def _keys(text: str) -> Keys:
    """The keys that msgspec writes in its messages.

    >>> _keys("$.methods[0].clingo[1]")
    ('methods', 0, 'clingo', 1)
    """
    steps = _STEP.findall(text.removeprefix("$"))
    return tuple(int(number) if number else key for key, number in steps)


def line_of(text: str, keys: Keys) -> int:
    """The line, from 1, of the value that keys lead to, or of the nearest table around it.

    >>> line_of('a = 1\\n[[m]]\\nb = 2\\n[[m]]\\nb = 3', ("m", 1, "b"))
    5
    """
    known = _lines(text)
    while keys and keys not in known:
        keys = keys[:-1]
    return known.get(keys, 1)


def _lines(text: str) -> dict[Keys, int]:
    """The first line of each key and table."""
    found: dict[Keys, int] = {}
    counted: Counter[Keys] = Counter()
    table: Keys = ()
    for number, line in enumerate(text.splitlines(), 1):
        if match := _ARRAY.match(line):
            name = _names(match[1])
            table = (*name, counted[name])
            counted[name] += 1
            found.setdefault(name, number)
        elif match := _TABLE.match(line):
            table = _names(match[1])
        elif match := _KEY.match(line):
            found.setdefault((*table, *_names(match[1])), number)
            continue
        found.setdefault(table, number)
    return found


def _names(text: str) -> Keys:
    return tuple(part.strip().strip("\"'") for part in text.split("."))
