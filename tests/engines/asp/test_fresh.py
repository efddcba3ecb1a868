"""Programs without parts, solved horizon by horizon, beside a plain loop of clingo's."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from clingo import Control

import asplan
from asplan.core.limits import Limits
from asplan.engines.asp import AspOptions
from asplan.planner import Request, answer_problem
from asplan.problem import Inputs, load
from asplan.program.reading.unit import unit_of_text
from asplan.program.times.horizon import find_horizon
from conftest import HERE, THOROUGH

PROGRAMS = tomllib.loads((HERE / "program" / "single_shot.toml").read_text())

NAMES = [*PROGRAMS]
SOME = {name: PROGRAMS[name] for name in NAMES[:: 1 if THOROUGH else 2]}
OTHERS = {name: PROGRAMS[name] for name in (NAMES if THOROUGH else NAMES[1::2])}
"""Two halves, each for tests of its own; or all."""


def solve(text: str, **options: Any) -> asplan.Result:
    return asplan.solve(text=text, fresh=True, **options)


def answer_sets(program: dict[str, Any], value: int) -> int:
    """Return the number of answer sets of a program for a value of its bound, by clingo alone."""
    text, bound = program["text"], program["bound"]
    if own := program.get("own"):
        control = Control(["0"])
        control.add("base", [], own.replace("N", str(value)))
    else:
        control = Control(["0", f"-c{bound}={value}", "--opt-mode=ignore"])
        control.add("base", [], text)
    control.ground([("base", [])])
    with control.solve(yield_=True) as models:
        return sum(1 for _ in models)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_least_horizon(program: dict[str, Any]) -> None:
    first = program["times"][0]
    found = next(n for n in range(first, 20) if answer_sets(program, n))
    assert found == program["value"]
    result = solve(program["text"])
    assert (result.outcome, result.horizon) == ("optimal", program["steps"])
    assert result.lower_bound == result.horizon
    assert result.validated == "replay"
    assert result.plan is not None
    assert any(result.plan.steps)
    assert result.way.endswith("each horizon is grounded anew (--fresh)")


@pytest.mark.parametrize("program", SOME.values(), ids=SOME)
def test_all_answer_sets_at_small_horizons(program: dict[str, Any]) -> None:
    first, origin, *_ = program["times"]
    text = program["text"].partition("#show")[0].partition("#minimize")[0] + " #show."
    # A term for each answer set: what is chosen, whatever the author shows.
    text += " #show (a,X) : go(X). #show (b,X) : open(X). #show (c,X) : jump(X). "
    text += "#show (d,X,Y) : go(X,Y). #show (d,X,Y,Z) : go(X,Y,Z). #show (e,X,Y) : put(X,Y). "
    text += "#show (f,X,Y) : occurs(X,Y)."
    for value in range(first, 5):
        result = solve(text, mode="fixed", horizon=value - origin, models=0)
        told = 0 if result.outcome == "unknown" else 1
        assert told == bool(answer_sets(program, value))


@pytest.mark.parametrize("program", OTHERS.values(), ids=OTHERS)
def test_as_many_plans_as_answer_sets(program: dict[str, Any]) -> None:
    if "#minimize" in program["text"] or "jump" in program["text"]:
        return
    result = solve(program["text"], models=0)
    assert len(result.plans) == answer_sets(program, program["value"])


def test_the_reason_names_the_constant() -> None:
    result = solve(PROGRAMS["times_from_1"]["text"])
    assert result.reason == "shortest: maxstep=3 refuted, maxstep=4 found"
    result = solve(PROGRAMS["range"]["text"])
    assert result.reason == "shortest: 2 steps refuted, 3 found"
    result = solve(PROGRAMS["the_first_step_is_a_fact"]["text"])
    assert result.reason == "shortest: n=1 found, and that is the first"


def test_a_value_of_the_horizon_is_the_greatest_that_is_tried() -> None:
    program = PROGRAMS["not_monotone"]["text"]
    result = solve(program, constants={"n": 4})
    assert (result.outcome, result.lower_bound) == ("unknown", 5)
    assert result.reason == "maximal horizon 4 reached"
    assert (
        result.way
        == "n is the horizon (<text>:1), at most 4: each horizon is grounded anew (--fresh)"
    )
    assert solve(program, constants={"n": 7}).horizon == 5
    assert solve(program, max_horizon=4).outcome == "unknown"
    assert solve(program, min_horizon=6).horizon == 7


BAD = {
    "f(0,0). { a(T) } :- time(T). f(X+1,T+1) :- f(X,T), a(T). :- not f(3,_).": (
        "its.lp:1:9: nothing defines time/1, which 1 rule reads: the instance is missing\n"
        "  add the file with its facts"
    ),
    "f(0,0). { a(T) } :- f(_,T). f(X+1,T+1) :- f(X,T), a(T). :- not f(3,_).": (
        "its.lp:1:9: no constant bounds the time; name it with --horizon-constant\n"
        "  T is a time here, but nothing gives the last one: asplan looks for a constant as in "
        "time(0..n), a fact, or a range"
    ),
    "time(0..n). { a(T) } :- time(T). f(T+1) :- a(T). f(T+1) :- f(T), a(T).\n#external b.": (
        "its.lp:2:1: #external b. [false] in a program without parts: nothing assigns its atoms\n"
        "  leave it out: without parts they are false; or write base, step(t), check(t)"
    ),
    "time(0..n). { a(T) } :- time(T). f(T+1) :- a(T). f(T+1) :- f(T), a(T).\n#script (python)\n"
    "x = 1\n#end.": (
        "its.lp:2:1: a script in a program without parts may ground and solve by itself\n"
        "  run it with clingo; asplan runs scripts of programs with the parts base, step(t) and "
        "check(t)"
    ),
    "time(0..n). { a(T) } :- time(T). f(T+1) :- a(T). f(T+1) :- f(T), a(T).\n:- &foo { a } > 3.": (
        "its.lp:2:1: &foo: asplan has no solver for this theory atom\n"
        "  asplan knows the theory atoms of telingo, clingo-dl, clingcon and clingo-lpx"
    ),
}


@pytest.mark.parametrize(
    ("text", "message"), BAD.items(), ids=["instance", "bound", "external", "script", "&"]
)
def test_wrong_programs(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "its.lp"
    file.write_text(text)
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file)
    assert str(caught.value).replace(str(tmp_path) + "/", "") == message


NAMED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown": (
        {"horizon_constant": "m"},
        "--horizon-constant m: m is not a constant of the program",
    ),
    "an object": (
        {"horizon_constant": "east"},
        "--horizon-constant east: east bounds no time",
    ),
    "no number": ({"constants": {"n": "x"}}, "-c n=x: n is the horizon, a number"),
    "too small": (
        {"constants": {"n": -3}},
        "-c n=-3: n is the horizon, and the first time is 0",
    ),
    "no constant": ({"constants": {"m": 3}}, "no file uses the constant m\n  known constants: n"),
    "no action": (
        {"actions": ["at/2", "go/2"]},
        "--action go/2: no rule of step(t) derives or chooses it\n  did you mean go/1 or at/2?",
    ),
    "optimal": (
        {"optimal": "actions", "fresh": True},
        "<text>:1:1: --optimal needs a program in parts, but n is the horizon (<text>:1): each "
        "horizon is grounded anew (--fresh)",
    ),
    "schedule": (
        {"schedule": "parallel:4", "fresh": True},
        "schedule parallel:B: the refutation of a horizon must refute all smaller ones\n"
        "  use it for programs with the fact asplan(monotone).",
    ),
}


@pytest.mark.parametrize(("options", "message"), NAMED.values(), ids=NAMED)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(asplan.AsplanError) as caught:
        asplan.solve(text=PROGRAMS["constant"]["text"].strip() + " face(east).", **options)
    assert str(caught.value) == message


def test_the_least_value_is_no_plan_of_fewer_steps() -> None:
    never = PROGRAMS["the_first_step_is_a_fact"]["text"] + " :- time(1). :- go(1)."
    result = solve(never.replace("at(1,_)", "at(1,2)"), max_horizon=1)
    assert (result.outcome, result.lower_bound) == ("unknown", 2)


def test_nothing_is_called_unsolvable() -> None:
    text = PROGRAMS["constant"]["text"] + " :- at(0,0)."
    result = solve(text, max_horizon=9)
    assert (result.outcome, result.reason) == ("unknown", "maximal horizon 9 reached")


def test_fixed_and_minimize() -> None:
    text = PROGRAMS["constant"]["text"]
    fixed = solve(text, mode="fixed", horizon=5)
    assert (fixed.outcome, fixed.horizon) == ("plan", 5)
    assert fixed.reason == "found with exactly 5 steps; shorter ones were not looked for"
    assert solve(text, mode="fixed", horizon=2).plan is None
    least = solve(text, mode="minimize", horizon=5)
    assert (least.outcome, least.horizon) == ("optimal", 3)
    assert solve(text, mode="minimize", horizon=2).lower_bound == 3


def test_the_least_cost_is_that_at_the_least_horizon() -> None:
    result = solve(PROGRAMS["cheapest"]["text"])
    assert (result.horizon, result.cost) == (2, (4,))


def test_the_states_along_a_plan() -> None:
    for name, states in (
        ("times_from_1", (("at(0)",), ("at(1)",), ("at(2)",), ("at(3)",))),
        ("enumerated", (("at(0)",), ("at(1)",), ("at(2)",), ("at(3)",))),
        ("behind_the_last_time", (("at(0)",), ("at(1)",), ("at(2)",), ("at(3)",))),
    ):
        assert solve(PROGRAMS[name]["text"]).states == states


def test_a_plan_of_somebody_else(tmp_path: Path) -> None:
    file = tmp_path / "its.lp"
    file.write_text(PROGRAMS["time_and_grid"]["text"])
    steps = asplan.solve(file, fresh=True).plan.steps
    assert asplan.validate(file, fresh=True, plan=asplan.Plan(steps)) == 6
    with pytest.raises(asplan.InvalidPlan) as caught:
        asplan.validate(file, fresh=True, plan=asplan.Plan((*steps[:-1], ("go(9,9)",))))
    assert str(caught.value) == "step 6: go(9,9) is not an action of the encoding at this step"
    with pytest.raises(asplan.InvalidPlan) as caught:
        asplan.validate(file, fresh=True, plan=asplan.Plan((("go(-1,0)",), *steps[1:])))
    why = "step 1: no plan of 6 steps begins with the steps up to this one, go(-1,0)"
    assert str(caught.value) == why
    with pytest.raises(asplan.InvalidPlan) as caught:
        asplan.validate(file, fresh=True, plan=asplan.Plan(steps[:3]))
    assert str(caught.value) == "no plan of 3 steps exists"


@pytest.mark.parametrize("engine", ["auto", "portfolio"])
def test_engines_that_leave_it_to_asp(engine: str) -> None:
    result = solve(PROGRAMS["constant"]["text"], engine=engine)
    assert (result.engine, result.outcome, result.horizon) == (engine, "optimal", 3)


@pytest.mark.parametrize("engine", ["sat", "bfs", "pdr", "astar"])
def test_engines_that_go_from_step_to_step(engine: str) -> None:
    with pytest.raises(asplan.InputError) as caught:
        solve(PROGRAMS["constant"]["text"], engine=engine)
    assert str(caught.value) == (
        f"<text>:1:1: engine {engine} needs a program in parts, but n is the horizon (<text>:1): "
        "each horizon is grounded anew (--fresh)\n"
        "  use --engine asp, or divide the program into parts as in docs/coming_from.md"
    )


def test_the_given_constants_are_the_others() -> None:
    horizon, _ = find_horizon([unit_of_text(PROGRAMS["time_and_grid"]["text"])], {"size": "2"})
    assert horizon.constant == "n"
    text = PROGRAMS["time_and_grid"]["text"]
    assert solve(text, constants={"size": 2}).horizon == 2


def test_why_there_is_no_plan_of_so_many_steps(tmp_path: Path) -> None:
    file = tmp_path / "its.lp"
    file.write_text(PROGRAMS["constant"]["text"].strip())
    found = asplan.explain(file, fresh=True, horizon=2)
    assert [str(rule.at.line) for rule in found.conflict.rules] == ["3"]
    assert found.excluded
    assert found.conflict.rules[0].goal
    assert asplan.explain(file, fresh=True, horizon=4).found is not None


def test_sizes_are_those_of_the_horizon(tmp_path: Path) -> None:
    file = tmp_path / "its.lp"
    file.write_text(PROGRAMS["constant"]["text"].strip())
    sizes = [asplan.compare(file, fresh=True, horizon=n)[0].atoms for n in (2, 20)]
    assert sizes[0] < sizes[1]


PARTS = """
at(0,0).
#program step(t). { go(t-1) }. at(X+1,t) :- at(X,t-1), go(t-1). at(X,t) :- at(X,t-1), not go(t-1).
#program check(t). :- query(t), not at(GOAL,t). #show go/1.
"""


def solved_in_parts(goal: int, **limits: Any) -> asplan.Result:
    """The program `constant`, to 3, as it would be if it were converted into one with a goal."""
    fresh = load(Inputs(text=PROGRAMS["constant"]["text"], fresh=True))
    units = (unit_of_text(PARTS.replace("GOAL", str(goal))),)
    problem = replace(fresh, units=units, fresh_units=fresh.units)
    request = Request(Inputs(), options=AspOptions(), limits=Limits(**limits))
    return answer_problem(problem, request, 0)


def test_a_conversion_is_checked_by_the_program_as_it_was() -> None:
    right = solved_in_parts(3)
    assert (right.horizon, right.validated) == (3, "replay")
    assert right.states == (("at(0)",), ("at(1)",), ("at(2)",), ("at(3)",))
    assert right.reason == "shortest: n=2 refuted, n=3 found"
    for wrong in (2, 4):  # one has no plan where the program has one, and the other way round
        anew = solved_in_parts(wrong)
        assert (anew.outcome, anew.horizon, anew.validated) == ("optimal", 3, "replay")
        assert anew.way == (
            "n is the horizon (<text>:1); divided into parts it has other plans: "
            "each horizon is grounded anew"
        )


@pytest.mark.parametrize("files", [("two_cars",), ("two_cars", "homework.lp")])
def test_an_encoding_with_all_its_times_for_a_board(
    files: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = (HERE.parent / "encodings/rush_hour/single_shot/origin_published.lp").read_text()
    (tmp_path / "homework.lp").write_text(published)
    monkeypatch.chdir(tmp_path)
    own = None if len(files) > 1 else "homework.lp"
    result = asplan.solve(*files, encoding=own)
    assert (result.outcome, result.horizon, result.validated) == ("optimal", 6, "replay")
    assert result.way.startswith("l is the horizon (homework.lp:25): converted")
    assert result.warnings == ()


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_in_parts_it_is_the_same(program: dict[str, Any]) -> None:
    result = asplan.solve(text=program["text"])
    assert (result.outcome, result.horizon) == ("optimal", program["steps"])
    assert result.plan is not None
    assert (len(result.plan), result.validated) == (program["steps"], "replay")
    assert any(result.plan.steps)
    assert result.warnings == solve(program["text"]).warnings
    assert result.way.endswith((": converted into base, step(t) and check(t)", "grounded anew"))


def test_what_holds_for_the_time_being_and_the_present_have_names_of_their_own() -> None:
    text = """
    #const n=9. time(0..n). at(0,0). { go(T) } :- time(T).
    at(X+1,T) :- at(X,T-1), go(T-1). at(X,T) :- at(X,T-1), not go(T-1), time(T).
    :- at(_,T), not time(T). :- not at(3,n). #show go/1."""
    result = asplan.solve(text=text)
    assert result.way.endswith("converted into base, step(t) and check(t)")
    assert (result.outcome, result.horizon) == ("optimal", 3)
