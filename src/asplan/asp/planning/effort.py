"""What clingo has cost so far: its seconds, and the counters of its calls."""

from __future__ import annotations

from dataclasses import dataclass, replace

from asplan.result import Seconds, Statistics, StepStatistics


@dataclass
class Effort:
    """The clock and the counters of a run; a run that starts again goes on with them."""

    ground_seconds: float = 0.0
    solve_seconds: float = 0.0
    statistics: Statistics = Statistics(calls=0, choices=0, conflicts=0, restarts=0)
    before: float = 0.0
    """The seconds of grounding before the last solve call."""

    def __call__(self) -> tuple[Seconds, Statistics]:
        """Both; the size of the program is that of the last call."""
        return Seconds(ground=self.ground_seconds, solve=self.solve_seconds), self.statistics

    def count(
        self, horizon: int, seconds: float, searched: tuple[int, int, int], size: tuple[int, int]
    ) -> None:
        """Count a solve call that has just ended.

        Parameters
        ----------
        searched
            Its choices, conflicts and restarts.
        size
            The atoms and the rules of the program by now.
        """
        choices, conflicts, restarts = searched
        atoms, rules = size
        self.solve_seconds += seconds
        record = StepStatistics(
            horizon=horizon,
            ground=round(self.ground_seconds - self.before, 6),
            solve=round(seconds, 6),
            conflicts=conflicts,
            choices=choices,
        )
        self.before = self.ground_seconds
        old = self.statistics
        self.statistics = replace(
            old,
            calls=(old.calls or 0) + 1,
            choices=(old.choices or 0) + choices,
            conflicts=(old.conflicts or 0) + conflicts,
            restarts=(old.restarts or 0) + restarts,
            atoms=atoms,
            rules=rules,
            steps=(*old.steps, record),
        )
