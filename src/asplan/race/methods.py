"""What can take part in a race: an engine that plans by horizons, with one thing chosen.

>>> [method.name for method in parse_methods("asp,asp:jumpy,sat:glucose42", PlanningOptions())]
['asp', 'asp:jumpy', 'sat:glucose42']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from asplan.asp.planning import engine as asp
from asplan.asp.planning.options import AspOptions, PlanningOptions
from asplan.options import EngineOptions
from asplan.result import Result
from asplan.run import Run
from asplan.sat import engine as sat
from asplan.sat.options import SatOptions


@dataclass(frozen=True)
class Method:
    """An engine with its options, under the name that the race was told."""

    name: str
    solve: Callable[[Run[Any]], Result]
    options: EngineOptions


def parse_methods(text: str, options: PlanningOptions) -> list[Method]:
    """The methods of a checked list: `asp` or `sat`, or one of them with what to solve with."""
    return [_method(word, options) for word in text.split(",")]


def _method(word: str, options: PlanningOptions) -> Method:
    engine, _, chosen = word.partition(":")
    shared = {f.name: getattr(options, f.name) for f in fields(PlanningOptions)}
    if engine == "sat":
        return Method(word, sat.solve, SatOptions(**shared, solver=chosen or None))
    if chosen:
        shared["clingo"] = (f"--configuration={chosen}", *shared["clingo"])
    return Method(word, asp.solve, AspOptions(**shared))
