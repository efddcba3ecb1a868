"""What a domain is: states, actions and a goal, with no solver in it.

Search engines and the validator know an instance only through its `Model`; the rest of asplan
finds the domain through `Domain`, which the registry in `asplan.domains` knows by name.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from clingo import Symbol

from asplan.domains.generator import Generator
from asplan.domains.heuristic import ZERO, Heuristic
from asplan.domains.unrolled import Unrolled
from asplan.errors import InputError, UsageError, nearest
from asplan.facts import Facts
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
            mend="--optimal actions counts them",
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


@dataclass(frozen=True)
class Shape:
    """What a notation leaves open: the width of a board, and where the blank ends up."""

    columns: int | None = None
    blank_first: bool = False


@dataclass(frozen=True)
class Converted:
    """One instance: the line it came from, and its facts under a comment that says so."""

    line: int
    text: str


@dataclass(frozen=True)
class Notation:
    """A foreign notation for instances of a domain.

    Attributes
    ----------
    about
        One line for people.
    recognises
        Whether a line, the first one of a file that is neither empty nor a comment, is in it.
    read
        The instances in the lines of a file, by its name; one that makes no sense is yielded as
        its error.
    write
        Facts in this notation; `InputError` for what it cannot say.
    """

    about: str
    recognises: Callable[[str], bool]
    read: Callable[[Iterable[str], str, Shape], Iterator[Converted | InputError]]
    write: Callable[[Facts], str]


@dataclass(frozen=True)
class Parts:
    """What the instances of a domain have several of, such as cars.

    Attributes
    ----------
    noun
        What one is called.
    names
        Those of a model.
    moved
        From an action to the part that it moves.
    without
        From a model to those in which one part is left out, each with the name of that part. With
        fewer parts a goal is never farther. Parts that cannot be left out have none.
    """

    noun: str
    names: Callable[[Any], Sequence[str]]
    moved: Callable[[Any], str]
    without: Callable[[Any], Iterable[tuple[str, Model[Any, Any]]]]


@dataclass(frozen=True)
class Domain:
    """How a domain is found and read.

    Attributes
    ----------
    name
        The folder of its encodings and instances.
    signatures
        Predicates (name, arity) that every instance has. All of them together mark an instance
        of the domain; one of them is enough where nothing else speaks against it.
    model
        What the facts of an instance mean, given its constants; raises `InputError` where they
        make no sense.
    optional
        Predicates that an instance may have besides.
    variants
        For each constant that chooses a variant its values, the default first.
    short_forms
        Variants that have a command-line option of their own, with its help; `--metric slide` is
        short for `-c metric=slide`.
    default_encoding
        The name of the encoding that was measured fastest for such an instance.
    heuristics
        The estimates for A* and IDA*; the first that fits an instance is the default.
    reversible
        Whether each action can be undone by one action.
    parallel
        Whether a step may have several actions, executed one after the other.
    tidy
        Puts the actions of each step of a plan in an order in which they can be executed, and may
        leave out those that are not needed; raises `InvalidPlan`. Without it orders are tried.
    recognises
        Whether facts with these predicates speak of this domain, where their names are common.
    notations
        Foreign notations by name; the first is the usual one.
    smt
        What the SMT engines run, by the name of the engine.
    colours
        Names that have a colour of their own where a state is printed.
    parts
        What its instances have several of, if analysis is to tell what each is good for.
    generator
        How puzzles are made, if they are.
    folder
        Of a domain that another package brings: where its `encodings/` and `instances/` are.
    """

    name: str
    signatures: frozenset[tuple[str, int]]
    model: Callable[[Facts, Mapping[str, str]], Model[Any, Any]]
    optional: frozenset[tuple[str, int]] = frozenset()
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    short_forms: Mapping[str, str] = field(default_factory=dict)
    default_encoding: Callable[[Any], str | None] = lambda model: None
    heuristics: Sequence[Heuristic] = (ZERO,)
    reversible: bool = False
    parallel: bool = False
    tidy: Callable[[Any, Plan], Plan] | None = None
    recognises: Callable[[Facts], bool] = lambda facts: True
    notations: Mapping[str, Notation] = field(default_factory=dict)
    smt: Mapping[str, Unrolled] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)
    parts: Parts | None = None
    generator: Generator | None = None
    folder: Path | None = None

    @property
    def vocabulary(self) -> frozenset[tuple[str, int]]:
        """All predicates that an instance may have."""
        return self.signatures | self.optional

    def heuristic(
        self, name: str | None, model: Model[Any, Any], priced: bool = False
    ) -> Heuristic:
        """The heuristic with a name; if it is None, the first that fits the model.

        With `priced` it is one that can say what is left to be paid.

        Raises
        ------
        UsageError
            There is none of that name, or it does not fit the model.
        """
        known = {heuristic.name: heuristic for heuristic in self.heuristics}
        if name is None:
            fitting = (h for h in self.heuristics if h.unfit(model) is None)
            return next((h for h in fitting if h.priced or not priced), ZERO)
        if name not in known:
            raise UsageError(
                f"{self.name} has no heuristic {name!r}",
                mend=nearest(name, list(known), noun="heuristics"),
            )
        if why := known[name].unfit(model):
            other = self.heuristic(None, model, priced).name
            raise UsageError(
                f"heuristic {name}: {why}", mend=f"the default for this instance is {other}"
            )
        if priced and known[name].priced is None:
            able = ", ".join(h.name for h in self.heuristics if h.priced)
            raise UsageError(
                f"heuristic {name} counts actions and does not look at what they cost",
                mend=f"those that do: {able}" if able else "",
            )
        return known[name]

    def with_variants(self, constants: Mapping[str, str]) -> dict[str, str]:
        """The constants, and the defaults of the variants that are not among them.

        Raises
        ------
        UsageError
            A variant has no such value.
        """
        chosen = {name: values[0] for name, values in self.variants.items()} | dict(constants)
        for name, values in self.variants.items():
            if chosen[name] not in values:
                raise UsageError(
                    f"{name}={chosen[name]}: {name} in {self.name} is {' or '.join(values)}"
                )
        return chosen
