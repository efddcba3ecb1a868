"""What reports tell of each horizon, beside what a result has counted."""

from __future__ import annotations

import asplan
from asplan.studio.runs import PassedHorizons, step_seconds


def test_reports_tell_what_each_horizon_cost() -> None:
    passed = PassedHorizons()
    result = asplan.solve("two_cars", encoding="origin", progress=passed.hear)
    told, right = passed.steps, step_seconds(result)
    assert [step[0] for step in right] == [0, 1, 2, 3, 4, 5, 6]
    assert [step[0] for step in told] == [0, 1, 2, 3, 4, 5]
    for (_, ground, solve), (_, right_ground, right_solve) in zip(told, right[:-1], strict=True):
        assert abs(ground - right_ground) + abs(solve - right_solve) < 1e-5
