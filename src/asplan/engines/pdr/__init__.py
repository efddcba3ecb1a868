"""The engine `pdr`: property-directed reachability, for state spaces that are too large to list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from asplan.core.dataclass import dataclass
from asplan.core.registry import Later
from asplan.engines import Engine
from asplan.engines.options import ALIKE, EngineOptions

if TYPE_CHECKING:
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
