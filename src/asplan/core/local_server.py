"""A web server for browsers on this machine only.

All addresses begin with a secret token that is printed to the user. Pages of other websites in the
same browser could send requests, too. Such requests are refused by their header `Origin`, or by
their header `Host` if the website's name points to this machine.
"""

import errno
import secrets
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

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
    """Yield a socket that listens at a port of this machine's own address.

    0 takes any free port. Raises `UsageError` if the port is in use.
    """
    with socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((LOOPBACK, port))
            opened.listen()
        except OSError as error:
            raise _port_error(port, error) from None
        yield opened


def _port_error(port: int, error: OSError) -> UsageError:
    reason = "in use" if error.errno == errno.EADDRINUSE else error.strerror
    why = f"--port {port}: the port is {reason}" if port else f"no port is free: {reason}"
    return UsageError(why, hint="leave out --port to use any free port")


class LocalServer(uvicorn.Server):
    """A web server of some routes on an open socket.

    `name` is the name of the server in messages. A signal ends the server, which then calls
    `on_leave` to end everything that browsers still wait for.
    """

    def __init__(
        self,
        name: str,
        routes: Sequence[Route],
        opened: socket.socket,
        on_leave: Callable[[], object] = lambda: None,
    ) -> None:
        port = opened.getsockname()[1]
        token = secrets.token_urlsafe(24)
        guard = Middleware(Guard, name=name, token=token, port=port)
        app = Starlette(routes=[Mount(f"/{token}", routes=routes)], middleware=[guard])
        config = uvicorn.Config(
            app,
            lifespan="off",
            timeout_graceful_shutdown=1,
            log_level="critical",  # the page itself shows errors
            ws="none",
            server_header=False,
        )
        super().__init__(config)
        self.address = f"http://{LOOPBACK}:{port}/{token}/"
        self._on_leave = on_leave

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let signals end the server in this block; raise them again after the block."""
        received: list[int] = []

        def end(number: int, frame: object) -> None:
            received.append(number)
            self.leave()

        ends = [number for number in _ENDS if signal.getsignal(number) != signal.SIG_IGN]
        before = {number: signal.signal(number, end) for number in ends}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        for number in received:
            signal.raise_signal(number)

    def leave(self) -> None:
        """End the server, and everything that browsers still wait for."""
        self.should_exit = True
        self._on_leave()


class Guard:
    """A filter of requests: it refuses requests without the token, and from other websites."""

    def __init__(self, app: ASGIApp, name: str, token: str, port: int) -> None:
        self._app = app
        self._name = name
        self._token = token.encode()
        self._hosts = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or refuse it with status 403."""
        if scope["type"] == "http" and (why := self._refusal(scope)):
            await PlainTextResponse(f"{self._name}: {why}\n", 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> str:
        """Return the reason to refuse a request; an empty text if it may pass."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        origins = headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return "the request is for another host"
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return "the request comes from another website"
        token = scope["path"].removeprefix("/").partition("/")[0].encode()
        if not secrets.compare_digest(token, self._token):
            return f"the token is missing; open the address that {self._name} printed"
        return ""
