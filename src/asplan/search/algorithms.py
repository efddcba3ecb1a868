"""The search algorithms by name, with the options that each understands."""

from __future__ import annotations

from asplan.options import EngineOptions
from asplan.search.astar import astar, idastar
from asplan.search.bidirectional import bidirectional
from asplan.search.blind import bfs, bfs_tree, dfs
from asplan.search.options import BestFirst, Counting, Guided
from asplan.search.search import Algorithm

ALGORITHMS: dict[str, tuple[Algorithm, type[EngineOptions], str]] = {
    "bfs": (bfs, Counting, "breadth first over the graph of states"),
    "bfs-tree": (bfs_tree, Counting, "breadth first without memory of states"),
    "dfs": (dfs, EngineOptions, "depth first, with memory of states"),
    "bidirectional": (
        bidirectional,
        Counting,
        "breadth first from both ends, where the goal states are few",
    ),
    "astar": (astar, BestFirst, "A*, guided by a heuristic"),
    "idastar": (idastar, Guided, "iterative deepening A*, in little memory"),
}
