"""What has to stay true of delivery while its files change: `python -m pytest` runs this."""

from pathlib import Path

import pytest

import asplan

HERE = Path(__file__).parent
DOMAIN = HERE / "domain.pddl"
SHORTEST = {"first": 4, "second": 6}
"""For each problem the number of actions of a shortest plan."""


def problem(name: str) -> Path:
    return HERE / "problems" / f"{name}.pddl"


@pytest.mark.parametrize("name", SHORTEST)
def test_the_shortest_plan_is_found(name: str) -> None:
    result = asplan.solve(DOMAIN, problem(name), steps="sequential")
    assert (result.outcome, result.horizon) == ("optimal", SHORTEST[name])


def test_every_problem_is_tested() -> None:
    assert {file.stem for file in (HERE / "problems").glob("*.pddl")} == set(SHORTEST)


def test_a_long_road_is_avoided_where_the_length_counts() -> None:
    result = asplan.solve(DOMAIN, problem("second"), optimal="cost")
    assert "(ride office mill)" not in str(result.plans[0])
    assert result.outcome == "optimal"
