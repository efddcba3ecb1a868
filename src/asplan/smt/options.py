"""What the SMT engines can be told."""

from __future__ import annotations

from dataclasses import dataclass

from asplan.options import EngineOptions, option


@dataclass(frozen=True)
class SmtOptions(EngineOptions):
    """How Z3 is asked."""

    move_limit: int | None = option("For SMT: the number of states.", kind=int, least=1)
