"""The search algorithms by name; `options` has what is said of each, which takes less to import."""

from __future__ import annotations

from typing import Any

from asplan.result import Result
from asplan.run import Run
from asplan.search.astar import astar, idastar
from asplan.search.bidirectional import bidirectional
from asplan.search.blind import bfs, bfs_tree, dfs
from asplan.search.search import Algorithm, search

ALGORITHMS: dict[str, Algorithm] = {
    "bfs": bfs,
    "bfs-tree": bfs_tree,
    "dfs": dfs,
    "bidirectional": bidirectional,
    "astar": astar,
    "idastar": idastar,
}


def solve(name: str, run: Run[Any]) -> Result:
    """Solve with the algorithm of a name."""
    return search(ALGORITHMS[name], run)
