"""The effort of clingo in a run: seconds and counters, and conflicts as its unit.

Decisions count effort in conflicts, so that no clock decides and the same input has the same plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from asplan.result import Seconds, Statistics, StepStatistics

A_CALL = 20  # conflicts that a solve call is worth by itself
REGROUNDED = 25  # rules that are grounded in the time of a conflict


def conflicts_worth(rules: int) -> int:
    """Return the number of conflicts that take as much time as grounding `rules` rules."""
    return -(-rules // REGROUNDED)


@dataclass
class Effort:
    """The effort of clingo in a run so far; a run that starts again adds to it."""

    ground_seconds: float = 0.0
    solve_seconds: float = 0.0
    before: float = 0.0  # ground_seconds at the end of the last solve call
    restarts: int = 0
    size: Sequence[int | None] = (None, None)  # atoms and rules
    steps: list[StepStatistics] = field(default_factory=list)
    configuration: str | None = None
    expanded: int | None = None

    @property
    def conflicts(self) -> int:
        """The conflicts of all calls."""
        return sum(step.conflicts for step in self.steps)

    @property
    def worth(self) -> int:
        """The conflicts of all solve calls, plus `A_CALL` for each call."""
        return self.conflicts + A_CALL * len(self.steps)

    @property
    def last_conflicts(self) -> int:
        """The conflicts of the last call."""
        return self.steps[-1].conflicts if self.steps else 0

    def totals(self) -> tuple[Seconds, Statistics]:
        """Return the seconds and the counters of all calls together."""
        atoms, rules = self.size
        statistics = Statistics(
            calls=len(self.steps),
            choices=sum(step.choices for step in self.steps),
            conflicts=self.conflicts,
            restarts=self.restarts,
            atoms=atoms,
            rules=rules,
            configuration=self.configuration,
            expanded=self.expanded,
            steps=tuple(self.steps),
        )
        return Seconds(ground=self.ground_seconds, solve=self.solve_seconds), statistics

    def count(
        self,
        horizon: int,
        seconds: float,
        counters: Sequence[int],
        size: Sequence[int],
    ) -> None:
        """Add a solve call with its `counters`: choices, conflicts and restarts."""
        choices, conflicts, restarts = counters
        ground = round(self.ground_seconds - self.before, 6)
        solve = round(seconds, 6)
        self.steps.append(StepStatistics(horizon, ground, solve, conflicts, choices))
        self.solve_seconds += seconds
        self.restarts += restarts
        self.before = self.ground_seconds
        self.size = size
