"""What a Python user relies on."""

from __future__ import annotations

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


def test_results_survive_their_file(tmp_path: object) -> None:
    import json
    from pathlib import Path

    result = asplan.solve("two_cars", encoding="origin", models=0)
    file = Path(str(tmp_path)) / "plan.json"
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
