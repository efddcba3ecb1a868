"""Limits: what a run may use."""

from dataclasses import dataclass
from enum import StrEnum

from asplan.core.errors import UsageError
from asplan.core.text import LARGEST

MOST_STEPS = 1_000_000  # steps that are grounded at most before the first look for a plan


def check_steps(horizon: int) -> None:
    """Raise `UsageError` for a number of steps that cannot be grounded in one go."""
    if not 0 <= horizon <= MOST_STEPS:
        beyond = "below 0" if horizon < 0 else f"above {MOST_STEPS}"
        raise UsageError(f"the horizon is {horizon}, but it cannot be {beyond}")


class Stop(StrEnum):
    """The limits that can end a run before it has an answer."""

    TIME = "time"
    MEMORY = "memory"
    HORIZON = "horizon"
    INTERRUPT = "interrupt"


@dataclass(frozen=True)
class Limits:
    """What a run may use: wall-clock seconds for everything, megabytes of its worker, horizons."""

    seconds: float | None = None
    megabytes: int | None = None
    min_horizon: int = 0
    max_horizon: int | None = None

    def time_reason(self, doing: str = "") -> str:
        """Why a run stopped that reached its deadline."""
        if self.seconds is None:
            return while_doing("a limit among the options for clingo was reached", doing)
        return while_doing(f"time limit of {self.seconds:g} s reached", doing)

    def check(self) -> None:
        """Raise `UsageError` where the limits make no sense, or contradict each other."""
        if self.seconds is not None and not 0 <= self.seconds < float("inf"):
            raise UsageError(f"a time limit of {self.seconds:g} s: it is a number from 0")
        if self.megabytes is not None and self.megabytes < 1:
            raise UsageError(f"a memory limit of {self.megabytes} MB: it is a number from 1")
        for name, horizon in (("min", self.min_horizon), ("max", self.max_horizon)):
            if horizon is not None and not 0 <= horizon <= LARGEST:
                beyond = "below 0" if horizon < 0 else f"above {LARGEST}"
                raise UsageError(f"--{name}-horizon {horizon} is {beyond}")
        if self.min_horizon > MOST_STEPS:
            raise UsageError(f"--min-horizon {self.min_horizon} is above {MOST_STEPS}")
        if self.max_horizon is not None and self.max_horizon < self.min_horizon:
            why = f"--max-horizon {self.max_horizon} is below --min-horizon {self.min_horizon}"
            raise UsageError(why)


def is_starved() -> bool:
    """Whether memory is limited (`ulimit -v`), so that what fails to load or just ends lacks it."""
    try:
        import resource
    except ImportError:  # not on Windows
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def while_doing(reason: str, doing: str) -> str:
    return f"{reason} while {doing}" if doing else reason
