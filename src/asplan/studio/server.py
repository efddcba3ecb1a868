"""Serves the page to browsers on this machine, and nothing else to nobody else.

Only this machine's user may ask for anything, who knows the token. A page from elsewhere that is
open in the same browser can send requests to this machine, too. It does not know the token; and it
gives itself away by the `Origin` of its requests, or, where it has made its own name point here, by
their `Host`.

Everything is below the token. What the page shows comes as server-sent events from the sections; a
request changes settings, begins a run, stops it, or saves a file that the page was shown; no other
one names a file.
"""

from __future__ import annotations

import asyncio
import errno
import json
import secrets
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from asplan.core.errors import AsplanError, UsageError
from asplan.studio.settings import StudioSettings, with_changes
from asplan.studio.sources import Conflict
from asplan.studio.studio import Studio
from asplan.studio.workshop import Workshop

LOOPBACK = "127.0.0.1"

_PARTS = {
    "": "text/html",
    "page.css": "text/css",
    "page.js": "text/javascript",
    "chart.js": "text/javascript",
    "source.js": "text/javascript",
    "languages.js": "text/javascript",
    "codemirror.js": "text/javascript",
}
"""The parts of the page, and what they are."""

_PAGE_RULES = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{}'; connect-src 'self'; "
    "frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The nonce is for the style of the editor, which makes its own."""

_PLAYER_RULES = "sandbox allow-scripts; frame-ancestors 'self'"
"""The player's page has its own rules besides, by which nothing but its own script runs."""

_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

_ENDS = [n for name in ("SIGINT", "SIGTERM", "SIGHUP") if (n := getattr(signal, name, None))]
"""Signals that end it."""

_LONGEST, _LONGEST_TEXT = 2**14, 2**22
"""Bytes of a request, and of one with a text."""


@contextmanager
def listen(port: int) -> Iterator[socket.socket]:
    """A socket on this machine's own address; port 0 is any that is free.

    Raises `UsageError` where the port is in use, or not ours to use.
    """
    with socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((LOOPBACK, port))
            opened.listen()
        except OSError as error:
            why = "in use" if error.errno == errno.EADDRINUSE else error.strerror
            raise UsageError(
                f"--port {port}: the port is {why}" if port else f"no port can be had: {why}",
                hint="without --port one that is free is taken",
            ) from None
        yield opened


async def serve(
    settings: StudioSettings, workshop: Workshop, opened: socket.socket, tell: Callable[[str], None]
) -> None:
    """Serve on a socket until somebody interrupts; `tell` is called with the page's address.

    Raises `Bug` where the process that works has ended.
    """
    studio = Studio(settings, workshop)
    port, token = opened.getsockname()[1], secrets.token_urlsafe(24)
    config = uvicorn.Config(
        _application(studio, token, port),
        log_level="critical",  # whoever uses the page sees what is wrong there
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config, studio)
    studio.begin()
    tell(f"http://{LOOPBACK}:{port}/{token}/")
    following = asyncio.create_task(studio.follow())
    threading.Thread(target=studio.hear, args=(server.leave,), daemon=True).start()
    try:
        await server.serve([opened])
    finally:
        studio.sections.close()
        following.cancel()
    studio.check()


class _Server(uvicorn.Server):
    """A server that lets its browsers go at its end."""

    def __init__(self, config: uvicorn.Config, studio: Studio) -> None:
        super().__init__(config)
        self._studio = studio

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let signals end the server; whoever else waits for them gets them afterwards."""
        came: list[int] = []

        def end(number: int, frame: object) -> None:
            came.append(number)
            self.leave()

        ends = [number for number in _ENDS if signal.getsignal(number) != signal.SIG_IGN]
        before = {number: signal.signal(number, end) for number in ends}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)

    def leave(self) -> None:
        """End soon."""
        self.should_exit = True
        self._studio.loop.call_soon_threadsafe(self._studio.sections.close)


class Guard:
    """Lets requests through to an application that come from here and begin with the token."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "http" and (why := self._refusal(scope)):
            await PlainTextResponse(f"asplan studio: {why}\n", 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> str:
        """Why a request is refused; empty where it is not."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return "the request is for another host"
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return "the request comes from a page of somebody else"
        token = scope["path"].removeprefix("/").partition("/")[0].encode()
        if not secrets.compare_digest(token, self._token):
            return "the token is missing; open the address that asplan studio printed"
        return ""


def _application(studio: Studio, token: str, port: int) -> Starlette:
    """The routes, below the token."""
    done = Response(status_code=204, headers=_HEADERS)

    async def player(request: Request) -> Response:
        headers = {**_HEADERS, "Content-Security-Policy": _PLAYER_RULES}
        return Response(studio.player, media_type="text/html", headers=headers)

    async def events(request: Request) -> Response:
        return StreamingResponse(_events(studio), media_type="text/event-stream", headers=_HEADERS)

    async def change(request: Request) -> Response:
        try:
            studio.change(with_changes(studio.settings, await _body(request, _LONGEST)))
        except AsplanError as error:
            return JSONResponse({"error": str(error)}, 422, _HEADERS)
        return done

    async def save(request: Request) -> Response:
        try:
            studio.save(await _body(request, _LONGEST_TEXT))
        except AsplanError as error:
            status = 409 if isinstance(error, Conflict) else 422
            return JSONResponse({"error": str(error)}, status, _HEADERS)
        return done

    async def begin(request: Request) -> Response:
        studio.begin()
        return done

    async def stop(request: Request) -> Response:
        studio.stop()
        return done

    nonce = secrets.token_urlsafe(24)
    routes = [
        *(Route(f"/{name}", _part(name, kind, nonce)) for name, kind in _PARTS.items()),
        Route("/player", player),
        Route("/events", events),
        Route("/settings", change, methods=["POST"]),
        Route("/save", save, methods=["POST"]),
        Route("/run", begin, methods=["POST"]),
        Route("/stop", stop, methods=["POST"]),
    ]
    guard = Middleware(Guard, token=token, port=port)
    return Starlette(routes=[Mount(f"/{token}", routes=routes)], middleware=[guard])


def _part(name: str, kind: str, nonce: str) -> Callable[[Request], Response]:
    """What answers with a part of the page."""
    file = Path(__file__).parent / "page" / (name or "page.html")
    text = file.read_text(encoding="utf-8").replace("{{nonce}}", nonce)
    headers = {**_HEADERS, "Content-Security-Policy": _PAGE_RULES.format(nonce)}
    return lambda request: Response(text, media_type=kind, headers=headers)


async def _events(studio: Studio) -> AsyncIterator[str]:
    """The sections, as browsers read them."""
    async for news in studio.sections.look():
        if news is None:
            yield ":\n\n"
        else:
            section, value = news
            yield f"event: {section}\ndata: {json.dumps(value)}\n\n"


async def _body(request: Request, most: int) -> bytes:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise UsageError("the request is too long")
    return body
