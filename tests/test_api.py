"""The public functions for Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asplan
from asplan.stored import read_plan_file, to_json


def test_the_docstrings_example() -> None:
    result = asplan.solve("two_cars.lp", encoding="origin", metric="slide")
    assert (result.outcome, result.horizon) == ("optimal", 2)
    assert repr(result) == (
        "<Result rush_hour two_cars: optimal, 2 steps (shortest: 1 step refuted, 2 found)>"
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
        "[['move(r,right,1)']] is not a plan\n"
        "  pass a plan, a result, or the name of a file with one"
    )


def test_results_survive_their_file(tmp_path: Path) -> None:
    result = asplan.solve("two_cars", encoding="origin", models=0)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(to_json(result)))
    again = read_plan_file(str(file))
    assert (again, to_json(again)) == (result, to_json(result))


def test_an_isolated_run_gives_the_same_result() -> None:
    here = asplan.solve("walls", encoding="origin", metric="slide")
    there = asplan.solve("walls", encoding="origin", metric="slide", isolate=True)
    assert (here.outcome, here.horizon, here.lower_bound) == (
        there.outcome,
        there.horizon,
        there.lower_bound,
    )


def test_threads_find_the_same_optimum() -> None:
    assert asplan.solve("walls", encoding="origin", metric="slide", threads=2).horizon == 11


COUNTER = """
at(0,0).
#program step(t).   { occurs(up,t) } 1.  at(X+1,t) :- at(X,t-1), occurs(up,t).
at(X,t) :- at(X,t-1), not occurs(up,t).
#program check(t).  :- query(t), not at(2,t).
#show occurs/2.
"""


def test_a_program_as_text_is_solved_validated_and_explained() -> None:
    result = asplan.solve(text=COUNTER)
    assert asplan.validate(text=COUNTER, plan=result) == 2
    idle = asplan.Plan((("up",), (), ("up",)))
    assert asplan.validate(text=COUNTER, plan=idle) == 3
    assert asplan.explain(text=COUNTER, plan=asplan.Plan((("down",),))).refusal is not None
    assert asplan.explain(text=COUNTER, horizon=1).conflict


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("up", "up", ()),
        ("move(red,-3)", "move", ("red", -3)),
        ('say("a, (b",#inf)', "say", ('"a, (b"', "#inf")),
        ("at((1,2),f(x),())", "at", (asplan.Action("", (1, 2)), asplan.Action("f", ("x",)), "()")),
        ("-p((1,))", "-p", (asplan.Action("", (1,)),)),
        ("3", "3", ()),
    ],
)
def test_an_action_is_an_object(text: str, name: str, arguments: tuple[object, ...]) -> None:
    ((action,),) = asplan.Plan(((text,),)).terms
    assert (action.name, str(action)) == (name, text)
    assert [*map(str, action.arguments)] == [*map(str, arguments)]


@pytest.mark.parametrize(
    "text",
    [
        *("", "move(r", "X", "f(_)", "a b", "a. b", "f(1..3)", "1/0", "@f()", "f(\0)"),
        *("f(99999999999)", "f(" * 100_000, "-" * 100_000, 'f("\ud800")'),
        "f(" * 1000 + "a" + ")" * 1000,
    ],
    ids=lambda text: repr(text[:10]),
)
def test_a_text_that_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(asplan.InputError, match="is not an action\n  an action is a term without"):
        assert not asplan.Plan(((text,),)).terms
