"""Who may ask the server for anything: this machine's user, who knows the token.

A page from elsewhere that is open in the same browser can send requests to this machine, too. It
does not know the token; and it gives itself away by the `Origin` of its requests, or, where it has
made its own name point here, by their `Host`.
"""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(24)


class Guard:
    """Lets requests through to an application that come from here and begin with the token."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "http" and (why := self._refused(scope)):
            await PlainTextResponse(f"asplan studio: {why}\n", 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refused(self, scope: Scope) -> str:
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
