"""Ctrl-C while clingo works in this process.

Python raises a KeyboardInterrupt in whatever the main thread runs. Where that is a function that
clingo has called (its logger, what takes models), clingo ends the whole process; where it is a
finalizer, Python drops the exception. So no interrupt is raised in either: it is held back in
blocks that call clingo, and elsewhere it comes again a moment later.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_AGAIN = 0.01  # seconds after which an interrupt comes again that cannot be raised where it is
_CALLBACK = "_pyclingo_"  # so begin the names of the functions through which clingo calls Python
_blocks = 0  # how many blocks of the main thread hold interrupts back
_is_held = False  # whether an interrupt waits for the end of these blocks


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold interrupts back in this block, which calls clingo; raise them at its end."""
    global _blocks
    with interrupts_heeded():
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        _blocks += 1
        try:
            yield
        finally:
            _blocks -= 1
            if _is_held and not _blocks:
                signal.raise_signal(signal.SIGINT)


def is_interrupted() -> bool:
    """Whether an interrupt waits for the end of a block that holds it back."""
    return _is_held and threading.current_thread() is threading.main_thread()


@contextmanager
def interrupts_heeded() -> Iterator[None]:
    """Lose no interrupt in this block; whoever calls asplan may have a handler of his own."""
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not callable(before) or getattr(before, "is_ours", False):
        yield
        return

    def hear(number: int, frame: FrameType | None) -> None:
        global _is_held
        _is_held = _blocks > 0
        if _is_held:
            return
        if _is_fragile(frame):
            threading.Timer(_AGAIN, signal.raise_signal, [number]).start()
        else:
            before(number, frame)

    hear.is_ours = True  # type: ignore[attr-defined]
    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


heeds_interrupts = interrupts_heeded()  # decorates a function that calls clingo now and then


def _is_fragile(frame: FrameType | None) -> bool:
    """Whether a finalizer is running, or a function that clingo has called."""
    while frame is not None:
        name = frame.f_code.co_name
        if name == "__del__" or name.startswith(_CALLBACK):
            return True
        frame = frame.f_back
    return False
