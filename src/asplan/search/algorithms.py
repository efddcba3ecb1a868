"""The search algorithms by name, with the options that each understands."""

from __future__ import annotations

from asplan.search.astar import astar, idastar
from asplan.search.bidirectional import bidirectional
from asplan.search.blind import bfs, bfs_tree, dfs
from asplan.search.run import Algorithm

ALGORITHMS: dict[str, tuple[Algorithm, frozenset[str], str]] = {
    "bfs": (bfs, frozenset(), "breadth first over the graph of states"),
    "bfs-tree": (bfs_tree, frozenset(), "breadth first without memory of states"),
    "dfs": (dfs, frozenset(), "depth first, with memory of states"),
    "bidirectional": (
        bidirectional,
        frozenset(),
        "breadth first from both ends, where the goal states are few",
    ),
    "astar": (astar, frozenset({"heuristic", "tie_breaking"}), "A*, guided by a heuristic"),
    "idastar": (idastar, frozenset({"heuristic"}), "iterative deepening A*, in little memory"),
}
