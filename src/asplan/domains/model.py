"""What search and validation know of an instance: its model, with no solver in it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from clingo import Symbol

from asplan.core.errors import UsageError
from asplan.core.plan import Plan

if TYPE_CHECKING:
    from fractions import Fraction

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action", bound=Hashable)


class Model(Generic[State, Action]):
    """One instance. States and actions are immutable and hashable; `str(action)` is its term.

    What is not abstract is made of the rest, and a model may have it faster. One that does not
    inherit from this class gets it by `complete`. A model may also have `heed`, which search sets
    to a function that is then called now and then where the model works for long on some states.
    """

    if TYPE_CHECKING:  # a dataclass would take it for the default of its field

        @property
        def initial(self) -> State:
            """The state at time 0."""

    @cached_property
    def has_costs(self) -> bool:
        """Whether its actions have costs that count."""
        return False

    acts_together: bool = False  # whether an action may be several at a time
    is_whole: bool = False  # plans are judged with all actions, not up to the first goal state

    @abstractmethod
    def actions(self, state: State) -> Iterable[Action]:
        """The actions that apply in a state, in a fixed order."""

    @abstractmethod
    def apply(self, state: State, action: Action) -> State:
        """The state that follows; the action must apply."""

    @abstractmethod
    def is_goal(self, state: State) -> bool:
        """Whether the goal holds."""

    @abstractmethod
    def parse_action(self, term: Symbol) -> Action:
        """The action that a term names; `ValueError` says why it is none."""

    @abstractmethod
    def why_not(self, state: State, action: Action) -> str | None:
        """Why an action does not apply in a state; None if it does."""

    def why_not_goal(self, state: State) -> str | None:
        """What the goal lacks in a state, where the model can say it."""
        return None

    def why_no_plan(self, state: State) -> str | None:
        """What of the way to a state is not as the instance wants it, where a state tells."""
        return None

    def violated(self, state: State) -> Mapping[str, int]:
        """How often each preference of the instance is violated at the end of a plan."""
        return {}

    def worth(self, state: State) -> Fraction | None:
        """What the end of a plan is worth, where the instance has numbers that say so."""
        return None

    @abstractmethod
    def fluents(self, state: State) -> Iterable[Symbol]:
        """What holds in a state, as terms of the instance's vocabulary."""

    @abstractmethod
    def text(self, state: State) -> str:
        """The state as a few lines of text."""

    @cached_property
    def initials(self) -> Sequence[State]:
        """All initial states, where there may be several, `initial` being one of them."""
        return (self.initial,)

    def successors(self, state: State) -> Iterable[State]:
        """The states that follow, in the order of `actions`."""
        return (self.apply(state, action) for action in self.actions(state))

    def expand(self, states: Iterable[State]) -> list[State]:
        """The successors of many states, with repetitions."""
        return [after for state in states for after in self.successors(state)]

    def leading(self, states: Iterable[State], after: State) -> list[State]:
        """Those of some states that `after` follows."""
        return [state for state in states if after in self.successors(state)]

    def between(self, state: State, after: State) -> Iterable[Action]:
        """The actions that lead from a state to one that follows it."""
        pairs = zip(self.actions(state), self.successors(state), strict=True)
        return (action for action, follows in pairs if follows == after)

    def cost(self, state: State, action: Action) -> int:
        """What an action costs, from 0."""
        return 0

    def priced_successors(self, state: State) -> Iterable[tuple[State, int]]:
        """The states that follow, in the order of `actions`, each with what its action costs."""
        for action, after in zip(self.actions(state), self.successors(state), strict=True):
            yield after, self.cost(state, action)

    def terms(self, action: Action) -> tuple[str, ...]:
        """The terms of an action; where it may be several at a time, of each of them."""
        return (str(action),)

    def goals(self) -> list[State] | None:
        """All goal states, where they are few, else None; bidirectional search needs them."""
        return None

    def unsolvable(self) -> str | None:
        """Why no plan exists, where that is plain without a search; else None."""
        return None

    def unexplored(self) -> str | None:
        """Why its states tell nothing of those of the instance; None where they do."""
        return None


def starting_at(model: Model[State, Action], state: State) -> Model[State, Action]:
    """The same model with another initial state, one of its own."""
    moved = copy(model)
    vars(moved).update(initial=state, initials=(state,))
    return moved


def complete(model: Any) -> Model[Any, Any]:
    """A model with all that a `Model` has, whether or not it inherits from it."""
    return model if isinstance(model, Model) else _Completed(model)  # type: ignore[abstract]


class _Completed(Model[Any, Any]):
    """Has of `Model` what the plain model lacks."""

    def __init__(self, plain: Any) -> None:
        self._plain = plain
        self.acts_together = hasattr(plain, "terms")
        for name in dir(Model):
            if not name.startswith("_") and hasattr(plain, name):
                setattr(self, name, getattr(plain, name))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)


def layers(model: Model[State, Any], states: Iterable[State]) -> Iterator[set[State]]:
    """The states that are 0, 1, … moves from the nearest of some states, where moves are undone.

    What a move does another one undoes, so what is new is not in the two layers before.
    """
    before, layer = set[State](), set(states)
    while layer:
        yield layer
        before, layer = layer, set(model.expand(layer)) - layer - before


def refuse_free(model: Model[Any, Any] | None) -> None:
    """Raise `UsageError` where the least cost is asked for and actions have no costs."""
    if model is not None and not model.has_costs:
        hint = "--optimal actions counts them"
        raise UsageError("--optimal cost: the actions of this instance have no costs", hint=hint)


def plan_along(model: Model[Any, Any], states: Sequence[Any]) -> Plan:
    """The plan that leads through a sequence of states; a cheapest one, where costs count."""
    steps, total = [], 0
    for before, after in pairwise(states):
        actions = model.between(before, after)
        if model.has_costs:
            action = min(actions, key=partial(model.cost, before))
            total += model.cost(before, action)
        else:
            action = next(iter(actions))
        steps.append(model.terms(action))
    return Plan(tuple(steps), (total,) if model.has_costs else None)
