"""Plans to draw, made without a solver."""

from __future__ import annotations

from pathlib import Path

from asplan.catalog import find_instance
from asplan.core.plan import Plan
from asplan.result import Outcome, Result

RED = (0xD7, 0x26, 0x3D)
"""The fill of the red car."""


def rush_hour(file: str | Path, actions: list[str]) -> Result:
    """A plan for an instance of Rush Hour."""
    return Result(
        outcome=Outcome.OPTIMAL,
        horizon=len(actions),
        plans=(Plan(tuple((action,) for action in actions)),),
        files=(str(file),),
        domain="rush_hour",
        encoding="origin",
        constants={"metric": "step"},
    )


def two_cars() -> Result:
    """Return the plan for two_cars.lp: b moves away, then r goes to the exit."""
    actions = ["move(b,down,1)"] * 2 + ["move(r,right,1)"] * 4
    return rush_hour(find_instance("two_cars.lp"), actions)


def own_plan(folder: Path, facts: str, atoms: list[str], steps: list[list[str]]) -> Result:
    """A plan for a program that asplan has no model of, and which is stored in a folder."""
    file = folder / "own.lp"
    file.write_text(facts + "\n#program step(t).\n")
    return Result(
        outcome=Outcome.PLAN,
        horizon=len(steps),
        plans=(Plan(tuple(map(tuple, steps))),),
        atoms=tuple(atoms),
        files=(str(file),),
        encoding=str(file),
    )
