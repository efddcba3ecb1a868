"""Limits and interrupts of a run, and locks that must be free when a process is forked."""

import gc
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from math import inf
from types import FrameType

from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.text import LARGEST

MOST_STEPS = 1_000_000  # the most steps that are grounded before the first search for a plan


def check_steps(horizon: int) -> None:
    """Raise `UsageError` for a horizon below 0, or too large to ground at once."""
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
    """The limits of a run: seconds of wall-clock time, megabytes of its worker, and horizons.

    `named` names the time limit in messages if the user did not set it as a number of seconds.
    """

    seconds: float | None = None
    megabytes: int | None = None
    min_horizon: int = 0
    max_horizon: int | None = None
    named: str = ""

    def deadline(self, start: float) -> float:
        """Return the `time.monotonic()` at which a run from `start` reaches its limit, or inf."""
        return inf if self.seconds is None else start + self.seconds

    def time_reason(self, activity: str = "") -> str:
        """Return the reason why a run ended at its time limit, with the activity that it ended."""
        if self.seconds is None:
            return with_activity("a limit among the options for clingo was reached", activity)
        return with_activity(f"{self.time_name} reached", activity)

    @property
    def time_name(self) -> str:
        """The time limit in words, for reasons and hints."""
        return self.named or f"time limit of {self.seconds:g} s"

    def check(self) -> None:
        """Raise `UsageError` if a limit is out of range, or if two contradict each other."""
        if self.seconds is not None and not 0 <= self.seconds < float("inf"):
            raise UsageError(
                f"the time limit is {self.seconds:g} s: pass a finite number, 0 or more"
            )
        if self.megabytes is not None and self.megabytes < 1:
            raise UsageError(f"the memory limit is {self.megabytes} MB: pass a number, 1 or more")
        self._check_horizons()

    def _check_horizons(self) -> None:
        for name, horizon in (("min", self.min_horizon), ("max", self.max_horizon)):
            if horizon is not None and not 0 <= horizon <= LARGEST:
                beyond = "below 0" if horizon < 0 else f"above {LARGEST}"
                raise UsageError(f"--{name}-horizon {horizon} is {beyond}")
        if self.min_horizon > MOST_STEPS:
            raise UsageError(f"--min-horizon {self.min_horizon} is above {MOST_STEPS}")
        if self.max_horizon is not None and self.max_horizon < self.min_horizon:
            why = f"--max-horizon {self.max_horizon} is below --min-horizon {self.min_horizon}"
            raise UsageError(why)


def has_memory_limit() -> bool:
    """Return True if the system limits this process's memory (`ulimit -v`).

    Then a failed import or a sudden end of a process is most likely due to a lack of memory.
    """
    try:
        import resource
    except ImportError as error:  # Windows has none; elsewhere memory is lacking
        return not isinstance(error, ModuleNotFoundError)
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def with_activity(reason: str, activity: str) -> str:
    """Return a reason for the end of an activity: `REASON while ACTIVITY`."""
    return f"{reason} while {activity}" if activity else reason


class EndSignal(BaseException):
    """The exception for a signal that ends a command, such as SIGTERM, with its exit status."""

    # Code in C may rebuild an exception from its class alone.
    def __init__(self, number: int = signal.SIGTERM) -> None:
        super().__init__(number)
        self.status = 128 + number


def is_signal(error: BaseException) -> bool:
    """Return True if an exception, or one of its causes, was raised at a signal."""
    return signal_behind(error) is not None


def signal_behind(error: BaseException | None) -> KeyboardInterrupt | EndSignal | None:
    """Return the first exception that a signal raised, among an error and its chain of causes.

    Return None if a signal raised none of them. The causes count because Python and packages may
    replace an exception by another one.
    """
    seen = set[int]()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt | EndSignal):
            return error
        seen.add(id(error))
        hidden = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or hidden
    return None


# If a signal raises an exception in a function that clingo calls (its logger, or a callback for
# models), the whole process ends. In a finalizer, Python drops the exception. So it is raised in
# neither: blocks that call clingo delay signals, and elsewhere the signal is repeated soon after.
# If a process is forked, a lock that another thread holds stays locked for ever in the fork: the
# lock of an import, or a lock of clingo. So threads register before they take such locks, and a
# fork waits until no other thread is registered.

_AGAIN = 0.01  # seconds after which a signal is repeated that cannot be raised now
_CALLBACK = "_pyclingo_"  # the prefix of the functions through which clingo calls Python
_RAISING = [s for n in ("SIGINT", "SIGTERM", "SIGHUP") if (s := getattr(signal, n, None))]
_blocks = 0  # number of blocks of the main thread that hold signals back
_held = dict[int, None]()  # the delayed signals, in order


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Delay signals to the end of this block, which calls clingo or imports modules."""
    global _blocks
    with keep_interrupts():
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
    """Return True if a signal has arrived in a block that delays signals."""
    return bool(_held) and threading.current_thread() is threading.main_thread()


@contextmanager
def keep_interrupts() -> Iterator[None]:
    """Lose no signal in this block, even if a caller of asplan has handlers of its own.

    It can also decorate a function that calls clingo.
    """
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in _RAISING}
    callers = {
        number: handler
        for number, handler in handlers.items()
        if callable(handler) and not isinstance(handler, _Handler)
    }
    if not callers:
        yield
        return
    own = _Handler(callers)
    for number in callers:
        signal.signal(number, own)
    try:
        yield
    finally:
        for number, handler in callers.items():
            signal.signal(number, handler)


class _Handler:
    """A handler of signals that delays them if necessary, then calls the previous handlers."""

    def __init__(self, handlers: Mapping[int, Callable[[int, FrameType | None], object]]) -> None:
        self._handlers = handlers

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if _blocks > 0:
            _held[number] = None
            return
        _held.clear()
        if _is_fragile(frame):
            threading.Timer(_AGAIN, signal.raise_signal, [number]).start()
        else:
            self._handlers[number](number, frame)


def _is_fragile(frame: FrameType | None) -> bool:
    """Return True if a frame is inside of a finalizer or of a function that clingo calls."""
    while frame is not None:
        name = frame.f_code.co_name
        if name == "__del__" or name.startswith(_CALLBACK):
            return True
        frame = frame.f_back
    return False


PATIENCE = 0.5  # seconds that a fork waits for other threads; longer ones ground or solve
_inside: Counter[int] = Counter()  # registrations of each thread that may hold locks
_changed = threading.Condition(threading.Lock())  # guards `_inside`


@contextmanager
def hold_locks() -> Iterator[None]:
    """Register this thread as a holder of locks in this block; can also decorate a function."""
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


@contextmanager
def wait_for_locks() -> Iterator[bool]:
    """Let no other thread take locks in this block; yield False if one keeps a lock too long."""
    thread = threading.get_ident()
    with _changed:
        yield _changed.wait_for(lambda: _inside.keys() <= {thread}, PATIENCE)


@contextmanager
def pause_collector() -> Iterator[None]:
    """Pause the garbage collector in this block, or it would visit its many objects repeatedly."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _forget() -> None:
    """After a fork, forget in the child all registered threads except its only one."""
    global _changed
    _changed = threading.Condition(threading.Lock())
    thread = threading.get_ident()
    for other in set(_inside) - {thread}:
        del _inside[other]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
