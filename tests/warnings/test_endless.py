"""Recursion without a bound: warned of and refused before grounding, never in finite programs."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from conftest import HERE, run

BEGIN = "#program base. room(1..4). in(1,0). "
STEP = " #program step(t). { push(t) }. in(R,t) :- in(R-1,t-1), push(t)."
END = " #program check(t). :- query(t), not in(4,t). #show push/1."

ENDLESS = [
    "#program step(t). in(R-1,t) :- push(t), in(R,t). in(R,t) :- in(R,t-1).",
    "n(0). n(X+1) :- n(X).",
    "n(0). n(Y) :- n(X), Y = X+1.",
    "n(0). n(X+1) :- n(X), X >= 0.",
    "n(0). m(X+1) :- n(X). n(X) :- m(X).",
    "l(e). l(c(X,L)) :- l(L), room(X).",
    "f(1,1). f(2,1). f(N+1,A+C) :- f(N,A), f(N-1,C).",
    "{ n(0) }. { n(X+1) } :- n(X).",
]

FINITE = [
    "n(0). n(X+1) :- n(X), X < 5.",
    "n(0). n(X+1) :- n(X), room(X).",
    "n(0). n(X+1) :- n(X), not room(X+2).",
    "n(0,9). n(X+1,Y-1) :- n(X,Y), Y > 0.",
    "adj(X,X+1) :- room(X). adj(X+1,X) :- adj(X,X+1).",
    "m(0). m(X+1) :- n(X). n(X-1) :- m(X).",
    "s(0). s(X) :- X = 1..5, s(X-1).",
    "#program step(t). in(R+1,t) :- push(t), in(R,t-1). in(R,t) :- in(R,t-1), not push(t).",
    "w(1,2). w(2,3). p(X,Y,1) :- w(X,Y). p(X,Z,L+1) :- p(X,Y,L), w(Y,Z), X != Z, L < 9.",
    "n(1). n(X*2) :- n(X), X < 50.",
    "d(0). d(X+1) :- d(X), #count { R : room(R) } > X.",
    "q(X+1,a) :- q(X,b). q(1,b).",
    "w(1,2). depth(1,0). depth(Y,D+1) :- depth(X,D), w(X,Y).",
    "w(1,2). path(X,Y,1) :- w(X,Y). path(X,Z,N+1) :- path(X,Y,N), w(Y,Z).",
    "time(0..3). lap(0,0). lap(T,R+1) :- lap(S,R), T > S, time(T).",
    "time(0..3). s(T,0) :- time(T). { s(T,R+1) } :- s(T,R), s(S,R), T > S, time(T).",
    "s(0..3,0). { s(T,R+1) } :- s(T,R), s(S,R), T > S.",
]


def codes(text: str) -> list[str]:
    found = asplan.find_warnings(text=BEGIN + text + STEP + END)
    return [warning.code for warning in found if warning.code == "endless"]


@pytest.mark.parametrize("text", ENDLESS)
def test_a_rule_that_counts_without_a_bound_is_warned_of(text: str) -> None:
    assert codes(text) == ["endless"]


@pytest.mark.parametrize("text", FINITE)
def test_a_rule_that_something_bounds_is_not(text: str) -> None:
    assert codes(text) == []


COUNTS = """#const n=3.
hour(0..n).
tank(0,0).
{ fill(T) } :- hour(T), T < n.
tank(L+1,T+1) :- tank(L,T), fill(T).
tank(L,T+1) :- tank(L,T), not fill(T).
:- not tank(2,n).
#show fill/1.
"""


@pytest.mark.parametrize("command", ["solve", "explain"])
def test_it_is_refused_before_it_is_grounded(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.lp").write_text(COUNTS)
    done = run(command, "a.lp", cwd=tmp_path)
    assert done.stderr == (
        "asplan: a.lp:6:1: the atoms of tank/2 have no end: tank(L,T) derives tank(L,T+1), and "
        "nothing bounds that\n"
        "  add hour(T+1) or T < n to the body of the rule; -W no-endless grounds it all the same\n"
    )
    assert done.returncode == 2


def test_the_suggested_literal_ends_the_grounding(tmp_path: Path) -> None:
    file = tmp_path / "a.lp"
    file.write_text(COUNTS.replace("not fill(T).", "not fill(T), hour(T+1)."))
    assert asplan.solve(file).horizon == 2


PUSHED = """room(1..4). in(1,0).
#program step(t).
{ push(t) }.
in(R+1,t) :- push(t), in(R,t-1).
in(R,t) :- not push(t), in(R,t-1).
:- in(R,t), not room(R).
#program check(t).
:- query(t), not in(4,t).
#show push/1.
"""


@pytest.mark.parametrize(
    ("constraint", "bound"),
    [("not room(R)", "room(R+1)"), ("R > 4", "R+1 <= 4")],
)
@pytest.mark.parametrize("words", [("analyse", "a.lp"), ("play", "a.lp", "-o", "a.html")])
def test_searches_name_the_literal_to_add(
    words: tuple[str, ...], constraint: str, bound: str, tmp_path: Path
) -> None:
    text = PUSHED.replace("not room(R)", constraint)
    (tmp_path / "a.lp").write_text(text)
    assert f"; add {bound} to the rule" in run(*words, cwd=tmp_path).stderr
    (tmp_path / "a.lp").write_text(text.replace("in(R,t-1).", f"in(R,t-1), {bound}.", 1))
    assert run(*words, cwd=tmp_path).returncode == 0


SHIPPED = [
    file
    for folder in ("encodings", "templates", "tests/warnings/correct", "tests/warnings/slips")
    for file in sorted((HERE.parent / folder).rglob("*.lp"))
]


def test_no_program_that_is_there_has_one() -> None:
    """Encodings that ship, templates and small programs are all finite."""
    found = []
    for file in SHIPPED:
        try:
            text = file.read_text(encoding="utf-8")
            warnings = asplan.find_warnings(text=text, allow_scripts=True, allow_includes=True)
        except asplan.AsplanError:  # no program by itself
            continue
        found += [file for warning in warnings if warning.code == "endless"]
    assert [file for file in found if not file.stem.startswith("endless")] == []
