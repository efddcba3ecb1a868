"""What is being done and proven, for the stream that a caller of unified-planning gives."""

from __future__ import annotations

from typing import IO

from asplan.result import Result
from asplan.run import Report, unheard

Streams = IO[str] | tuple[IO[str], IO[str]] | None
"""One stream, or one for output and one for errors."""


def teller(streams: Streams) -> Report:
    """A report that writes a line whenever there is something new."""
    if streams is None:
        return unheard
    stream = streams[0] if isinstance(streams, tuple) else streams
    said = ""

    def tell(result: Result) -> None:
        nonlocal said
        bound = result.lower_cost or result.lower_bound
        line = f"asplan: {result.reason}" + (f" (lower bound {bound})" if bound else "")
        if result.reason and line != said:
            stream.write(line + "\n")
            said = line

    return tell
