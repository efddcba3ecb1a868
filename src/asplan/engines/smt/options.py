"""The options of the SMT engines."""

from __future__ import annotations

from asplan.core.dataclass import dataclass
from asplan.engines.options import EngineOptions, option


@dataclass(frozen=True)
class SmtOptions(EngineOptions):
    """The options of the SMT engines."""

    move_limit: int | None = option(
        "Stop the SMT search after this many states.", kind=int, least=1
    )
