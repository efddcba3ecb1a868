"""Incremental programs as their authors write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asplan
from asplan.stored import to_json
from conftest import run

LOOP = """
#include <incmode>.
#program base.
on(0,a,1). -on(0,b,1). wall.
#program step(k).
{ act(k,up) }.
on(k,a,X+1) :- on(k-1,a,X), act(k,up).
on(k,a,X) :- on(k-1,a,X), not act(k,up).
-on(k,b,X) :- -on(k-1,b,X).
#program check(n).
:- query(n), not on(n,a,3).
#show on/3. #show -on/3. #show wall/0.
"""


def solve(tmp_path: Path, text: str, **options: object) -> asplan.Result:
    file = tmp_path / "program.lp"
    file.write_text(text)
    return asplan.solve(file, **options)  # type: ignore[arg-type]


def test_clingos_own_loop_is_taken_over(tmp_path: Path) -> None:
    result = solve(tmp_path, LOOP)
    assert (result.outcome, result.horizon, result.plan) == ("optimal", 2, None)
    assert {"on(2,a,3)", "-on(2,b,1)", "wall"} <= set(result.atoms)
    assert not [atom for atom in result.atoms if atom.startswith(("asplan", "query"))]


def test_atoms_are_printed_by_time(tmp_path: Path) -> None:
    file = tmp_path / "program.lp"
    file.write_text(LOOP)
    lines = run("solve", str(file)).stdout.splitlines()
    assert lines[1:5] == [
        "    0. on(0,a,1)  -on(0,b,1)",
        "    1. on(1,a,2)  -on(1,b,1)",
        "    2. on(2,a,3)  -on(2,b,1)",
        "always wall",
    ]


# constants, outcome, horizon, lower bound
CONSTANTS = [
    ({"imax": 2}, "unknown", None, 2),
    ({"imax": 3}, "optimal", 2, 2),
    ({"imin": 2}, "plan", 2, 0),
    ({"imin": 4}, "plan", 3, 0),
    ({"istop": '"SAT"'}, "optimal", 2, 2),
]


@pytest.mark.parametrize(("constants", "outcome", "horizon", "bound"), CONSTANTS)
def test_constants_of_the_loop(
    tmp_path: Path, constants: dict[str, object], outcome: str, horizon: int | None, bound: int
) -> None:
    result = solve(tmp_path, LOOP, constants=constants)
    assert (result.outcome, result.horizon, result.lower_bound) == (outcome, horizon, bound)


def test_constants_in_the_program_and_limits_that_win(tmp_path: Path) -> None:
    text = LOOP + "#const imax = 2."
    assert solve(tmp_path, text).reason == "maximal horizon 1 reached"
    assert solve(tmp_path, text, max_horizon=9).horizon == 2


def test_nested_includes_and_two_files(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "facts.lp").write_text('at(0,0). #include "more.lp".')
    (tmp_path / "deep" / "more.lp").write_text("goal(2).")
    (tmp_path / "instance.lp").write_text('#include "deep/facts.lp".')
    (tmp_path / "encoding.lp").write_text(
        "#program step(s). { occurs(up,s) } 1. at(X+1,s) :- at(X,s-1), occurs(up,s)."
        "#program check(c). :- query(c), goal(X), not at(X,c). #show occurs/2."
    )
    result = asplan.solve(tmp_path / "encoding.lp", tmp_path / "instance.lp")
    assert result.plan is not None
    assert result.plan.actions == ("up", "up")


def test_time_may_come_first(tmp_path: Path) -> None:
    text = """
    at(0,0).
    #program step(t).
    { occurs(t,up) } 1.
    at(t,X+1) :- at(t-1,X), occurs(t,up).
    #program check(t).
    :- query(t), not at(t,2).
    #show occurs/2.
    """
    result = solve(tmp_path, text)
    assert (str(result.plan), result.validated) == ("1. up\n2. up", "replay")


def test_standard_input() -> None:
    done = run("solve", "-", "--json", input=LOOP)
    assert done.returncode == 0
    assert '"horizon": 2' in done.stdout
    wrong = run("solve", "-", input="#program step(t). p(.")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "asplan: <stdin>:1:21: syntax error, unexpected ., expecting ) or ;\n"
        "  perhaps the ( in line 1, column 20 is not closed\n",
    )


SCRIPT = """
#script (python)
import clingo
def inc(number):
    return clingo.Number(number.number + 1)
