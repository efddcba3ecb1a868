"""Opens the studio, each of its parts before what would hinder it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from asplan.errors import MissingExtra
from asplan.studio.settings import Settings
from asplan.studio.studio import started


def open_studio(settings: Settings, port: int, tell: Callable[[str], None]) -> None:
    """Serve the page until somebody interrupts.

    Parameters
    ----------
    port
        Where to listen; 0 is any port that is free.
    tell
        Is told the address of the page, with its token.

    Raises
    ------
    InputError
        A file is not there.
    MissingExtra
        A package for it is not installed.
    UsageError
        The settings make no sense, or the port is in use.
    """
    settings.check()
    server = _import_server()
    with started() as workshop, server.listening(port) as opened:
        server.serve(settings, workshop, opened, tell)


def _import_server() -> Any:
    try:
        return importlib.import_module("asplan.studio.server")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("asplan"):
            raise
        raise MissingExtra(
            f"asplan studio needs {error.name}, which is not installed",
            hint="pip install 'asplan[studio]'",
        ) from None
