"""Several methods at once on one problem; the first proven answer wins.

`engine` says who takes part in `race` and `auto`, `methods` and `state_search` what they do, and
`race` lets them run side by side.
"""

from __future__ import annotations

from collections.abc import Callable

from asplan.core.registry import Later
from asplan.engines.portfolio.options import AutoOptions, RaceOptions
from asplan.engines.run import Engine
from asplan.result import Result


def _race() -> Callable[..., Result]:
    from asplan.engines.portfolio.engine import race

    return race


def _auto() -> Callable[..., Result]:
    from asplan.engines.portfolio.engine import auto

    return auto


RACE = Engine(
    Later(_race), RaceOptions, False, "asp, sat and others at once, first wins", forks=True
)
AUTO = Engine(
    Later(_auto),
    AutoOptions,
    False,
    "asp; after some searching sat beside it",
    forks=True,
    knows_theories=True,
)
