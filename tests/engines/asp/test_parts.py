"""The optional part `plan(t)`, and programs that ground `step(t)` before `check(t)`."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan import Outcome

# Explicit states: the numbers reached by adding 1 or 2, by layers; a plan goes back through them.
LAYERS = """
layer(0,0). asplan(monotone).
#program step(t).
new(t,N+A) :- layer(t-1,N), A = 1..2, not solved(t-1).
solved(t) :- solved(t-1).
#program check(t).
layer(t,N) :- new(t,N), not new(t-1,N).
solved(t) :- layer(t,N), N >= 5.
#external query(t).
:- query(t), not solved(t).
#program plan(t).
first(T) :- solved(T), not solved(T-1).
{ at(T,N) : layer(T,N), N >= 5 } = 1 :- first(T).
{ occurs(add(A),T) : A = 1..2, layer(T-1,N-A) } = 1 :- at(T,N), T > 0.
at(T-1,N-A) :- at(T,N), occurs(add(A),T).
#show occurs/2.
"""


def solve(tmp_path: Path, text: str, **options: object) -> asplan.Result:
    file = tmp_path / "program.lp"
    file.write_text(text)
    return asplan.solve(file, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "outcome", "lower_bound"),
    [
        ({}, "optimal", 3),
        ({"schedule": "stride:2"}, "optimal", 3),
        ({"schedule": "stride:5"}, "optimal", 3),
        ({"min_horizon": 4}, "plan", 0),
    ],
)
def test_plans_are_read_off_once(
    tmp_path: Path, options: dict[str, object], outcome: str, lower_bound: int
) -> None:
    result = solve(tmp_path, LAYERS, models=0, **options)
    assert (result.outcome, result.horizon, result.lower_bound) == (outcome, 3, lower_bound)
    # 5 = 1+2+2 in three orders, 6 = 2+2+2; the last one with the goal passed.
    assert {plan.actions for plan in result.plans} == {
        ("add(1)", "add(2)", "add(2)"),
        ("add(2)", "add(1)", "add(2)"),
        ("add(2)", "add(2)", "add(1)"),
        ("add(2)", "add(2)", "add(2)"),
    }
    assert result.validated == "replay"


def test_a_plan_part_that_excludes_all_plans(tmp_path: Path) -> None:
    with pytest.raises(asplan.InputError) as caught:
        solve(tmp_path, LAYERS + ":- first(T).")
    assert str(caught.value) == (
        "the goal holds at 3, but with the part plan(3) there is no answer set\n"
        "  the part may describe plans, but not exclude all of them"
    )


@pytest.mark.parametrize("mode", ["fixed", "minimize"])
def test_a_plan_part_is_for_incremental_planning(tmp_path: Path, mode: str) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        solve(tmp_path, LAYERS, mode=mode, horizon=4)
    assert str(caught.value) == f"a program with a part plan(t) does not serve the mode {mode}"


def test_steps_of_staged_programs_do_not_read_atoms_of_check(tmp_path: Path) -> None:
    # `known` has no time: a step reads what was known before, and may add to it.
    text = """
    known(0). asplan(monotone). {staged}
    #program step(t).
    new(t,N+1) :- known(N), N < 2, not known(N+1).
    occurs(up,t).
    #program check(t).
    known(N) :- new(t,N).
    #external query(t).
    :- query(t), not known(2).
    #show occurs/2.
    """
    result = solve(tmp_path, text.replace("{staged}", "asplan(staged)."))
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, 2)
    # In one call the two rules contradict each other: a number is new because it is not known.
    together = solve(tmp_path, text.replace("{staged}", ""), max_horizon=4)
    assert together.outcome != Outcome.OPTIMAL
