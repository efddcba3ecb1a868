"""Compilation of functions by numba, if it is installed.

The functions only index, add and compare numbers. So the same code runs as Python on lists, and
compiled on numpy's arrays. numba stores machine code on disk. Compilation takes far longer than
loading the code, so it happens in a separate process.
"""

import hashlib
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias

from asplan.core.budget import Reporter
from asplan.core.process import Done, Worker

Compiled: TypeAlias = Any  # a dispatcher of numba, a package without types
Array: TypeAlias = Any  # a list, or an array of numpy, which is imported late
Fields: TypeAlias = Any  # a named tuple; typing has no base class for them


@cache
def has_compiler() -> bool:
    """Return True if numba is installed."""
    return find_spec("numba") is not None


def compile_functions(functions: Iterable[Callable[..., object]]) -> Mapping[str, Compiled]:
    """Return numba's dispatchers of functions, by name; a dispatcher compiles at its first call.

    A function may call others of `functions`, which must precede it. The machine code of each
    function is stored as soon as it is compiled, so an interrupted run leaves less work for the
    next. Raises numba's exceptions if the machine code cannot be stored.
    """
    from numba import njit

    dispatchers: dict[str, Compiled] = {}
    for function in functions:
        assert isinstance(function, FunctionType)
        names = {**function.__globals__, **dispatchers}
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
        copy.__module__ = function.__module__
        copy.__qualname__ = function.__qualname__
        dispatchers[function.__name__] = njit(cache=True)(copy)
    return dispatchers


WAIT = 0.5  # seconds until another call of `load` makes sense
_compilers: dict[Path, Worker[Done]] = {}  # compiling processes by the file that marks their end


def load(
    functions: Callable[[], Mapping[str, Compiled]], use: Callable[[], Array], waits: bool
) -> tuple[Array, bool]:
    """Call `use`, which needs compiled functions; return its result and whether to try again later.

    `functions` returns the functions that `use` calls. If some of them are not compiled yet,
    compile them now if `waits` is set; otherwise let a separate process compile them, and return
    `(None, True)`. If there is no compiler, or it fails, return `(None, False)`.
    """
    if not has_compiler():
        return None, False
    try:
        if not waits and not _compile_apart(functions(), use):
            return None, True
        return _use(functions(), use), False
    except Exception:  # numba raises many kinds; the plain functions do the same work
        return None, False


def _use(functions: Mapping[str, Compiled], use: Callable[[], Array]) -> Array:
    """Return the result of `use`; if stored code cannot be read, delete the code and try again."""
    try:
        return use()
    except MemoryError:
        raise
    except Exception:  # numba raises many kinds
        indexes = _index_files(functions)
        if not indexes:
            raise
        for index in indexes:
            index.unlink(missing_ok=True)
        return use()


def _index_files(functions: Mapping[str, Compiled]) -> list[Path]:
    """Return numba's index files, which list the stored machine code of some functions."""
    indexes: list[Path] = []
    for name, function in functions.items():
        indexes.extend(Path(function.stats.cache_path).glob(f"*.{name}-*.nbi"))
    return indexes


def _compile_apart(functions: Mapping[str, Compiled], compile_all: Callable[[], object]) -> bool:
    """Return True if the present versions of the functions are compiled.

    Else return False, after starting a process that compiles them. `compile_all` compiles all
    functions by calling them.
    """
    mark = _mark_file(functions)
    if mark.exists():
        return True
    if mark not in _compilers:

        def work(report: Reporter[Done]) -> Done:
            _use(functions, compile_all)
            mark.touch()
            return Done()

        _compilers[mark] = Worker(Done())
        _compilers[mark].start(work)
    worker = _compilers[mark]
    if not worker.ended and worker.receiver.poll():
        worker.receive()
        if worker.ended:
            worker.stop()  # else the ended process stays in the system's table of processes
    return False


def _mark_file(functions: Mapping[str, Compiled]) -> Path:
    """Return the path of a file that exists only if these versions of functions are compiled."""
    import numba

    files = {Path(function.py_func.__code__.co_filename) for function in functions.values()}
    state = [(str(file), file.stat().st_mtime_ns) for file in sorted(files)]
    versions = numba.__version__, sys.version, *functions
    digest = hashlib.sha256(repr((state, versions)).encode()).hexdigest()[:16]
    first = next(iter(functions.values()))
    return Path(first.stats.cache_path, f"{digest}.compiled")


def as_arrays(fields: Fields, kinds: Mapping[str, Collection[str]], usual: str) -> Fields:
    """Return a named tuple with its lists replaced by numpy's arrays, also in nested tuples.

    `usual` is the type of the elements. `kinds` maps each other type to the names of the fields
    whose elements have this type.
    """
    import numpy as np

    arrays = {}
    for name, value in fields._asdict().items():
        kind = next((kind for kind, names in kinds.items() if name in names), usual)
        if isinstance(value, list):
            arrays[name] = np.array(value, kind)
        elif hasattr(value, "_asdict"):
            arrays[name] = as_arrays(value, kinds, usual)
    return fields._replace(**arrays)


def resize(array: Array, size: int, value: int = 0) -> Array:
    """Return a list or an array lengthened to a size; the new elements are `value`."""
    if isinstance(array, list):
        return array + [value] * (size - len(array))
    import numpy as np

    resized = np.full(size, value, array.dtype) if value else np.zeros(size, array.dtype)
    resized[: len(array)] = array
    return resized
