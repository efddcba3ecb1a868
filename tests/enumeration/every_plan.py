"""All plans of a program, from all answer sets that clingo's own incremental mode has.

Only the reading of an atom as an action at a step is asplan's.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from clingo import Control, Function, Number, Symbol

from asplan.problem import Inputs, load
from asplan.problem.problem import Problem

sys.path.append(str(Path(__file__).parents[1] / "engines" / "asp"))
from random_programs import random_program

__all__ = ["Order", "TooMany", "every_plan", "random_program"]

MOST = 3000
"""Answer sets of a horizon; a program that has more is left out."""

Order = tuple[tuple[str, ...], ...]


class TooMany(Exception):
    """A horizon has too many answer sets."""


def every_plan(text: str, within: int, last: int) -> dict[Order, int]:
    """Return the plans up to `within` steps longer than a shortest one, with their lengths.

    A plan is given by its steps that have actions. No plan is looked for after the step `last`.
    """
    problem = load(Inputs(text=text))
    control = Control(["0"], logger=lambda code, message: None)
    control.add("base", [], text)
    control.add("check", ["t"], "#external query(t).")
    found: dict[Order, int] = {}
    for t in range(last + 1):
        if found and t > min(found.values()) + within:
            break
        _ground(control, t)
        here = _orders(control, problem, t)
        known = dict(found)
        found |= {order: t for order in here if not _begins_with(order, known)}
    return found


def _ground(control: Control, t: int) -> None:
    parts = [("check", [Number(t)])]
    if t > 0:
        control.release_external(_query(t - 1))
        control.cleanup()
        parts.append(("step", [Number(t)]))
    else:
        parts.append(("base", []))
    control.ground(parts)
    control.assign_external(_query(t), True)


def _query(t: int) -> Symbol:
    return Function("query", [Number(t)])


def _orders(control: Control, problem: Problem, t: int) -> set[Order]:
    orders: set[Order] = set()
    control.configuration.solve.opt_mode = "ignore"  # type: ignore[union-attr]
    with control.solve(yield_=True) as handle:
        for number, model in enumerate(handle):
            if number == MOST:
                raise TooMany
            shown = [atom for atom in model.symbols(shown=True) if model.contains(atom)]
            orders.add(_order(problem, shown, t))
    return orders


def _order(problem: Problem, shown: list[Symbol], last: int) -> Order:
    steps: dict[int, set[str]] = defaultdict(set)
    for reading in problem.program.readings[:1]:
        for atom in filter(problem.program.is_action, shown):
            step = reading.step(atom)
            if step is not None and 1 <= step <= last:
                steps[step].add(str(reading.action(atom)))
    return tuple(tuple(sorted(steps[step])) for step in sorted(steps))


def _begins_with(order: Order, known: dict[Order, int]) -> bool:
    return any(order[:end] in known for end in range(len(order) + 1))
