"""The kinds of problems.

An `AspProgram` is anybody's program, which clingo replays; it may be a `TelingoProgram`, a
`SingleShotProgram`, or a `ProgramWithFacts`. `problem` has the `DomainInstance`, whose model in
Python checks its plans.
A `TranslatedTask` is written in another language, such as PDDL, and so are its plans; it is an
`UntimedTask` or a `TemporalTask`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, Location
from asplan.core.facts import Facts
from asplan.core.limits import Limits
from asplan.core.plan import Plan
from asplan.domains import Domain, Model, domains
from asplan.problem.claims import PlanClaims, SingleShotClaims
from asplan.problem.problem import (
    DomainInstance,
    Grounding,
    Problem,
    TimedTrajectory,
    positive_predicates,
)
from asplan.program.composition import compose, compose_anew
from asplan.program.ground import ground_facts
from asplan.program.incremental import Program
from asplan.program.reading.unit import Unit
from asplan.program.roles.actions import explain_missing_actions, with_actions, with_readings
from asplan.result import Reliance

if TYPE_CHECKING:
    from asplan.program.times.horizon import Horizon


@dataclass(frozen=True, eq=False)
class AspProgram(Problem):
    """A user's complete program, whose plans clingo checks; it may claim a domain."""

    @property
    def is_complete(self) -> bool:
        """True: there is no separate instance."""
        return True

    @property
    def is_replayed(self) -> bool:
        """True: clingo replays the plans, because no domain has a model for the encoding."""
        return True

    @cached_property
    def facts(self) -> Facts:
        """The facts of the instance; for a complete program, all that its part base derives."""
        if self.instance_facts is not None or not self.is_complete:
            return super().facts
        return ground_facts(self.units, self.constants_at(0), self.files, strict=False)

    @cached_property
    def recognised(self) -> DomainInstance | None:
        """The problem as an instance of a domain, with the domain's usual variants.

        None if no domain recognises the facts, or if the program itself claims a domain.
        """
        if self.model is not None:
            return None
        domain = self._recognise_domain()
        return None if domain is None else next(self._variants(domain), None)

    def other_variants(self) -> Iterator[Problem]:
        """Yield the recognised problem with each other setting of the domain's variants."""
        if self.recognised is not None and self.recognised.domain is not None:
            yield from islice(self._variants(self.recognised.domain), 1, None)

    def _recognise_domain(self) -> Domain | None:
        """Return the domain that recognises the facts; of several, the one with most predicates."""
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

    def _variants(self, domain: Domain) -> Iterator[DomainInstance]:
        """Yield this problem for each setting of the variants for which the domain has a model."""
        settings = self._variant_settings(domain)
        for values in product(*settings.values()):
            constants = dict(zip(settings, values, strict=True))
            try:
                model = domain.model(self.facts, domain.with_variants(constants))
            except AsplanError:
                continue
            yield DomainInstance(
                files=self.files,
                units=self.units,
                encoding=self.encoding,
                path=self.path,
                domain=domain,
                model=model,
                drawing=self.drawing,
                user_constants=self.user_constants,
                constants=constants,
                allow_scripts=self.allow_scripts,
                instance_facts=self.facts,
            )

    def _variant_settings(self, domain: Domain) -> dict[str, tuple[str, ...]]:
        """Return the possible values of a domain's variants; one value where a constant is set."""
        settings: dict[str, tuple[str, ...]] = dict(domain.variants)
        for values in (*(unit.values for unit in self.units), self.user_constants):
            for name, value in values.items():
                if name in settings:
                    settings[name] = (value,)
        return settings


@dataclass(frozen=True, eq=False)
class ProgramWithFacts(AspProgram):
    """The facts of an instance with a user's encoding, which belongs to no domain."""

    @property
    def is_complete(self) -> bool:
        """False: the facts are a separate instance."""
        return False


@dataclass(frozen=True, eq=False)
class TelingoProgram(AspProgram):
    """A temporal program, translated into steps."""

    @property
    def hides_times(self) -> bool:
        """True: the translation adds the time to each predicate."""
        return True

    @property
    def assumptions(self) -> tuple[Reliance, ...]:
        """The assumption of every proof: the translation into steps has the same plans."""
        return (Reliance.TRANSLATION,)

    def explain_missing_actions(self) -> str:
        """Return why answers of the program list no actions, and a hint."""
        return explain_missing_actions(self.written_program, True)


