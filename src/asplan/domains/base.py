"""What a domain is: states, actions and a goal, with no solver in it.

Search engines and the validator know a domain only through `Problem`; the rest of asplan finds
it through `Domain`, the entry in the registry `asplan.domains.DOMAINS`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from clingo import Symbol

from asplan.errors import UsageError, nearest
from asplan.facts import Facts

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action", bound=Hashable)


class Problem(Protocol[State, Action]):
    """One instance. States and actions are immutable and hashable; `str(action)` is its term.

    A problem may have more methods, which search makes use of:

    - `successors(state)`: the states that follow, in the order of `actions`, found faster than by
      `actions` and `apply`;
    - `expand(states)`: the successors of many states, one list after another;
    - `goals()`: all goal states, where they are few, else None; bidirectional search starts from
      them;
    - `unsolvable()`: why no plan exists, where that is plain without a search, else None.
    """

    @property
    def initial(self) -> State:
        """The state at time 0."""

    def actions(self, state: State) -> Iterable[Action]:
        """The actions that apply in a state, in a fixed order."""

    def apply(self, state: State, action: Action) -> State:
        """The state that follows; the action must apply."""

    def is_goal(self, state: State) -> bool:
        """Whether the goal holds."""

    def parse_action(self, term: Symbol) -> Action:
        """The action that a term names.

        Raises
        ------
        ValueError
            The term is no action of this domain; the message says why.
        """

    def why_not(self, state: State, action: Action) -> str | None:
        """Why an action does not apply in a state; None if it does."""

    def fluents(self, state: State) -> Iterable[Symbol]:
        """What holds in a state, as terms of the instance's vocabulary."""

    def text(self, state: State) -> str:
        """The state as a few lines of text."""


def successors_of(problem: Problem[Any, Any]) -> Callable[[Any], Iterable[Any]]:
    """The function from a state to the states that follow: the problem's own, if it has one."""
    own: Callable[[Any], Iterable[Any]] | None = getattr(problem, "successors", None)
    if own is not None:
        return own
    return lambda state: (problem.apply(state, action) for action in problem.actions(state))


def expand_of(problem: Problem[Any, Any]) -> Callable[[Iterable[Any]], list[Any]]:
    """The function from states to all states that follow, with repetitions."""
    own: Callable[[Iterable[Any]], list[Any]] | None = getattr(problem, "expand", None)
    if own is not None:
        return own
    successors = successors_of(problem)
    return lambda states: [after for state in states for after in successors(state)]


def goals_of(problem: Problem[Any, Any]) -> list[Any] | None:
    """All goal states; None where the problem does not list them."""
    own: Callable[[], Iterable[Any] | None] = getattr(problem, "goals", lambda: None)
    found = own()
    return None if found is None else list(found)


def unsolvable_reason(problem: Problem[Any, Any]) -> str | None:
    """Why no plan exists, where the problem can tell without a search; else None."""
    own: Callable[[], str | None] = getattr(problem, "unsolvable", lambda: None)
    return own()


Estimate = Callable[[Any], float]
"""From a state to an estimate of the moves to a goal: a whole number, or infinity."""


def always(problem: Problem[Any, Any]) -> bool:
    """A property that holds in every variant of a domain."""
    return True


def never(problem: Problem[Any, Any]) -> bool:
    """A property that is not claimed for any variant of a domain."""
    return False


@dataclass(frozen=True)
class Heuristic:
    """An estimate of the number of moves to a goal, and what may be concluded from it.

    Parameters
    ----------
    make
        From a problem to the function that estimates; called once a search, so what depends on
        the instance alone is computed there.
    about
        One line for people.
    admissible
        Whether the estimate is never larger than the fewest moves, in the variant of a problem.
    consistent
        Whether moreover it is 0 at goals and never drops by more than 1 in one move.
    """

    name: str
    make: Callable[[Any], Estimate]
    about: str
    admissible: Callable[[Any], bool] = always
    consistent: Callable[[Any], bool] = always


ZERO = Heuristic("zero", lambda problem: lambda state: 0, "0 everywhere: A* without a guide")


@dataclass(frozen=True)
class Domain:
    """How a domain is found and read.

    Parameters
    ----------
    name
        The folder of its encodings and instances.
    signatures
        Predicates (name, arity) that every instance has. All of them together mark an instance
        of the domain; one of them is enough where nothing else speaks against it.
    constants
        The variants: for each constant its values, the default first.
    problem
        Reads the facts of an instance, given its constants.

        Raises `InputError` where the facts make no sense.
    default_encoding
        The name of the shipped encoding that was measured fastest for such a problem.
    heuristics
        The estimates for A* and IDA*; the first is the default.
    reversible
        Whether each action can be undone by one action.
    recognises
        Whether facts with these predicates speak of this domain, where their names are common.
    """

    name: str
    signatures: frozenset[tuple[str, int]]
    constants: Mapping[str, tuple[str, ...]]
    problem: Callable[[Facts, Mapping[str, str]], Problem[Any, Any]]
    default_encoding: Callable[[Any], str]
    heuristics: tuple[Heuristic, ...] = (ZERO,)
    reversible: bool = False
    recognises: Callable[[Facts], bool] = lambda facts: True

    def heuristic(self, name: str | None) -> Heuristic:
        """The heuristic with a name; the default if it is None. `UsageError` if there is none."""
        for heuristic in self.heuristics:
            if name in (None, heuristic.name):
                return heuristic
        names = [heuristic.name for heuristic in self.heuristics]
        raise UsageError(
            f"{self.name} has no heuristic {name!r}",
            mend=nearest(str(name), names, noun="heuristics"),
        )
