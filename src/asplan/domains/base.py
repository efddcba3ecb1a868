"""What a domain is: states, actions and a goal, with no solver in it.

Search engines and the validator know a domain only through `Problem`; the rest of asplan finds
it through `Domain`, the entry in the registry `asplan.domains.DOMAINS`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from clingo import Symbol

from asplan.facts import Facts

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action", bound=Hashable)


class Problem(Protocol[State, Action]):
    """One instance. States and actions are immutable and hashable; `str(action)` is its term."""

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
    """

    name: str
    signatures: frozenset[tuple[str, int]]
    constants: Mapping[str, tuple[str, ...]]
    problem: Callable[[Facts, Mapping[str, str]], Problem[Any, Any]]
    default_encoding: Callable[[Any], str]
