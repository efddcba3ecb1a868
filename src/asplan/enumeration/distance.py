"""Distances between plans, from 0 to 1. Each of them compares one trait of the plans.

The Jaccard distance compares the sets of actions (Srivastava et al., Domain independent approaches
for finding diverse plans, 2007; Nguyen et al., Generating diverse plans to handle unknown and
partially known user preferences, 2012) or the sets of visited states. The order distance compares
the sequences of actions by their longest common subsequence (Bakkelund, An LCS-based string metric,
2009). All of them are metrics on the traits.

>>> jaccard({"a", "b", "c"}, {"b", "c", "d"})
0.5
>>> SequenceDistance().from_one(("a", "b", "c", "d"), [("b", "c", "d", "a"), ("d", "a", "b")])
[0.25, 0.5]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence, Set
from typing import Any, Protocol, TypeVar

from asplan.enumeration.identity import order_of
from asplan.enumeration.listing import visited_states
from asplan.validation import Checked

Trait = TypeVar("Trait", bound=Hashable)


class Distance(Protocol[Trait]):
    """A distance between plans, which compares one trait of them, such as the set of actions."""

    def trait(self, checked: Checked) -> Trait:
        """Return the trait of a plan; raise `UsageError` if the plan does not have it."""

    def from_one(self, one: Trait, others: Sequence[Trait]) -> list[float]:
        """Return the distances from one trait to others."""


def jaccard(one: Set[str], other: Set[str]) -> float:
    """Return the share of elements that are in only one of two sets, among all their elements."""
    either = len(one | other)
    return (either - len(one & other)) / either if either else 0.0


class SetDistance:
    """The Jaccard distance of sets of texts."""

    def from_one(self, one: frozenset[str], others: Sequence[frozenset[str]]) -> list[float]:
        """Return the distances from one set to others."""
        return [jaccard(one, other) for other in others]


class ActionDistance(SetDistance):
    """The Jaccard distance of the sets of actions of plans."""

    def trait(self, checked: Checked) -> frozenset[str]:
        """Return the actions of a plan."""
        return frozenset(checked.plan.actions)


class StateDistance(SetDistance):
    """The Jaccard distance of the sets of states that plans visit after the initial state."""

    def trait(self, checked: Checked) -> frozenset[str]:
        """Return the states of a plan as texts; raise `UsageError` if they are unknown."""
        states = visited_states(checked, "--distance states")
        return frozenset("\n".join(sorted(state)) for state in states[1:])


class SequenceDistance:
    """The distance 1 - L/N of two sequences.

    L is the length of a longest common subsequence, and N the length of the longer sequence.
    """

    def trait(self, checked: Checked) -> tuple[str, ...]:
        """Return the actions of a plan in order; sort the actions of one step alphabetically."""
        return tuple(action for step in order_of(checked.plan) for action in step)

    def from_one(self, one: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> list[float]:
        """Return the distances from one sequence to others."""
        places: dict[str, int] = defaultdict(int)
        for place, action in enumerate(one):
            places[action] |= 1 << place
        distances = []
        for other in others:
            longer = max(len(one), len(other))
            common = _common_length(len(one), places, other)
            distances.append((longer - common) / longer if longer else 0.0)
        return distances


def _common_length(length: int, places: Mapping[str, int], other: Sequence[str]) -> int:
    """Return the length of a longest common subsequence of two sequences.

    `length` is the length of the first sequence, and `other` is the second sequence. `places` maps
    each action of the first sequence to the set of its indices, as the bits of a number. (Hyyrö,
    Bit-parallel LCS-length computation revisited, 2004.)
    """
    every = (1 << length) - 1
    # Bit i is 0 if action i of the first sequence lengthens the longest common subsequence.
    row = every
    for action in other:
        matches = row & places.get(action, 0)
        row = (row + matches | row - matches) & every
    return length - row.bit_count()


DISTANCES: dict[str, Distance[Any]] = {
    "actions": ActionDistance(),
    "states": StateDistance(),
    "order": SequenceDistance(),
}
