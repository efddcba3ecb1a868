"""Estimates that look at nothing but a sum over the tiles, which a move changes in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import getitem

from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, State, swapped


@dataclass(frozen=True)
class TileSum:
    """The value of a sum: each tile, and the blank, adds what it weighs where it is.

    Many small numbers in one: the weights may be shifted against each other, so that the sum holds
    several counters or table indices side by side.

    Attributes
    ----------
    weights
        By cell and tile.
    value
        From the sum to the estimate.
    """

    problem: SlidingTiles
    weights: Sequence[list[int]]
    value: Callable[[int], float]

    def __call__(self, state: State) -> float:
        """The estimate for a state."""
        return self.value(self.note(state))

    def note(self, state: State) -> int:
        """The sum."""
        return sum(map(getitem, self.weights, state))

    def successors(self, state: State, note: int) -> list[tuple[State, int]]:
        """The states that follow, with their sums."""
        blank = state.index(BLANK)
        return [
            (swapped(state, source, blank), note + change[state[source]])
            for source, change in self._changes[blank]
        ]

    @cached_property
    def _changes(self) -> list[list[tuple[int, list[int]]]]:
        """For each place of the blank: whence a tile may come, and what that adds, by tile."""
        weights, tiles = self.weights, range(len(self.weights))
        return [
            [
                (
                    source,
                    [
                        weights[blank][tile]
                        - weights[source][tile]
                        + weights[source][BLANK]
                        - weights[blank][BLANK]
                        for tile in tiles
                    ],
                )
                for _, source in sources
            ]
            for blank, sources in enumerate(self.problem.sources)
        ]
