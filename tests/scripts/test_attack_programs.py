"""The attack with random programs finds no error, and notices wrong answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

import asplan
from asplan.core.plan import Plan
from attack_programs import WAYS, Agreement, findings_by_policy, findings_on, second_plan
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


def test_policies_of_grounding_agree() -> None:
    agreement = Agreement()
    found = []
    for seed in range(25, 37):
        case = random_case(seed)
        found += findings_by_policy(case, agreement)[1]
        found += second_plan(case, seed)
    assert found == []
    assert agreement.compared == 12
    assert agreement.converted >= 6


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"horizon": 1}, "different horizon"),
        ({"outcome": asplan.Outcome.PLAN}, "different outcome"),
        ({"cost": (1,)}, "different cost"),
    ],
)
def test_policies_that_disagree_are_found(
    change: dict[str, object], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved = asplan.solve

    def wrong(**options: object) -> asplan.Result:
        result = solved(**options)  # type: ignore[arg-type]
        return replace(result, **change) if options.get("fresh") else result

    monkeypatch.setattr("asplan.solve", wrong)
    _, found = findings_by_policy(random_case(25), Agreement())
    assert kind in {finding.kind for finding in found}


def test_a_second_plan_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = iter([Plan((("go",),)), Plan((("hop(1)",),))])
    result = asplan.solve(text=random_case(25).written())
    monkeypatch.setattr("asplan.solve", lambda **_: replace(result, plans=(next(plans),)))
    assert [finding.kind for finding in second_plan(random_case(25), 0)] == ["second plan"]
