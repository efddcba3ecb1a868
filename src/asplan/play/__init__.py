"""A page on which a person plays a puzzle: any problem whose states can be searched.

`pictures` draws many states at once, and `page` packs all of them into one page, where they are not
too many. Else `server` answers what the page asks about the states around the player. Both are made
of the `game`.
"""

from __future__ import annotations

from collections.abc import Callable

from asplan.core.errors import MissingExtra
from asplan.problem import Inputs

MOST_STATES = 60_000
"""Those that a page holds; it has some two megabytes then."""


def serve_game(
    inputs: Inputs,
    page: str | None,
    port: int,
    seconds: float,
    megabytes: int | None,
    tell: Callable[[str], None],
) -> None:
    """Serve a page until somebody interrupts; without one, it asks for the states it comes to.

    Port 0 is any that is free. `seconds` and `megabytes` limit each answer; `tell` is called with
    the address, which has a token.

    Raises
    ------
    MissingExtra
        A package for it is not installed.
    UsageError
        The port is in use.
    """
    import asyncio

    try:
        from asplan.core.local_server import listen
        from asplan.play.server import Table, serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("asplan"):
            raise
        raise MissingExtra(
            f"asplan play needs {error.name} to serve its page, which is not installed",
            hint="pip install 'asplan[studio]', or write a page that needs no server: -o FILE.html",
        ) from None
    from asplan.play.game import empty_page

    table = Table(inputs, seconds, megabytes) if page is None else None
    with listen(port) as opened:
        asyncio.run(serve(page or empty_page(inputs), table, opened, tell))
