"""Serves a game to browsers on this machine: its page, and what that asks where it lacks states.

The page names states by numbers, which are given out here. What it asks is found out by a worker
under limits, for a step of a program may have no end.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from asplan.core.errors import AsplanError, Stopped
from asplan.core.limits import Limits
from asplan.core.local_server import HEADERS, LocalServer, listen
from asplan.core.process import run_apart
from asplan.core.text import whole
from asplan.play.game import empty_page, look_around, open_game, way_from
from asplan.problem import Inputs

_FRAMES = {"Content-Security-Policy": "frame-ancestors 'none'"}
"""The page has its own rules besides."""


def serve_game(
    inputs: Inputs,
    page: str | None,
    port: int,
    seconds: float,
    megabytes: int | None,
    tell: Callable[[str], None],
) -> None:
    """Serve a page until somebody interrupts; without one, it asks for the states it comes to."""
    table = Table(inputs, seconds, megabytes) if page is None else None
    with listen(port) as opened:
        asyncio.run(serve(page or empty_page(inputs), table, opened, tell))


class Table:
    """What the page asks, by its numbers of states; workers answer, within `seconds` each."""

    def __init__(self, inputs: Inputs, seconds: float, megabytes: int | None) -> None:
        self._inputs, self._seconds = inputs, seconds
        self._limits = Limits(seconds, megabytes)
        self._states: list[Any] = []
        self._numbers: dict[Any, int] = {}
        for state in open_game(inputs).model.initials:
            self._number(state)

    def _number(self, state: Any) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]

    def look(self, number: int) -> dict[str, Any]:
        """The state of a number and those next to it; raises what the worker does."""
        told, states = self._ask(look_around, self._states[number])
        numbers = list(map(self._number, states))
        for one in told["states"]:
            one["state"] = numbers[one["state"]]
            for move in one.get("moves", ()):
                move["to"] = numbers[move["to"]]
        return dict(told)

    def way(self, number: int) -> dict[str, Any]:
        """A shortest way from the state of a number to a goal; raises what the worker does."""
        found = self._ask(way_from, self._states[number], self._seconds)
        if found is None:
            return {"way": None}
        pairs = zip(*found, strict=True)
        return {"way": [{"name": name, "to": self._number(state)} for name, state in pairs]}

    def _ask(self, work: Callable[..., Any], *words: Any) -> Any:
        done = run_apart(self._limits, lambda: None, work, self._inputs, *words)
        if done.stopped:
            raise Stopped(done.reason)
        return done.value

    def knows(self, text: str) -> bool:
        return (number := whole(text)) is not None and number < len(self._states)


async def serve(
    page: str, table: Table | None, opened: socket.socket, tell: Callable[[str], None]
) -> None:
    """Serve a page on a socket until somebody interrupts; `tell` is called with its address."""

    async def show(request: Request) -> Response:
        return Response(page, media_type="text/html", headers={**HEADERS, **_FRAMES})

    def answering(ask: Callable[[int], dict[str, Any]]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            state = request.query_params.get("state", "")
            if table is None or not table.knows(state):
                return JSONResponse({"error": "there is no such state"}, 422, HEADERS)
            try:
                return JSONResponse(await run_in_threadpool(ask, int(state)), 200, HEADERS)
            except AsplanError as error:
                return JSONResponse({"error": str(error)}, 422, HEADERS)

        return answer

    routes = [Route("/", show)]
    if table is not None:
        asked = {"/look": table.look, "/way": table.way}
        routes += [Route(path, answering(ask), methods=["POST"]) for path, ask in asked.items()]
    server = LocalServer("asplan play", routes, opened)
    tell(server.address)
    await server.serve([opened])
