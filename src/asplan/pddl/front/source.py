"""Problems of PDDL files without translation: their text, the check of plans, and plan files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asplan.core.dataclass import dataclass
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
from asplan.problem.kinds import TemporalTask, TranslatedTask, UntimedTask
from asplan.problem.problem import TimedTrajectory
from asplan.program.reading.plain_facts import PlainFacts
from asplan.program.reading.unit import Unit
from asplan.program.syntax import location
from asplan.result import Result

if TYPE_CHECKING:
    from asplan.pddl.language.timing import TimedModel
    from asplan.pddl.temporal.ground import TimedTask


@dataclass(frozen=True, eq=False, kw_only=True)
class PddlTask(TranslatedTask):
    """The problem that a PDDL domain and a PDDL problem define.

    Attributes
    ----------
    task
        The text of both files.
    names
        The names of the task in PDDL and in ASP.
    """

    task: TaskText
    names: PddlNames

    @property
    def texts(self) -> tuple[str, str]:
        """The texts of the domain file and the problem file."""
        return self.task.domain.name.source.text, self.task.problem.name.source.text

    def write_action(self, action: str) -> str:
        """Return an action term as the files spell it, such as `(pick-up A)`."""
        return self.names.written(action)

    def read_plan(self, lines: Iterable[str], file: str) -> Plan:
        """Read a plan from the lines of a file; raise the errors of `language.plans.read_plan`."""
        return read_plan(lines, file, self.names, self.task.has_time, self._find_action)

    def write_plan(self, plan: Plan, cost: int) -> str:
        """Return the text of a plan file; `cost` is the cost of the plan's actions."""
        return write_plan(self.name_actions(plan), cost, self.task.has_costs)

    @property
    @abstractmethod
    def _find_action(self) -> Callable[[str, tuple[str, ...]], object]:
        """A function that raises `ValueError` if an action's name or an argument is wrong."""


@dataclass(frozen=True, eq=False, kw_only=True)
class UntimedPddlTask(PddlTask, UntimedTask):
    """A PDDL task whose actions take no time.

    Attributes
    ----------
    referee
        The transition system that checks plans.
    form
        The translated form of the task, if the task is translated.
    """

    referee: TextModel | TrailModel
    form: TaskForm = TaskForm()

    @property
    def text_model(self) -> TextModel:
        """The transition system of the text, without constraints and preferences."""
        return self.referee.base if isinstance(self.referee, TrailModel) else self.referee

    def translate_result(self, result: Result) -> Result:
        """Convert a result of the translated task to the terms of the PDDL task."""
        return self.form.translate_result(result)

    @property
    def claims(self) -> PlanClaims:
        """The sentences in which reports describe plans, in terms of the PDDL task."""
        return self.form.claims

    def explain_rule(self, at: Location, values: Mapping[str, str]) -> tuple[Location, str]:
        """Explain the ASP statement at a place in terms of the PDDL task.

        Return a place in the PDDL files and a sentence. `values` are the values of the statement's
        variables, by name.
        """
        statements = chain.from_iterable(unit.statements for unit in self.units)
        statement = next(s for s in statements if location(s) == at)
        return self.form.explain_rule(statement, values)

    def find_obstacles(self) -> Iterable[tuple[Location, str]]:
        """Return reasons why the goal is unreachable: places in the PDDL files, and sentences."""
        return self.form.find_obstacles()

    def explain_plan(self, plan: Plan) -> dict[str, Any]:  # Any: JSON
        """Return the data of a page that explains why atoms hold on the trajectory of a plan."""
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
        The model of the PDDL text, which executes plans with times.
    ground
        The ground task, if the task is translated.
    """

    timed: TimedModel
    ground: TimedTask | None = None

    def translate_result(self, result: Result) -> Result:
        """Convert a result of the translated task to the terms of the PDDL task."""
        from asplan.pddl.temporal.answers import with_times

        return result if self.ground is None else with_times(self.ground, result)

    @property
    def claims(self) -> PlanClaims:
        """The sentences in which reports describe plans, by the number of layers and by times.

        A layer is a step of the translated task.
        """
        return PlanClaims() if self.ground is None else TemporalClaims(self.ground.unit)

    def execute(self, plan: Plan) -> TimedTrajectory:
        """Return the trajectory of a plan; raise `InvalidPlan` if the plan cannot be executed."""
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
    """Return the problem that two PDDL files define, without translation."""
    return source_of(read_task(*files), inputs)


def source_of(
    task: TaskText,
    inputs: Inputs,
) -> UntimedPddlTask | TemporalPddlTask:
    """Return the problem of a task without translation.

    The only facts of the problem are the objects with their types.
    """
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
    """Return the facts of the objects and their types; `file` is the problem file, for messages."""
    facts = " ".join(f"object({name},{kind})." for name, kind in objects_of(task, names))
    return Unit((), (PlainFacts(f"{file} (objects)", facts),))
