"""What has to stay true of stacking while its files change: `python -m pytest` runs this."""

from pathlib import Path

import pytest

import asplan

HERE = Path(__file__).parent
ENCODING = HERE / "encoding.lp"
SHORTEST = {"first": 3, "second": 5}
"""For each instance the number of steps of a shortest plan."""


def instance(name: str) -> Path:
    return HERE / "instances" / f"{name}.lp"


@pytest.mark.parametrize("name", SHORTEST)
def test_the_shortest_plan_is_found(name: str) -> None:
    result = asplan.solve(instance(name), encoding=ENCODING)
    assert (result.outcome, result.horizon) == ("optimal", SHORTEST[name])


def test_every_instance_is_tested() -> None:
    assert {file.stem for file in (HERE / "instances").glob("*.lp")} == set(SHORTEST)


def test_a_covered_block_cannot_be_moved() -> None:
    plan = asplan.Plan((("move(a,b)",),))
    with pytest.raises(asplan.InvalidPlan, match="step 1: move"):
        asplan.validate(instance("first"), encoding=ENCODING, plan=plan)
