"""Planners of unified-planning that behave well, or badly."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from unified_planning.engines import Engine, PlanGenerationResult
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.engines.mixins import OneshotPlannerMixin
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.io import PDDLReader
from unified_planning.model import ProblemKind

GOOD = ["(unstack c a)", "(put-down c)", "(pick-up b)", "(stack b c)", "(pick-up a)", "(stack a b)"]

TIMED = [
    "0.001: (mend attic) [3]",
    "0.001: (strike long) [8]",
    "3.002: (mend kitchen) [4]",
    "8.002: (mend hall) [3.5]",
    "8.002: (strike short) [5]",
]

SLEEP = os.environ.setdefault("FAKE_PLANNERS_SLEEP", f"98765.{os.getpid()}")
"""The seconds of a sleep that nobody else asks for, in this process or in those below it."""


class Fake(Engine, OneshotPlannerMixin):
    """A planner with the plan, status and log of its class."""

    status = Status.SOLVED_SATISFICING
    plan: list[str] | None = None
    log = ""

    def __init__(self) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)

    @property
    def name(self) -> str:
        return type(self).__name__

    @staticmethod
    def supported_kind() -> ProblemKind:
        return ProblemKind({"ACTION_BASED", "FLAT_TYPING"}, version=2)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return problem_kind <= Fake.supported_kind()

    def _solve(self, problem: Any, *given: Any, **named: Any) -> PlanGenerationResult:
        print("planners say this and that")
        reader = PDDLReader(problem.environment)
        plan = None
        if self.plan is not None:
            plan = reader.parse_plan_string(problem, "\n".join(self.plan))
        logs = [LogMessage(LogLevel.ERROR, self.log)]
        return PlanGenerationResult(self.status, plan, self.name, log_messages=logs)


class Good(Fake):
    plan = GOOD


class Proud(Good):
    status = Status.SOLVED_OPTIMALLY


class Wrong(Fake):
    plan = GOOD[1:]


class Short(Fake):
    plan = GOOD[:4]


class Hopeless(Fake):
    status = Status.UNSOLVABLE_PROVEN


class Late(Fake):
    status = Status.TIMEOUT


class Large(Fake):
    status = Status.MEMOUT


class Timed(Fake):
    """Knows of time, but of no metric."""

    plan = TIMED

    @staticmethod
    def supported_kind() -> ProblemKind:
        features = "CONTINUOUS_TIME REAL_TYPE_DURATIONS INT_TYPE_DURATIONS ACTION_BASED FLAT_TYPING"
        return ProblemKind({*features.split(), "STATIC_FLUENTS_IN_DURATIONS"}, version=2)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return problem_kind <= Timed.supported_kind()


class Broken(Fake):
    status = Status.INTERNAL_ERROR
    log = "first line\nout of luck\n"


class Crashing(Fake):
    def _solve(self, problem: Any, *given: Any, **named: Any) -> PlanGenerationResult:
        raise RuntimeError("a bug\nof two lines")


class Dying(Fake):
    def _solve(self, problem: Any, *given: Any, **named: Any) -> PlanGenerationResult:
        os._exit(7)


class Sleeping(Fake):
    """Sleeps, and starts programs that sleep, one in a session of its own and one an orphan."""

    def _solve(self, problem: Any, *given: Any, **named: Any) -> PlanGenerationResult:
        subprocess.Popen(["sleep", SLEEP], start_new_session=True)
        start = f"import subprocess; subprocess.Popen(['sleep', '{SLEEP}'], start_new_session=True)"
        subprocess.run([sys.executable, "-c", start], check=True)
        time.sleep(float(SLEEP))
        raise AssertionError


class Leaving(Good):
    """Has a plan, and leaves a program behind."""

    def _solve(self, problem: Any, *given: Any, **named: Any) -> PlanGenerationResult:
        subprocess.Popen(["sleep", SLEEP], start_new_session=True)
        return super()._solve(problem)


class Messy(Good):
    """Writes to the current folder, as Fast Downward does, and reads its own file again."""

    def _solve(self, problem: Any, *given: Any, **named: Any) -> PlanGenerationResult:
        file = Path("output.sas")
        file.write_text(str(os.getpid()))
        time.sleep(0.3)
        assert file.read_text() == str(os.getpid())
        return super()._solve(problem)


ALL = (
    Messy,
    Good,
    Proud,
    Wrong,
    Short,
    Hopeless,
    Late,
    Large,
    Broken,
    Crashing,
    Dying,
    Sleeping,
    Leaving,
    Timed,
)


def register() -> None:
    """Make them planners that unified-planning has."""
    from unified_planning.environment import get_environment

    for kind in ALL:
        name = kind.__name__.lower()
        if name not in get_environment().factory.engines:
            get_environment().factory.add_engine(name, __name__, kind.__name__)
