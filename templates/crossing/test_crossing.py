"""What has to stay true of crossing while its files change: `python -m pytest` runs this."""

from pathlib import Path

import pytest

import asplan

HERE = Path(__file__).parent
ENCODING = HERE / "encoding.lp"
SHORTEST = {"first": 7, "second": 5}
"""For each instance the number of steps of a shortest plan."""


def instance(name: str) -> Path:
    return HERE / "instances" / f"{name}.lp"


@pytest.mark.parametrize("name", SHORTEST)
def test_the_shortest_plan_is_found(name: str) -> None:
    result = asplan.solve(ENCODING, instance(name))
    assert (result.outcome, result.horizon) == ("optimal", SHORTEST[name])


def test_every_instance_is_tested() -> None:
    assert {file.stem for file in (HERE / "instances").glob("*.lp")} == set(SHORTEST)


def test_the_goat_is_not_left_with_the_wolf() -> None:
    plan = asplan.Plan((("cross(cabbage)",),))
    with pytest.raises(asplan.InvalidPlan):
        asplan.validate(ENCODING, instance("first"), plan=plan)
