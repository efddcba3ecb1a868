"""What ends a run: limits and Ctrl-C; and when a process with threads may be forked."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from types import FrameType

from asplan.core.errors import UsageError
from asplan.core.text import LARGEST

MOST_STEPS = 1_000_000  # steps that are grounded at most before the first look for a plan


def check_steps(horizon: int) -> None:
    """Raise `UsageError` for a number of steps that cannot be grounded in one go."""
    if not 0 <= horizon <= MOST_STEPS:
        beyond = "below 0" if horizon < 0 else f"above {MOST_STEPS}"
        raise UsageError(f"the horizon is {horizon}, but it cannot be {beyond}")


class Stop(StrEnum):
    """The limits that can end a run before it has an answer."""

    TIME = "time"
    MEMORY = "memory"
    HORIZON = "horizon"
    INTERRUPT = "interrupt"


@dataclass(frozen=True)
class Limits:
    """What a run may use: wall-clock seconds for everything, megabytes of its worker, horizons.

    `named` is the time limit in the words of the user, where its seconds are none that he gave.
    """

    seconds: float | None = None
    megabytes: int | None = None
    min_horizon: int = 0
    max_horizon: int | None = None
    named: str = ""

    def time_reason(self, doing: str = "") -> str:
        """Why a run stopped that reached its deadline."""
        if self.seconds is None:
            return while_doing("a limit among the options for clingo was reached", doing)
        return while_doing(f"{self.time_name} reached", doing)

    @property
    def time_name(self) -> str:
        """The time limit as reasons name it."""
        return self.named or f"time limit of {self.seconds:g} s"

    def check(self) -> None:
        """Raise `UsageError` where the limits make no sense, or contradict each other."""
        if self.seconds is not None and not 0 <= self.seconds < float("inf"):
            raise UsageError(f"a time limit of {self.seconds:g} s: it is a number from 0")
        if self.megabytes is not None and self.megabytes < 1:
            raise UsageError(f"a memory limit of {self.megabytes} MB: it is a number from 1")
        for name, horizon in (("min", self.min_horizon), ("max", self.max_horizon)):
            if horizon is not None and not 0 <= horizon <= LARGEST:
                beyond = "below 0" if horizon < 0 else f"above {LARGEST}"
                raise UsageError(f"--{name}-horizon {horizon} is {beyond}")
        if self.min_horizon > MOST_STEPS:
            raise UsageError(f"--min-horizon {self.min_horizon} is above {MOST_STEPS}")
        if self.max_horizon is not None and self.max_horizon < self.min_horizon:
            why = f"--max-horizon {self.max_horizon} is below --min-horizon {self.min_horizon}"
            raise UsageError(why)


def is_starved() -> bool:
    """Whether memory is limited (`ulimit -v`), so that what fails to load or just ends lacks it."""
    try:
        import resource
    except ImportError as error:  # Windows has none; elsewhere even this did not load
        return not isinstance(error, ModuleNotFoundError)
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def while_doing(reason: str, doing: str) -> str:
    return f"{reason} while {doing}" if doing else reason


class EndSignal(BaseException):
    """A signal that ends a command, such as SIGTERM; `status` is its exit status."""

    # Code in C may rebuild an exception from its class alone.
    def __init__(self, number: int = signal.SIGTERM) -> None:
        super().__init__(number)
        self.status = 128 + number


def is_signal(error: BaseException) -> bool:
    """Return whether a signal raised an exception, or another one from which it came."""
    return signal_behind(error) is not None


def signal_behind(error: BaseException | None) -> KeyboardInterrupt | EndSignal | None:
    """Return the exception of a signal from which another one came; None if there is none.

    Python and packages replace exceptions, for one while a class is made.
    """
    seen = set[int]()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt | EndSignal):
            return error
        seen.add(id(error))
        hidden = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or hidden
    return None


# The exception of a signal ends the whole process in a function that clingo has called (its logger,
# what takes models); in a finalizer it is dropped. So none is raised in either: it is held back in
# blocks that call clingo, and elsewhere it comes again a moment later. In a fork, a lock that
# another thread held stays locked for ever: that of an import, or one of clingo's around controls
# and symbols. So whoever is about to be in there says so, and a fork waits until all are out.

_AGAIN = 0.01  # seconds after which a signal comes again that cannot be raised where it is
_CALLBACK = "_pyclingo_"  # so begin the names of the functions through which clingo calls Python
_RAISING = [s for n in ("SIGINT", "SIGTERM", "SIGHUP") if (s := getattr(signal, n, None))]
_blocks = 0  # how many blocks of the main thread hold signals back
_held = dict[int, None]()  # the signals that wait for the end of these blocks, in order


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold signals that would raise back in this block, which calls clingo or imports."""
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
            if _held and not _blocks:
                signal.raise_signal(next(iter(_held)))


def is_interrupted() -> bool:
    """Return whether a signal waits for the end of a block that holds it back."""
    return bool(_held) and threading.current_thread() is threading.main_thread()


@contextmanager
def interrupts_heeded() -> Iterator[None]:
    """Lose no signal that raises in this block; callers of asplan may have their own handlers."""
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in _RAISING}
    own = {n: h for n, h in handlers.items() if callable(h) and not getattr(h, "is_ours", False)}
    if not own:
        yield
        return

    def hear(number: int, frame: FrameType | None) -> None:
        if _blocks > 0:
            _held[number] = None
            return
        _held.clear()
        if _is_fragile(frame):
            threading.Timer(_AGAIN, signal.raise_signal, [number]).start()
        else:
            own[signal.Signals(number)](number, frame)

    hear.is_ours = True  # type: ignore[attr-defined]
    for number in own:
        signal.signal(number, hear)
    try:
        yield
    finally:
        for number, handler in own.items():
            signal.signal(number, handler)


heeds_interrupts = interrupts_heeded()  # decorates a function that calls clingo now and then


def _is_fragile(frame: FrameType | None) -> bool:
    """Whether a finalizer is running, or a function that clingo has called."""
    while frame is not None:
        name = frame.f_code.co_name
        if name == "__del__" or name.startswith(_CALLBACK):
            return True
        frame = frame.f_back
    return False


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
