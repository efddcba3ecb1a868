"""The process that carries out runs, one at a time; a new order ends the current run.

It starts before the server has threads and connections. So each of its workers is a plain fork that
inherits no lock and begins at once.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection, Pipe
from typing import NamedTuple

from asplan.core.budget import Abandoned, Budget
from asplan.core.child import Child, hold_signals, start_child
from asplan.core.errors import AsplanError, bug_of
from asplan.engines import find_engine
from asplan.studio.runs import report_error, run
from asplan.studio.settings import StudioSettings

_PATIENCE = 0.3  # seconds that the process gets to end by itself

Order = tuple[int, StudioSettings | None]
"""The number of a run and its settings; None in place of settings only ends the current run."""

News = tuple[int, str, object]
"""The number of a run, the name of a section, and the section's new content."""


class Workshop(NamedTuple):
    """The server's ends of two pipes: one to send an `Order`, the other to receive `News`."""

    orders: Connection
    news: Connection


@contextmanager
def open_workshop() -> Iterator[Workshop]:
    """Start the process that carries out runs; at the end of the block, end it and its run."""
    find_engine("asp").load()
    theirs, ours = Pipe(duplex=False)
    with hold_signals():  # a Ctrl-C would end the process before it handles signals itself
        child, news = start_child(partial(_work, theirs, ours))
    theirs.close()
    try:
        yield Workshop(ours, news)
    finally:
        ours.close()
        _end(child)
        news.close()


def _end(child: Child) -> None:
    deadline = time.monotonic() + _PATIENCE
    while child.status() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    child.kill()


def _work(orders: Connection, other_end: Connection, news: Connection) -> int:
    """Carry out orders until the server closes the pipe: the main function of the process.

    `other_end` is this process's copy of the server's end of the pipe `orders`. It is closed,
    because otherwise the pipe would stay open for ever.
    """
    other_end.close()  # otherwise the pipe stays open for ever
    try:
        while True:
            number, settings = orders.recv()
            if settings is not None:
                _carry_out(number, settings, orders, news)
    except (EOFError, BrokenPipeError):
        return 0


def _carry_out(
    number: int,
    settings: StudioSettings,
    orders: Connection,
    news: Connection,
) -> None:
    """Carry out a run and publish its errors; a cancelled run ends without a message.

    `number` identifies the run in all its news.
    """

    def publish(section: str, content: object) -> None:
        news.send((number, section, content))

    try:
        run(settings, publish, Budget(is_abandoned=orders.poll))
    except Abandoned:
        return
    except AsplanError as error:
        report_error(error, publish)
    except BrokenPipeError:
        raise
    except Exception as error:
        report_error(bug_of(error), publish)
    publish("doing", "")
