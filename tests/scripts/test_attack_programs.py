"""The attack with random programs finds no error, and notices wrong answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

import asplan
from asplan.core.plan import Plan
from attack_programs import WAYS, findings_on
from lib.random_planning import random_case, truth_of


@pytest.mark.parametrize("seed", range(1, 25))
def test_no_answer_is_contradicted_by_plain_clingo(seed: int) -> None:
    _, findings = findings_on(random_case(seed), WAYS[seed % len(WAYS)])
    assert findings == []


def test_programs_have_all_forms() -> None:
    features = {feature for seed in range(400) for feature in random_case(seed).features}
    for name in ("bound=range", "bound=enumerated", "bound=fact", "goal=after the end", "costs"):
        assert name in features


@pytest.mark.parametrize("change", ["drop the last action", "add a step", "wait at the end"])
def test_a_wrong_plan_is_found(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(
        case
        for case in map(random_case, range(1, 200))
        if (truth_of(case).horizon or 0) >= 2 and "choice=exactly one" in case.features
    )
    solved = asplan.solve

    def wrong(*args: object, **options: object) -> asplan.Result:
        result = solved(*args, **options)  # type: ignore[arg-type]
        assert result.plan is not None
        steps = result.plan.steps
        changed = {
            "drop the last action": (*steps[:-1], ()),
            "add a step": (*steps, steps[-1]),
            "wait at the end": (*steps[:-1], (), ()),
        }[change]
        return replace(result, plans=(Plan(changed),), horizon=len(changed))

    monkeypatch.setattr("asplan.solve", wrong)
    _, findings = findings_on(case, {})
    assert "plan" in {finding.kind for finding in findings}
