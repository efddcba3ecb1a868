"""Serves the page of the studio to browsers on this machine.

Browsers receive the sections as server-sent events. Their requests change settings, begin a run,
stop it, or save a file that the page shows; no other file can be named.
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
from asplan.studio.settings import StudioSettings, change_settings
from asplan.studio.sources import FileConflict
from asplan.studio.studio import Studio
from asplan.studio.workshop import Workshop, open_workshop

Endpoint = Callable[[Request], Awaitable[Response]]

_SCRIPTS = ("reasons", "why", "page", "chart", "source", "languages", "codemirror")
_STYLES = ("reasons", "page")
_PARTS = {
    "": "text/html",
    **{f"{name}.css": "text/css" for name in _STYLES},
    **{f"{name}.js": "text/javascript" for name in _SCRIPTS},
}
"""The files of the page with their media types; the empty name is the page itself."""

_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{}'; connect-src 'self'; "
    "frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy of the page; the nonce allows the style that the editor makes."""

_PLAYER_POLICY = "sandbox allow-scripts; frame-ancestors 'self'"
"""The policy that the server sends with the player's page.

The page contains another one, which allows only the page's own script.
"""

_LONGEST = 2**14  # bytes of a request
_LONGEST_TEXT = 2**22  # bytes of a request with a text
_NO_CONTENT = 204
_CONFLICT = 409
_UNPROCESSABLE = 422


def open_studio(
    settings: StudioSettings,
    port: int,
    tell: Callable[[str], None],
) -> None:
    """Serve the page on a port of this machine until an interrupt.

    `tell` is called with the address, which contains the token.
    """
    with open_workshop() as workshop, listen(port) as opened:
        asyncio.run(serve(settings, workshop, opened, tell))


async def serve(
    settings: StudioSettings,
    workshop: Workshop,
    opened: socket.socket,
    tell: Callable[[str], None],
) -> None:
    """Serve the page on an open socket until an interrupt; `tell` is called with its address.

    Raises `Bug` if the process that carries out runs, the workshop, ends by itself.
    """
    studio = Studio(settings, workshop)
    close = partial(studio.loop.call_soon_threadsafe, studio.sections.close)
    server = LocalServer("asplan studio", _make_routes(studio), opened, close)
    studio.begin()
    tell(server.address)
    following = asyncio.create_task(studio.follow())
    threading.Thread(target=studio.receive_news, args=(server.leave,), daemon=True).start()
    try:
        await server.serve([opened])
    finally:
        studio.sections.close()
        following.cancel()
    studio.check()


def _make_routes(studio: Studio) -> list[Route]:
    def change(body: bytes) -> None:
        studio.change(change_settings(studio.settings, body))

    async def show_player(request: Request) -> Response:
        headers = {**HEADERS, "Content-Security-Policy": _PLAYER_POLICY}
        return Response(studio.player, media_type="text/html", headers=headers)

    async def send_events(request: Request) -> Response:
        events = _format_events(studio)
        return StreamingResponse(events, media_type="text/event-stream", headers=HEADERS)

    commands = {
        "/settings": _make_command(change),
        "/save": _make_command(studio.save, _LONGEST_TEXT),
        "/run": _make_command(lambda body: studio.begin()),
        "/stop": _make_command(lambda body: studio.stop()),
    }
    nonce = secrets.token_urlsafe(24)
    return [
        *(Route(f"/{name}", _make_part(name, kind, nonce)) for name, kind in _PARTS.items()),
        Route("/player", show_player),
        Route("/events", send_events),
        *(Route(path, command, methods=["POST"]) for path, command in commands.items()),
    ]


def _make_command(execute: Callable[[bytes], None], most: int = _LONGEST) -> Endpoint:
    """Make an endpoint that calls `execute` with the body of a request.

    If `execute` raises an error, the endpoint answers with the error. `most` is the greatest size
    of a body in bytes.
    """

    async def answer(request: Request) -> Response:
        try:
            execute(await _read_body(request, most))
        except AsplanError as error:
            status = _CONFLICT if isinstance(error, FileConflict) else _UNPROCESSABLE
            return JSONResponse({"error": str(error)}, status, HEADERS)
        return Response(status_code=_NO_CONTENT, headers=HEADERS)

    return answer


async def _format_events(studio: Studio) -> AsyncIterator[str]:
    """Yield the changes of sections as server-sent events; a comment keeps the connection alive."""
    async for change in studio.sections.iterate_changes():
        if change is None:
            yield ":\n\n"
        else:
            section, content = change
            yield f"event: {section}\ndata: {json.dumps(content)}\n\n"


def _make_part(name: str, kind: str, nonce: str) -> Callable[[Request], Response]:
    """Make an endpoint that sends a file of the page.

    `kind` is the media type of the file, and `nonce` the nonce of the page's content security
    policy.
    """
    if name == "why.js":  # the player's script, as a module
        text = read_part(PLAYER, name) + "export { makeWhy };\n"
    else:
        file = Path(__file__).parent / "page" / (name or "page.html")
        text = file.read_text(encoding="utf-8").replace("{{nonce}}", nonce)
    headers = {**HEADERS, "Content-Security-Policy": _PAGE_POLICY.format(nonce)}
    return lambda request: Response(text, media_type=kind, headers=headers)


async def _read_body(request: Request, most: int) -> bytes:
    """Return the body of a request; raise `UsageError` if it has more than `most` bytes."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise UsageError("the request is too long")
    return body
