"""The effort of clingo in a run: its seconds and counters, and its worth in conflicts.

Decisions compare conflicts, not seconds, so that the same input always gives the same plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from asplan.result import Seconds, Statistics, StepStatistics

A_CALL = 20  # conflicts that take as much time as a solve call without any
SHORT_TURN = 5000  # the fewest conflicts of a first turn of branch and bound or core-guided search
REGROUNDED = 25  # rules that clingo grounds in the time of one conflict


def conflicts_worth(rules: int) -> int:
    """Return the number of conflicts that take as much time as grounding `rules` rules."""
    return -(-rules // REGROUNDED)


@dataclass
class ClingoEffort:
    """The effort of clingo in a run so far, including the time before clingo was started again.

    Attributes
    ----------
    ground_seconds, solve_seconds
        The time of all ground calls, and of all solve calls.
    before
        The value of `ground_seconds` at the end of the last solve call.
    restarts
        The restarts of all solve calls.
    size
        The numbers of atoms and rules at the last solve call; None before the first.
    steps
        The counters of each solve call.
    configuration
        The configuration of clasp that asplan has changed to, with the reason; None for no change.
    expanded
        The number of states that a state search beside clingo has expanded; None without a search.
    """

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
        """The number of conflicts in all solve calls."""
        return sum(step.conflicts for step in self.steps)

    @property
    def worth(self) -> int:
        """The effort of all solve calls: their conflicts, plus a fixed number (`A_CALL`) a call."""
        return self.conflicts + A_CALL * len(self.steps)

    @property
    def last_conflicts(self) -> int:
        """The number of conflicts in the last solve call; 0 before the first."""
        return self.steps[-1].conflicts if self.steps else 0

    @property
    def first_turn(self) -> int:
        """The number of conflicts of the first turn of branch and bound.

        It is four times the conflicts so far, or more if the effort to ground a second solver,
        which the next turn needs, is worth more conflicts.
        """
        return max(SHORT_TURN, 4 * self.conflicts, conflicts_worth(self.size[1] or 0))

    def totals(self) -> tuple[Seconds, Statistics]:
        """Return the total seconds, and the total counters of all solve calls."""
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
        """Record a solve call at a horizon, which took `seconds`.

        `counters` has the call's numbers of choices, conflicts and restarts. `size` has the present
        numbers of atoms and rules.
        """
        choices, conflicts, restarts = counters
        ground = round(self.ground_seconds - self.before, 6)
        solve = round(seconds, 6)
        self.steps.append(StepStatistics(horizon, ground, solve, conflicts, choices))
        self.solve_seconds += seconds
        self.restarts += restarts
        self.before = self.ground_seconds
        self.size = size
