"""What a Python user relies on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asplan
from asplan.result import read_plan_file, to_json


def test_the_docstrings_example() -> None:
    result = asplan.solve("two_cars.lp", encoding="origin", metric="slide")
    assert (result.outcome, result.horizon) == ("optimal", 2)
    assert repr(result) == (
        "<Result rush_hour two_cars: optimal, 2 steps (shortest: 1 steps refuted, 2 found)>"
    )
    assert str(result.plan) == "1. move(b,down,2)\n2. move(r,right,4)"
    assert asplan.validate("two_cars", plan=result) == 2


def test_a_plan_is_checked_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(to_json(asplan.solve("two_cars", encoding="origin"))))
    assert asplan.validate("two_cars", plan=file) == 6
    assert asplan.validate("two_cars", plan=str(file)) == 6
    with pytest.raises(asplan.UsageError) as caught:
        asplan.validate("two_cars", plan=[["move(r,right,1)"]])  # type: ignore[arg-type]
    assert str(caught.value) == (
        "[['move(r,right,1)']] is no plan\n  give a plan, a result, or the name of a file with one"
    )


def test_results_survive_their_file(tmp_path: Path) -> None:
    result = asplan.solve("two_cars", encoding="origin", models=0)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(to_json(result)))
    again = read_plan_file(str(file))
    assert (again, to_json(again)) == (result, to_json(result))


def test_an_isolated_run_says_the_same() -> None:
    here = asplan.solve("walls", encoding="origin", metric="slide")
    there = asplan.solve("walls", encoding="origin", metric="slide", isolate=True)
    assert (here.outcome, here.horizon, here.lower_bound) == (
        there.outcome,
        there.horizon,
        there.lower_bound,
    )


def test_threads_find_the_same_optimum() -> None:
    assert asplan.solve("walls", encoding="origin", metric="slide", threads=2).horizon == 11
