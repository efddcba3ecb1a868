"""The engine that unified-planning calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from warnings import warn

from unified_planning.engines import (
    AnytimeGuarantee,
    Credits,
    OptimalityGuarantee,
    PlanGenerationResult,
    ValidationResult,
)
from unified_planning.engines.engine import Engine as Base
from unified_planning.engines.mixins import (
    AnytimePlannerMixin,
    OneshotPlannerMixin,
    PlanValidatorMixin,
)
from unified_planning.model import AbstractProblem, ProblemKind
from unified_planning.plans import Plan, PlanKind, SequentialPlan

from asplan.up import beside
from asplan.up.answers import answer
from asplan.up.checking import checked
from asplan.up.improving import improved
from asplan.up.kind import supported_kind
from asplan.up.questions import Settings, question, refuse_unknown
from asplan.up.telling import Streams, teller


class Engine(Base, OneshotPlannerMixin, AnytimePlannerMixin, PlanValidatorMixin):  # type: ignore[misc]
    """asplan for unified-planning: plans once, plans ever better, and checks plans.

    Where a problem has a metric, a plan is given when it is proven to be a best one; without a
    metric, as soon as there is one. Each plan is checked before it is given.

    Parameters
    ----------
    engine
        An engine of asplan.
    optimal
        With False the first plan is given, whatever the metric.
    partial_order
        Whether plans are partial-order plans, of parallel steps; if not given, they are for the
        metric makespan.
    memory_limit
        Megabytes.
    search_beside
        Whether a search through the states joins the engine `asp` after some seconds.

    Raises
    ------
    UPUsageError
        There is no such setting, or it has no such value.
    """

    def __init__(
        self,
        engine: str = "asp",
        optimal: bool = True,
        partial_order: bool | None = None,
        memory_limit: int | None = None,
        search_beside: bool = True,
        **unknown: object,
    ) -> None:
        refuse_unknown(unknown)
        Base.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        self._settings = Settings(engine, optimal, partial_order, memory_limit, search_beside)

    @property
    def name(self) -> str:
        """The name of the engine."""
        return "asplan"

    @staticmethod
    def supported_kind() -> ProblemKind:
        """The kind of all problems that asplan takes."""
        return supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether asplan takes problems of a kind."""
        return bool(problem_kind <= supported_kind())

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Whether plans of a kind can be checked."""
        return bool(plan_kind == PlanKind.SEQUENTIAL_PLAN)

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Whether plans are as good as that; where there is a metric, they are proven best."""
        return True

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Whether one plan after the other is as good as that."""
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def get_credits(**kwargs: Any) -> Credits:
        """Who made it."""
        return Credits(
            "asplan",
            "The asplan developers",
            "",
            "",
            "MIT",
            "Planning with Answer Set Programming: shortest plans, proven and checked.",
            "asplan translates a problem into facts, solves them step by step with clingo, proves "
            "what it claims, and checks each plan on the text of the problem.",
        )

    def _solve(
        self,
        problem: AbstractProblem,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: Streams = None,
    ) -> PlanGenerationResult:
        if heuristic is not None:
            warn("asplan does not use the heuristic that it was given", stacklevel=3)
        asked = question(problem, self._settings)
        return answer(asked, beside.ask(asked, timeout, teller(output_stream)), self.name)

    def _get_solutions(
        self,
        problem: AbstractProblem,
        timeout: float | None = None,
        output_stream: Streams = None,
    ) -> Iterator[PlanGenerationResult]:
        asked = question(problem, self._settings)
        yield from improved(asked, timeout, teller(output_stream), self.name)

    def _validate(self, problem: AbstractProblem, plan: Plan) -> ValidationResult:
        assert isinstance(plan, SequentialPlan)
        return checked(question(problem, self._settings), plan, self.name)
