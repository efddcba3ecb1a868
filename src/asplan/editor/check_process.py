"""The process that checks files for the server, one order at a time; a new order stops the check.

It starts before the server has threads, and imports all modules of a check. Each check runs in a
forked worker, which therefore inherits no lock and imports nothing. A worker stops at its limits.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection, Pipe
from typing import NamedTuple

from asplan.core.budget import Abandoned, Budget
from asplan.core.child import hold_signals, start_child
from asplan.core.errors import AsplanError
from asplan.core.limits import Limits
from asplan.core.process import run_apart
from asplan.editor.checking import Findings, Order, check_files, stopped_check, warm_up

News = tuple[int, Findings]
"""The number of an order, and its findings."""


class CheckProcess(NamedTuple):
    """The server's ends of two pipes: one to send numbered orders, the other to receive `News`."""

    orders: Connection
    news: Connection


@contextmanager
def open_check_process(limits: Limits) -> Iterator[CheckProcess]:
    """Start the process, with limits for each check; kill it at the end of the block."""
    theirs, ours = Pipe(duplex=False)
    with hold_signals():
        child, news = start_child(partial(_work, theirs, ours, limits))
    theirs.close()
    try:
        yield CheckProcess(ours, news)
    finally:
        ours.close()
        child.kill()
        news.close()


def _work(orders: Connection, other_end: Connection, limits: Limits, news: Connection) -> int:
    """Carry out orders until the server closes the pipe: the main function of the process.

    `other_end` is the server's end of the pipe, of which a fork inherits a copy.
    """
    other_end.close()  # otherwise the pipe stays open for ever
    warm_up()
    # A check makes many objects, keeps almost all of them, and ends soon.
    gc.freeze()
    gc.disable()
    with suppress(EOFError, BrokenPipeError):
        while True:
            number, order = orders.recv()
            _carry_out(number, order, limits, orders, news)
    return 0


def _carry_out(
    number: int, order: Order, limits: Limits, orders: Connection, news: Connection
) -> None:
    """Check files in a worker, and send the findings; send nothing if a new order comes first."""
    try:
        done = run_apart(limits, Budget(is_abandoned=orders.poll), check_files, order)
    except Abandoned:
        return
    except AsplanError as error:
        found = stopped_check(order, error.message)
    else:
        found = done.value or stopped_check(order, done.reason)
    news.send((number, found))
