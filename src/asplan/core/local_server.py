"""A server for browsers on this machine, and for nobody else.

Everything is below a token that only this machine's user knows. A page from elsewhere that is open
in the same browser can send requests, too, but gives itself away by their `Origin`, or, where it
has made its own name point here, by their `Host`.
"""

import errno
import secrets
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from asplan.core.errors import UsageError

LOOPBACK = "127.0.0.1"

HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

_ENDS = [n for name in ("SIGINT", "SIGTERM", "SIGHUP") if (n := getattr(signal, name, None))]


@contextmanager
def listen(port: int) -> Iterator[socket.socket]:
    """A socket on this machine's own address, 0 being any port; `UsageError` if in use."""
    with socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((LOOPBACK, port))
            opened.listen()
        except OSError as error:
            why = "in use" if error.errno == errno.EADDRINUSE else error.strerror
            why = f"--port {port}: the port is {why}" if port else f"no port can be had: {why}"
            raise UsageError(why, hint="without --port one that is free is taken") from None
        yield opened


class LocalServer(uvicorn.Server):
    """Serves routes on a socket until a signal ends it, and lets its browsers go then."""

    def __init__(
        self,
        name: str,
        routes: Sequence[Route],
        opened: socket.socket,
        on_leave: Callable[[], object] = lambda: None,
    ) -> None:
        port, token = opened.getsockname()[1], secrets.token_urlsafe(24)
        guard = Middleware(Guard, name=name, token=token, port=port)
        app = Starlette(routes=[Mount(f"/{token}", routes=routes)], middleware=[guard])
        # Whoever uses the page sees there what is wrong.
        quiet: dict[str, Any] = {"log_level": "critical", "ws": "none", "server_header": False}
        super().__init__(uvicorn.Config(app, lifespan="off", timeout_graceful_shutdown=1, **quiet))
        self.address = f"http://{LOOPBACK}:{port}/{token}/"
        self._on_leave = on_leave

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
        self.should_exit = True
        self._on_leave()


class Guard:
    """Lets requests through to an application that come from here and begin with the token."""

    def __init__(self, app: ASGIApp, name: str, token: str, port: int) -> None:
        self._app, self._name, self._token = app, name, token.encode()
        self._hosts = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (why := self._refusal(scope)):
            await PlainTextResponse(f"{self._name}: {why}\n", 403)(scope, receive, send)
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
            return f"the token is missing; open the address that {self._name} printed"
        return ""