#end.
at(0,0).
#program step(t).
{ occurs(up,t) } 1.
at(@inc(X),t) :- at(X,t-1), occurs(up,t).
at(X,t) :- at(X,t-1), not occurs(up,t).
#program check(t).
:- query(t), not at(2,t).
#show occurs/2.
"""


@pytest.mark.parametrize("mode", [{}, {"mode": "fixed", "horizon": 3}, {"isolate": True}])
def test_scripts_that_are_allowed(tmp_path: Path, mode: dict[str, object]) -> None:
    result = solve(tmp_path, SCRIPT, allow_scripts=True, **mode)
    assert result.plan is not None
    assert result.plan.actions == ("up", "up")
    assert result.validated == "replay"


def test_a_plan_of_a_program_with_scripts_is_checked_where_they_are_allowed(tmp_path: Path) -> None:
    result = solve(tmp_path, SCRIPT, allow_scripts=True)
    (program,) = result.files
    assert asplan.validate(program, plan=result, allow_scripts=True) == 2
    with pytest.raises(asplan.InputError, match="if you trust it, add --allow-scripts"):
        asplan.validate(program, plan=result)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(to_json(result)))
    done = run("validate", program, str(plan), "--allow-scripts")
    assert (done.returncode, done.stdout) == (0, "valid: the goal holds after step 2 of 2\n")


NOOP = """
at(0,0).
#program step(t).
1 { occurs(up,t); occurs(noop,t) } 1.
at(N+1,t) :- at(N,t-1), occurs(up,t).
at(N,t) :- at(N,t-1), occurs(noop,t).
:- occurs(up,t), t = 2.
#program check(t).
:- query(t), not at(2,t).
"""
SOME = "#show occurs(A,T) : occurs(A,T), A != noop."

# what is shown, and the plan that is read
SHOWN = [
    ("", "1. up\n2. noop\n3. up"),
    ("#show occurs/2.", "1. up\n2. noop\n3. up"),
    (SOME, "1. up\n2. noop\n3. up"),  # without "#show." that hides nothing
    ("#show. " + SOME, "1. up\n2. \n3. up"),
    ("#show at/2.", "None"),
]


@pytest.mark.parametrize(("show", "plan"), SHOWN)
def test_shown_atoms_of_occurs_are_the_plan(tmp_path: Path, show: str, plan: str) -> None:
    result = solve(tmp_path, NOOP + show)
    assert (result.outcome, result.horizon, str(result.plan)) == ("optimal", 3, plan)
    assert result.validated == (None if result.plan is None else "replay")


def test_maximize(tmp_path: Path) -> None:
    text = """
    at(0,0).
    #program step(t).
    1 { occurs(go(1..2),t) } 1.
    at(X+1,t) :- at(X,t-1), occurs(go(D),t).
    #maximize { D,t : occurs(go(D),t) }.
    #program check(t).
    :- query(t), not at(2,t).
    #show occurs/2.
    """
    result = solve(tmp_path, text)
    assert (result.horizon, result.cost) == (2, (-4,))
    assert str(result.plan) == "1. go(2)\n2. go(2)"


def test_externals_are_true_until_they_are_set(tmp_path: Path) -> None:
    text = """
    #program step(t). { occurs(a,t) }.
    #program check(t). #external query(t). [true]
    :- query(t), t < 3.
    """
    for options in ({}, {"schedule": "stride:2", "max_horizon": 4}):
        assert solve(tmp_path, text, **options).validated == "replay"
    assert solve(tmp_path, text, mode="fixed", horizon=4).outcome == "plan"


def test_an_external_under_a_condition_on_actions(tmp_path: Path) -> None:
    text = """
    #program step(t). { occurs(a,t) }. #external e(t) : occurs(a,t). [true]
    #program check(t). :- query(t), not e(t). :- query(t), occurs(a,t).
    """
    result = solve(tmp_path, text)
    assert (result.outcome, result.horizon, result.validated) == ("optimal", 1, "replay")


def test_costs_after_the_plan_are_not_its_cost(tmp_path: Path) -> None:
    text = """
    at(0,0). asplan(monotone).
    #program step(t).
    { occurs(a,t); occurs(b,t) } = 1.
    #minimize { 3,t : occurs(a,t); 1,t : occurs(b,t) }.
    at(X+1,t) :- at(X,t-1), X < 3.
    at(3,t) :- at(3,t-1).
    #program check(t).
    :- query(t), not at(3,t).
    """
    assert solve(tmp_path, text, mode="minimize", horizon=5).cost is None
    assert solve(tmp_path, text, mode="minimize", horizon=3).cost == (3,)
    assert solve(tmp_path, text).cost == (3,)


@pytest.mark.parametrize("word", ["--single-shot", "--enum-mode=brave"])
def test_words_for_clingo_that_break_the_loop(tmp_path: Path, word: str) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        solve(tmp_path, NOOP, clingo=[word])
    assert str(caught.value) == (
        f"{word}: asplan itself counts answer sets and decides when to stop"
    )


AHEAD = """
p(0).
#program step(t).
{ occurs(go,t) }.
p(t) :- p(t-1), not q(t+1).
q(t) :- occurs(go,t), p(t).
#program check(t).
:- query(t), not q(t).
:- query(t), not q(t-1).
:- query(t), t < 2.
"""


@pytest.mark.parametrize(
    "options", [{"min_horizon": 3, "max_horizon": 3}, {"mode": "fixed", "horizon": 3}]
)
def test_a_program_that_reads_the_future_may_skip_horizons(
    tmp_path: Path, options: dict[str, object]
) -> None:
    """clingo's own loop solves at each horizon, which makes underived atoms false."""
    result = solve(tmp_path, AHEAD, **options)
    assert (result.outcome, result.horizon, result.validated) == ("plan", 3, "replay")


def test_refutations_of_a_cut_program_hold_below_the_cut(tmp_path: Path) -> None:
    text = """
    #const bound = 1.
    at(0,0).
    #program step(t).
    at(t,X+1) :- at(t-1,X), t <= bound.
    asplan(next_bound(bound+2)) :- t > bound.
    asplan(exhausted(t)) :- t > 6.
    #program check(t).
    :- query(t), not at(t,3).
    """
    stopped = solve(tmp_path, text, max_horizon=5)
    assert (stopped.outcome, stopped.lower_bound) == ("unknown", 3)
    found = solve(tmp_path, text)
    assert (found.outcome, found.horizon, found.lower_bound) == ("optimal", 3, 3)
