"""What a domain is: how its instances are found, read, and made into models.

Search engines and the validator know an instance only through its `Model`; the rest of asplan
finds the domain through `Domain`, which the registry in `asplan.domains` knows by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asplan.core.errors import InputError, UsageError, nearest
from asplan.core.facts import Facts
from asplan.core.plan import Plan
from asplan.core.registry import LaterItems
from asplan.domains.model import Model, complete

if TYPE_CHECKING:
    from asplan.domains.generator import Generator
    from asplan.domains.heuristic import Heuristic

Read = Callable[[Facts, Mapping[str, str]], Any]
"""From the facts of an instance and its constants to its model."""

Heed = Callable[[str], None]

Finder = Callable[[Any, Heed], "Found"]
"""Looks for any plan of a model, as fast as may be. It calls what it is given now and then, and
lets pass what that raises."""


Prover = Callable[[Any, bool, Callable[["Effort"], None]], "Found"]
"""Finds a plan of a model that costs the least, or has the fewest actions, as fast as may be.

It is told whether costs count, calls what it is given now and then, and lets pass what that raises.
"""


@dataclass(frozen=True)
class Effort:
    """How far a `Prover` is: what every plan costs at least, and the states that it has seen."""

    least: int
    queued: int
    waiting: int
    expanded: int
    generated: int


@dataclass(frozen=True)
class Found:
    """What a `Finder` or a `Prover` has found, and `how`, as a clause without its subject.

    `steps` have the actions of each step; they are None where it is proven that there is no plan.
    """

    steps: Sequence[Sequence[Any]] | None
    how: str


Improver = Callable[[Any, Sequence[Any], float], Iterator["Better"]]
"""From a model, a plan for it and a `time.monotonic()` to ever better plans until then."""


@dataclass(frozen=True)
class Better:
    """A plan that an `Improver` has found: what its actions cost, or how many they are.

    Every plan costs at least `least`; `how` it was found, or proven to be the best, is a clause.
    """

    actions: Sequence[Any]
    cost: int
    least: int
    how: str
    proven: bool = False


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
    """A foreign notation for instances of a domain."""

    about: str
    """One line for people."""
    recognises: Callable[[str], bool]
    """Whether a line, the first of a file that is neither empty nor a comment, is in it."""
    read: Callable[[Iterable[str], str, Shape], Iterator[Converted | InputError]]
    """The instances in the lines of a file, by its name; an error for each that makes no sense."""
    write: Callable[[Facts], str]
    """Facts in this notation; `InputError` for what it cannot say."""


@dataclass(frozen=True)
class Parts:
    """What the instances of a domain have several of, such as cars."""

    noun: str
    """What one is called."""
    names: Callable[[Any], Sequence[str]]
    """Those of a model."""
    moved: Callable[[Any], str]
    """From an action to the part that it moves."""
    without: Callable[[Any], Iterable[tuple[str, Model[Any, Any]]]]
    """From a model to those in which one part is left out, each with the name of that part. With
    fewer parts a goal is never farther. Parts that cannot be left out have none."""


def _no_heuristics() -> Sequence[Heuristic]:
    from asplan.domains.heuristic import ZERO

    return (ZERO,)


@dataclass(frozen=True)
class Domain:
    """How a domain is found and read."""

    name: str
    """The folder of its encodings and instances."""
    signatures: frozenset[tuple[str, int]]
    """Predicates (name, arity) that every instance has. All of them together mark an instance of
    the domain; one of them is enough where nothing else speaks against it."""
    model: Read
    """What the facts of an instance mean; raises `InputError` where they make no sense. What it
    returns need not inherit from `Model`: it is made complete."""
    optional: frozenset[tuple[str, int]] = frozenset()
    """Predicates that an instance may have besides."""
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each constant that chooses a variant its values, the default first."""
    short_forms: Mapping[str, str] = field(default_factory=dict)
    """Variants that have a command-line option of their own, with its help; `--metric slide` is
    short for `-c metric=slide`."""
    default_encoding: Callable[[Any], str | None] = lambda model: None
    """The name of the encoding that was measured fastest for such an instance."""
    heuristics: Sequence[Heuristic] = LaterItems(_no_heuristics)
    """The estimates for A* and IDA*; the first that fits an instance is the default."""
    finder: Finder | None = None
    """Finds any plan, soon; where there is none, encodings are left to themselves."""
    improver: Improver | None = None
    """Makes plans better, in what they cost or in their number of actions."""
    prover: Prover | None = None
    """A* with the first of the heuristics, as fast as may be."""
    reversible: bool = False
    """Whether each action can be undone by one action."""
    parallel: bool = False
    """Whether a step may have several actions, executed one after the other."""
    tidy: Callable[[Any, Plan], Plan] | None = None
    """Puts the actions of each step of a plan in an order in which they can be executed, and may
    leave out those that are not needed; raises `InvalidPlan`. Without it orders are tried."""
    recognises: Callable[[Facts], bool] = lambda facts: True
    """Whether facts with these predicates speak of this domain, where their names are common."""
    notations: Mapping[str, Notation | Callable[[], Notation]] = field(default_factory=dict)
    """Foreign notations by name, or what returns them; the first is the usual one."""
    smt: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=dict)
    """What the SMT engines run, by the name of the engine: from the module z3 and a model to
    formulas. Those have `unsolvable()`, which says why no plan exists where that is plain without
    a solver, and either `formula(states)`, which gives `constraints`, the number of `moves`, to be
    minimized, and `states_of(solution)`; or, for smt-cells, `add_state()` with the constraints of
    one more state and of the move that leads to it, `goal()` in the last state, and `states_of`."""
    colours: Mapping[str, str] = field(default_factory=dict)
    """Names that have a colour of their own where a state is printed."""
    parts: Parts | None = None
    """What its instances have several of, if analysis is to tell what each is good for."""
    generator: Generator | Callable[[], Generator] | None = None
    """How puzzles are made, if they are; or what returns it."""
    folder: Path | None = None
    """Of a domain that another package brings: where its `encodings/` and `instances/` are."""

    def __post_init__(self) -> None:
        read = self.model

        def model(facts: Facts, constants: Mapping[str, str]) -> Model[Any, Any]:
            return complete(read(facts, constants))

        object.__setattr__(self, "model", model)

    @property
    def vocabulary(self) -> frozenset[tuple[str, int]]:
        """All predicates that an instance may have."""
        return self.signatures | self.optional

    def heuristic(
        self, name: str | None, model: Model[Any, Any], priced: bool = False
    ) -> Heuristic:
        """The heuristic with a name; if it is None, the first that fits the model.

        With `priced` it is one that can say what is left to be paid. Raises `UsageError` where
        there is none of that name, or it does not fit.
        """
        if name is None:
            fitting = (h for h in self.heuristics if h.unfit(model) is None)
            return next((h for h in fitting if h.priced or not priced), _no_heuristics()[0])
        known = {heuristic.name: heuristic for heuristic in self.heuristics}
        if name not in known:
            hint = nearest(name, list(known), noun="heuristics")
            raise UsageError(f"{self.name} has no heuristic {name!r}", hint=hint)
        if why := known[name].unfit(model):
            hint = f"the default for this instance is {self.heuristic(None, model, priced).name}"
            raise UsageError(f"heuristic {name}: {why}", hint=hint)
        if priced and known[name].priced is None:
            able = ", ".join(h.name for h in self.heuristics if h.priced)
            what = f"heuristic {name} counts actions and does not look at what they cost"
            raise UsageError(what, hint=f"those that do: {able}" if able else "")
        return known[name]

    def with_variants(self, constants: Mapping[str, str]) -> dict[str, str]:
        """The constants, and the defaults of the variants that are not among them.

        Raises `UsageError` where a variant has no such value.
        """
        chosen = {name: values[0] for name, values in self.variants.items()} | dict(constants)
        for name, values in self.variants.items():
            if chosen[name] not in values:
                what = f"{name}={chosen[name]}: {name} in {self.name} is {' or '.join(values)}"
                raise UsageError(what)
        return chosen
