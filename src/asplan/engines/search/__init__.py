"""State-space searches: each textbook algorithm is one function from a `Search` to a `Result`.

`blind` has the algorithms without a heuristic, and `astar` the algorithms with one. `search` has
the counts and results that all of them share. A new algorithm needs a row in `SEARCHES`, a function
in `_load_algorithms`, a name in the last tuple of this module, and an entry point.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from asplan.core.choices import Objective
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.limits import Limits
from asplan.core.registry import Later
from asplan.engines import Engine
from asplan.engines.options import Aim, EngineOptions, optimal_option, option

if TYPE_CHECKING:
    from asplan.engines.run import Run
    from asplan.result import Result


@dataclass(frozen=True)
class Counting(EngineOptions):
    """The options of searches that minimize the number of steps of a plan, not its cost."""

    optimal: Objective | None = optimal_option()

    @property
    def aim(self) -> Aim:
        """The kind and number of plans that the options ask for."""
        return Aim(self.optimal)

    @property
    def encodings(self) -> tuple[str, ...]:
        """The name of the encoding for the user's objective; empty without an objective.

        A PDDL task is translated for this encoding.
        """
        return (f"least_{self.optimal}",) if self.optimal else ()

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if the objective is not the number of actions."""
        if self.optimal in (Objective.COST, Objective.METRIC):
            message = "this engine counts actions and ignores their costs"
            raise UsageError(message, hint=f"--engine astar proves --optimal {self.optimal}")


@dataclass(frozen=True)
class Guided(Counting):
    """The options of searches with a heuristic."""

    heuristic: str | None = option(
        "Guide the search; see asplan list heuristics. FILE.py:FUNCTION is one of your own.",
        metavar="NAME",
    )


@dataclass(frozen=True)
class BestFirst(Guided):
    """The options of A*."""

    tie_breaking: str | None = option(
        "Break ties of A* by larger-g (the default), none or smaller-g-then-h.",
        metavar="NAME",
    )

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if the objective is a cost and the limits have a maximal horizon."""
        if self.optimal in (Objective.COST, Objective.METRIC) and limits.max_horizon is not None:
            message = f"--optimal {self.optimal} is about plans of any length"
            raise UsageError(f"{message}, so it has no --max-horizon")


SEARCHES: dict[str, tuple[type[EngineOptions], str]] = {
    "bfs": (Counting, "breadth first over the graph of states"),
    "bfs-tree": (Counting, "breadth first without memory of states"),
    "dfs": (EngineOptions, "depth first, with memory of states"),
    "bidirectional": (Counting, "breadth first from both ends, where moves can be undone"),
    "astar": (BestFirst, "A*, guided by a heuristic"),
    "idastar": (Guided, "iterative deepening A*, in little memory"),
}
"""The class of options and a description of each search engine.

All but `dfs` can race in a portfolio.
"""


def _load_algorithms() -> Callable[[str, Run[Any]], Result]:  # Any: the options of any engine
    from asplan.engines.search import astar, blind
    from asplan.engines.search.search import Algorithm, run_search

    algorithms: dict[str, Algorithm] = {
        "bfs": blind.bfs,
        "bfs-tree": blind.bfs_tree,
        "dfs": blind.dfs,
        "bidirectional": blind.bidirectional,
        "astar": astar.astar,
        "idastar": astar.idastar,
    }
    return lambda name, run: run_search(algorithms[name], run)


solve_by: Callable[[str, Run[Any]], Result] = Later(_load_algorithms)
"""A function from the name of a search engine and a run to the result."""

BFS, BFS_TREE, DFS, BIDIRECTIONAL, ASTAR, IDASTAR = (
    Engine(partial(solve_by, name), options, True, about, searches=True)
    for name, (options, about) in SEARCHES.items()
)
