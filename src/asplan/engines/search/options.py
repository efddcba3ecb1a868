"""The search engines: what each is called, what it does, and what it can be told."""

from __future__ import annotations

from dataclasses import dataclass

from asplan.engines.run import EngineOptions, optimal_option, option
from asplan.errors import UsageError
from asplan.limits import Limits


@dataclass(frozen=True)
class Counting(EngineOptions):
    """Of algorithms that count steps, each with one action."""

    optimal: str | None = optimal_option()

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` where the costs of actions are asked for."""
        if self.optimal == "cost":
            raise UsageError(
                "this engine counts actions and does not look at what they cost",
                hint="--optimal cost is proven by --engine astar",
            )


@dataclass(frozen=True)
class Guided(Counting):
    """Of algorithms that a heuristic guides."""

    heuristic: str | None = option("For search engines; see asplan list.", metavar="NAME")


@dataclass(frozen=True)
class BestFirst(Guided):
    """Of A*."""

    tie_breaking: str | None = option(
        "For A*, among equal f: larger-g (default), none or smaller-g-then-h.", metavar="NAME"
    )

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` where the least cost is asked for among short plans only."""
        if self.optimal == "cost" and limits.max_horizon is not None:
            raise UsageError(
                "--optimal cost is about plans of any length, so it has no --max-horizon"
            )


SEARCHES: dict[str, tuple[type[EngineOptions], str]] = {
    "bfs": (Counting, "breadth first over the graph of states"),
    "bfs-tree": (Counting, "breadth first without memory of states"),
    "dfs": (EngineOptions, "depth first, with memory of states"),
    "bidirectional": (Counting, "breadth first from both ends, where moves can be undone"),
    "astar": (BestFirst, "A*, guided by a heuristic"),
    "idastar": (Guided, "iterative deepening A*, in little memory"),
}
"""For each engine its options, and a line for people."""
