"""From shown atoms to plans."""

from __future__ import annotations

from collections.abc import Iterable

from clingo import Symbol, SymbolType

from asplan.result import Plan

Atoms = tuple[Symbol, ...]


def read_plan(atoms: Iterable[Symbol], horizon: int) -> Plan:
    """The plan that `occurs(Action,t)` atoms describe, t = 1..horizon.

    Actions of one step stand in clingo's order of terms.
    """
    steps: list[list[Symbol]] = [[] for _ in range(horizon)]
    for atom in atoms:
        if atom.match("occurs", 2):
            action, time = atom.arguments
            if time.type == SymbolType.Number and 1 <= time.number <= horizon:
                steps[time.number - 1].append(action)
    return Plan(tuple(tuple(str(a) for a in sorted(step)) for step in steps))


def without_idle_end(plan: Plan) -> Plan:
    """The plan without the empty steps at its end."""
    length = max((t for t, step in enumerate(plan, 1) if step), default=0)
    return Plan(plan.steps[:length])


def distinct(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Each plan once, in order."""
    return tuple(dict.fromkeys(plans))
