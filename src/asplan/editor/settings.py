"""The user's settings for a file: those of the nearest folder above it that has any."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from asplan.cli.settings import FILES, UserSetting, read_settings
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError
from asplan.core.files import Stamp, stamp_of

_DEEP = 20  # most folders above a file to search for settings


@dataclass(frozen=True)
class FolderSettings:
    """The settings of a folder.

    Attributes
    ----------
    problems
        The files of each problem, as absolute paths.
    switches
        Words such as `no-undefined`, which switch warnings off.
    allow_includes
        Whether files may include files outside of their folder.
    error
        The reason why the settings cannot be read, and are therefore empty; else empty.
    """

    problems: tuple[tuple[str, ...], ...] = ()
    switches: tuple[str, ...] = ()
    allow_includes: bool = False
    error: str = ""


class SettingsReader:
    """The settings of folders; a file with settings is read again once it has changed."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[Stamp, ...], FolderSettings | None]] = {}

    def settings_above(self, path: str) -> FolderSettings:
        """Return the settings of the nearest folder above a file that has settings.

        If there is no folder with settings, return empty settings.
        """
        for folder in islice(Path(path).parents, _DEEP):
            found = self._settings_of(folder)
            if found is not None:
                return found
        return FolderSettings()

    def _settings_of(self, folder: Path) -> FolderSettings | None:
        """Return the settings of a folder; None if it has none."""
        stamps = tuple(stamp_of(folder / name) for name in FILES)
        if not any(stamps):
            self._known.pop(folder, None)
            return None
        known = self._known.get(folder)
        if known is None or known[0] != stamps:
            read_settings.cache_clear()  # it does not notice changes
            known = (stamps, _read(folder))
            self._known[folder] = known
        return known[1]


def _read(folder: Path) -> FolderSettings | None:
    try:
        settings = read_settings(folder)
    except AsplanError as error:
        return FolderSettings(error=str(error))
    if not settings:
        return None
    problems = (
        tuple(os.path.normpath(folder / word) for word in _split(words))
        for words in _words(settings, "problems")
    )
    allow = settings.get("allow-includes")
    is_allowed = allow is not None and bool(allow.value)
    return FolderSettings(tuple(problems), _words(settings, "warn"), is_allowed)


def _words(settings: Mapping[str, UserSetting], name: str) -> tuple[str, ...]:
    """Return the words of a setting that is a list; empty if it is not set."""
    setting = settings.get(name)
    if setting is None or not isinstance(setting.value, list):
        return ()
    return tuple(setting.value)


def _split(words: str) -> list[str]:
    try:
        return shlex.split(words)
    except ValueError:  # a quotation mark that is not closed
        return words.split()
