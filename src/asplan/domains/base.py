"""The description of a domain: how to recognise its instances, read them and make models of them.

Search engines and the validator know an instance only through its `Model`. All other code finds the
domain through `Domain`, which the registry in `asplan.domains` knows by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from asplan.core.budget import Budget, Reporter
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, UsageError, nearest
from asplan.core.registry import LaterItems
from asplan.domains.model import DomainAction, DomainModel, DomainState, Model, complete

if TYPE_CHECKING:
    from asplan.core.facts import Facts
    from asplan.core.plan import Plan, Timing
    from asplan.domains.generator import Generator
    from asplan.domains.heuristic import Heuristic

Formulas: TypeAlias = Any  # z3 has no types; `Domain.smt` lists the methods

Read = Callable[["Facts", Mapping[str, str]], DomainModel]
"""Makes the model of an instance from its facts and its constants."""

Finder = Callable[[DomainModel, Budget, Reporter[str]], "Found"]
"""Finds any plan of a model within a budget, as fast as possible; reports its activity as text."""

Prover = Callable[[DomainModel, bool, Budget, Reporter["Effort"]], "Found"]
"""Finds an optimal plan of a model within a budget, and reports its effort.

The plan has the least cost if the second argument is True, else the fewest actions.
"""

Improver = Callable[[DomainModel, Sequence[DomainAction], Budget], Iterator["Better"]]
"""Yields ever better plans until the budget is spent, from a model and a first plan for it."""


@dataclass(frozen=True)
class Effort:
    """The progress of a `Prover`: `least` is a lower bound on the cost of every plan.

    The other attributes count states: `queued` all that were ever queued, `waiting` those in the
    queue now, `expanded` those whose successors were generated, and `generated` the generated
    successors.
    """

    least: int
    queued: int
    waiting: int
    expanded: int
    generated: int


@dataclass(frozen=True)
class Found:
    """The result of a `Finder` or a `Prover`.

    `steps` holds the actions of each step of the plan; it is None if no plan was found. `how`
    is a phrase about the result: "found by greedy search". `times` has the times of the actions if
    they take time.
    """

    steps: Sequence[Sequence[DomainAction]] | None
    how: str
    times: tuple[tuple[Timing, ...], ...] = ()


class NamedFinder(NamedTuple):
    """A `Finder` and its name, which results and races show: "Fast Downward"."""

    name: str
    find: Finder


@dataclass(frozen=True)
class Better:
    """A plan that an `Improver` found.

    `cost` is the cost of the plan, or its number of actions if actions have no costs; `least` is a
    lower bound on the cost of every plan. `how` is a phrase about how the plan was found, or
    about the proof that it is the best.
    """

    actions: Sequence[DomainAction]
    cost: int
    least: int
    how: str
    proven: bool = False


@dataclass(frozen=True)
class Shape:
    """The choices that a notation leaves open: the width of the board, and the goal of the blank.

    If `blank_first` is set, the blank's goal is the first cell, else the last one.
    """

    columns: int | None = None
    blank_first: bool = False


@dataclass(frozen=True)
class Converted:
    """One instance of a converted file.

    `line` is the number of its line in the file; `text` is a comment as heading, followed by the
    facts.
    """

    line: int
    text: str


@dataclass(frozen=True)
class Notation:
    """A foreign notation for the instances of a domain."""

    about: str
    """A line that describes the notation to users."""
    recognises: Callable[[str], bool]
    """Returns whether a line is in this notation. It gets the first line of a file that is neither
    blank nor a comment.
    """
    read: Callable[[Iterable[str], str, Shape], Iterator[Converted | InputError]]
    """Yields the instances in the lines of a file, or an error for each invalid one. The second
    argument is the name of the file."""
    write: Callable[[Facts], str]
    """Writes facts in this notation; raises `InputError` if it cannot express them."""


@dataclass(frozen=True)
class Parts:
    """The movable parts of an instance, such as cars."""

    noun: str
    """The noun for one part, such as "car"."""
    names: Callable[[DomainModel], Sequence[str]]
    """Returns the names of all parts of a model."""
    moved: Callable[[DomainAction], str]
    """Returns the name of the part that an action moves."""
    without: Callable[[DomainModel], Iterable[tuple[str, Model[DomainState, DomainAction]]]]
    """Yields, for each part that can be left out, its name and the model without it. Without a part
    no goal may be farther.
    """


def _no_heuristics() -> Sequence[Heuristic]:
    from asplan.domains.heuristic import ZERO

    return (ZERO,)


def _no_encoding(model: DomainModel) -> str | None:
    return None


def _is_recognised(facts: Facts) -> bool:
    return True


def _no_translation(facts: Facts) -> str | None:
    return None


@dataclass(frozen=True)
class Domain:
    """A domain: how its instances are recognised, read, solved, converted and generated."""

    name: str
    """The name of the domain, which is also the folder of its encodings and instances."""
    signatures: frozenset[tuple[str, int]]
    """Predicates (name, arity) that every instance has. An instance with all of them is taken for
    one of the domain. One of them is enough if the instance fits no other domain.
    """
    model: Read
    """Makes the model of an instance; raises `InputError` for invalid facts. If the model does not
    inherit from `Model`, the defaults of `Model` are added.
    """
    optional: frozenset[tuple[str, int]] = frozenset()
    """Predicates (name, arity) that an instance may have in addition."""
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values of each constant that chooses a variant of the domain; the first
    is the default.
    """
    short_forms: Mapping[str, str] = field(default_factory=dict)
    """The help texts of variants that have an option of their own, by constant: `--metric slide` is
    short for `-c metric=slide`.
    """
    default_encoding: Callable[[DomainModel], str | None] = _no_encoding
    """Returns the name of the encoding that was measured fastest for instances like this one."""
    heuristics: Sequence[Heuristic] = LaterItems(_no_heuristics)
    """The heuristics for A* and IDA*; the first that fits an instance is the default."""
    finder: Finder | None = None
    """Finds any plan quickly; None if only the encodings can find plans."""
    finding_program: Callable[[], NamedFinder | None] | None = None
    """Returns a program that finds any plan sooner than `finder`, or None if none is installed."""
    joining_program: Callable[[], NamedFinder | None] | None = None
    """Returns a program that finds plans which `finder` misses, or None if none is installed."""
    improver: Improver | None = None
    """Improves the cost or the number of actions of a plan; None if there is no such method."""
    prover: Prover | None = None
    """A fast A* that uses the first of the heuristics; None if the domain has none of its own."""
    reversible: bool = False
    """True if each action can be undone by one action."""
    parallel: bool = False
    """True if a step may have several actions, which are executed one after the other."""
    tidy: Callable[[DomainModel, Plan], Plan] | None = None
    """Puts the actions of each step into an executable order, and may drop needless actions. It
    raises `InvalidPlan` if there is no such order. Without `tidy` all orders are tried."""
    whole_plans: bool = False
    """True if a given plan is judged by the state after its last step, and not by the first state
    in which the goal holds.
    """
    operators: frozenset[tuple[str, str, int]] = frozenset()
    """Predicates (sign, name, arity) that describe a step in more detail than its actions; a plan
    keeps their atoms in `chosen`, for `tidy` to read.
    """
    recognises: Callable[[Facts], bool] = _is_recognised
    """True if facts belong to this domain; for domains whose predicates have common names."""
    translate: Callable[[Facts], str | None] = _no_translation
    """Returns the facts of an instance in the domain's usual vocabulary, as text, if the instance
    is written in another vocabulary; else None.
    """
    notations: Mapping[str, Notation | Callable[[], Notation]] = field(default_factory=dict)
    """Foreign notations by name, or functions that return them; the first is the default."""
    smt: Mapping[str, Callable[[ModuleType, DomainModel], Formulas]] = field(default_factory=dict)
    """Formulas for the SMT engines, by the name of the engine; made from the module z3 and a model.

    Formulas have `unsolvable()`, the reason why no plan exists if no solver is needed to find it,
    and `states_of(solution)`. Besides, they have either `formula(states)`, which returns them with
    `constraints` and with the number of `moves` to minimize; or, for smt-cells, `add_state()` with
    the constraints of one more state and of the move to it, and `goal()`, which holds if the last
    state is a goal."""
    colours: Mapping[str, str] = field(default_factory=dict)
    """The colours of names in states that are printed as text."""
    parts: Parts | None = None
    """The parts of an instance, such as cars, on which `asplan analyse` reports; None if it has
    none.
    """
    generator: Generator | Callable[[], Generator] | None = None
    """The generator of puzzles, or a function that returns it; None if the domain has none."""
    folder: Path | None = None
    """The folder with `encodings/` and `instances/`, for a domain of another package; else None."""

    def __post_init__(self) -> None:
        read = self.model

        def read_complete(
            facts: Facts, constants: Mapping[str, str]
        ) -> Model[DomainState, DomainAction]:
            return complete(read(facts, constants))

        object.__setattr__(self, "model", read_complete)

    @property
    def vocabulary(self) -> frozenset[tuple[str, int]]:
        """The predicates (name, arity) that an instance may have."""
        return self.signatures | self.optional

    def heuristic(
        self,
        name: str | None,
        model: Model[DomainState, DomainAction],
        priced: bool = False,
    ) -> Heuristic:
        """Return the heuristic with a name; without a name, the first that fits the model.

        If `priced` is set, the heuristic must estimate the remaining cost and not the remaining
        moves. Raises `UsageError` if no heuristic has this name, or if the named heuristic does not
        fit.
        """
        if name is None:
            return self._default_heuristic(model, priced)
        by_name = {heuristic.name: heuristic for heuristic in self.heuristics}
        if name not in by_name:
            hint = nearest(name, list(by_name), noun="heuristics")
            raise UsageError(f"{self.name} has no heuristic {name!r}", hint=hint)
        heuristic = by_name[name]
        if why := heuristic.unfit(model):
            default = self._default_heuristic(model, priced)
            hint = f"the default for this instance is {default.name}"
            raise UsageError(f"heuristic {name}: {why}", hint=hint)
        if priced and heuristic.priced is None:
            self._refuse_unpriced(name)
        return heuristic

    def _default_heuristic(
        self, model: Model[DomainState, DomainAction], priced: bool
    ) -> Heuristic:
        for heuristic in self.heuristics:
            if heuristic.unfit(model) is None and (heuristic.priced or not priced):
                return heuristic
        return _no_heuristics()[0]

    def _refuse_unpriced(self, name: str) -> None:
        priced = [heuristic.name for heuristic in self.heuristics if heuristic.priced]
        hint = f"heuristics that use costs: {', '.join(priced)}" if priced else ""
        what = f"heuristic {name} counts actions and ignores their costs"
        raise UsageError(what, hint=hint)

    def with_variants(self, constants: Mapping[str, str]) -> dict[str, str]:
        """Return the constants, completed with the default values of the variants that they do not
        set.

        Raises `UsageError` if a constant has a value that its variant does not allow.
        """
        defaults = {name: values[0] for name, values in self.variants.items()}
        chosen = defaults | dict(constants)
        for name, values in self.variants.items():
            if chosen[name] not in values:
                allowed = " or ".join(values)
                raise UsageError(f"{name}={chosen[name]}: {name} must be {allowed} in {self.name}")
        return chosen
