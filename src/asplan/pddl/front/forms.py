"""The forms of translated tasks without durations: they convert results back to the PDDL task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from asplan.core.dataclass import dataclass
from asplan.core.errors import Location
from asplan.domains.model import Model
from asplan.pddl.front.sentences import obstacles_of, rule_sentence
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.task.task import Task
from asplan.problem.claims import MetricClaims, PlanClaims
from asplan.program.syntax import AST
from asplan.result import Result

if TYPE_CHECKING:
    from asplan.pddl.numeric.scale import NumericTask
    from asplan.pddl.preferences import CompiledTask


@dataclass(frozen=True)
class TaskForm:
    """The form of a task that is not translated, and the base class of all forms.

    A form converts results of the translated task back to the PDDL task. Without a translation,
    results stay as they are.
    """

    def translate_result(self, result: Result) -> Result:
        """Convert a result of the translated task to the terms of the PDDL task."""
        return result

    @property
    def claims(self) -> PlanClaims:
        """The sentences in which reports describe plans of the task."""
        return PlanClaims()

    def explain_rule(self, statement: AST, values: Mapping[str, str]) -> tuple[Location, str]:
        """Explain a constraint of the encoding in terms of the PDDL task.

        Return a place in the PDDL files and a sentence. `values` are the values of the statement's
        variables, by name.
        """
        raise NotImplementedError("a task without translation has no statements")

    def find_obstacles(self) -> Iterable[tuple[Location, str]]:
        """Return reasons why the goal is unreachable: places in the PDDL files, and sentences."""
        return ()


@dataclass(frozen=True)
class GroundForm(TaskForm):
    """The form of a task that is translated into a ground task.

    Attributes
    ----------
    text
        The transition system of the PDDL text.
    task
        The ground task.
    model
        The transition system for search.
    """

    text: TextModel
    task: Task
    model: Model[Any, Any]  # Any: the states of a task or of a text

    def explain_rule(self, statement: AST, values: Mapping[str, str]) -> tuple[Location, str]:
        """Explain a constraint of the encoding; see `TaskForm.explain_rule`."""
        return rule_sentence(self.text, self.task, statement, values)

    def find_obstacles(self) -> Iterable[tuple[Location, str]]:
        """Return reasons why the goal is unreachable; see `TaskForm.find_obstacles`."""
        return obstacles_of(self.text, self.model)


@dataclass(frozen=True)
class PricedForm(GroundForm):
    """The form of a task with preferences whose metric is optimized.

    Its plans end with closing actions, which only pay for violated preferences.
    """

    compiled: CompiledTask

    def translate_result(self, result: Result) -> Result:
        """Convert a result: remove the closing actions, and replace the cost by the metric."""
        from asplan.pddl.preferences import without_closing

        return without_closing(self.compiled, result)


@dataclass(frozen=True)
class NumericForm(GroundForm):
    """The form of a task with numbers.

    Attributes
    ----------
    numeric
        The ground task with whole numbers, as the solver uses it.
    repeats
        The maximum number of times that an action happens in a step.
    trims
        True to remove needless actions from plans.
    by_metric
        True if the metric is optimized.
    """

    numeric: NumericTask
    repeats: int
    trims: bool
    by_metric: bool

    def translate_result(self, result: Result) -> Result:
        """Convert a result: in its plans, list an action as often as it happens in a step.

        Also remove the cost of the result if the metric is optimized.
        """
        from asplan.pddl.numeric.answers import with_counts

        result = with_counts(self.numeric, self.repeats, self.trims, result)
        return replace(result, cost=None) if self.by_metric else result

    @property
    def claims(self) -> PlanClaims:
        """The sentences in which reports describe plans; they give the metric of the PDDL task."""
        metric = self.numeric.metric
        if metric is None:
            return PlanClaims()
        return MetricClaims("metric", metric.factor, metric.constant)
