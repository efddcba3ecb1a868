"""The engine that unified-planning calls, in all operation modes that it supports."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO, Any
from warnings import warn

from unified_planning.engines import (
    AnytimeGuarantee,
    Credits,
    OptimalityGuarantee,
    PlanGenerationResult,
    ValidationResult,
    mixins,
)
from unified_planning.engines.engine import Engine as UpEngine
from unified_planning.exceptions import UPUsageError
from unified_planning.model import AbstractProblem, ProblemKind, State
from unified_planning.plans import (
    Plan,
    PlanKind,
    SequentialPlan,
    TimeTriggeredPlan,
)

from asplan.core.budget import Reporter, ignore_report
from asplan.result import Result
from asplan.up.answers import make_result
from asplan.up.anytime import improve_plans
from asplan.up.features import find_refusal, supported_kind
from asplan.up.listing import list_plans
from asplan.up.questions import NAME, EngineSettings, make_question
from asplan.up.repairing import repair_plan
from asplan.up.solving import solve
from asplan.up.validating import validate_sequential, validate_timed

_MODES = (
    mixins.OneshotPlannerMixin,
    mixins.AnytimePlannerMixin,
    mixins.PlanRepairerMixin,
    mixins.PlanValidatorMixin,
)

Streams = IO[str] | tuple[IO[str], IO[str]] | None
"""A stream for all output, or a pair: one for output and one for errors."""


class Engine(UpEngine, *_MODES):  # type: ignore[misc]
    """asplan for unified-planning: one plan, better and better plans, repair, and checks.

    With a metric, a plan is returned once it is proven best; without one, as soon as it is found.
    Each plan is checked before it is returned.

    It takes these settings by name:

    - `engine`: one of asplan's engines;
    - `optimal`: if False, return the first plan in spite of a metric;
    - `partial_order`: return partial-order plans, made of parallel steps; by default for the
      metric makespan;
    - `memory_limit`: megabytes;
    - `search_beside`: let a search through the states join the engine `asp` after some seconds;
    - `number_of_plans`, `quality`: let `AnytimePlanner` list the best plans: at most this number,
      or all within this factor of the best one;
    - `loopless`: leave plans that visit a state twice out of this list.

    Raises
    ------
    UPUsageError
        A setting is unknown, or its value is wrong.
    """

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  # checked by EngineSettings
        for base in (UpEngine, *_MODES):
            base.__init__(self)
        self._settings = EngineSettings.from_names(settings)

    @property
    def name(self) -> str:
        """The name of the engine in unified-planning."""
        return NAME

    @staticmethod
    def supported_kind() -> ProblemKind:
        """Return the kind of problems with all supported features."""
        return supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Return whether asplan can solve problems of a kind."""
        return find_refusal(problem_kind) is None

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Return whether asplan can check and repair plans of a kind."""
        return plan_kind in (PlanKind.SEQUENTIAL_PLAN, PlanKind.TIME_TRIGGERED_PLAN)

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Return True: with a metric, plans are proven best."""
        return True

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Return whether a guarantee holds for successive plans: that each is better than the one
        before.
        """
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def get_credits(**kwargs: object) -> Credits:
        """Return the credits that unified-planning prints."""
        return Credits(
            name="asplan",
            author="The asplan developers",
            contact="",
            website="",
            license="MIT",
            short_description=(
                "Planning with Answer Set Programming: shortest plans, proven and checked."
            ),
            long_description=(
                "asplan translates a problem into facts, solves them step by step with clingo, "
                "proves what it claims, and checks each plan on the text of the problem.",
            ),
        )

    def _solve(
        self,
        problem: AbstractProblem,
        heuristic: Callable[[State], float | None] | None = None,
        timeout: float | None = None,
        output_stream: Streams = None,
    ) -> PlanGenerationResult:
        if heuristic is not None:
            warn("asplan does not use the heuristic that it was given", stacklevel=3)
        question = make_question(problem, self._settings)
        result = solve(question, timeout, _make_report(output_stream))
        return make_result(question, result)

    def _get_solutions(
        self,
        problem: AbstractProblem,
        timeout: float | None = None,
        output_stream: Streams = None,
    ) -> Iterator[PlanGenerationResult]:
        question = make_question(problem, self._settings)
        if self._settings.lists_plans:
            yield from list_plans(question, timeout)
            return
        yield from improve_plans(question, timeout, _make_report(output_stream))

    def _repair(self, problem: AbstractProblem, plan: Plan) -> PlanGenerationResult:
        # If the plan must be optimal, the old one cannot be kept.
        if self.optimality_metric_required:
            return self._solve(problem)
        settings = replace(self._settings, optimal=False, partial_order=False)
        return repair_plan(make_question(problem, settings), plan)

    def _validate(self, problem: AbstractProblem, plan: Plan) -> ValidationResult:
        question = make_question(problem, self._settings)
        has_time = question.text.has_time
        if isinstance(plan, TimeTriggeredPlan) and has_time:
            return validate_timed(question, plan)
        if isinstance(plan, SequentialPlan) and not has_time:
            return validate_sequential(question, plan)
        kind = "with time" if has_time else "without time"
        wanted = TimeTriggeredPlan.__name__ if has_time else SequentialPlan.__name__
        message = f"of a problem {kind} asplan checks a {wanted}, not a {type(plan).__name__}"
        raise UPUsageError(message)


def _make_report(streams: Streams) -> Reporter[Result]:
    """Return a function that writes the progress as lines.

    A line that equals the line before is left out.
    """
    if streams is None:
        return ignore_report
    stream = streams[0] if isinstance(streams, tuple) else streams
    last_line = ""

    def report(result: Result) -> None:
        nonlocal last_line
        bound = result.lower_cost or result.lower_bound
        suffix = f" (lower bound {bound})" if bound else ""
        line = f"asplan: {result.reason}{suffix}"
        if result.reason and line != last_line:
            stream.write(line + "\n")
            last_line = line

    return report
