"""Settings of the working folder, from `asplan.toml` or `[tool.asplan]` in `pyproject.toml`.

Settings are defaults of options. Commands whose results must not depend on the folder, such as
`bench` and `grade`, read no settings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location, nearest
from asplan.core.registry import entries

if TYPE_CHECKING:
    from asplan.bench.toml_text import TomlText

IGNORE = "ASPLAN_IGNORE_SETTINGS"
"""The name of an environment variable; if it is set, no settings are read."""

FILES = {"asplan.toml": (), "pyproject.toml": ("tool", "asplan")}
"""The files that may have settings, in the order of search, each with the keys of their table."""

COMMANDS = frozenset(
    {"solve", "validate", "render", "play", "check", "explain", "analyse", "profile", "studio"}
)
"""The commands that read settings."""

Value: TypeAlias = str | int | float | bool | list[str]


@dataclass(frozen=True)
class SettingKind:
    """A kind of setting.

    `parameter` is the parameter of commands whose default it sets; empty if there is none.
    `accepts` tests a value, and `wanted` describes a good one in messages.
    """

    about: str
    parameter: str
    wanted: str
    accepts: Callable[[object], bool]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_natural(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_COLORS = ("auto", "always", "never")

KINDS: Mapping[str, SettingKind] = {
    "engine": SettingKind(
        "Use this engine.",
        "engine",
        "the name of an engine",
        lambda value: value in entries("asplan.engines"),
    ),
    "time-limit": SettingKind(
        "Stop after this many seconds.", "time_limit", "a number of seconds", _is_number
    ),
    "memory-limit": SettingKind(
        "Stop when this many megabytes are in use.",
        "memory_limit",
        "a whole number of megabytes",
        _is_natural,
    ),
    "warn": SettingKind(
        "Disable these warnings.",
        "switches",
        'a list such as ["no-unread"]',
        _are_words,
    ),
    "allow-includes": SettingKind(
        "Let files include others outside of their folder.",
        "allow_includes",
        "true or false",
        lambda value: isinstance(value, bool),
    ),
    "problems": SettingKind(
        "For editors: the files of each problem.",
        "",
        'a list such as ["my.lp one.lp", "my.lp two.lp"]',
        _are_words,
    ),
    "color": SettingKind(
        "Print in colours.", "", " or ".join(_COLORS), lambda value: value in _COLORS
    ),
}


@dataclass(frozen=True)
class UserSetting:
    """The value of a setting, and the place in the file that sets it."""

    name: str
    value: Value
    at: Location


@cache
def read_settings(folder: Path = Path()) -> Mapping[str, UserSetting]:
    """Return the settings of a folder by name, from the first file that has any.

    Raises
    ------
    InputError
        If the file is not valid TOML, or a setting is unknown or has a wrong value.
    """
    if os.environ.get(IGNORE):
        return {}
    for name, keys in FILES.items():
        settings = dict(_settings_of(folder / name, keys))
        if settings:
            return settings
    return {}


def _settings_of(path: Path, keys: tuple[str, ...]) -> Iterator[tuple[str, UserSetting]]:
    """Yield the settings in a table of a file, each with its name; `keys` lead to the table.

    Yield nothing if there is no such file or table.
    """
    if not path.is_file():
        return
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot read the settings: {error}") from None
    if keys and not _has_table(text, keys):
        return
    from asplan.bench.toml_text import TomlText, line_of

    toml = TomlText(str(path), text)
    table: object = toml.parse()
    for key in keys:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    if not isinstance(table, dict):
        raise toml.error_at("expected a table of settings", *keys)
    for name, value in table.items():
        _check_setting(toml, keys, name, value)
        line = line_of(text, (*keys, name))
        yield name, UserSetting(name, value, Location(str(path), line, 1))


def _has_table(text: str, keys: Sequence[str]) -> bool:
    """Return whether a TOML file has a line such as `[tool.asplan]`, without parsing the file.

    `keys` are the names in the brackets.
    """
    name = r"\s*\.\s*".join(map(re.escape, keys))
    return re.search(rf"^\s*\[\s*{name}\s*\]", text, re.MULTILINE) is not None


def _check_setting(toml: TomlText, keys: tuple[str, ...], name: str, value: object) -> None:
    """Raise `InputError` if there is no setting called `name`, or it cannot have this value.

    `keys` lead to the table of the setting in the file.
    """
    kind = KINDS.get(name)
    if kind is None:
        hint = nearest(name, KINDS, noun="settings")
        raise toml.error_at("there is no such setting", *keys, name, hint=hint)
    if not kind.accepts(value):
        is_engine = name == "engine" and isinstance(value, str)
        hint = nearest(str(value), entries("asplan.engines"), noun="engines") if is_engine else ""
        raise toml.error_at(f"expected {kind.wanted}", *keys, name, hint=hint)


def defaults_of(command: str) -> dict[str, Value]:
    """Return the defaults of a command's parameters from the settings, by parameter.

    If the command reads settings, also apply the setting of colours, which is no parameter: it sets
    an environment variable.
    """
    if command not in COMMANDS:
        return {}
    settings = read_settings().values()
    _set_color([setting.value for setting in settings if setting.name == "color"])
    parameters = {KINDS[setting.name].parameter: setting.value for setting in settings}
    parameters.pop("", None)
    return parameters


def _set_color(values: Sequence[Value]) -> None:
    if values and values[0] != "auto":
        name = "NO_COLOR" if values[0] == "never" else "FORCE_COLOR"
        os.environ.setdefault(name, "1")
