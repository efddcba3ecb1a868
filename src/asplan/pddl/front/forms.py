"""The forms of translated tasks without time: their ground tasks, and results in their terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
    """The form of a task that is not translated, so that nothing has to be translated back."""

    def translate_result(self, result: Result) -> Result:
        """Return a result of the program in terms of the task."""
        return result

    @property
    def claims(self) -> PlanClaims:
        """The sentences about plans."""
        return PlanClaims()

    def explain_rule(self, statement: AST, values: Mapping[str, str]) -> tuple[Location, str]:
        """Return a place and a sentence for an ASP statement and the values of its variables."""
        raise NotImplementedError("a task without translation has no statements")

    def find_obstacles(self) -> Iterable[tuple[Location, str]]:
        """Return sentences about conditions of the goal that are unreachable."""
        return ()


@dataclass(frozen=True)
class GroundForm(TaskForm):
    """The form of a classical task.

    Attributes
    ----------
    text
        The task at the level of the text.
    task
        The ground task.
    model
        The model for search.
    """

    text: TextModel
    task: Task
    model: Model[Any, Any]  # Any: the states of a task or of a text

    def explain_rule(self, statement: AST, values: Mapping[str, str]) -> tuple[Location, str]:
        """Return a place and a sentence for an ASP statement and the values of its variables."""
        return rule_sentence(self.text, self.task, statement, values)

    def find_obstacles(self) -> Iterable[tuple[Location, str]]:
        """Return sentences about conditions of the goal that are unreachable."""
        return obstacles_of(self.text, self.model)


@dataclass(frozen=True)
class PricedForm(GroundForm):
    """The form of a task whose metric is optimized: its plans end with closing actions."""

    compiled: CompiledTask

    def translate_result(self, result: Result) -> Result:
        """Return a result without closing actions, with the metric in place of the cost."""
        from asplan.pddl.preferences import without_closing

        return without_closing(self.compiled, result)


@dataclass(frozen=True)
class NumericForm(GroundForm):
    """The form of a task with numbers.

    Attributes
    ----------
    numeric
        The ground task with its numbers as the solver has them.
    repeats
        The number of times that an action may happen in a step.
    trims
        True if needless actions of a plan are removed.
    by_metric
        True if the metric is optimized.
    """

    numeric: NumericTask
    repeats: int
    trims: bool
    by_metric: bool

    def translate_result(self, result: Result) -> Result:
        """Return a result with the numbers and the metric of the task."""
        from asplan.pddl.numeric.answers import with_counts

        result = with_counts(self.numeric, self.repeats, self.trims, result)
        return replace(result, cost=None) if self.by_metric else result

    @property
    def claims(self) -> PlanClaims:
        """The sentences about plans, with the task's own metric."""
        metric = self.numeric.metric
        if metric is None:
            return PlanClaims()
        return MetricClaims("metric", metric.factor, metric.constant)
