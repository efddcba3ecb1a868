"""Programs that are transition systems, and the reasons against the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import asplan
from asplan.program.composition import compose
from asplan.program.reading.unit import unit_of_text
from asplan.program.transitions.stepwise import HINT, transition_times_of

REFUSED = [
    ("p(t) :- p(t-2).", "p(t) :- p(t-2).: p(t-2) looks back 2 steps"),
    (
        "p(t) :- q(t), t > X, q(t-1,X).",
        "p(t) :- q(t), t > X, q(t-1,X).: t is used other than as the time of an atom",
    ),
    ("p(t) :- q(T), T < t. q(t).", "p(t) :- q(T), T < t.: q(T) is at neither t nor t-1"),
    ("p(t) :- q(T), T = 2*t. q(t).", "p(t) :- q(T), T = 2*t.: q(T) is at neither t nor t-1"),
    ("p(T) :- q(T+1), T = t. q(t).", "p(t) :- q(t+1).: q(t+1) is at neither t nor t-1"),
    ("p(t) :- q(t), t != 3.", "p(t) :- q(t), t != 3.: t is used other than"),
    ("p(t) :- q(t), t > 101.", "p(t) :- q(t), t > 101.: t is used other than"),
    ("n(t,t).", "n(t,t).: t is used other than as the time of an atom"),
    ("n(f(t)).", "n(f(t)).: t is used other than as the time of an atom"),
    ("known(X) :- p(t,X). p(t,1).", "known(X) :- p(t,X).: known(X) has no time"),
    ("{ once }.", "{ once }.: once has no time, so it carries information from step to step"),
    ("p(t+1) :- p(t).", "p(t+1) :- p(t).: p(t+1) in a head has another time than t"),
    ("p(t-1) :- p(t).", "p(t-1) :- p(t).: p(t-1) in a head has another time than t"),
    ("p(t) :- p(0).", "p(t) :- p(0).: p(0) is at neither t nor t-1"),
    ("p(t). #program base. p(2).", "p(2).: p(2) in base has another time than 0"),
    ("p(t). #program base. x :- p(1).", "x :- p(1).: p(1) in base has another time than 0"),
    ("p(t) :- e(t). #program base. e(3).", "p(t) :- e(t).: e(t) is given by base for each time"),
    (
        "#external e(t).",
        "#external e(t). [false]: the atoms of this statement are set from outside",
    ),
    ("goal(t) :- query(t).", "goal(t) :- query(t).: query(t) may only be in the body"),
    (":- not query(t), p(t). p(t).", ":- not query(t), p(t).: query(t) may only be"),
    (
        "#edge (a,b) : p(t). p(t).",
        "#edge (a,b) : p(t).: this statement restricts all steps together",
    ),
    (
        "#program base. #external e.",
        "#external e. [false]: the atoms of this statement are set from outside",
    ),
    ("#program base. :- query(0).", ":- query(0).: base demands the goal; check(t) has to do that"),
    ("#program plan(t). p(t).", "p(t).: a part plan(t) reads all steps together"),
]


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_refused(text: str, said: str) -> None:
    text = f"#program step(t). {text}"
    with pytest.raises(asplan.InputError) as caught:
        transition_times_of(compose([unit_of_text(text)], {}))
    error = str(caught.value)
    assert re.match(rf"<text>:1:\d+: {re.escape(said)}", error), error
    assert error.endswith(f"\n  {HINT}")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("p(t) :- p(t-1).", {"p"}),
        ("p(X,t) :- q(t-1,X), r(X). q(t,1) :- p(_,t).", {"q"}),
        ("occurs(go,t-1). p(t) :- occurs(go,t-1), p(t-1).", {"p"}),
        ("way(up;down). p(t) :- p(t-1), way(up).", {"p"}),
        ("p(t). #minimize { 1,t : p(t) }. #show p(t) : p(t).", set()),
        ("-p(t) :- not p(t-1). p(t) :- not -p(t).", {"p"}),
        ("p(T) :- q(S), t = T, S = T-1. q(t) :- p(t).", {"q"}),
        ("p(T+1) :- q(1+T), 1 { q(S+1) }, 2+T = t+1, T-1 = S. q(t).", {"q"}),
        ("p(s) :- p(t-1). #const s = 3.", None),
    ],
)
def test_what_a_state_is_made_of(text: str, state: set[str] | None) -> None:
    program = compose([unit_of_text(f"#program step(t). {text}")], {})
    if state is None:
        with pytest.raises(asplan.InputError):
            transition_times_of(program)
    else:
        assert {name for _, name, _ in transition_times_of(program).state} == state


def test_encodings_that_count_or_know_more_are_refused() -> None:
    for instance, encoding, rule in (
        ("two_cars", "frontier", "frontier.lp:114:1"),
        ("five21", "moves", "moves.lp:84:1"),
    ):
        with pytest.raises(asplan.InputError) as caught:
            asplan.solve(instance, encoding=encoding, engine="bfs")
        assert rule in str(caught.value)


def test_endless_programs_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "clock.lp"
    file.write_text(
        "n(0,0).\n#program step(t).\n{ occurs(tick,t) }.\n"
        "n(t,N) :- n(t-1,N).\nn(t,N+1) :- n(t-1,N), occurs(tick,t).\n"
        "#program check(t).\n:- query(t), not n(t,3).\n"
    )
    assert asplan.solve(file).horizon == 3
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file, engine="bfs")
    assert str(caught.value) == (
        f"{file}:5:1: n(t,N+1) :- n(t-1,N), occurs(tick,t).: this rule counts without end: "
        f"there is no end to the atoms of n/2\n  {HINT}"
    )


def test_programs_without_shown_actions_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "still.lp"
    file.write_text("p(0). #program step(t). p(t) :- p(t-1). #program check(t). :- query(t).")
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file, engine="bfs")
    assert str(caught.value) == (
        "the program shows no actions, so a path through its states is not a plan\n"
        "  show what is chosen in step(t), or name it with --action NAME/ARITY; "
        "--engine asp needs no actions"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "p(0). #program step(t). { p(t) }. :- p(t-3), t > 2.",
            ":- p(t-3), t > 2.: p(t-3) looks back 3 steps",
        ),
        (
            "#program initial. p. #program always. { go } :- not &final. p :- 'p, 'go. "
            "#program final. :- not p.",
            "{ go } :- not &final.: &final may only be in the body of a constraint",
        ),
    ],
)
def test_errors_quote_the_author(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "program.lp"
    file.write_text(text)
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file, engine="bfs")
    assert said in str(caught.value)


def test_a_clock_is_not_named() -> None:
    text = "p(0). #program step(t). { p(t) }. :- p(t-3), t > 2."
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=text, engine="bfs")
    assert ":- p(t-3), t > 2.: p(t-3) looks back 3 steps" in str(caught.value)
