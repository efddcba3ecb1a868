"""State-space search over the domain protocol: each textbook algorithm is one function.

`search` holds what they share, the counts and the result, and the algorithms without a guide. An
algorithm is a function from a `Search` to a `Result`. It is found by its name in `search` or
`astar`, and has a row in `SEARCHES`, a name at the same place in the last tuple, and an entry
point.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from asplan.core.errors import UsageError
from asplan.core.limits import Limits
from asplan.core.registry import Later
from asplan.engines.run import Engine, EngineOptions, Run, optimal_option, option
from asplan.result import Result


@dataclass(frozen=True)
class Counting(EngineOptions):
    optimal: str | None = optimal_option()

    @property
    def encodings(self) -> tuple[str, ...]:
        """What is to be least, for front ends that have a say in it."""
        return (f"least_{self.optimal}",) if self.optimal else ()

    def check(self, limits: Limits) -> None:
        if self.optimal in ("cost", "metric"):
            what = "this engine counts actions and does not look at what they cost"
            raise UsageError(what, hint=f"--optimal {self.optimal} is proven by --engine astar")


@dataclass(frozen=True)
class Guided(Counting):
    heuristic: str | None = option("Guide the search; see asplan list heuristics.", metavar="NAME")


@dataclass(frozen=True)
class BestFirst(Guided):
    tie_breaking: str | None = option(
        "Break ties of A* by larger-g (the default), none or smaller-g-then-h.", metavar="NAME"
    )

    def check(self, limits: Limits) -> None:
        if self.optimal in ("cost", "metric") and limits.max_horizon is not None:
            raise UsageError(
                f"--optimal {self.optimal} is about plans of any length, so it has no --max-horizon"
            )


SEARCHES: dict[str, tuple[type[EngineOptions], str]] = {
    "bfs": (Counting, "breadth first over the graph of states"),
    "bfs-tree": (Counting, "breadth first without memory of states"),
    "dfs": (EngineOptions, "depth first, with memory of states"),
    "bidirectional": (Counting, "breadth first from both ends, where moves can be undone"),
    "astar": (BestFirst, "A*, guided by a heuristic"),
    "idastar": (Guided, "iterative deepening A*, in little memory"),
}
"""For each engine its options, and a line for people. All but `dfs` can race in a portfolio."""


def _solve() -> Callable[[str, Run[Any]], Result]:
    from asplan.engines.search import astar, search

    algorithms = {**vars(search), **vars(astar)}
    return lambda name, run: search.search(algorithms[name.replace("-", "_")], run)


solve_by: Callable[[str, Run[Any]], Result] = Later(_solve)  # solves with the algorithm of a name

BFS, BFS_TREE, DFS, BIDIRECTIONAL, ASTAR, IDASTAR = (
    Engine(partial(solve_by, name), options, True, about, searches=True)
    for name, (options, about) in SEARCHES.items()
)
