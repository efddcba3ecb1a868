"""Serves the page to browsers on this machine.

What the page shows comes as server-sent events from the sections; a request changes settings,
begins a run, stops it, or saves a file that the page was shown; no other one names a file.
"""

import asyncio
import json
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from asplan.core.errors import AsplanError, UsageError
from asplan.core.local_server import HEADERS, LocalServer, listen
from asplan.drawing.html import PLAYER, read_part
from asplan.studio.settings import StudioSettings, with_changes
from asplan.studio.sources import Conflict
from asplan.studio.studio import Studio, Workshop, open_workshop

_SCRIPTS = ("reasons", "why", "page", "chart", "source", "languages", "codemirror")
_PARTS = {
    "": "text/html",
    **{f"{name}.css": "text/css" for name in ("reasons", "page")},
    **{f"{name}.js": "text/javascript" for name in _SCRIPTS},
}
"""The parts of the page, and what they are."""

_PAGE_RULES = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{}'; connect-src 'self'; "
    "frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The nonce is for the style of the editor, which makes its own."""

_PLAYER_RULES = "sandbox allow-scripts; frame-ancestors 'self'"
"""The player's page has its own rules besides, by which nothing but its own script runs."""

_LONGEST, _LONGEST_TEXT = 2**14, 2**22  # bytes of a request, and of one with a text


def open_studio(settings: StudioSettings, port: int, tell: Callable[[str], None]) -> None:
    """Serve the page until somebody interrupts, and tell its address, which has its token."""
    with open_workshop() as workshop, listen(port) as opened:
        asyncio.run(serve(settings, workshop, opened, tell))


async def serve(
    settings: StudioSettings, workshop: Workshop, opened: socket.socket, tell: Callable[[str], None]
) -> None:
    """Serve on a socket until somebody interrupts; `Bug` where the process that works has ended."""
    studio = Studio(settings, workshop)
    close = partial(studio.loop.call_soon_threadsafe, studio.sections.close)
    server = LocalServer("asplan studio", _routes(studio), opened, close)
    studio.begin()
    tell(server.address)
    following = asyncio.create_task(studio.follow())
    threading.Thread(target=studio.hear, args=(server.leave,), daemon=True).start()
    try:
        await server.serve([opened])
    finally:
        studio.sections.close()
        following.cancel()
    studio.check()


def _routes(studio: Studio) -> list[Route]:
    def answering(
        do: Callable[[bytes], None], most: int = _LONGEST
    ) -> Callable[[Request], Awaitable[Response]]:
        """What gives the body of a request to a function, and answers that it is done."""

        async def answer(request: Request) -> Response:
            try:
                do(await _body(request, most))
            except AsplanError as error:
                status = 409 if isinstance(error, Conflict) else 422
                return JSONResponse({"error": str(error)}, status, HEADERS)
            return Response(status_code=204, headers=HEADERS)

        return answer

    async def player(request: Request) -> Response:
        headers = {**HEADERS, "Content-Security-Policy": _PLAYER_RULES}
        return Response(studio.player, media_type="text/html", headers=headers)

    async def events(request: Request) -> Response:
        async def told() -> AsyncIterator[str]:
            async for news in studio.sections.look():
                yield f"event: {news[0]}\ndata: {json.dumps(news[1])}\n\n" if news else ":\n\n"

        return StreamingResponse(told(), media_type="text/event-stream", headers=HEADERS)

    asked = {
        "/settings": answering(lambda body: studio.change(with_changes(studio.settings, body))),
        "/save": answering(studio.save, _LONGEST_TEXT),
        "/run": answering(lambda body: studio.begin()),
        "/stop": answering(lambda body: studio.stop()),
    }
    nonce = secrets.token_urlsafe(24)
    return [
        *(Route(f"/{name}", _part(name, kind, nonce)) for name, kind in _PARTS.items()),
        Route("/player", player),
        Route("/events", events),
        *(Route(path, answer, methods=["POST"]) for path, answer in asked.items()),
    ]


def _part(name: str, kind: str, nonce: str) -> Callable[[Request], Response]:
    file = Path(__file__).parent / "page" / (name or "page.html")
    if name == "why.js":  # the player's, as a module
        text = read_part(PLAYER, name) + "export { makeWhy };\n"
    else:
        text = file.read_text(encoding="utf-8").replace("{{nonce}}", nonce)
    headers = {**HEADERS, "Content-Security-Policy": _PAGE_RULES.format(nonce)}
    return lambda request: Response(text, media_type=kind, headers=headers)


async def _body(request: Request, most: int) -> bytes:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise UsageError("the request is too long")
    return body
