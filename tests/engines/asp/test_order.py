"""Steps with several actions: an order to execute them in is found, or the plan refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asplan
from conftest import run

# Blocks a, b, c: a stands on b, and both moves may be in one step, as long as each is possible
# when its turn comes. The program itself lets all of them happen at once.
STEPS = """
#program base.
{said}
thing(a;b;c). at(a,1,0). at(b,2,0). at(c,3,0). room(1..4). {wanted}
#program step(t).
{{ occurs(go(X,R),t) : thing(X), room(R) }}.
:- occurs(go(X,R),t), occurs(go(X,S),t), R < S.
:- occurs(go(X,R),t), at(X,R,t-1).
moved(X,t) :- occurs(go(X,R),t).
at(X,R,t) :- occurs(go(X,R),t).
at(X,R,t) :- at(X,R,t-1), not moved(X,t).
#program check(t).
:- at(X,R,t), at(Y,R,t), X < Y.
:- query(t), wanted(X,R), not at(X,R,t).
"""
SHIFT = "wanted(a,2). wanted(b,3). wanted(c,4)."
ROTATE = "wanted(a,2). wanted(b,1). wanted(c,3)."
ORDERED = "asplan(ordered)."


def test_without_a_word_the_actions_of_a_step_happen_at_once() -> None:
    result = asplan.solve(text=STEPS.format(said="", wanted=ROTATE))
    assert (result.horizon, str(result.plan)) == (1, "1. go(a,2)  go(b,1)")


def test_an_order_is_found() -> None:
    result = asplan.solve(text=STEPS.format(said=ORDERED, wanted=SHIFT))
    assert result.horizon == 1
    assert result.plan is not None
    assert result.plan.steps == (("go(c,4)", "go(b,3)", "go(a,2)"),)


def test_an_order_is_found_for_actions_of_other_names() -> None:
    text = STEPS.format(said=ORDERED, wanted=SHIFT)
    text = text.replace("occurs(go(X,R),t)", "go(X,t,R)").replace("occurs(go(X,S),t)", "go(X,t,S)")
    result = asplan.solve(text=text)
    assert result.plan is not None
    assert result.plan.steps == (("go(c,4)", "go(b,3)", "go(a,2)"),)


def test_actions_that_have_no_order_are_no_plan() -> None:
    with pytest.raises(asplan.InvalidPlan) as caught:
        asplan.solve(text=STEPS.format(said=ORDERED, wanted=ROTATE))
    assert str(caught.value) == (
        "step 1: go(a,2), go(b,1): these cannot be executed one after the other in any order"
    )


def test_a_stored_plan_is_executed_in_its_own_order(tmp_path: Path) -> None:
    program, plan = tmp_path / "shift.lp", tmp_path / "plan.json"
    program.write_text(STEPS.format(said=ORDERED, wanted=SHIFT))
    for step, status in [
        (["go(c,4)", "go(b,3)", "go(a,2)"], 0),
        (["go(a,2)", "go(b,3)", "go(c,4)"], 4),
    ]:
        plan.write_text(json.dumps({"outcome": "plan", "plan": [step]}))
        done = run("validate", str(program), str(plan))
        assert done.returncode == status
    assert done.stderr == (
        "asplan: step 1: go(a,2), go(b,3), go(c,4): these cannot be executed one after the other "
        "in this order\n"
    )
