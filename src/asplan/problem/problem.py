"""The problem that loading makes: one value with everything that engines and checks need."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asplan.core.errors import (
    AsplanError,
    InputError,
    InputWarning,
    Location,
)
from asplan.core.facts import Facts
from asplan.core.files import is_there
from asplan.core.plan import Plan
from asplan.domains import Domain, Model, domains
from asplan.problem.catalog import find_drawing
from asplan.program.composition import compose, compose_anew
from asplan.program.ground import ground_facts
from asplan.program.incremental import TIMED, Program
from asplan.program.roles import with_actions, with_readings
from asplan.program.unit import Unit

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.program.horizon import Horizon


@dataclass(frozen=True)
class PlanFiles:
    """A file format for plans.

    `read` takes lines and the name of their file. It raises `InputError`, or `InvalidPlan` if the
    file contradicts itself. `write` takes a plan and the cost of its actions.
    """

    read: Callable[[Iterable[str], str], Plan]
    write: Callable[[Plan, int], str]


@dataclass(frozen=True)
class TimedTrajectory:
    """The states that a temporal plan passes.

    `states` yields the fluents that hold from each of the `times` on; the first of these times
    precedes every action. `boards` are the first and the last state as text. The last action ends
    at `makespan`.
    """

    times: tuple[Fraction, ...]
    states: Callable[[], Iterator[tuple[str, ...]]]
    boards: tuple[str, str]
    makespan: Fraction
    metric: Fraction | None = None


@dataclass(frozen=True)
class SourceExplanations:
    """Explanations in the terms of the source of a translation.

    `rule` takes the text of an ASP statement and the values of its variables, and returns a place
    and a sentence. `obstacles` are sentences about conditions of the goal that are unreachable.
    `reasons` returns the reasons for the atoms on the trajectory of a plan, as data of a page.
    """

    rule: Callable[[str, Mapping[str, str]], tuple[Location, str]]
    obstacles: Callable[[], Iterable[tuple[Location, str]]]
    reasons: Callable[[Plan], dict[str, Any]]  # Any: JSON


@dataclass(frozen=True)
class Grounding:
    """The grounding of a program without parts: converted into parts, or anew for each horizon.

    `horizon` describes the bound of the time as text. `obstacle` describes why a program that
    `is_anew` cannot be converted; it is empty if the user chose so.
    """

    horizon: str
    is_anew: bool = False
    obstacle: str = ""

    def __str__(self) -> str:
        if not self.is_anew:
            return f"{self.horizon}: converted into base, step(t) and check(t)"
        if self.obstacle:
            return f"{self.horizon}; {self.obstacle}: each horizon is grounded anew"
        return f"{self.horizon}: each horizon is grounded anew (--fresh)"


@dataclass(frozen=True, eq=False)
class Problem:
    """One problem, loaded and checked; later stations open none of its files again.

    Attributes
    ----------
    files
        The files; `-` is standard input.
    units
        Their parsed statements, the encoding last.
    encoding, path
        The name of a shipped encoding, or the file with the timed parts; and the path of that file.
    domain, model
        The domain of the facts, and the state space in Python. Both are None if no domain
        recognises the facts; `model` is None if actions have durations.
    referee
        A model that checks plans, more independent of the engines than `model`.
    reads
        Translates the result for the encoding into one for the source.
    executes
        Executes a temporal plan; raises `InvalidPlan`.
    written, plan_files, words
        The notation of actions, the plan files and the explanations of the source, if it is no ASP.
    texts
        The texts of the files in the order in which other planners take them, if they can.
    drawing
        The drawing rules that came with the files.
    given, constants
        The constants that the user set; these, and the variants of the domain.
    is_whole
        True if the files are a complete program, without a separate instance.
    by_encoding
        True if search goes through the states of the program instead of the model's.
    all_states
        As in `Inputs`.
    has_unnamed_actions
        True if actions need no names; then the answer has no plan.
    is_replayed
        True if clingo checks plans, because no domain knows the encoding.
    instance_facts
        The facts of the instance, if loading has grounded them.
    is_temporal
        True for programs of telingo.
    horizon, grounding, fresh_units
        Of a program without parts: the bound of its time, its grounding, and the statements to
        ground anew for each horizon if `units` is their conversion into parts.
    """

    files: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()
    encoding: str | None = None
    path: Path | None = None
    domain: Domain | None = None
    model: Model[Any, Any] | None = None  # Any: the states and actions of any domain
    referee: Model[Any, Any] | None = None  # Any: the states and actions of any domain
    reads: Callable[[Any], Any] | None = None  # Any: a `Result`, whose module imports more
    executes: Callable[[Plan], TimedTrajectory] | None = None
    written: Callable[[str], str] | None = None
    plan_files: PlanFiles | None = None
    words: SourceExplanations | None = None
    texts: tuple[str, ...] = ()
    drawing: str | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = False
    by_encoding: bool = False
    all_states: bool = False
    has_unnamed_actions: bool = False
    is_replayed: bool = False
    allow_scripts: bool = False
    actions: tuple[str, ...] = ()
    warnings: tuple[InputWarning, ...] = ()
    instance_facts: Facts | None = None
    is_temporal: bool = False
    horizon: Horizon | None = None
    fresh_units: tuple[Unit, ...] = ()
    grounding: Grounding | None = None

    @cached_property
    def facts(self) -> Facts:
        """The facts of the instance; for a whole program, all that its part base derives."""
        if self.instance_facts is not None:
            return self.instance_facts
        if self.is_whole:
            return ground_facts(self.units, self.given_at(0), self.files, strict=False)
        units = [unit for unit in self.units if not is_program(unit)]
        return ground_facts(units, self.given, self.files, strict=False)

    @cached_property
    def program(self) -> Program:
        """The program that engines ground."""
        if self.fresh_program is not None:
            # A conversion replaces constants by their values, so none is left to be set.
            return with_readings(compose(self.units, {}, self.allow_scripts), self.fresh_program)
        if self.horizon is None:
            program = compose(self.units, self.given, self.allow_scripts)
        else:
            program = compose_anew(self.units, self.given, self.horizon)
        return with_actions(program, self.actions)

    def check_program(self) -> None:
        """Compose the program, and so raise `InputError` now if it has errors."""
        _ = self.program

    @property
    def written_program(self) -> Program:
        """The program in the form that its author wrote."""
        return self.fresh_program or self.program

    @cached_property
    def fresh_program(self) -> Program | None:
        """The program to ground anew for each horizon, if `program` is its conversion."""
        if self.horizon is None or not self.fresh_units:
            return None
        program = compose_anew(self.fresh_units, self.given, self.horizon)
        return with_actions(program, self.actions)

    def given_at(self, steps: int) -> Mapping[str, str]:
        """Return the constants with which the part base alone is the program for `steps` steps."""
        horizon = self.program.horizon
        if horizon is None:
            return self.given
        value = horizon.value(max(steps, horizon.least))
        return {**self.given, horizon.constant: str(value)}

    @cached_property
    def recognised(self) -> Problem | None:
        """The problem as an instance of a domain with its usual variants.

        None if no domain recognises the facts.
        """
        if not self.is_replayed or self.model is not None:
            return None
        domain = self._recognise_domain()
        return None if domain is None else next(self._variants(domain), None)

    def other_variants(self) -> Iterator[Problem]:
        """Yield the recognised problem with each other setting of the domain's variants."""
        if self.recognised is not None and self.recognised.domain is not None:
            yield from islice(self._variants(self.recognised.domain), 1, None)

    def _recognise_domain(self) -> Domain | None:
        """Return the domain that recognises the facts; the one with most predicates if several."""
        defined: set[tuple[str, int]] = set()
        for unit in self.units:
            defined |= positive_predicates(unit)
        complete = [domain for domain in domains().values() if domain.signatures <= defined]
        if not complete:
            return None
        if self.instance_facts is None and self.program.scripts:
            return None
        try:
            recognised = [domain for domain in complete if domain.recognises(self.facts)]
        except AsplanError:
            return None
        return max(recognised, key=lambda domain: len(domain.signatures), default=None)

    def _variants(self, domain: Domain) -> Iterator[Problem]:
        """Yield this problem with each setting of a domain's variants that has a model."""
        settings = self._variant_settings(domain)
        for values in product(*settings.values()):
            constants = dict(zip(settings, values, strict=True))
            try:
                model = domain.model(self.facts, domain.with_variants(constants))
            except AsplanError:
                continue
            yield replace(
                self,
                domain=domain,
                model=model,
                constants=constants,
                is_replayed=False,
                instance_facts=self.facts,
            )

    def _variant_settings(self, domain: Domain) -> dict[str, tuple[str, ...]]:
        """Return the possible values of a domain's variants; one value where a constant is set."""
        settings: dict[str, tuple[str, ...]] = dict(domain.variants)
        for values in (*(unit.values for unit in self.units), self.given):
            for name, value in values.items():
                if name in settings:
                    settings[name] = (value,)
        return settings

    def domain_and_model(self) -> tuple[Domain, Model[Any, Any]]:  # Any: as for `model`
        """Return the domain and its model; raise `InputError` if there is none in Python."""
        if self.domain is None or self.model is None:
            message = "the files are an instance of no domain that has a model in Python"
            raise InputError(message, hint="use --engine asp, which needs no model")
        return self.domain, self.model

    @property
    def rules(self) -> str | None:
        """The file with the drawing rules: the problem's, the domain's, or the encoding's."""
        if self.drawing is not None:
            return self.drawing
        shipped = find_drawing(self.domain.name) if self.domain else None
        if shipped is not None:
            return str(shipped)
        beside = self.path.parent / "draw.lp" if self.path else None
        return str(beside) if beside and is_there(beside) else None


def is_program(unit: Unit) -> bool:
    """Return whether a unit has a timed part; an instance has none."""
    return not unit.parts.isdisjoint(TIMED)


def positive_predicates(unit: Unit) -> set[tuple[str, int]]:
    """Return name and arity of the predicates that a unit defines without classical negation."""
    return {(name, arity) for sign, name, arity in unit.defined if not sign}
