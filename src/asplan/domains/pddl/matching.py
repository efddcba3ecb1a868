"""Which of many conditions hold in a state: sets of conditions as bits, a few variables at a time.

For each fact the conditions that do not contradict it are a number with a bit for each of them.
Those that hold in a state are what its facts have in common. What the facts of a few neighbouring
variables have in common is looked up in a table that is filled as states are met. On most tasks
that takes less time than a decision tree over the variables, which has many branches in Python.
"""

from __future__ import annotations

from collections.abc import Sequence

from asplan.domains.pddl.packing import Packing, contradicts_itself
from asplan.domains.pddl.task import Fact

WIDTH = 10
"""Bits of a state that are looked up at once, if no variable has more."""


class Matcher:
    """Finds the conditions that hold; each is a conjunction of facts, in which it is read."""

    def __init__(
        self, packing: Packing, variables: Sequence[int], conditions: Sequence[Sequence[Fact]]
    ) -> None:
        """Facts of other than the given variables, neighbours in a state, are passed over."""
        self._packing = packing
        self._all = sum(1 << i for i, c in enumerate(conditions) if not contradicts_itself(c))
        self._needs: dict[Fact, int] = {}
        self._restricted: dict[int, int] = {}
        known = set(variables)
        for index, condition in enumerate(conditions):
            for variable, value in condition:
                if variable in known:
                    bit, fact = 1 << index, (variable, value)
                    self._needs[fact] = self._needs.get(fact, 0) | bit
                    self._restricted[variable] = self._restricted.get(variable, 0) | bit
        self._pieces = [self._piece(piece) for piece in self._cut(variables)]

    def __call__(self, state: int) -> list[int]:
        """The conditions that hold in a state, counted from 0, in ascending order."""
        common = self._all
        for shift, mask, table, piece in self._pieces:
            part = state >> shift & mask
            found = table.get(part)
            if found is None:
                found = table[part] = self._compatible(part << shift, piece)
            common &= found
        digits = bin(common)[:1:-1]
        matches, index = [], digits.find("1")
        while index >= 0:
            matches.append(index)
            index = digits.find("1", index + 1)
        return matches

    def _cut(self, variables: Sequence[int]) -> list[list[int]]:
        """The variables that matter, in pieces of at most `WIDTH` bits."""
        packing, pieces = self._packing, list[list[int]]()
        for variable in variables:
            if variable not in self._restricted:
                continue
            end = packing.shifts[variable] + packing.widths[variable]
            if pieces and end - packing.shifts[pieces[-1][0]] <= WIDTH:
                pieces[-1].append(variable)
            else:
                pieces.append([variable])
        return pieces

    def _piece(self, piece: list[int]) -> tuple[int, int, dict[int, int], list[int]]:
        shift = self._packing.shifts[piece[0]]
        return shift, self._packing.fields(piece) >> shift, {}, piece

    def _compatible(self, state: int, piece: list[int]) -> int:
        """The conditions that the values of some variables do not contradict."""
        common = self._all
        for variable in piece:
            needed = self._needs.get((variable, self._packing.value(state, variable)), 0)
            common &= ~self._restricted[variable] | needed
        return common
