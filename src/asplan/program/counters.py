"""A few of clingo's counters, without the many others.

`Control.statistics` turns a tree of a hundred numbers into Python objects, which takes longer
than most solve calls of an incremental search. This reads single leaves, with the functions of
clingo's C interface that `Control.statistics` is made of.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clingo import Control, _internal

_c_call: Any = vars(_internal)["_c_call"]
_lib: Any = vars(_internal)["_lib"]


def read_counters(control: Control, branch: tuple[str, ...], names: Iterable[str]) -> list[int]:
    """The counters with these names under a branch, `("problem", "lp")` say, of the last call."""
    statistics = _c_call("clingo_statistics_t*", _lib.clingo_control_statistics, control._rep)

    def below(key: Any, name: str) -> Any:
        at = _lib.clingo_statistics_map_at
        return _c_call("uint64_t", at, statistics, key, name.encode())

    key = _c_call("uint64_t", _lib.clingo_statistics_root, statistics)
    for name in branch:
        key = below(key, name)
    value = _lib.clingo_statistics_value_get
    return [int(_c_call("double", value, statistics, below(key, name))) for name in names]
