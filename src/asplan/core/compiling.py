"""Functions on flat lists that go on compiled, where numba is installed.

Such functions only index, add and compare, so they run on lists as they are, and compiled on arrays
of numpy. Compiled code is kept beside the modules, or else in a folder of the user's, or in that of
NUMBA_CACHE_DIR; the first time it takes some seconds, each later time about one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from types import FunctionType
from typing import Any


@cache
def has_compiler() -> bool:
    """Whether numba is installed."""
    return find_spec("numba") is not None


def compiled(functions: Iterable[Callable[..., Any]], **names: Any) -> Mapping[str, Any]:
    """Functions by name, each compiled when it is first called; those that call others come later.

    Functions that are called have to be among them. Other `names` are replaced as they are given.
    """
    from numba import njit

    found: dict[str, Any] = dict(names)
    for function in functions:
        assert isinstance(function, FunctionType)
        within = {**function.__globals__, **found}
        copied = FunctionType(function.__code__, within, function.__name__)
        copied.__module__, copied.__qualname__ = function.__module__, function.__qualname__
        try:
            found[function.__name__] = njit(cache=True)(copied)
        except RuntimeError:  # there is no folder to keep it in
            found[function.__name__] = njit(copied)
    return found