@dataclass(frozen=True, eq=False, kw_only=True)
class SingleShotProgram(AspProgram):
    """A program without parts: converted into parts, or grounded anew for each horizon.

    Attributes
    ----------
    bound
        The bound of its time.
    fresh_units
        The statements to ground anew for each horizon, if `units` are converted into parts.
    obstacle
        The reason why the program cannot be converted; empty if the user wants no conversion.
    """

    bound: Horizon
    fresh_units: tuple[Unit, ...] = ()
    obstacle: str = ""

    @property
    def horizon(self) -> Horizon:
        """The author's bound of the time."""
        return self.bound

    @property
    def assumptions(self) -> tuple[Reliance, ...]:
        """The assumption of every proof about a converted program: the parts have its plans."""
        return (Reliance.CONVERSION,) if self.fresh_units else ()

    @property
    def claims(self) -> PlanClaims:
        """The sentences about plans, in terms of the author's bound."""
        return SingleShotClaims(self.bound)

    @cached_property
    def program(self) -> Program:
        """The program that engines ground."""
        if not self.fresh_units:
            return self._compose(self.units)
        # A conversion replaces constants by their values, so none is left to be set.
        return with_readings(compose(self.units, {}, self.allow_scripts), self.written_program)

    @cached_property
    def written_program(self) -> Program:
        """The program to ground anew for each horizon."""
        return self._compose(self.fresh_units) if self.fresh_units else self.program

    def _compose(self, units: tuple[Unit, ...]) -> Program:
        program = compose_anew(units, self.user_constants, self.bound)
        return with_actions(program, self.actions)

    @property
    def grounding(self) -> Grounding:
        """The way in which engines ground the program: converted into parts, or anew."""
        return Grounding.CONVERTED if self.fresh_units else Grounding.ANEW

    def without_conversion(self, obstacle: str) -> SingleShotProgram:
        """Return this problem without its conversion into parts; `obstacle` is the reason."""
        if not self.fresh_units:
            return self
        return replace(self, units=self.fresh_units, fresh_units=(), obstacle=obstacle)

    @property
    def grounding_text(self) -> str:
        """A description of the bound and of the grounding."""
        bound = _describe(self.bound)
        if self.fresh_units:
            return f"{bound}: converted into base, step(t) and check(t)"
        if self.obstacle:
            return f"{bound}; {self.obstacle}: each horizon is grounded anew"
        return f"{bound}: each horizon is grounded anew (--fresh)"

    def constants_at(self, steps: int) -> Mapping[str, str]:
        """Return the constants for plans of `steps` steps.

        They include the constant that bounds the author's times, unless the program is converted.
        """
        if self.fresh_units:
            return self.user_constants
        value = self.bound.value(max(steps, self.bound.least))
        return {**self.user_constants, self.bound.constant: str(value)}

    def narrow_limits(self, limits: Limits) -> Limits:
        """Return limits within the bounds of the program's own horizon."""
        bounds = []
        if limits.max_horizon is not None:
            bounds.append(limits.max_horizon)
        if self.bound.most is not None:
            bounds.append(max(0, self.bound.most - self.bound.origin))
        return replace(
            limits,
            min_horizon=max(limits.min_horizon, self.bound.least),
            max_horizon=min(bounds, default=None),
        )


def _describe(horizon: Horizon) -> str:
    """Describe the bound of the time: `n is the horizon (robots.lp:3), at most 20`."""
    text = f"{horizon.text} is the horizon ({horizon.at.file}:{horizon.at.line})"
    if horizon.most is not None:
        text += f", at most {horizon.most}"
    if horizon.moved:
        lines = " and ".join(f"{file}:{line}" for file, line in horizon.moved)
        text += f", and so is its number in {lines}"
    return text


@dataclass(frozen=True, eq=False)
class TranslatedTask(Problem, ABC):
    """A task in another language such as PDDL; it also reads and writes plans in this language.

    It may be loaded without its translation into ASP.
    """

    @property
    def is_translated(self) -> bool:
        """True: the task and its plans are written in another language."""
        return True

    @property
    def assumptions(self) -> tuple[Reliance, ...]:
        """The assumption of every proof: the translation of the task has the same plans."""
        return (Reliance.TRANSLATION,)

    @property
    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """The texts of the files, in the order in which other planners expect the files."""

    @abstractmethod
    def write_action(self, action: str) -> str:
        """Return an action in the notation of the source, such as PDDL."""

    def name_actions(self, plan: Plan) -> Plan:
        """Return a plan in which actions have the names of the source, such as PDDL."""
        return replace(plan, names={action: self.write_action(action) for action in plan.actions})

    @abstractmethod
    def read_plan(self, lines: Iterable[str], file: str) -> Plan:
        """Return the plan in the lines of a file.

        Raises `InputError`, or `InvalidPlan` if the file contradicts itself.
        """

    @abstractmethod
    def write_plan(self, plan: Plan, cost: int) -> str:
        """Return the text of a plan file for a plan; `cost` is the cost of its actions."""


@dataclass(frozen=True, eq=False, kw_only=True)
class UntimedTask(TranslatedTask):
    """A task whose actions take no time; it explains the statements of its encodings.

    Attributes
    ----------
    referee
        A model that checks plans, more independent of the engines than `model`.
    """

    referee: Model[Any, Any]  # Any: the states and actions of any language

    @property
    def source(self) -> UntimedTask:
        """The task itself."""
        return self

    @property
    def checking_model(self) -> Model[Any, Any]:
        """The referee, which executes the text of the task."""
        return self.referee

    @abstractmethod
    def explain_rule(self, at: Location, values: Mapping[str, str]) -> tuple[Location, str]:
        """Explain an instance of an ASP statement: return a location in the source, and a sentence.

        `at` is the location of the statement, and `values` has the values of its variables.
        """

    @abstractmethod
    def find_obstacles(self) -> Iterable[tuple[Location, str]]:
        """Return the unreachable conditions of the goal: for each its location and a sentence."""

    @abstractmethod
    def explain_plan(self, plan: Plan) -> dict[str, Any]:  # Any: JSON
        """Return the reasons for the atoms on the trajectory of a plan, as data of a page."""


@dataclass(frozen=True, eq=False)
class TemporalTask(TranslatedTask):
    """A task whose actions take time."""

    @property
    def has_durations(self) -> bool:
        """True: actions take time."""
        return True

    @abstractmethod
    def execute(self, plan: Plan) -> TimedTrajectory:
        """Return the trajectory of a plan; raise `InvalidPlan` if it cannot be executed."""
