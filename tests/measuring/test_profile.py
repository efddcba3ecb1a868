"""The profile names the dear rules, classifies their growth, and counts exactly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import asplan
from asplan.core.limits import Stop
from asplan.measuring.counters import find_recursive
from asplan.measuring.profile import profile_program
from asplan.program.composition import read_program
from conftest import HERE, in_time

PROFILES = HERE / "measuring" / "profiles"
SMALL = """
p(1..3). q(0).
#program step(t).
q(t) :- q(t-1).
{ a(X,t) : p(X), X != 2 }.
b(X,t) :- a(X,t), q(t).
old(X,t) :- b(X,T), T <= t.
#program check(t).
:- query(t), not b(3,t).
"""


@pytest.mark.parametrize("name", ["cartesian", "missing_time", "unbound_guess"])
@pytest.mark.parametrize("one_call", [False, True])
def test_the_dearest_rule_is_the_bad_one(name: str, one_call: bool) -> None:
    path = PROFILES / f"{name}.lp"
    bad = [i for i, line in enumerate(path.read_text().splitlines(), 1) if "% bad" in line]
    profile = asplan.profile(path, horizon=12, one_call=one_call)
    assert [profile.rules[0].line] == bad


def test_a_missing_time_makes_more_ground_rules_with_each_step() -> None:
    rule = asplan.profile(PROFILES / "missing_time.lp", horizon=20).rules[0]
    assert (rule.growth, rule.grows_alone) == ("linear", False)
    assert rule.advice.startswith("Each step makes more ground rules than the one before")


def test_inertia_and_effect_grow_if_positions_derive_positions() -> None:
    path = PROFILES / "one_call.lp"
    lines = path.read_text().splitlines()
    named = {i for i, line in enumerate(lines, 1) if "% effect" in line or "% inertia" in line}
    profile = asplan.profile(path, "sample02", horizon=20)
    growing = {rule.line for rule in profile.rules if rule.grows_alone}
    # The choice lies on the same cycle: its condition reads predicates that depend on the position.
    choice = next(i for i, line in enumerate(lines, 1) if line.startswith("{ occurs"))
    assert growing == named | {choice}
    assert all(rule.advice.startswith("clingo matches this rule") for rule in profile.rules[:3])


def test_the_naive_encoding_matches_earlier_steps_again() -> None:
    profile = asplan.profile("sample02", encoding="origin_naive", horizon=20)
    rules = {rule.rule for rule in profile.rules if rule.grows_alone}
    effect = "position(t,C,X,Y) :- occurs(move(C,Dir,K),t), executable(t,C,Dir,K,X,Y)."
    inertia = "position(t,C,X,Y) :- position(t-1,C,X,Y), not moved(t,C)."
    assert {effect, inertia} <= rules


def test_a_second_call_helps_if_the_new_state_has_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "copied.lp"
    path.write_text(
        "p(0,1..3). #program step(t). n(t,X) :- p(t-1,X). #program check(t). p(t,X) :- n(t,X)."
    )
    for one_call, growing in ((True, {"n(t,X) :- p(t-1,X).", "p(t,X) :- n(t,X)."}), (False, set())):
        profile = asplan.profile(path, horizon=20, one_call=one_call)
        assert {rule.rule for rule in profile.rules if rule.grows_alone} == growing


def test_counts_match_figures_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "small.lp"
    path.write_text(SMALL)
    profile = asplan.profile(path, horizon=10)
    rules = {rule.line: rule for rule in profile.rules if rule.part != "base"}
    steps = range(1, 11)
    # q feeds back within the call: each step matches q(0) to q(t), the last one in vain
    assert (rules[4].per_step, rules[4].different) == ((0, *(t + 1 for t in steps)), 11)
    assert (rules[4].growth, rules[4].grows_alone) == ("linear", True)
    # the choice itself, and its condition for 1 and 3
    assert (rules[5].instantiations, rules[5].different) == (30, 30)
    assert rules[7].part == "step"
    assert rules[7].per_step == (0, *(2 * t for t in steps))
    assert (rules[7].growth, rules[7].different) == ("linear", sum(2 * t for t in steps))
    assert rules[9].per_step == (1,) * 11
    assert sum(rule.share for rule in profile.rules) == pytest.approx(1)
    facts = {p.predicate: (p.atoms, p.facts) for p in profile.predicates}
    assert facts["p/1"] == (3, 3)
    assert facts["q/1"] == (11, 11)
    assert facts["a/2"] == facts["b/2"] == (20, 0)
    assert facts["old/2"] == (20, 0)


def test_rules_of_base_count_once() -> None:
    profile = asplan.profile("two_cars", encoding="origin", horizon=8)
    grid = next(rule for rule in profile.rules if rule.rule.startswith("grid("))
    cells = next(p.atoms for p in profile.predicates if p.predicate == "grid/2")
    assert (grid.growth, grid.instantiations, grid.part) == ("once", cells, "base")
    assert sum(grid.per_step[1:]) == 0


def test_a_limit_keeps_the_counts_so_far(tmp_path: Path) -> None:
    path = tmp_path / "explosion.lp"
    path.write_text(
        "p(1..3000). #program step(t). a(t). b(X,Y,Z,t) :- p(X), p(Y), p(Z).\n"
        "#program check(t). c(t)."
    )
    profile = in_time(
        lambda limit: asplan.profile(path, horizon=5, time_limit=limit),
        lambda profile: bool(profile.rules),
    )
    assert profile.stopped == Stop.TIME
    assert profile.reason.endswith(" s reached while grounding step 1")
    assert profile.rules[0].rule == "b(X,Y,Z,t) :- p(X), p(Y), p(Z)."
    assert profile.rules[0].instantiations > 1000
    assert profile.horizon == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#program step(t). a(X,t) :- not b(X).", "X is unsafe: no positive literal binds it in"),
        ("p(1). q.", "the files have no part step(t)"),
        ("p(", "syntax error"),
    ],
)
def test_errors_of_grounding_are_reported(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.lp"
    path.write_text(text)
    with pytest.raises(asplan.InputError, match=re.escape(message)):
        profile_program(read_program([str(path)], {}), {}, 3)


@pytest.mark.parametrize(("horizon", "files"), [(-1, ["two_cars"]), (3, [])])
def test_bad_usage_is_refused(horizon: int, files: list[str]) -> None:
    with pytest.raises(asplan.UsageError):
        asplan.profile(*files, horizon=horizon)


def test_rules_on_a_cycle_are_recursive() -> None:
    p, q, r, s = (("", name, 1) for name in "pqrs")
    links = [({q}, {p}), ({r}, {q}), ({p}, {r}), ({s}, {p}), (set(), {s})]
    assert find_recursive(links) == [True, True, True, False, False]
    assert find_recursive([({p}, {p})]) == [True]
    assert find_recursive([]) == []


def test_scripts_need_permission(tmp_path: Path) -> None:
    path = tmp_path / "script.lp"
    path.write_text(
        "#script (python)\nimport clingo\ndef twice(n):\n    return clingo.Number(2 * n.number)\n"
        "#end.\np(@twice(X)) :- X = 1..3.\n#program step(t). q(X,t) :- p(X).\n"
    )
    profile = asplan.profile(path, horizon=2, allow_scripts=True)
    assert {p.predicate: p.atoms for p in profile.predicates} == {"q/2": 6, "p/1": 3}
    with pytest.raises(asplan.InputError, match="--allow-scripts"):
        asplan.profile(path, horizon=2)
