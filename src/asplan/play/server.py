"""Serves a game to browsers on this machine: its page, and the states near the player's.

The page refers to states by numbers that the server assigns. Workers compute the answers under
limits, because a step of a program may not terminate.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Hashable
from threading import Lock
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from asplan.core.budget import ENDLESS
from asplan.core.errors import AsplanError, Stopped
from asplan.core.limits import Limits
from asplan.core.local_server import HEADERS, LocalServer, listen
from asplan.core.process import run_apart
from asplan.core.text import parse_natural
from asplan.play.game import find_shortest_path, open_game
from asplan.play.pages import make_empty_page
from asplan.play.surroundings import MoveData, Surroundings, look_around
from asplan.problem import Inputs

Answer = TypeVar("Answer")

_POLICY = {"Content-Security-Policy": "frame-ancestors 'none'"}  # added to the policy in the page
_UNPROCESSABLE = 422


def serve_game(
    inputs: Inputs,
    page: str | None,
    port: int,
    seconds: float,
    megabytes: int | None,
    tell: Callable[[str], None],
    coordinates: bool = False,
) -> None:
    """Serve the page of a game until an interrupt.

    Parameters
    ----------
    page
        The page with all states; None for a page that requests states from the server.
    port
        The port on this machine.
    seconds, megabytes
        The limits of a worker for each answer.
    tell
        A function called with the address of the page.
    coordinates
        Whether rows and columns have numbers.
    """
    limits = Limits(seconds, megabytes)
    explorer = Explorer(inputs, limits, coordinates) if page is None else None
    with listen(port) as opened:
        asyncio.run(
            serve(
                page or make_empty_page(inputs, coordinates),
                explorer,
                opened,
                tell,
            )
        )


class Explorer:
    """Answers the page's requests about states; numbers states in the order in which they occur."""

    def __init__(
        self,
        inputs: Inputs,
        limits: Limits,
        coordinates: bool = False,
    ) -> None:
        self._inputs = inputs
        self._coordinates = coordinates
        self._limits = limits
        self._states: list[Hashable] = []
        self._numbers: dict[Hashable, int] = {}
        self._lock = Lock()  # requests are answered side by side
        for state in open_game(inputs).model.initials:
            self._number(state)

    def _number(self, state: Hashable) -> int:
        with self._lock:
            if state not in self._numbers:
                self._numbers[state] = len(self._states)
                self._states.append(state)
            return self._numbers[state]

    def look_around(self, number: int) -> Surroundings:
        """Describe a state, given by its number, and the states near it.

        Raises `Stopped` if the worker process reaches a limit, and the errors of `draw_states`.
        """
        start = self._states[number]
        surroundings, states = self._run(
            look_around,
            self._inputs,
            start,
            self._coordinates,
        )
        numbers = list(map(self._number, states))
        for state in surroundings["states"]:
            state["state"] = numbers[state["state"]]
            for move in state.get("moves", ()):
                move["to"] = numbers[move["to"]]
        return surroundings

    def find_path(self, number: int) -> dict[str, list[MoveData] | None]:
        """Find a shortest plan from the state with a number, for the page.

        The result has one key, `way`, with the moves of the plan, or None if there is no plan.
        Raises `Stopped` if the worker process reaches a limit.
        """
        start = self._states[number]
        found = self._run(
            find_shortest_path,
            self._inputs,
            start,
            self._limits.seconds,
        )
        if found is None:
            return {"way": None}
        moves: list[MoveData] = []
        for name, state in zip(*found, strict=True):
            moves.append({"name": name, "to": self._number(state)})
        return {"way": moves}

    def _run(self, work: Callable[..., Answer], *arguments: object) -> Answer:
        """Call a function in a worker process; raise `Stopped` if it reaches a limit."""
        done = run_apart(
            self._limits,
            ENDLESS,
            work,
            *arguments,
        )
        if done.stopped:
            raise Stopped(done.reason)
        answer: Answer = done.value
        return answer

    def read_state(self, text: str) -> int | None:
        """Return the number of a state from the text of a request; None if no state has this
        number.
        """
        number = parse_natural(text)
        return number if number is not None and number < len(self._states) else None


async def serve(
    page: str,
    explorer: Explorer | None,
    opened: socket.socket,
    tell: Callable[[str], None],
) -> None:
    """Serve a page on an open socket until an interrupt; `tell` is called with the address.

    `explorer` answers the requests of the page; it is None for a page that has all states.
    """

    async def show_page(request: Request) -> Response:
        return Response(page, media_type="text/html", headers={**HEADERS, **_POLICY})

    routes = [Route("/", show_page)]
    if explorer is not None:
        answers = {
            "/look": _make_answer(explorer, explorer.look_around),
            "/way": _make_answer(explorer, explorer.find_path),
        }
        for path, answer in answers.items():
            routes.append(Route(path, answer, methods=["POST"]))
    server = LocalServer("asplan play", routes, opened)
    tell(server.address)
    await server.serve([opened])


def _make_answer(
    explorer: Explorer, describe: Callable[[int], object]
) -> Callable[[Request], Awaitable[Response]]:
    """Make an endpoint that calls `describe` with the number of the state in a request."""

    async def answer(request: Request) -> Response:
        state = explorer.read_state(request.query_params.get("state", ""))
        if state is None:
            return JSONResponse({"error": "there is no such state"}, _UNPROCESSABLE, HEADERS)
        try:
            data = await run_in_threadpool(describe, state)
        except AsplanError as error:
            return JSONResponse({"error": str(error)}, _UNPROCESSABLE, HEADERS)
        return JSONResponse(data, 200, HEADERS)

    return answer
