"""Problems of PDDL files: their text, their referee and the notation of their plans."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asplan.core.errors import Location
from asplan.core.files import is_there
from asplan.core.plan import Plan
from asplan.domains import domains
from asplan.pddl.front.forms import TaskForm
from asplan.pddl.grounding import objects_of
from asplan.pddl.language import read_task
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.plans import read_plan, write_plan
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.language.trail import TrailModel, referee_of
from asplan.problem.claims import PlanClaims, TemporalClaims
from asplan.problem.inputs import STEPPED, Inputs
from asplan.problem.kinds import TemporalTask, TimedTrajectory, TranslatedTask, UntimedTask
from asplan.program.plain_facts import PlainFacts
from asplan.program.syntax import location
from asplan.program.unit import Unit
from asplan.result import Result

if TYPE_CHECKING:
    from asplan.pddl.language.timing import TimedModel
    from asplan.pddl.temporal.ground import TimedTask


@dataclass(frozen=True, eq=False, kw_only=True)
class PddlTask(TranslatedTask):
    """The problem of a PDDL domain and a PDDL problem.

    Attributes
    ----------
    task
        The text of both.
    names
        The names of the task in ASP.
    """

    task: TaskText
    names: PddlNames

    @property
    def texts(self) -> tuple[str, str]:
        """The texts of the domain and the problem."""
        return self.task.domain.name.source.text, self.task.problem.name.source.text

    def write_action(self, action: str) -> str:
        """Return an action as its files write it, such as `(pick-up A)`."""
        return self.names.written(action)

    def read_plan(self, lines: Iterable[str], file: str) -> Plan:
        """Return the plan in the lines of a file; raise as `plans.read_plan` does."""
        return read_plan(lines, file, self.names, self.task.has_time, self._find_action)

    def write_plan(self, plan: Plan, cost: int) -> str:
        """Return a plan file for a plan and the cost of its actions."""
        return write_plan(self.name_actions(plan), cost, self.task.has_costs)

    @property
    @abstractmethod
    def _find_action(self) -> Callable[[str, tuple[str, ...]], object]:
        """A function that raises `ValueError` at an action that does not exist."""


@dataclass(frozen=True, eq=False, kw_only=True)
class UntimedPddlTask(PddlTask, UntimedTask):
    """A PDDL task whose actions take no time.

    Attributes
    ----------
    form
        The form of the translation, if the task is translated.
    """

    referee: TextModel | TrailModel
    form: TaskForm = TaskForm()

    @property
    def text_model(self) -> TextModel:
        """The text as a transition system, without constraints and preferences."""
        return self.referee.base if isinstance(self.referee, TrailModel) else self.referee

    def translate_result(self, result: Result) -> Result:
        """Return a result of the program in terms of the task."""
        return self.form.translate_result(result)

    @property
    def claims(self) -> PlanClaims:
        """The sentences about plans, with the task's own numbers."""
        return self.form.claims

    def explain_rule(self, at: Location, values: Mapping[str, str]) -> tuple[Location, str]:
        """Return a place and a sentence for the ASP statement at a place and its variables."""
        statements = chain.from_iterable(unit.statements for unit in self.units)
        statement = next(s for s in statements if location(s) == at)
        return self.form.explain_rule(statement, values)

    def find_obstacles(self) -> Iterable[tuple[Location, str]]:
        """Return sentences about conditions of the goal that are unreachable."""
        return self.form.find_obstacles()

    def explain_plan(self, plan: Plan) -> dict[str, Any]:  # Any: JSON
        """Return the reasons for the atoms on the trajectory of a plan, as data of a page."""
        from asplan.pddl.language.provenance import explain_plan

        return explain_plan(self.text_model, plan)

    @property
    def _find_action(self) -> Callable[[str, tuple[str, ...]], object]:
        return self.referee.action


@dataclass(frozen=True, eq=False, kw_only=True)
class TemporalPddlTask(PddlTask, TemporalTask):
    """A PDDL task whose actions take time.

    Attributes
    ----------
    timed
        The text, whose plans can be executed.
    ground
        The ground task, if the task is translated.
    """

    timed: TimedModel
    ground: TimedTask | None = None

    def translate_result(self, result: Result) -> Result:
        """Return a result of the program in terms of the task."""
        from asplan.pddl.temporal.answers import with_times

        return result if self.ground is None else with_times(self.ground, result)

    @property
    def claims(self) -> PlanClaims:
        """The sentences about plans, in layers and in the task's times."""
        return PlanClaims() if self.ground is None else TemporalClaims(self.ground.unit)

    def execute(self, plan: Plan) -> TimedTrajectory:
        """Return the trajectory of a plan; raise `InvalidPlan` if it cannot be executed."""
        execution = self.timed.execute(plan)
        fluents = self.timed.model.fluents
        text = self.timed.model.text
        states = execution.states
        return TimedTrajectory(
            times=execution.times,
            states=lambda: (tuple(map(str, fluents(state))) for state in states),
            boards=(text(states[0]), text(states[-1])),
            makespan=execution.makespan,
            metric=execution.metric,
        )

    @property
    def _find_action(self) -> Callable[[str, tuple[str, ...]], object]:
        return self.timed.model.action


def load_source_pair(
    inputs: Inputs,
    files: tuple[str, str],
) -> PddlTask:
    """Return the problem of two PDDL files without translation."""
    return source_of(read_task(*files), inputs)


def source_of(
    task: TaskText,
    inputs: Inputs,
) -> UntimedPddlTask | TemporalPddlTask:
    """Return the problem of a task without translation."""
    domain_file = task.domain.name.source.file
    problem_file = task.problem.name.source.file
    names = names_of(task)
    drawing = Path(domain_file).parent / "draw.lp"
    shared: dict[str, Any] = {  # Any: fields of several types
        "task": task,
        "names": names,
        "files": (problem_file, domain_file),
        "units": (_objects(task, names, problem_file),),
        "domain": domains()[STEPPED],
        "drawing": str(drawing) if is_there(drawing) else None,
        "user_constants": inputs.constants,
        "constants": inputs.constants,
        "warnings": task.warnings,
    }
    if task.has_time:
        from asplan.pddl.language.timing import TimedModel

        return TemporalPddlTask(timed=TimedModel(task, names), **shared)
    return UntimedPddlTask(referee=referee_of(task, names), **shared)


def _objects(
    task: TaskText,
    names: PddlNames,
    file: str,
) -> Unit:
    """Return the facts of the objects and their types."""
    facts = " ".join(f"object({name},{kind})." for name, kind in objects_of(task, names))
    return Unit((), (PlainFacts(f"{file} (objects)", facts),))
