"""The replay of plans whose program chooses more atoms than the actions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import asplan
from asplan.core.plan import Plan
from asplan.engines.asp.anew import AnewSolver
from asplan.engines.asp.replay import replay
from asplan.problem import Inputs, load
from asplan.program.composition import read_program

JUMPS = """
place(1..9). holds(at(1),0).
#program step(t).
1 { occurs(jump,t); occurs(rest,t) } 1.
1 { lands(X,t) : place(X) } 1 :- occurs(jump,t).
:- lands(X,t), holds(at(X),t-1).
holds(at(X),t) :- lands(X,t).
holds(at(X),t) :- holds(at(X),t-1), occurs(rest,t).
#program check(t).
:- query(t), not holds(at(7),t).
:- query(t), t > 0, holds(at(X),t-1), X != 8.
#show holds/2.
#show occurs/2.
"""
"""A shortest plan is to jump twice; to where the first jump leads is chosen as well: to 8."""

FREE = JUMPS.replace(", X != 8", ", X < 3")
"""The same, where the first jump may lead to any place from 3 on; at 7 one may rest then."""


@pytest.mark.parametrize("engine", ["asp", "sat", "race"])
@pytest.mark.parametrize("no_rewrite", [False, True])
def test_the_check_passes_through_the_answer_itself(engine: str, no_rewrite: bool) -> None:
    for text in (JUMPS, FREE):
        found = asplan.solve(text=text, engine=engine, no_rewrite=no_rewrite)
        assert (found.horizon, found.validated) == (2, "replay")
        assert found.plan is not None
        assert len(found.plan.chosen) == found.plan.actions.count("jump")
        assert found.trajectory is not None
        passed = {f"holds({f},{t})" for t, s in enumerate(found.trajectory.states) for f in s}
        assert passed == {atom for atom in found.atoms if atom.startswith("holds")}


def test_each_of_several_plans_is_checked_by_its_own_answer() -> None:
    found = asplan.solve(text=FREE, models=0)
    steps = {plan.steps: len(plan.chosen) for plan in found.plans}
    assert steps == {(("jump",), ("rest",)): 1, (("jump",), ("jump",)): 2}


def test_a_stored_plan_keeps_its_other_choices(tmp_path: Path) -> None:
    file = tmp_path / "jumps.lp"
    file.write_text(FREE)
    found = asplan.solve(file, models=0)
    stored = asplan.from_json(json.loads(json.dumps(asplan.to_json(found))))
    assert [plan.chosen for plan in stored.plans] == [plan.chosen for plan in found.plans]
    assert asplan.validate(file, plan=stored) == 2


@pytest.mark.parametrize(
    "chosen",
    [
        (),
        ("lands(8,1)", "lands(7,2)"),
        ("lands(2,1)",),
        ("lands(3,1)", "lands(4,9)"),
        ("lands(", "lands(8,1)"),
        ("f(" * 101 + ")" * 101,),
    ],
)
def test_other_choices_decide_nothing(tmp_path: Path, chosen: tuple[str, ...]) -> None:
    """A wrong word about it costs time, and the plan passes all the same."""
    file = tmp_path / "jumps.lp"
    file.write_text(JUMPS)
    plan = Plan((("jump",), ("jump",)), chosen=chosen)
    found = replay(read_program([str(file)], {}), {}, plan)
    assert found.length == 2
    assert "holds(at(8),1)" in map(str, found.atoms)
    wrong = replace(plan, steps=(("jump",), ("rest",)))
    with pytest.raises(asplan.InvalidPlan, match="after step 2 the goal does not hold"):
        replay(read_program([str(file)], {}), {}, wrong)


def test_a_model_needs_no_other_choices() -> None:
    """`order` also chooses `goes/3`; large tasks have a million such atoms."""
    for engine in ("asp", "sat"):
        found = asplan.solve("rush_hour/two_cars", encoding="order", engine=engine)
        assert (found.validated, found.plan and found.plan.chosen) == ("model", ())


MONOTONE = """
asplan(monotone).
#program step(t).
{ occurs(go,t) } 1.
{ luck(t) }.
holds(t) :- occurs(go,t), luck(t).
holds(t) :- holds(t-1).
#program check(t).
:- query(t), not holds(t).
:- query(t), t < 1.
#show occurs/2.
"""


@pytest.mark.parametrize("chosen", [(), ("luck(2)",), ("luck(4)",), ("luck(2)", "luck(4)")])
def test_a_goal_is_reached_as_soon_as_it_can_be(tmp_path: Path, chosen: tuple[str, ...]) -> None:
    file = tmp_path / "lucky.lp"
    file.write_text(MONOTONE)
    plan = Plan(((), ("go",), (), ("go",)), chosen=chosen)
    assert replay(read_program([str(file)], {}), {}, plan).length == 2


CERTAIN = """
{ fixed(1..2) }. fixed(1).
{ certain }. :- not certain.
#program step(t).
{ occurs(go,t) }. { luck(1..3,t) }.
#program check(t).
:- query(t), not luck(2,t).
#show occurs/2.
"""


@pytest.mark.parametrize("engine", ["asp", "sat"])
def test_what_could_not_be_otherwise_is_told_as_well(engine: str) -> None:
    """It may be open again where the plan is checked, and would be taken to be false."""
    found = asplan.solve(text=CERTAIN, engine=engine)
    assert found.plan is not None
    assert {"fixed(1)", "certain", "luck(2,1)"} <= set(found.plan.chosen)


WALK = """
#const n=9.
place(1..40). time(1..n). at(1,0).
{ occurs(go(X),T) : place(X) } 1 :- time(T).
{ luck(X,T) : place(X) } = 1 :- time(T).
at(X,T) :- occurs(go(X),T), at(Y,T-1), X = Y+1.
at(X,T) :- at(X,T-1), not occurs(go(X+1),T), time(T).
:- not at(4,n).
:- occurs(go(X),T), not at(X-1,T-1).
#show occurs/2.
"""
"""A program without parts: most of its actions and of its other choices are in no plan."""


def _grounded_by_replay(text: str, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of ground atoms of each solver that a replay makes."""
    made: list[int] = []
    ground = AnewSolver.ground_step

    def count(solver: AnewSolver, t: int) -> None:
        ground(solver, t)
        made.append(len(solver.control.symbolic_atoms))

    monkeypatch.setattr(AnewSolver, "ground_step", count)
    program = load(Inputs(text=text)).written_program
    assert replay(program, {}, plan).length == len(plan.steps)
    return made


@pytest.mark.parametrize("chosen", [(), ("luck(3,1)", "luck(4,2)", "luck(5,3)")])
def test_only_what_is_planned_is_grounded(
    monkeypatch: pytest.MonkeyPatch, chosen: tuple[str, ...]
) -> None:
    plan = Plan((("go(2)",), ("go(3)",), ("go(4)",)), chosen=chosen)
    made = _grounded_by_replay(WALK, plan, monkeypatch)
    assert len(made) == 1
    assert made[0] < (100 if chosen else 250)


def test_a_wrong_choice_grounds_the_program_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan((("go(2)",), ("go(3)",), ("go(4)",)), chosen=("luck(3,1)",))
    made = _grounded_by_replay(WALK, plan, monkeypatch)
    assert len(made) == 2
    assert made[1] > 250


def test_a_wrong_plan_is_refused_without_parts() -> None:
    plan = Plan((("go(2)",), ("go(4)",), ("go(4)",)))
    with pytest.raises(asplan.InvalidPlan, match="step 2"):
        replay(load(Inputs(text=WALK)).written_program, {}, plan)
