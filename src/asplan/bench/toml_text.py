"""TOML text with errors that name a key and its line.

`tomllib` and msgspec do not report the lines of values.
"""

import re
import tomllib
from collections import Counter
from typing import TypeVar

import msgspec

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location
from asplan.core.misfit import split_misfit

Keys = tuple[str | int, ...]
"""The path to a value: names of keys, and indices of array entries from 0."""

Shape = TypeVar("Shape")

_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(#.*)?$")
_ENTRY = re.compile(r"""\s*([\w.-]+|"[^"]*"|'[^']*')\s*=""")
# msgspec writes the path to a value as in $.methods[0].clingo[1].
_PATH_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True)
class TomlText:
    """The text of a TOML file and its path."""

    path: str
    text: str

    def parse(self) -> dict[str, object]:
        """Return the data of the text; raise `InputError` if it is not valid TOML."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            message, _, place = str(error).partition(" (at ")
            numbers = [int(number) for number in re.findall(r"\d+", place)]
            line, column = numbers if len(numbers) == 2 else (1, 1)
            at = Location(self.path, line, column)
            raise InputError(f"this is not valid TOML: {message}", at=at) from None
        except RecursionError:
            raise InputError(f"{self.path}: this is nested too deep") from None

    def convert(self, data: object, shape: type[Shape], *keys: str | int) -> Shape:
        """Return the data at `keys` as an instance of `shape`, a msgspec struct.

        Raises
        ------
        InputError
            The data do not fit the struct; the error names the wrong key and its line.
        """
        try:
            return msgspec.convert(data, shape)
        except msgspec.ValidationError as error:
            message, path = split_misfit(str(error))
            wrong_keys = [*keys, *_split_path(path)]
            if unknown := re.search(r"unknown field `(.+?)`", str(error)):
                wrong_keys.append(unknown[1])
                message = "there is no such key"
            raise self.error_at(message, *wrong_keys) from None

    def error_at(self, message: str, *keys: str | int, hint: str = "") -> InputError:
        """Return an error about the value at `keys`, with its line."""
        at = Location(self.path, line_of(self.text, keys), 1)
        if keys:
            message = f"{_join_path(keys)}: {message}"
        return InputError(message, at=at, hint=hint)


def line_of(text: str, keys: Keys) -> int:
    r"""Return the line, from 1, of the value at `keys`, or of the nearest table around it.

    >>> line_of("a = 1\n[[m]]\nb = 2\n[[m]]\nb = 3", ("m", 1, "b"))
    5
    """
    lines = _lines_by_keys(text)
    while keys and keys not in lines:
        keys = keys[:-1]
    return lines.get(keys, 1)


def _lines_by_keys(text: str) -> dict[Keys, int]:
    """Map each table and each key of a TOML text to its first line."""
    lines: dict[Keys, int] = {}
    entry_counts: Counter[Keys] = Counter()
    table: Keys = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _split_keys(header[2])
            if header[1] == "[[":
                lines.setdefault(table, number)
                index = entry_counts[table]
                entry_counts[table] += 1
                table = (*table, index)
        elif entry := _ENTRY.match(line):
            lines.setdefault((*table, *_split_keys(entry[1])), number)
            continue
        lines.setdefault(table, number)
    return lines


def _split_keys(text: str) -> Keys:
    return tuple(part.strip().strip("\"'") for part in text.split("."))


def _split_path(path: str) -> Keys:
    return tuple(int(index) if index else key for key, index in _PATH_STEP.findall(path))


def _join_path(keys: Keys) -> str:
    """Return keys as text, such as `methods[0].clingo`; indices count from 0, as in JSON paths."""
    parts = [f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys]
    return "".join(parts).lstrip(".")
