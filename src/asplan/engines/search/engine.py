"""The search algorithms by name; `options` has what is said of each, which takes less to import."""

from __future__ import annotations

from typing import Any

from asplan.engines.run import Run
from asplan.engines.search.astar import astar, idastar
from asplan.engines.search.blind import bfs, bfs_tree, bidirectional, dfs
from asplan.engines.search.search import Algorithm, search
from asplan.result import Result

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
