"""Estimates of the moves to a goal, and what may be concluded from them.

An estimate is a function of a state. One that is cheaper to find from the state before is
`Followed`: along a path it takes with it a *note* of what it needs to know.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

Estimate = Callable[[Any], float]  # of the moves from a state to a goal: whole, or infinity


@runtime_checkable
class Followed(Protocol):
    """An estimate that depth-first search follows along its path.

    For every state `value(note(state))` is the estimate, and the notes of `successors` are those
    that `note` would give for the states that follow.
    """

    def __call__(self, state: Any) -> float:
        """The estimate for a state."""

    def note(self, state: Any) -> Any:
        """What the estimate needs to know of a state."""

    def value(self, note: Any) -> float:
        """The estimate for a state with this note."""

    def successors(self, state: Any, note: Any) -> Iterable[tuple[Any, Any]]:
        """The states that follow, in the order of the model's, each with its note."""


@dataclass(frozen=True)
class _Plain:
    """An estimate whose note is the state itself."""

    value: Estimate
    after: Callable[[Any], Iterable[Any]]

    def __call__(self, state: Any) -> float:
        return self.value(state)

    def note(self, state: Any) -> Any:
        return state

    def successors(self, state: Any, note: Any) -> list[tuple[Any, Any]]:
        return [(after, after) for after in self.after(state)]


def followed(estimate: Estimate, successors: Callable[[Any], Iterable[Any]]) -> Followed:
    """An estimate as search follows it: as it is if it can be, else found anew for each state."""
    return estimate if isinstance(estimate, Followed) else _Plain(estimate, successors)


def always(model: Any) -> bool:
    """A property that holds in every variant of a domain."""
    return True


def never(model: Any) -> bool:
    """A property that is not claimed for any variant of a domain."""
    return False


@dataclass(frozen=True)
class Heuristic:
    """An estimate of the number of moves to a goal, and what may be concluded from it."""

    name: str
    make: Callable[[Any], Estimate]
    """From a model to the function that estimates; called once a search, so what depends on the
    instance alone is computed there."""
    about: str  # one line for people
    admissible: Callable[[Any], bool] = always
    """Whether the estimate is never larger than the fewest moves, in the variant of a model."""
    consistent: Callable[[Any], bool] = always
    """Whether moreover it is 0 at goals and never drops by more than 1 in one move."""
    unfit: Callable[[Any], str | None] = lambda model: None
    """Why there is no such estimate for a model, as a clause about it; None if there is one."""
    priced: Callable[[Any], Estimate] | None = None
    """The same as `make` for what the actions cost, of which all that is said of moves then holds;
    None if there is no such estimate."""


def _zero(model: Any) -> Estimate:
    return lambda state: 0


ZERO = Heuristic("zero", _zero, "0 everywhere: A* without a guide", priced=_zero)
