"""The SMT engines: a domain has formulas over the states of a path, and Z3 solves them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from asplan.core.registry import Later
from asplan.engines import Engine
from asplan.engines.smt.options import SmtOptions

if TYPE_CHECKING:
    from asplan.result import Result


def _solve() -> Callable[..., Result]:
    from asplan.engines.smt.solving import solve

    return solve


_ENGINES = {
    "smt": "Z3 on the thesis's model",
    "smt-alternating": "the same model, and no vehicle moves twice in a row",
    "smt-cells": "Z3 on a faster model, one state at a time",
}
"""A description of each engine."""

SMT, ALTERNATING, CELLS = (
    Engine(partial(Later(_solve), name), SmtOptions, True, about)
    for name, about in _ENGINES.items()
)
