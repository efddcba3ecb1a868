"""When a process may be forked, although it has threads.

A fork has the memory of its parent and only one of its threads. A lock that another thread held at
that moment stays locked in it for ever: that of a module being imported, or one of clingo's, around
the making of controls and around its table of symbols. So whoever is about to be in there says so,
and a fork waits until all others are out.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.5  # seconds that a fork waits for others; whoever is in for long grounds or solves
_inside: Counter[int] = Counter()  # how often each thread has said that it may hold locks
_changed = threading.Condition(threading.Lock())  # guards `_inside`


@contextmanager
def holding_locks() -> Iterator[None]:
    """Say that this thread imports, or works with clingo."""
    thread = threading.get_ident()
    with _changed:
        _inside[thread] += 1
    try:
        yield
    finally:
        with _changed:
            _inside[thread] -= 1
            if not _inside[thread]:
                del _inside[thread]
                _changed.notify_all()


holds_locks = holding_locks()  # decorates a function that imports, or works with clingo


@contextmanager
def others_outside() -> Iterator[bool]:
    """Whether no other thread holds such locks before this block ends; waits a bit for it."""
    thread = threading.get_ident()
    with _changed:
        yield _changed.wait_for(lambda: _inside.keys() <= {thread}, PATIENCE)


def _forget() -> None:
    """In the child there is one thread, and it holds what it held."""
    global _changed
    _changed = threading.Condition(threading.Lock())
    thread = threading.get_ident()
    for other in set(_inside) - {thread}:
        del _inside[other]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
