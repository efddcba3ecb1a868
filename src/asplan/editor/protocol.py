"""The language server protocol with an answer to each request, even with wrong parameters."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, but requests with wrong parameters get an error as answer."""

    def structure_message(self, data: dict[str, Any]) -> Any:  # noqa: ANN401  # as its base has it
        """Return the message of the protocol that `data` describes.

        If `data` is a malformed request, send an error as the answer, and raise the exception of
        pygls.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            number = data.get("id")
            if "method" in data and isinstance(number, int | str):
                self._send_response(number, error=error.to_response_error())
            raise

    def _send_response(
        self,
        msg_id: str | int,
        result: Any | None = None,  # noqa: ANN401  # as its base has it
        error: types.ResponseError | None = None,
    ) -> None:
        """Send an answer; an error goes without the traceback that pygls adds."""
        if error is not None:
            error.data = None
        super()._send_response(msg_id, result, error)
