"""The process that checks files for the server, one order at a time; a new order stops the check.

It starts before the server has threads, and imports all modules of a check. Each check runs in a
forked worker, which therefore inherits no lock and imports nothing. A worker stops at its limits.

Between two orders the process repeats a check that was fast. The next workers inherit the analysis
of all statements that the texts still have at the same places.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection, Pipe
from typing import NamedTuple

from asplan.core.budget import Abandoned, Budget
from asplan.core.child import hold_signals, start_child
from asplan.core.errors import AsplanError
from asplan.core.limits import Limits
from asplan.core.process import Done, run_apart
from asplan.editor.checking import Findings, Order, check_files, stopped_check, warm_up
from asplan.program.reading.kept import keep_statements

News = tuple[int, Findings]
"""The number of an order, and its findings."""


_FAST = 1.0  # seconds of processor time that a check may take to be repeated
_PAUSE = 0.1  # seconds without an order before a check is repeated

Shape = tuple[tuple[str, int], ...]
"""The files of an order, each with the number of lines of its unsaved text."""


class CheckProcess(NamedTuple):
    """The server's ends of two pipes: one to send numbered orders, the other to receive `News`."""

    orders: Connection
    news: Connection


@contextmanager
def open_check_process(limits: Limits) -> Iterator[CheckProcess]:
    """Start the process that checks files; kill it at the end of the block.

    Each check has the given limits.
    """
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

    `other_end` is this process's copy of the server's end of the pipe `orders`. It is closed,
    because otherwise the pipe would stay open for ever.
    """
    other_end.close()  # otherwise the pipe stays open for ever
    warm_up()
    keep_statements()
    # A check makes many objects, keeps almost all of them, and ends soon.
    gc.disable()
    gc.freeze()
    repeated: Shape = ()
    with suppress(EOFError, BrokenPipeError):
        while True:
            number, order = orders.recv()
            is_fast = _carry_out(number, order, limits, orders, news)
            if is_fast and _shape_of(order) != repeated and not orders.poll(_PAUSE):
                repeated = _shape_of(order)
                _repeat(order)
    return 0


def _carry_out(
    number: int, order: Order, limits: Limits, orders: Connection, news: Connection
) -> bool:
    """Check files in a worker, and send the findings; send nothing if a new order comes first.

    `number` identifies the order. Return True if the check was completed in less CPU time than
    `_FAST`.
    """
    before = os.times()
    try:
        done = run_apart(limits, Budget(is_abandoned=orders.poll), check_files, order)
    except Abandoned:
        return False
    except AsplanError as error:
        done = Done(stopped_check(order, error.message), error.message)
    news.send((number, done.value or stopped_check(order, done.reason)))
    return not done.reason and os.times().children_user < before.children_user + _FAST


def _shape_of(order: Order) -> Shape:
    return tuple((file, order.texts.get(file, "").count("\n")) for file in order.files)


def _repeat(order: Order) -> None:
    """Check files in this process too, so that later workers inherit the cached results.

    Also free the objects of earlier checks that are no longer needed.
    """
    check_files(order)
    gc.unfreeze()
    gc.collect()
    gc.freeze()
