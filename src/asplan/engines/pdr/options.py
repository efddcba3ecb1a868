"""What the engine `pdr` can be told, and which encodings it takes by itself."""

from __future__ import annotations

from dataclasses import dataclass

from asplan.engines.run import ALIKE, EngineOptions


@dataclass(frozen=True)
class PdrOptions(EngineOptions):
    """None, so far."""

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings whose states are determined by one step."""
        return ALIKE
