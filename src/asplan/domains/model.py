"""The model of an instance: its states, actions and goal, without a solver."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from asplan.core.errors import UsageError

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.clingo import Symbol
    from asplan.core.plan import Plan

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action", bound=Hashable)

# Code that serves all domains names their classes by these aliases. They are `Any`, because each
# domain's functions take its own classes, and no common type covers such functions.
DomainModel: TypeAlias = Any
DomainState: TypeAlias = Any
DomainAction: TypeAlias = Any


class Model(Generic[State, Action]):
    """An instance as a transition system.

    States and actions are immutable and hashable; `str(action)` is the term of the action.

    Only the abstract methods are required. The other methods have defaults that are built on them,
    and a model may replace a default by something faster. `complete` adds the defaults to a model
    that does not inherit from this class.

    A model of an ASP program has an attribute `budget`. Searches set it, and the model checks it
    regularly during long work on single states, so that limits can stop this work.
    """

    if TYPE_CHECKING:  # at run time, a dataclass would take it for the default of its field

        @property
        def initial(self) -> State:
            """The state at time 0."""

    @cached_property
    def has_costs(self) -> bool:
        """True if plans are compared by the costs of their actions."""
        return False

    acts_together: bool = False  # True if an action may represent several at the same time
    # The work to expand a state, in conflicts of clingo (75 microseconds each).
    expansion_effort: float = 0.5
    is_whole: bool = False  # True if all actions of a plan count, even after the first goal state

    @abstractmethod
    def actions(self, state: State) -> Iterable[Action]:
        """Return the applicable actions of a state, in a fixed order."""

    @abstractmethod
    def apply(self, state: State, action: Action) -> State:
        """Return the successor of a state; the action must be applicable."""

    @abstractmethod
    def is_goal(self, state: State) -> bool:
        """Return True if the goal holds in a state."""

    @abstractmethod
    def parse_action(self, term: Symbol) -> Action:
        """Return the action that a term denotes; raise `ValueError` if it denotes no action."""

    @abstractmethod
    def why_not(self, state: State, action: Action) -> str | None:
        """Return the reason why an action is not applicable in a state; None if it is."""

    def why_not_goal(self, state: State) -> str | None:
        """Return a description of the part of the goal that a state lacks.

        None if the model cannot describe its goal.
        """
        return None

    def why_no_plan(self, state: State) -> str | None:
        """Return the reason why the path to this state breaks a constraint; None if no constraint
        is broken.

        By default no path breaks a constraint. A model with constraints must store the path in its
        states.
        """
        return None

    def violated(self, state: State) -> Mapping[str, int]:
        """Return for each preference, by name, how often a plan that ends in this state violates
        it.
        """
        return {}

    def worth(self, state: State) -> Fraction | None:
        """Return the value of the metric for a plan that ends in this state.

        None if there is no metric.
        """
        return None

    @abstractmethod
    def fluents(self, state: State) -> Iterable[Symbol]:
        """Return the true fluents of a state, as terms of the instance's vocabulary."""

    @abstractmethod
    def text(self, state: State) -> str:
        """Return a state as a few lines of text."""

    @cached_property
    def initials(self) -> Sequence[State]:
        """All initial states; an instance may have several, and `initial` is one of them."""
        return (self.initial,)

    def successors(self, state: State) -> Iterable[State]:
        """Return the successors of a state, in the order of `actions`."""
        return (self.apply(state, action) for action in self.actions(state))

    def expand(self, states: Iterable[State]) -> list[State]:
        """Return the successors of many states, with repetitions."""
        expanded: list[State] = []
        for state in states:
            expanded.extend(self.successors(state))
        return expanded

    def leading(self, states: Iterable[State], after: State) -> list[State]:
        """Return the members of `states` that have `after` as a successor."""
        return [state for state in states if after in self.successors(state)]

    def between(self, state: State, after: State) -> Iterable[Action]:
        """Return the actions that lead from a state to its successor `after`."""
        actions = self.actions(state)
        successors = self.successors(state)
        pairs = zip(actions, successors, strict=True)
        return (action for action, successor in pairs if successor == after)

    def cost(self, state: State, action: Action) -> int:
        """Return the cost of an action, a whole number from 0."""
        return 0

    def priced_successors(self, state: State) -> Iterable[tuple[State, int]]:
        """Yield each successor with the cost of its action, in the order of `actions`."""
        actions = self.actions(state)
        successors = self.successors(state)
        for action, after in zip(actions, successors, strict=True):
            yield after, self.cost(state, action)

    def terms(self, action: Action) -> tuple[str, ...]:
        """Return the terms of an action; there may be several only if the model `acts_together`."""
        return (str(action),)

    def goals(self) -> list[State] | None:
        """Return all goal states for bidirectional search; None if they are too many."""
        return None

    def landmarks(self) -> Collection[Symbol] | None:
        """Return fluents of which each holds at some time in every plan; None if none are known."""
        return None

    def is_of_variant(self, action: Action) -> bool:
        """Return whether an action is possible only in another variant of the domain."""
        return False

    def unsolvable(self) -> str | None:
        """Return the reason why no plan exists, if no search is needed to find it; else None."""
        return None

    def unexplored(self) -> str | None:
        """Return the reason why the model lacks states of the instance; None if it has them all."""
        return None


def replace_initial(
    model: Model[State, Action],
    state: State,
) -> Model[State, Action]:
    """Return a copy of the model whose initial state is `state`."""
    moved = copy(model)
    vars(moved).update(initial=state, initials=(state,))
    return moved


def complete(model: DomainModel) -> Model[DomainState, DomainAction]:
    """Return the model itself if it inherits from `Model`, else a wrapper that adds
    the defaults.
    """
    if isinstance(model, Model):
        return model
    return _Completed(model)  # type: ignore[abstract]


class _Completed(Model[DomainState, DomainAction]):
    """A model that does not inherit from `Model`, with the defaults for all members
    that it lacks.
    """

    def __init__(self, plain: DomainModel) -> None:
        self._plain = plain
        self.acts_together = hasattr(plain, "terms")
        for name in dir(Model):
            if not name.startswith("_") and hasattr(plain, name):
                setattr(self, name, getattr(plain, name))

    def __getattr__(self, name: str) -> object:
        return getattr(self._plain, name)


def require_costs(model: Model[DomainState, DomainAction] | None) -> None:
    """Raise `UsageError` if a model has no costs of actions, so that costs cannot be minimized."""
    if model is not None and not model.has_costs:
        hint = "--optimal actions counts them"
        raise UsageError("--optimal cost: the actions of this instance have no costs", hint=hint)


def plan_along(model: Model[State, DomainAction], states: Sequence[State]) -> Plan:
    """Return a plan that passes through the given states.

    If actions have costs, return the cheapest plan through these states.
    """
    from asplan.core.plan import Plan

    steps: list[tuple[str, ...]] = []
    cost = 0
    for before, after in pairwise(states):
        actions = model.between(before, after)
        if model.has_costs:
            action = min(actions, key=partial(model.cost, before))
            cost += model.cost(before, action)
        else:
            action = next(iter(actions))
        steps.append(model.terms(action))
    costs = (cost,) if model.has_costs else None
    return Plan(tuple(steps), costs)
