"""What search and validation know of an instance: its model, with no solver in it.

A model must have the methods of `Model`, and may have more; what it has not is made here of what it
has.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from clingo import Symbol

from asplan.errors import UsageError
from asplan.plan import Plan

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action", bound=Hashable)


class Model(Protocol[State, Action]):
    """One instance. States and actions are immutable and hashable; `str(action)` is its term.

    A model may have more methods, which search makes use of:

    - `successors(state)`: the states that follow, in the order of `actions`, found faster than by
      `actions` and `apply`;
    - `expand(states)`: the successors of many states, one list after another;
    - `leading(states, after)`: those of some states that `after` follows;
    - `between(state, after)`: the actions that lead from a state to one that follows it;
    - `heed`: what search sets to a function, which is then to be called now and then where the
      model works for long on some states;
    - `initials`: all initial states, where there may be several, `initial` being one of them;
    - `terms(action)`: the terms of an action that is several at a time, instead of `str(action)`;
    - `goals()`: all goal states, where they are few, else None; bidirectional search starts from
      them;
    - `unsolvable()`: why no plan exists, where that is plain without a search, else None;
    - `unexplored()`: why its states tell nothing of those of the instance, if they do not, else
      None; such a model stands for an instance whose answer was plain before it was read;
    - `has_costs`: whether its actions have costs that count. Then it has `cost(state, action)`, a
      whole number from 0, and may have `priced_successors(state)`, which pairs the states that
      follow, in the order of `actions`, with what their actions cost.
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


def successors_of(model: Model[Any, Any]) -> Callable[[Any], Iterable[Any]]:
    """The function from a state to the states that follow: the model's own, if it has one."""
    own: Callable[[Any], Iterable[Any]] | None = getattr(model, "successors", None)
    if own is not None:
        return own
    return lambda state: (model.apply(state, action) for action in model.actions(state))


def has_costs(model: Model[Any, Any]) -> bool:
    """Whether the costs of actions count in a model."""
    return bool(getattr(model, "has_costs", False))


def refuse_free(model: Model[Any, Any] | None) -> None:
    """Raise `UsageError` where the least cost is asked for and actions have no costs."""
    if model is not None and not has_costs(model):
        raise UsageError(
            "--optimal cost: the actions of this instance have no costs",
            hint="--optimal actions counts them",
        )


Priced = Callable[[Any], Iterable[tuple[Any, int]]]
"""From a state to the states that follow, each with what its action costs."""


def priced_successors_of(model: Any) -> Priced:
    """The function that finds them: the model's own, if it has one."""
    own: Priced | None = getattr(model, "priced_successors", None)
    if own is not None:
        return own
    successors = successors_of(model)

    def priced(state: Any) -> Iterator[tuple[Any, int]]:
        for action, after in zip(model.actions(state), successors(state), strict=True):
            yield after, model.cost(state, action)

    return priced


def expand_of(model: Model[Any, Any]) -> Callable[[Iterable[Any]], list[Any]]:
    """The function from states to all states that follow, with repetitions."""
    own: Callable[[Iterable[Any]], list[Any]] | None = getattr(model, "expand", None)
    if own is not None:
        return own
    successors = successors_of(model)
    return lambda states: [after for state in states for after in successors(state)]


def leading_of(model: Model[Any, Any]) -> Callable[[Iterable[Any], Any], list[Any]]:
    """The function from some states and a state to those of them that it follows."""
    own: Callable[[Iterable[Any], Any], list[Any]] | None = getattr(model, "leading", None)
    if own is not None:
        return own
    successors = successors_of(model)
    return lambda states, after: [state for state in states if after in successors(state)]


def between_of(model: Model[Any, Any]) -> Callable[[Any, Any], Iterable[Any]]:
    """The function from a state and one that follows it to the actions that lead there."""
    own: Callable[[Any, Any], Iterable[Any]] | None = getattr(model, "between", None)
    if own is not None:
        return own
    successors = successors_of(model)

    def between(state: Any, after: Any) -> Iterator[Any]:
        pairs = zip(model.actions(state), successors(state), strict=True)
        return (action for action, follows in pairs if follows == after)

    return between


def initials_of(model: Model[Any, Any]) -> Sequence[Any]:
    """All initial states."""
    own: Sequence[Any] | None = getattr(model, "initials", None)
    return (model.initial,) if own is None else own


def acts_together(model: Model[Any, Any]) -> bool:
    """Whether an action of a model may be several at a time."""
    return hasattr(model, "terms")


def terms_of(model: Model[Any, Any]) -> Callable[[Any], tuple[str, ...]]:
    """The function from an action to its terms: the model's own, if it has one."""
    own: Callable[[Any], tuple[str, ...]] | None = getattr(model, "terms", None)
    return own or (lambda action: (str(action),))


def goals_of(model: Model[Any, Any]) -> list[Any] | None:
    """All goal states; None where the model does not list them."""
    own: Callable[[], Iterable[Any] | None] = getattr(model, "goals", lambda: None)
    found = own()
    return None if found is None else list(found)


def unsolvable_reason(model: Model[Any, Any]) -> str | None:
    """Why no plan exists, where the model can tell without a search; else None."""
    own: Callable[[], str | None] = getattr(model, "unsolvable", lambda: None)
    return own()


def unexplored_reason(model: Model[Any, Any]) -> str | None:
    """Why the states of a model are not those of its instance; None where they are."""
    own: Callable[[], str | None] = getattr(model, "unexplored", lambda: None)
    return own()


# From the states on a way to the plan that leads along it.


def plan_along(model: Model[Any, Any], states: Sequence[Any]) -> Plan:
    """The plan that leads through a sequence of states; a cheapest one, where costs count."""
    actions, priced = between_of(model), has_costs(model)
    cost: Callable[[Any, Any], int] = getattr(model, "cost", lambda state, action: 0)

    def action(before: Any, after: Any) -> Any:
        leading = iter(actions(before, after))
        return min(leading, key=partial(cost, before)) if priced else next(leading)

    way = [(before, action(before, after)) for before, after in pairwise(states)]
    total = (sum(cost(before, action) for before, action in way),) if priced else None
    terms = terms_of(model)
    return Plan(tuple(terms(action) for _, action in way), total)


# What a domain tells an SMT engine: formulas for a number of states, or for one state more.


class Formula(Protocol):
    """A formula for a fixed number of states, whose models are plans that fit in."""

    @property
    def constraints(self) -> Iterable[Any]:
        """All that must hold."""

    @property
    def moves(self) -> Any:
        """The term to be minimized: how many moves are made."""

    def states_of(self, solution: Any) -> list[Any]:
        """The states from the initial one to the goal in a solution."""


class Sized(Protocol):
    """Makes a formula for any number of states."""

    def unsolvable(self) -> str | None:
        """Why no plan exists, where that is plain without a solver; else None."""

    def formula(self, states: int) -> Formula:
        """The formula for a number of states."""


class Grown(Protocol):
    """Grows by one state at a time."""

    def unsolvable(self) -> str | None:
        """Why no plan exists, where that is plain without a solver; else None."""

    def add_state(self) -> Iterable[Any]:
        """The constraints of one more state, and of the move that leads to it."""

    def goal(self) -> Any:
        """That the goal holds in the last state."""

    def states_of(self, solution: Any) -> list[Any]:
        """The states in a solution."""


Unrolled = Callable[[Any, Any], Sized | Grown]
"""From the module z3 and a model of the domain."""
