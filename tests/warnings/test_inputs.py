"""Warnings about instances: one that is missing, facts that nothing reads, another arity."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan

ENCODING = """#program base.
pos(P,0) :- begin(P).
#program step(t).
{ ride(L,t) : line(L) } 1.
:- ride(L,t), from(L,P), not pos(P,t-1).
pos(P,t) :- ride(L,t), to(L,P).
pos(P,t) :- pos(P,t-1), not ride(_,t).
#program check(t).
:- query(t), end(P), not pos(P,t).
#show ride/2.
"""
INSTANCE = "begin(a). end(c). line(u1;u2). from(u1,a). from(u2,b). to(u1,b). to(u2,c). "

BETWEEN_FILES = [  # what is another in the instance, and the warnings
    ("", "", []),
    ("to(u1,b). to(u2,c).", "to(u1,2,b). to(u2,2,c).", ["undefined", "unread-fact"]),
    ("to(u1,b). to(u2,c).", "leads(u1,b). leads(u2,c).", ["undefined", "unread-fact"]),
    ("from(u1,a). from(u2,b).", "form(u1,a). form(u2,b).", ["undefined", "unread-fact"]),
    ("begin(a).", "first(a).", ["undefined", "unread-fact"]),
    ("begin(a).", "begin(a). colour(u1,red).", ["unread-fact"]),
]


@pytest.mark.parametrize(("old", "new", "codes"), BETWEEN_FILES)
def test_facts_that_an_encoding_does_not_read(
    old: str, new: str, codes: list[str], tmp_path: Path
) -> None:
    encoding, instance = tmp_path / "encoding.lp", tmp_path / "instance.lp"
    encoding.write_text(ENCODING)
    assert old in INSTANCE
    instance.write_text(INSTANCE.replace(old, new) if old else INSTANCE)
    assert [warning.code for warning in asplan.find_warnings(encoding, instance)] == codes


def test_the_place_and_the_other_arity_are_named(tmp_path: Path) -> None:
    encoding, instance = tmp_path / "encoding.lp", tmp_path / "instance.lp"
    encoding.write_text(ENCODING)
    instance.write_text(INSTANCE.replace("to(u1,b). to(u2,c).", "\nto(u1,2,b)."))
    undefined, unread = asplan.find_warnings(encoding, instance)
    assert str(undefined).removeprefix(f"{encoding}:") == (
        "6:24: nothing defines to/2, so to(L,P) is never true [undefined]\n  there is to/3"
    )
    assert str(unread).removeprefix(f"{instance}:") == (
        "2:1: nothing reads the facts of to/3 [unread-fact]\n"
        "  rules read to/2, which nothing defines"
    )


def test_facts_that_drawing_rules_read_are_not_unread(tmp_path: Path) -> None:
    encoding, instance = tmp_path / "encoding.lp", tmp_path / "instance.lp"
    encoding.write_text(ENCODING)
    instance.write_text(INSTANCE + "colour(u1,red).")
    (tmp_path / "draw.lp").write_text("canvas(9,9). text(L,1,1,C) :- colour(L,C).")
    assert asplan.find_warnings(encoding, instance) == ()


def test_a_missing_instance_names_all_that_is_missing() -> None:
    (warning,) = asplan.find_warnings(text=ENCODING)
    assert str(warning) == (
        "<text>:2:13: nothing defines begin/1, line/1, from/2, to/2 and end/1, which 5 rules read: "
        "the instance is missing [missing-instance]\n  add the file with its facts"
    )
    result = asplan.solve(text=ENCODING, max_horizon=2)
    assert [each.code for each in result.warnings] == ["missing-instance"]
    assert result.is_doubtful


REFUSED = [
    (
        "{ turn(D,T) : disc(D) } = 1 :- turns(M), T = 1..M. up(D,0) :- first(D). "
        "up(D,T) :- turn(D,T). up(D,T) :- up(D,T-1), not turn(_,T), turns(M), T <= M. "
        ":- last(D), turns(M), not up(D,M).",
        "disc/1, turns/1, first/1 and last/1, which 4 rules read",
    ),
    (
        "dir(1). dir(-1). { shift(D,T) : dir(D) } = 1 :- turns(M), T = 1..M. at(X,0) :- start(X). "
        "at(X+D,T) :- at(X,T-1), shift(D,T). :- goal(X), turns(M), not at(X,M).",
        "turns/1, start/1 and goal/1, which 3 rules read",
    ),
]


@pytest.mark.parametrize(("text", "names"), REFUSED)
def test_an_encoding_whose_time_the_instance_bounds_is_refused(text: str, names: str) -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=text)
    assert f"nothing defines {names}: the instance is missing" in str(caught.value)
