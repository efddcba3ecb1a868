"""Bounds of the time in programs without parts."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

import asplan
from asplan.problem.single_shot import is_single_shot
from asplan.program.reading.unit import unit_of_text
from asplan.program.syntax.terms import OWN
from asplan.program.times.horizon import find_horizon
from conftest import HERE

PROGRAMS = tomllib.loads((HERE / "program" / "single_shot.toml").read_text())


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_bounds_of_the_time_are_found(program: dict[str, Any]) -> None:
    units = [unit_of_text(program["text"], "its.lp")]
    assert is_single_shot(units[0], None)
    horizon, changed = find_horizon(units, {})
    assert horizon.text == program["bound"]
    assert (horizon.constant == OWN) == ("(" in program["bound"])
    assert [horizon.first, horizon.origin, horizon.start, horizon.lag] == program["times"]
    assert horizon.value(program["steps"]) == program["value"]
    assert horizon.at.file == "its.lp"
    assert len(changed) == 1


DOMAINS = {
    "time(0..n).": {"time": (0, 0)},
    "time(1..n+2).": {"time": (1, 2)},
    "time(0). time(T+1) :- time(T), T<n.": {"time": (0, 0)},
    "time(n). time(T-1) :- time(T), T>0.": {"time": (0, 0)},
    "time(0..n). act(T) :- time(T), T<n. late(T) :- time(T), T>12.": {
        "time": (0, 0),
        "act": (0, -1),
        "late": (13, 0),
    },
    "time(0..L) :- length(L). length(n).": {"time": (0, 0)},
    "time(0..n). odd(T) :- time(T), T\\2=1.": {"time": (0, 0)},
}


@pytest.mark.parametrize(("text", "domains"), DOMAINS.items(), ids=DOMAINS)
def test_domains(text: str, domains: dict[str, tuple[int, int]]) -> None:
    rules = (
        f"#const n=3. {text} {{ a(T) }} :- time(T), T<n. f(T+1) :- a(T), time(T), not act(T), "
        "not late(T), not odd(T), not length(T). f(T+1) :- f(T), time(T). :- not f(n)."
    )
    horizon, _ = find_horizon([unit_of_text(rules)], {})
    assert {key[1]: found for key, found in horizon.domains.items()} == domains
    ends = {key[1]: by for key, by in horizon.ends.items()}
    assert ends == ({"length": 0} if "length(n)" in text else {})


def test_the_constant_of_another_unit_and_the_place_of_it() -> None:
    rules = "{ a(T) } :- time(T), T<h. f(T+1) :- f(T), time(T). f(T+1) :- a(T). :- not f(h)."
    units = [unit_of_text(rules, "rules.lp"), unit_of_text("time(0..h).\n#const h=3.", "i.lp")]
    horizon, changed = find_horizon(units, {})
    assert (horizon.constant, str(horizon.at)) == ("h", "i.lp:2:1")
    assert len(changed) == 2


def test_places_in_several_files_do_not_mix() -> None:
    rules = "{ a(T) } :- time(T). f(T+1) :- f(T), time(T). f(T+1) :- a(T). :- not f(8)."
    units = [unit_of_text("time(0..7).", "a.lp"), unit_of_text("size(0..7). " + rules, "b.lp")]
    _, changed = find_horizon(units, {})
    assert f"time((0..{OWN}))." in map(str, changed[0].statements)
    assert "size((0..7))." in map(str, changed[1].statements)


def test_a_constant_that_is_named() -> None:
    rules = (
        "#const n=3. #const m=4. time(0..n). { a(T) } :- time(T), T<m. "
        "f(T+1) :- f(T), time(T). f(T+1) :- a(T). :- not f(n)."
    )
    assert find_horizon([unit_of_text(rules)], {})[0].constant == "n"
    assert find_horizon([unit_of_text(rules)], {}, "m")[0].constant == "m"


def test_a_value_that_is_given_is_the_greatest() -> None:
    unit = unit_of_text(PROGRAMS["constant"]["text"])
    assert find_horizon([unit], {"n": "5"})[0].most == 5
    assert find_horizon([unit], {})[0].most is None
    with pytest.raises(asplan.UsageError, match="-c n=five: n is the horizon, a number"):
        find_horizon([unit], {"n": "five"})


PUZZLES = {
    "colours": "col(1..3). 1 { c(X,K) : col(K) } 1 :- node(X). :- edge(X,Y), c(X,K), c(Y,K). "
    "node(1..4). edge(1,2).",
    "queens": "#const n=4. row(1..n). 1 { q(X,Y) : row(Y) } 1 :- row(X). :- q(X,Y), q(Z,Y), X<Z.",
    "neighbours in a grid": "#const n=4. p(1..n). { on(X,Y) : p(X), p(Y) }. r(1,1). "
    "r(X+1,Y) :- r(X,Y), on(X,Y). r(X-1,Y) :- r(X,Y), on(X,Y). r(X,Y+1) :- r(X,Y), on(X,Y). "
    ":- not r(n,n).",
    "facts": "time(0..7). at(a,0).",
    "a roster": "#const days=5. day(1..days). nurse(a;b). 1 { works(N,D) : nurse(N) } 1 :- day(D). "
    "row(N,1,D) :- works(N,D), not works(N,D-1). row(N,K+1,D) :- row(N,K,D-1), works(N,D). "
    ":- row(N,3,D). :- nurse(N), not { works(N,D) : day(D) } 3.",
}


@pytest.mark.parametrize("text", PUZZLES.values(), ids=PUZZLES)
def test_atoms_without_time(text: str) -> None:
    assert not is_single_shot(unit_of_text(text), None)


def test_a_constant_in_the_guard_of_a_set_is_used() -> None:
    text = (
        "time(0..n). at(1..2,0,0). { go(I,T) : I=1..2 } :- time(T), T<n. "
        ":- not { go(I,T) } most, T=0..n-1. at(I,X+1,T+1) :- at(I,X,T), go(I,T). "
        "at(I,X,T+1) :- at(I,X,T), not go(I,T), time(T), T<n. :- at(I,X,n), X<2. #show go/2."
    )
    found = [asplan.solve(text=text, constants={"most": most}).horizon for most in (1, 2)]
    assert found == [4, 2]
