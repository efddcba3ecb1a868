"""Portfolios: several methods at once on one problem; the first proven answer wins.

A method is an engine with its options. `methods` has the methods that users can name, and `auto`
the tables of the methods that the engine `auto` runs, each with its start. `race` runs methods side
by side, each in a process of its own by `runner`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from asplan.core.registry import Later
from asplan.engines import Engine
from asplan.engines.portfolio.options import AutoOptions, RaceOptions

if TYPE_CHECKING:
    from asplan.result import Result


def _load_race() -> Callable[..., Result]:
    from asplan.engines.portfolio.auto import race

    return race


def _load_auto() -> Callable[..., Result]:
    from asplan.engines.portfolio.auto import auto

    return auto


RACE = Engine(
    run=Later(_load_race),
    options=RaceOptions,
    needs_model=False,
    about="asp, sat and others side by side; the first answer wins",
    forks=True,
    grounds_anew=True,
)
AUTO = Engine(
    run=Later(_load_auto),
    options=AutoOptions,
    needs_model=False,
    about="asp, beside it a search through the states, later sat",
    forks=True,
    knows_theories=True,
    grounds_anew=True,
)
