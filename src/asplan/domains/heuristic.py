"""Heuristics: estimates of the distance to a goal, and the properties that searches rely on.

An estimate is a function of a state. Some estimates are cheaper to update along a path than to
compute anew. Such an estimate is a `Followed`, which keeps a *note* with each state of the path:
any value from which it computes the note of the next state.
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeAlias, runtime_checkable

from asplan.core.dataclass import dataclass
from asplan.domains.model import DomainModel, DomainState

Estimate = Callable[
    [DomainState], float
]  # of the moves from a state to a goal: a whole number or infinity
Note: TypeAlias = Any  # each estimate has its own type of notes


@runtime_checkable
class Followed(Protocol):
    """An estimate that depth-first search can update along its path.

    The search keeps a note for each state of the path: a value from which the estimate follows. For
    every state, `value(note(state))` is the estimate. `successors` returns each successor with the
    same note that `note` would compute for it.
    """

    def __call__(self, state: DomainState) -> float:
        """Return the estimate of a state."""

    def note(self, state: DomainState) -> Note:
        """Compute the note of a state, from which its estimate and the notes of its successors
        follow.
        """

    def value(self, note: Note) -> float:
        """Return the estimate of a state that has this note."""

    def successors(
        self,
        state: DomainState,
        note: Note,
    ) -> Iterable[tuple[DomainState, Note]]:
        """Return the successors of a state in the order of the model, each with its note."""


@dataclass(frozen=True)
class _Recomputed:
    """An estimate that is computed anew for each state: the note of a state is the state itself."""

    value: Estimate
    expand: Callable[[DomainState], Iterable[DomainState]]

    def __call__(self, state: DomainState) -> float:
        return self.value(state)

    def note(self, state: DomainState) -> DomainState:
        return state

    def successors(
        self, state: DomainState, note: Note
    ) -> Iterable[tuple[DomainState, DomainState]]:
        return [(after, after) for after in self.expand(state)]


def as_followed(
    estimate: Estimate, successors: Callable[[DomainState], Iterable[DomainState]]
) -> Followed:
    """Return a `Followed` that gives the same estimates: `estimate` itself if it is a `Followed`.

    Any other estimate is computed anew for each state; `successors` are those of the model.
    """
    if isinstance(estimate, Followed):
        return estimate
    return _Recomputed(estimate, successors)


def always(model: DomainModel) -> bool:
    """Return True, as the test for a property that every variant of a domain has."""
    return True


def never(model: DomainModel) -> bool:
    """Return False, as the test for a property that no variant of a domain is claimed to have."""
    return False


def _fits(model: DomainModel) -> None:
    """Return None, as the test of a heuristic that fits every model."""


@dataclass(frozen=True)
class Heuristic:
    """A named function that estimates the distance to a goal.

    The other fields are the properties claimed for the estimate, such as `admissible`.
    """

    name: str
    make: Callable[[DomainModel], Estimate]
    """Makes the estimate for a model. A search calls it once, so everything that depends on the
    instance alone is computed here.
    """
    about: str  # one line for users
    admissible: Callable[[DomainModel], bool] = always
    """True if the estimate never exceeds the fewest moves, in the variant of the model."""
    consistent: Callable[[DomainModel], bool] = always
    """True if the estimate is also 0 at goals and never drops by more than 1 in one move."""
    unfit: Callable[[DomainModel], str | None] = _fits
    """Returns the reason why the heuristic cannot be used for a model; None if it can."""
    priced: Callable[[DomainModel], Estimate] | None = None
    """Makes an estimate of the remaining cost, with the same properties in terms of cost; None if
    the heuristic counts moves only."""


def _make_zero(model: DomainModel) -> Estimate:
    return lambda state: 0


ZERO = Heuristic("zero", _make_zero, "0 everywhere: A* without a guide", priced=_make_zero)
