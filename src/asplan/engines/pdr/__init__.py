"""The engine `pdr`: property-directed reachability, for state spaces that are too large to list."""

from collections.abc import Callable
from dataclasses import dataclass

from asplan.core.registry import Later
from asplan.engines.run import (
    ALIKE,
    Engine,
    EngineOptions,
)
from asplan.result import Result


@dataclass(frozen=True)
class PdrOptions(EngineOptions):
    """The options of engine `pdr`."""

    @property
    def encodings(self) -> tuple[str, ...]:
        """The names of the encodings that suit this engine, the best first."""
        return ALIKE


def _solve() -> Callable[..., Result]:
    from asplan.engines.pdr.engine import solve

    return solve


ENGINE = Engine(
    Later(_solve),
    PdrOptions,
    False,
    "property-directed reachability: an invariant that excludes the goal, or a plan",
)
