"""The base of all problems: what loading makes, with everything that engines and checks need.

A `DomainInstance` is the plainest kind of problem; `asplan.problem.kinds` has the other ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asplan.catalog import find_drawing
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, InputWarning
from asplan.core.facts import Facts
from asplan.core.files import is_there
from asplan.core.limits import Limits
from asplan.core.plan import Plan
from asplan.domains import Domain, Model
from asplan.problem.claims import PlanClaims
from asplan.program.composition import compose
from asplan.program.ground import ground_facts
from asplan.program.incremental import Program
from asplan.program.reading.unit import TIMED, Unit
from asplan.program.roles.actions import explain_missing_actions, with_actions
from asplan.result import Reliance, Result

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.problem.source_text import SourceText
    from asplan.program.times.horizon import Horizon


class Grounding(Enum):
    """The way in which engines ground a program."""

    IN_PARTS = "in parts"  # as its author wrote it
    CONVERTED = "converted"  # a program without parts, converted into parts
    ANEW = "anew"  # a program without parts, anew for each horizon


@dataclass(frozen=True)
class SpaceOptions:
    """The states that a search of states goes through.

    Attributes
    ----------
    of_program
        True for the states of the program instead of the model's.
    all_states
        As in `Inputs`.
    unnamed_actions
        True if actions need no names; then the answer has no plan.
    """

    of_program: bool = False
    all_states: bool = False
    unnamed_actions: bool = False


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


@dataclass(frozen=True, eq=False)
class Problem:
    """One problem, loaded and checked. The rest of asplan opens none of its files again.

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
    drawing
        The drawing rules that came with the files.
    user_constants, constants
        The constants that the user set; and these together with the variants of the domain.
    allow_scripts
        True if Python code in the files may run.
    actions
        The action predicates that the user named.
    warnings
        The warnings about the input.
    instance_facts
        The facts of the instance, if loading has grounded them.
    space
        The states for a search of states.
    """

    files: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()
    encoding: str | None = None
    path: Path | None = None
    domain: Domain | None = None
    model: Model[Any, Any] | None = None  # Any: the states and actions of any domain
    drawing: str | None = None
    user_constants: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    allow_scripts: bool = False
    actions: tuple[str, ...] = ()
    warnings: tuple[InputWarning, ...] = ()
    instance_facts: Facts | None = None
    space: SpaceOptions = SpaceOptions()

    @cached_property
    def facts(self) -> Facts:
        """The facts of the instance; for a complete program, all that its part base derives."""
        if self.instance_facts is not None:
            return self.instance_facts
        units = [unit for unit in self.units if not is_program(unit)]
        return ground_facts(units, self.user_constants, self.files, strict=False)

    @cached_property
    def program(self) -> Program:
        """The program that engines ground."""
        program = compose(self.units, self.user_constants, self.allow_scripts)
        return with_actions(program, self.actions)

    def check_program(self) -> None:
        """Compose the program, and so raise `InputError` now if it has errors."""
        _ = self.program

    @property
    def written_program(self) -> Program:
        """The program in the form that its author wrote."""
        return self.program

    @property
    def horizon(self) -> Horizon | None:
        """The author's bound of the time; None for a program in parts."""
        return None

    @property
    def is_complete(self) -> bool:
        """True if the files are a complete program, without a separate instance."""
        return False

    @property
    def is_replayed(self) -> bool:
        """True if clingo checks plans, because no domain knows the encoding."""
        return False

    @property
    def is_translated(self) -> bool:
        """True if the problem is written in another language, such as PDDL."""
        return False

    @property
    def source(self) -> SourceText | None:
        """The source text of a translated problem without durations; None for other problems."""
        return None

    @property
    def has_durations(self) -> bool:
        """True if actions take time."""
        return False

    @property
    def hides_times(self) -> bool:
        """True if predicates have no time argument in their source, as in programs for telingo."""
        return False

    @property
    def checking_model(self) -> Model[Any, Any] | None:
        """The model that checks plans; None if there is none."""
        return self.model

    def execute(self, plan: Plan) -> TimedTrajectory | None:
        """Return the trajectory in time of a plan; None if actions take no time.

        Raise `InvalidPlan` if the plan cannot be executed.
        """
        return None

    @property
    def grounding(self) -> Grounding:
        """The way in which engines ground the program."""
        return Grounding.IN_PARTS

    def without_conversion(self, obstacle: str) -> Problem:
        """Return the problem with its program as written; `obstacle` is the reason for that."""
        return self

    @property
    def grounding_text(self) -> str:
        """A description of the grounding of a program without parts; empty for other problems."""
        return ""

    @property
    def assumptions(self) -> tuple[Reliance, ...]:
        """The assumptions of every proof about the program that engines ground."""
        return ()

    @property
    def claims(self) -> PlanClaims:
        """The sentences about lengths and values of its plans."""
        return PlanClaims()

    def constants_at(self, steps: int) -> Mapping[str, str]:
        """Return the constants of the program for plans of `steps` steps."""
        return self.user_constants

    def narrow_limits(self, limits: Limits) -> Limits:
        """Return limits within the bounds that a program has on its own horizon."""
        return limits

    def translate_result(self, result: Result) -> Result:
        """Return a result of the translated program in terms of the source."""
        return result

    def explain_missing_actions(self) -> str:
        """Return why answers of the program list no actions, and a hint."""
        return explain_missing_actions(self.written_program, False)

    def write_action(self, action: str) -> str:
        """Return an action in the notation of the source, such as PDDL."""
        return action

    def name_actions(self, plan: Plan) -> Plan:
        """Return a plan in which actions have the names of the source, such as PDDL."""
        return plan

    @property
    def recognised(self) -> Problem | None:
        """The problem of a user's program as an instance of a domain; None if it is not one."""
        return None

    def other_variants(self) -> Iterator[Problem]:
        """Yield the recognised problem with each other setting of the domain's variants."""
        yield from ()

    def domain_and_model(self) -> tuple[Domain, Model[Any, Any]]:  # Any: as for `model`
        """Return the domain and its model; raise `InputError` if there is none in Python."""
        if self.domain is None or self.model is None:
            message = "the files belong to no domain with a model in Python"
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


@dataclass(frozen=True, eq=False)
class DomainInstance(Problem):
    """An instance of a domain, perhaps with an encoding of that domain; its model checks plans."""
