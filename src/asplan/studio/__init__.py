"""A local page that follows the files: save an encoding, and see what it does.

`watching` says when a file has changed, `settings` what is to be done with the files, `runs` does
it under limits, in the process of `workshop`, one run at a time. What comes of it `studio` keeps in
sections, which `server` shows to browsers that know its token.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from asplan.core.errors import MissingExtra

if TYPE_CHECKING:
    from asplan.studio.settings import StudioSettings


def open_studio(settings: StudioSettings, port: int, tell: Callable[[str], None]) -> None:
    """Serve the page until somebody interrupts; port 0 is any that is free.

    `tell` is called with the address of the page, which has its token.

    Raises
    ------
    InputError
        A file is not there.
    MissingExtra
        A package for it is not installed.
    UsageError
        The settings make no sense, or the port is in use.
    """
    import asyncio

    settings.check()
    try:
        from asplan.core.local_server import listen
        from asplan.studio.server import serve
        from asplan.studio.workshop import open_workshop
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("asplan"):
            raise
        raise MissingExtra(
            f"asplan studio needs {error.name}, which is not installed",
            hint="pip install 'asplan[studio]'",
        ) from None
    with open_workshop() as workshop, listen(port) as opened:
        asyncio.run(serve(settings, workshop, opened, tell))
