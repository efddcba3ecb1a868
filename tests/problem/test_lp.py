"""The choice of a domain, the contents of instances, and warnings about them."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan.catalog import find_encoding
from conftest import run

# A program of somebody's own over the facts of Rush Hour, with actions that Rush Hour has not.
TELEPORT = """
grid(1..6,1..6). car(r,2,h). car(b,2,v). position(0,r,3,1). position(0,b,2,4).
#program step(t).
{ occurs(teleport(C,X,Y),t) : car(C,N,O), grid(X,Y) } = 1.
position(t,C,X,Y) :- occurs(teleport(C,X,Y),t).
position(t,C,X,Y) :- position(t-1,C,X,Y), not occurs(teleport(C,_,_),t).
#program check(t).
:- query(t), not position(t,r,3,5).
"""
# The same over the facts of sliding tiles.
SORT = """
grid(1,1..3). tile(1..3). position(0,1,1,3). position(0,2,1,2). position(0,3,1,1).
#program step(t).
{ occurs(swap(A,B),t) : tile(A), tile(B), A < B } = 1.
position(t,A,X,Y) :- occurs(swap(A,B),t), position(t-1,B,X,Y).
position(t,B,X,Y) :- occurs(swap(A,B),t), position(t-1,A,X,Y).
position(t,C,X,Y) :- position(t-1,C,X,Y), not occurs(swap(C,_),t), not occurs(swap(_,C),t).
#program check(t).
:- query(t), tile(N), not position(t,N,1,N).
"""


@pytest.mark.parametrize(
    ("text", "plan"), [(TELEPORT, "1. teleport(r,3,5)"), (SORT, "1. swap(1,3)")]
)
def test_a_whole_program_is_claimed_by_no_domain(text: str, plan: str) -> None:
    result = asplan.solve(text=text)
    assert (result.domain, result.validated, str(result.plan)) == (None, "replay", plan)


def test_an_encoding_of_ones_own_has_actions_of_its_own(tmp_path: Path) -> None:
    facts, rules = TELEPORT.strip().split("\n", 1)
    (tmp_path / "board.lp").write_text(facts)
    (tmp_path / "own.lp").write_text(rules)
    result = asplan.solve(tmp_path / "board.lp", encoding=tmp_path / "own.lp")
    assert (result.domain, result.validated, result.horizon) == (None, "replay", 1)


def test_a_program_that_speaks_of_a_domain_is_checked_by_its_model(tmp_path: Path) -> None:
    claim = "#program base. asplan(domain(rush_hour))."
    with pytest.raises(asplan.InvalidPlan) as caught:
        asplan.solve(text=TELEPORT + claim)
    assert str(caught.value) == "step 1: teleport(r,3,5) is not a move(Car,Dir,Cells)"
    origin, instance = find_encoding("origin", None).path, "two_cars"
    result = asplan.solve(origin, instance, text=claim, metric="slide")
    assert (result.domain, result.validated, result.horizon) == ("rush_hour", "model", 2)
    assert result.constants == {"metric": "slide"}


def test_a_domain_that_there_is_not() -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=SORT + "#program base. asplan(domain(rush_hours)).")
    assert str(caught.value) == (
        "asplan(domain(rush_hours)): there is no domain rush_hours\n  did you mean rush_hour?"
    )


BROUGHT = [
    ("eight10", "moves", "blank(3,3).", "blank(3,3): moves derives blank/2 itself, in line {line}"),
    ("two_cars", "order", "place(r,9).", "place(r,9): order derives place/2 itself, in line"),
    ("two_cars", None, "goal_given.", "goal_given: frontier derives goal_given/0 itself, in line"),
    ("eight10", "frontier", "start(1,1).", "start(1,1): frontier derives start/2 itself, in line"),
    ("two_cars", "origin", "free(0,3,4).", "free(0,3,4): origin derives free/3 itself, in line"),
    ("eight10", None, "asplan(monotone).", "asplan(monotone): frontier derives asplan/1 itself"),
]


@pytest.mark.parametrize(("name", "encoding", "fact", "message"), BROUGHT)
def test_a_fact_that_the_encoding_derives_is_refused(
    tmp_path: Path, name: str, encoding: str | None, fact: str, message: str
) -> None:
    file = tmp_path / "more.lp"
    file.write_text(f"\n  {fact}\n")
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(name, file, encoding=encoding)
    head, _, hint = str(caught.value).partition("\n")
    assert head.startswith(f"{file}:2:3: {message.partition('{')[0]}")
    assert hint == ("  leave this fact out: an instance has no facts that its encoding derives")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (":- grid(1,1).", "1: a constraint in an instance: :- grid(1,1)."),
        ("not grid(1,1).", "1: a constraint in an instance: not grid(1,1)."),
        ("#minimize { 1 : grid(1,1) }.", "13: an objective in an instance: :~ grid(1,1). [1@0]"),
        ("#external open(1).", "1: an external in an instance: #external open(1). [false]"),
    ],
)
@pytest.mark.parametrize("engine", ["asp", "bfs"])
def test_an_instance_holds_facts(tmp_path: Path, text: str, kind: str, engine: str) -> None:
    file = tmp_path / "more.lp"
    file.write_text(text)
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve("two_cars", file, engine=engine)
    assert str(caught.value) == (
        f"{file}:1:{kind}\n"
        "  an instance is made of facts; choices and constraints belong to an encoding"
    )


def test_initial_states_may_be_given_where_the_encoding_derives_later_ones(tmp_path: Path) -> None:
    (tmp_path / "start.lp").write_text("at(0,0). peg(1..3).")
    (tmp_path / "rules.lp").write_text(
        "peg(1..3). peg(3). #program step(t). { occurs(up,t) } = 1. "
        "at(t,X+1) :- at(t-1,X), occurs(up,t). #program check(t). :- query(t), not at(t,2)."
    )
    with pytest.raises(asplan.InputError, match=r"peg\(1\): .* derives peg/1 itself, in line 1"):
        asplan.solve(tmp_path / "start.lp", encoding=tmp_path / "rules.lp")
    (tmp_path / "start.lp").write_text("at(0,0).")
    result = asplan.solve(tmp_path / "start.lp", encoding=tmp_path / "rules.lp")
    assert (result.outcome, result.horizon) == ("optimal", 2)


@pytest.mark.parametrize("words", [[], ["--engine", "bfs"]])
def test_unread_predicates_are_named(tmp_path: Path, words: list[str]) -> None:
    file = tmp_path / "more.lp"
    file.write_text("weather(sunny). weather(rainy).")
    done = run("solve", "two_cars", str(file), *words)
    assert done.returncode == 0
    assert done.stderr == (
        f"asplan: warning: {file}:1:1: weather(sunny): nothing reads weather/1; rush_hour knows "
        "car/3, goal/3, grid/2, no/2, position/4 [unread-fact]\n"
    )


UNKNOWN = [
    (
        "asplan(monoton).",
        "<text>:1:1: asplan(monoton) is not a fact that asplan understands\n"
        "  did you mean monotone?",
    ),
    (
        "#program step(t). asplan(exhausted) :- t > 3.",
        "<text>:1:19: asplan(exhausted) must be written as asplan(exhausted(t))",
    ),
    (
        "asplan(a,b).",
        "<text>:1:1: asplan(a,b): a fact for asplan has one term, asplan(…)",
    ),
    ("-asplan(a).", "<text>:1:1: -asplan(a): a fact for asplan has one term, asplan(…)"),
    (
        "asplan(staged) :- p.",
        "<text>:1:1: asplan(staged) must be known before anything is grounded\n"
        "  write it as a fact of the part base, without a body",
    ),
    ("p(sound). asplan(X) :- p(X).", "asplan(sound) is not a fact that asplan understands\n  "),
    (
        "p(1). asplan(X) :- p(X).",
        "asplan(1) is not a fact that asplan understands\n  known facts: ",
    ),
]


@pytest.mark.parametrize(("text", "message"), UNKNOWN)
def test_what_a_program_cannot_say(text: str, message: str) -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=f"{text}\n#program step(t). {{ occurs(a,t) }}.", max_horizon=2)
    assert str(caught.value).startswith(message)


def test_a_bound_that_is_not_raised() -> None:
    text = """
    #const bound = 3.
    #program step(t).
    asplan(exhausted(t)) :- t = 2.
    asplan(next_bound(3)).
    #program check(t).
    :- query(t).
    """
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=text)
    assert str(caught.value) == (
        "asplan(next_bound(3)) is not above the bound 3\n"
        "  it names the least constant bound that can change the answer"
    )


SAID = [
    ("two_cars", "query(0).", "{file}:1:1: query(0): only an encoding may have this fact"),
    ("two_cars", "asplan(ordered).", "{file}:1:1: asplan(ordered): "),
    (
        "two_cars",
        "-car(r,2,h).",
        "{file}:1:1: -car(r,2,h): the instance has the fact car(r,2,h) as well",
    ),
    (
        "two_cars",
        "-no(1,1).",
        "{file}:1:1: -no(1,1): an instance of rush_hour has no negated facts",
    ),
    (
        "two_cars",
        "#const metric=slide.",
        "{file}:1:1: #const metric = slide. in an instance: metric is a constant of rush_hour\n"
        "  set it with -c metric=…",
    ),
    (
        "two_cars",
        "no(6,4) :- not target(r,3,5).",
        "{file}:1:1: no(6,4) :- not target(r,3,5).: this reads target(r,3,5), which origin "
        "derives\n  the facts of an instance must not depend on the encoding",
    ),
]


@pytest.mark.parametrize(("name", "text", "message"), SAID)
def test_what_an_instance_cannot_say(tmp_path: Path, name: str, text: str, message: str) -> None:
    file = tmp_path / "more.lp"
    file.write_text(text)
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(name, file, encoding="origin")
    assert str(caught.value).startswith(message.replace("{file}", str(file)))


def test_a_variant_that_a_whole_program_defines() -> None:
    text = """
    grid(1,1..4). car(r,2,h). position(0,r,1,1).
    #const metric = slide.
    asplan(domain(rush_hour)).
    #program step(t).
    occurs(move(r,right,2),t).
    #program check(t).
    :- query(t), t < 1.
    """
    result = asplan.solve(text=text)
    assert (result.validated, result.constants) == ("model", {"metric": "slide"})


def test_a_check_that_derives_a_state_leaves_its_start_to_the_instance(tmp_path: Path) -> None:
    rules = tmp_path / "rules.lp"
    rules.write_text(
        "#program step(t). { occurs(up,t) }. next(X+1,t) :- at(X,t-1), occurs(up,t). "
        "#program check(t). at(X,t) :- next(X,t). ok(t) :- at(2,t). :- query(t), not ok(t)."
    )
    start = tmp_path / "start.lp"
    start.write_text("at(0,0).")
    assert asplan.solve(start, encoding=rules).horizon == 2
    start.write_text("at(0,0). ok(0).")
    with pytest.raises(asplan.InputError, match=r"ok\(0\): .* derives ok/1 itself, in line 1"):
        asplan.solve(start, encoding=rules)


CLOSED = [
    ("free(t) :- not busy(t).", "free/1"),
    ("free(t) :- calm(t). calm(t) :- start.", "free/1"),
    ("free(t) :- next(t).", None),
    ("free(t) :- other(t). other(t) :- next(t).", None),
    ("free(t) :- seen(t-1).", None),
    ("free(t) :- not busy(t), t > 0.", None),
    ("free(t) :- free(t), start.", None),
    ("{ free(t) }.", None),
]


@pytest.mark.parametrize(("rule", "derived"), CLOSED)
def test_a_check_derives_a_state_where_it_can_at_time_0(
    tmp_path: Path, rule: str, derived: str | None
) -> None:
    """The instance may give the first state only where `check(0)` derives nothing of it."""
    rules, start = tmp_path / "rules.lp", tmp_path / "start.lp"
    rules.write_text(
        "#program step(t). { next(t) }. next(t) :- free(t-1). { occurs(up,t) }. "
        f"seen(t) :- occurs(up,t). #program check(t). {rule} :- query(t), t < 1."
    )
    start.write_text("free(0). start.")
    if derived is None:
        assert asplan.solve(start, encoding=rules).horizon == 1
    else:
        with pytest.raises(asplan.InputError, match=rf"free\(0\): .* derives {derived} itself"):
            asplan.solve(start, encoding=rules)
