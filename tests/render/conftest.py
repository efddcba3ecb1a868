from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asplan.catalog import find_instance
from asplan.result import Outcome, Plan, Result

TWO_CARS = ["move(b,down,1)"] * 2 + ["move(r,right,1)"] * 4
"""The plan for two_cars.lp: b makes way, then r goes to the exit."""


@pytest.fixture(scope="session")
def two_cars() -> Result:
    return make_rush_hour(find_instance("two_cars.lp"), TWO_CARS)


@pytest.fixture(scope="session")
def rush_hour() -> Callable[[str | Path, list[str]], Result]:
    """Makes a result with a plan for an instance of Rush Hour."""
    return make_rush_hour


@pytest.fixture
def own_plan(tmp_path: Path) -> Callable[..., Result]:
    """Makes the result of a program that asplan has no model of."""

    def make(facts: str, atoms: list[str], steps: list[list[str]]) -> Result:
        file = tmp_path / "own.lp"
        file.write_text(facts + "\n#program step(t).\n")
        return Result(
            outcome=Outcome.PLAN,
            horizon=len(steps),
            plans=(Plan(tuple(map(tuple, steps))),),
            atoms=tuple(atoms),
            files=(str(file),),
            encoding=str(file),
        )

    return make


def make_rush_hour(file: str | Path, actions: list[str]) -> Result:
    return Result(
        outcome=Outcome.OPTIMAL,
        horizon=len(actions),
        plans=(Plan(tuple((action,) for action in actions)),),
        files=(str(file),),
        domain="rush_hour",
        encoding="origin",
        constants={"metric": "step"},
    )
