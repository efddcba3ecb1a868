"""Functions on flat lists that go on compiled, where numba is installed.

Such functions only index, add and compare, so they run on lists as they are, and compiled on arrays
of numpy. What numba compiles it keeps: beside the module, or else in a folder of the user's, or in
that of NUMBA_CACHE_DIR.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from types import FunctionType
from typing import Any


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


def as_arrays(fields: Any, kinds: Mapping[str, Collection[str]], usual: str) -> Any:
    """A named tuple whose lists are arrays of numpy, as are those of the named tuples in it.

    `kinds` has names of fields for kinds of numbers, such as `int64`; the others are of the usual.
    """
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
