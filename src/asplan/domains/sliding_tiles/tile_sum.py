"""Estimates of sliding tiles that are functions of a sum of weights, one for each tile and its
cell.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import getitem

from asplan.core.dataclass import dataclass
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, State, swap


@dataclass(frozen=True)
class TileSum:
    """An estimate that is a function of a sum of weights, one for each tile and one for the blank.

    The weight of a tile depends on its cell. The sum is the note of `Followed`: a move changes only
    the weights of one tile and of the blank, so depth-first search updates the sum along a path.
    Weights may be shifted, so that one sum holds several counters or table indices, each in its own
    bits.
    """

    problem: SlidingTiles
    weights: Sequence[list[int]]
    """`weights[cell][tile]` is the weight of a tile, or of the blank (0), in a cell."""
    value: Callable[[int], float]
    """Returns the estimate that belongs to a sum of weights."""

    def __call__(self, state: State) -> float:
        """Return the estimate of a state."""
        return self.value(self.note(state))

    def note(self, state: State) -> int:
        """Return the sum of the weights of a state."""
        return sum(map(getitem, self.weights, state))

    def successors(
        self,
        state: State,
        note: int,
    ) -> list[tuple[State, int]]:
        """Return the successors of a state, each with its sum of weights; `note` is the sum of the
        state.
        """
        blank = state.index(BLANK)
        return [
            (swap(state, source, blank), note + changes[state[source]])
            for source, changes in self._changes[blank]
        ]

    @cached_property
    def _changes(self) -> list[list[tuple[int, list[int]]]]:
        """For each cell of the blank, its neighbouring cells, each with a table of changes of the
        sum.

        Entry t of a table is the change when tile t moves from the neighbouring cell to the blank.
        """
        by_blank: list[list[tuple[int, list[int]]]] = []
        for blank, sources in enumerate(self.problem.sources):
            by_source: list[tuple[int, list[int]]] = []
            for _, source in sources:
                changes = self._changes_between(source, blank)
                by_source.append((source, changes))
            by_blank.append(by_source)
        return by_blank

    def _changes_between(self, source: int, blank: int) -> list[int]:
        before = self.weights[source]
        after = self.weights[blank]
        blank_change = before[BLANK] - after[BLANK]
        changes: list[int] = []
        for old_weight, new_weight in zip(before, after, strict=True):
            changes.append(new_weight - old_weight + blank_change)
        return changes
