"""State-space search over the domain protocol, one textbook algorithm a module.

`search` holds what they share: the counts and the result. An algorithm is a function from
a `Search` to a `Result`; `engines` gives each its name and its options.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from asplan.engines.run import Engine
from asplan.engines.search.options import SEARCHES
from asplan.registry import Later
from asplan.result import Result


def _solve() -> Callable[..., Result]:
    from asplan.engines.search.engine import solve

    return solve


def _engine(name: str) -> Engine:
    options, about = SEARCHES[name]
    return Engine(partial(Later(_solve), name), options, True, about, searches=True)


BFS, BFS_TREE, DFS = _engine("bfs"), _engine("bfs-tree"), _engine("dfs")
BIDIRECTIONAL, ASTAR, IDASTAR = _engine("bidirectional"), _engine("astar"), _engine("idastar")
