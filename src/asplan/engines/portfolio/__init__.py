"""Several methods at once on one problem; the first proven answer wins.

`engine` says who takes part in `race` and `auto`, `methods` and `state_search` what they do, and
`race` lets them run side by side.
"""

from types import ModuleType

from asplan.core.registry import Later
from asplan.engines.portfolio.options import AutoOptions, RaceOptions
from asplan.engines.run import Engine


def _engine() -> ModuleType:
    from asplan.engines.portfolio import engine

    return engine


_ABOUT = "asp, sat and others at once, first wins", "asp; after some searching sat beside it"
RACE = Engine(Later(lambda: _engine().race), RaceOptions, False, _ABOUT[0], forks=True)
AUTO = Engine(
    Later(lambda: _engine().auto), AutoOptions, False, _ABOUT[1], forks=True, knows_theories=True
)
