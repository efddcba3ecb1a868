"""States as whole numbers: each variable has a field of bits of its own.

>>> packing = Packing([2, 3], order=[0, 1])
>>> packing.pack([(0, 1), (1, 2)]), packing.condition([(1, 2)])
(5, (6, 4))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from asplan.domains.pddl.task import Fact

Condition = tuple[int, int]
"""A mask and a value: it holds in a state if `state & mask == value`."""

NEVER: Condition = (0, 1)
"""The condition that holds in no state."""


class Packing:
    """Where the variables are in a number.

    Attributes
    ----------
    widths, shifts, masks
        For each variable its number of bits, the lowest of them, and the largest number that
        they hold.
    """

    def __init__(self, sizes: Sequence[int], order: Sequence[int]) -> None:
        """Variables that have so many values; the first of the order has the lowest bits."""
        self.widths = [(size - 1).bit_length() for size in sizes]
        starts = accumulate((self.widths[variable] for variable in order), initial=0)
        self.shifts = [shift for _, shift in sorted(zip(order, starts, strict=False))]
        self.masks = [(1 << width) - 1 for width in self.widths]

    def pack(self, facts: Iterable[Fact]) -> int:
        """The number in which these facts hold, all other variables being 0."""
        return sum(value << self.shifts[variable] for variable, value in facts)

    def field(self, variable: int) -> int:
        """The bits of a variable."""
        return self.masks[variable] << self.shifts[variable]

    def fields(self, variables: Iterable[int]) -> int:
        """The bits of some variables."""
        return sum(map(self.field, set(variables)))

    def value(self, state: int, variable: int) -> int:
        """The value of a variable."""
        return state >> self.shifts[variable] & self.masks[variable]

    def holds(self, state: int, fact: Fact) -> bool:
        """Whether a variable has a value."""
        return self.value(state, fact[0]) == fact[1]

    def condition(self, facts: Iterable[Fact]) -> Condition:
        """All of these facts at once; `NEVER` if two of them are of one variable."""
        chosen = set(facts)
        if contradicts_itself(chosen):
            return NEVER
        return self.fields(variable for variable, _ in chosen), self.pack(chosen)


def contradicts_itself(facts: Iterable[Fact]) -> bool:
    """Whether two of some facts are of the same variable."""
    chosen = set(facts)
    return len({variable for variable, _ in chosen}) < len(chosen)
