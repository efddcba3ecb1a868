"""A process that runs one thing after the other, and drops what it does when a new order comes.

It is started before the server has threads and connections. So each run is a plain fork of a
process that has neither: it inherits no lock and no open connection, and begins at once, as all is
imported already. A run is given up by ending its worker, which works in whatever clingo is doing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection, Pipe
from typing import Any, NamedTuple

from asplan.core.errors import AsplanError, bug_of
from asplan.core.process import signals_held, start_child
from asplan.engines import find_engine
from asplan.studio.runs import Gone, report_error, run
from asplan.studio.settings import StudioSettings

_PATIENCE = 0.3  # seconds that the process gets to end by itself

Order = tuple[int, StudioSettings | None]
"""The number of a run, and what it is to do; without settings nothing any more."""

News = tuple[int, str, Any]
"""What the run of a number tells: a section of the page, and what is in it from now on."""


class Workshop(NamedTuple):
    """Our ends of the pipes: an `Order` goes out, `News` come in."""

    orders: Connection
    news: Connection


@contextmanager
def open_workshop() -> Iterator[Workshop]:
    """Start the process, and end it with whatever it is doing."""
    find_engine("asp").load()
    theirs, ours = Pipe(duplex=False)
    with signals_held():  # until it has its own ways with them, a Ctrl-C would end it
        child, news = start_child(partial(_attend, theirs, ours))
    theirs.close()
    try:
        yield Workshop(ours, news)
    finally:
        ours.close()
        deadline = time.monotonic() + _PATIENCE
        while child.status() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        child.kill()
        news.close()


def _attend(orders: Connection, other_end: Connection, news: Connection) -> int:
    """Carry out orders until nobody can give any; what the process does."""
    other_end.close()  # else the pipe would stay open for ever
    try:
        while True:
            number, settings = orders.recv()
            if settings is not None:
                _carry_out(number, settings, orders, news)
    except (EOFError, BrokenPipeError):
        return 0


def _carry_out(number: int, settings: StudioSettings, orders: Connection, news: Connection) -> None:
    def tell(section: str, value: Any) -> None:
        news.send((number, section, value))

    def go_on() -> None:
        if orders.poll():
            raise Gone

    try:
        run(settings, tell, go_on)
    except Gone:
        return
    except AsplanError as error:
        report_error(error, tell)
    except BrokenPipeError:
        raise
    except Exception as error:
        report_error(bug_of(error), tell)
    tell("doing", "")
