"""Functions on flat lists that go on compiled, where numba is installed.

They only index, add and compare, so they run on lists as they are, and compiled on arrays. What
numba compiles it keeps. That takes far longer than to load it, so a process beside does it.
"""

import hashlib
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any

from asplan.core.process import Done, Worker


@cache
def has_compiler() -> bool:
    """Whether numba is installed."""
    return find_spec("numba") is not None


def compiled(functions: Iterable[Callable[..., Any]]) -> Mapping[str, Any]:
    """Functions by name, each compiled when it is first called; those that call others come later.

    All that they call have to be among them. Each is kept as soon as it is compiled, so that a run
    that is stopped leaves less to the next. Raises whatever numba does, where they cannot be kept.
    """
    from numba import njit

    found: dict[str, Any] = {}
    for function in functions:
        assert isinstance(function, FunctionType)
        within = {**function.__globals__, **found}
        copied = FunctionType(function.__code__, within, function.__name__, function.__defaults__)
        copied.__module__, copied.__qualname__ = function.__module__, function.__qualname__
        found[function.__name__] = njit(cache=True)(copied)
    return found


WAIT = 0.5  # seconds until it makes sense to ask again whether all is compiled
_beside: dict[Path, Worker[Done]] = {}  # what compiles, by the file that says that it is done


def load(
    functions: Callable[[], Mapping[str, Any]], use: Callable[[], Any], waits: bool
) -> tuple[Any, bool]:
    """What the first `use` of compiled functions returns, or None and whether to ask later."""
    if not has_compiler():
        return None, False
    try:
        if not waits and not _is_ready(functions(), use):
            return None, True
        return _use(functions(), use), False
    except Exception:  # of its many kinds; whatever it is, the plain functions do the same
        return None, False


def _use(functions: Mapping[str, Any], use: Callable[[], Any]) -> Any:
    """Use compiled functions; where what is kept of another version cannot be read, without it."""
    try:
        return use()
    except MemoryError:
        raise
    except Exception:  # of its many kinds
        kept = [
            index
            for name, function in functions.items()
            for index in Path(function.stats.cache_path).glob(f"*.{name}-*.nbi")
        ]
        if not kept:
            raise
        for index in kept:
            index.unlink(missing_ok=True)
        return use()


def _is_ready(functions: Mapping[str, Any], compile_all: Callable[[], object]) -> bool:
    """Whether compiled functions are kept as the code is now; else a process begins that."""
    import numba

    files = {Path(function.py_func.__code__.co_filename) for function in functions.values()}
    state = [(str(file), file.stat().st_mtime_ns) for file in sorted(files)]
    versions = numba.__version__, sys.version, *functions
    digest = hashlib.sha256(repr((state, versions)).encode()).hexdigest()[:16]
    mark = Path(next(iter(functions.values())).stats.cache_path, f"{digest}.compiled")
    if mark.exists():
        return True
    if mark not in _beside:

        def work(report: Callable[[Done], None]) -> Done:
            _use(functions, compile_all)
            mark.touch()
            return Done()

        _beside[mark] = Worker(Done())
        _beside[mark].start(work)
    worker = _beside[mark]
    if not worker.ended and worker.receiver.poll():
        worker.receive()
        if worker.ended:
            worker.stop()  # or it stays in the system's table of processes
    return False


def as_arrays(fields: Any, kinds: Mapping[str, Collection[str]], usual: str) -> Any:
    """A named tuple with arrays for lists, of the usual kind or as `kinds` names fields."""
    import numpy as np

    found = {}
    for name, value in fields._asdict().items():
        kind = next((kind for kind, names in kinds.items() if name in names), usual)
        if isinstance(value, list):
            found[name] = np.array(value, kind)
        elif hasattr(value, "_asdict"):
            found[name] = as_arrays(value, kinds, usual)
    return fields._replace(**found)


def resized(array: Any, size: int, value: int = 0) -> Any:
    """A list or an array with so much space."""
    if isinstance(array, list):
        return array + [value] * (size - len(array))
    import numpy as np

    found = np.full(size, value, array.dtype) if value else np.zeros(size, array.dtype)
    found[: len(array)] = array
    return found
