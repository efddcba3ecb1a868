"""Actions are recognised in many programs; otherwise the result suggests a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from conftest import run

TELINGO = """
#program initial.
on(1..2).
#program always.
{ACTIONS}
#program dynamic.
on(X) :- 'on(X), not {PRESS}(X).
#program final.
:- on(X).
#show press/1.
"""
CHOICE = "{ press(1..2) } = 1."
CLOCKED = """
#const last=5.
spot(a;b;c). way(a,b). way(b,c). at(a,0).
"""
PARTS = """
#program base.
left(2,0). d(1;2).
{ take(D,0) : d(D) } = 1.
#program step(t).
{ take(D,t) : d(D) } = 1.
left(N-D,t) :- left(N,t-1), take(D,t-1), N >= D.
#program check(t).
:- query(t), not left(0,t).
#show take/2.
"""

PROGRAMS: dict[str, tuple[str, list[str]]] = {
    "always, for the next state": (
        TELINGO.replace("{ACTIONS}", CHOICE).replace("{PRESS}", "'press"),
        ["press(1)", "press(2)"],
    ),
    "always, but not in the last state": (
        TELINGO.replace("{ACTIONS}", CHOICE[:-1] + " :- not &final.").replace("{PRESS}", "'press"),
        ["press(1)", "press(2)"],
    ),
    "always, for the same state": (
        TELINGO.replace("{ACTIONS}", CHOICE).replace("{PRESS}", "press"),
        ["press(1)", "press(2)"],
    ),
    "always, never in the last state": (
        TELINGO.replace("{ACTIONS}", "{ press(1..2) } 1. :- &final, press(_).").replace(
            "{PRESS}", "'press"
        ),
        ["press(1)", "press(2)"],
    ),
    "parts, for the next state": (PARTS, ["take(2)"]),
    "a shown term": (
        CLOCKED
        + "{ go(P,Q,T) : way(P,Q), at(P,T-1) } = 1 :- T = 1..last. at(Q,T) :- go(_,Q,T)."
        + ":- not at(c,last). #show. #show did(T,move(P,Q)) : go(P,Q,T).",
        ["go(a,b)", "go(b,c)"],
    ),
    "linked by a denial": (
        CLOCKED
        + "{ go(P,Q,T) : way(P,Q) } = 1 :- T = 1..last. at(Q,T) :- go(_,Q,T)."
        + ":- go(P,_,T), not at(P,T-1). :- not at(c,last). #show go/3.",
        ["go(a,b)", "go(b,c)"],
    ),
    "linked by a rule of its own": (
        CLOCKED
        + "{ go(P,Q,T) : way(P,Q) } = 1 :- T = 0..last-1. came(Q,T+1) :- go(_,Q,T)."
        + "at(Q,T) :- came(Q,T). bad :- go(P,_,T), not at(P,T). :- bad."
        + ":- not at(c,last). #show go/3.",
        ["go(a,b)", "go(b,c)"],
    ),
}


@pytest.mark.parametrize("engine", ["asp", "sat", "auto"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_chosen_atoms_are_actions(name: str, engine: str) -> None:
    text, actions = PROGRAMS[name]
    result = asplan.solve(text=text, engine=engine)
    assert result.outcome == "optimal"
    assert result.plan is not None
    assert sorted(result.plan.actions) == actions
    assert len(result.plan) == len(actions)
    assert result.validated == "replay"
    assert result.no_actions == ""


@pytest.mark.parametrize("engine", ["bfs", "astar", "pdr"])
def test_searched_states_lead_on_by_actions_of_the_state_before(engine: str) -> None:
    result = asplan.solve(text=PARTS, engine=engine)
    assert result.plan is not None
    assert (result.plan.actions, result.validated) == (("take(2)",), "replay")


def test_a_state_does_not_hold_the_action_to_come() -> None:
    assert asplan.solve(text=PARTS).states == (("left(2)",), ("left(0)",))


def test_an_action_in_always_can_be_named() -> None:
    text, actions = PROGRAMS["always, but not in the last state"]
    result = asplan.solve(text=text, actions=["press/2"])
    assert result.plan is not None
    assert sorted(result.plan.actions) == actions


HIDDEN = """
#program base.
at(a,0). way(a,b). way(b,c).
#program step(t).
{ go(P,Q,t) : way(P,Q) } = 1.
:- go(P,_,t), not at(P,t-1).
at(Q,t) :- go(_,Q,t).
#program check(t).
:- query(t), not at(c,t).
#show at/2.
"""
OTHER_TERM = """
#program base. at(0,1).
#program step(t).
{ occurs(go,t) }.
at(t,X+1) :- at(t-1,X), occurs(go,t), X < 3.
at(t,X) :- at(t-1,X), not occurs(go,t).
#program check(t).
:- query(t), not at(t,3).
#program step(t).
#show.
#show occurs(X,t) : at(t,X).
"""
NOTHING = """
new(0,0).
#program step(t).
new(t,N+1) :- new(t-1,N).
#program check(t).
:- query(t), not new(t,2).
"""
MISSING = {
    "hidden": (
        HIDDEN,
        "the program does not show go/3: write #show go/3. or pass --action go/3",
    ),
    "hidden in a temporal program": (
        PROGRAMS["always, for the next state"][0].replace("#show press/1.", "#show on/1."),
        "the program does not show press/1: write #show press/1. or pass --action press/2",
    ),
    "other terms": (
        OTHER_TERM,
        "the program does not show occurs/2: write #show occurs/2. or pass --action occurs/2",
    ),
    "nothing chosen": (
        NOTHING,
        "no rule chooses the actions of a step: name them with --action NAME/ARITY",
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_a_result_without_actions_suggests_a_show_statement(name: str, tmp_path: Path) -> None:
    text, why = MISSING[name]
    file = tmp_path / "program.lp"
    file.write_text(text)
    result = asplan.solve(file)
    assert (result.outcome, result.horizon, result.plan) == ("optimal", 2, None)
    assert result.no_actions == why
    assert asplan.from_json(asplan.to_json(result)).no_actions == why
    picture = tmp_path / "plan.gif"
    done = run("solve", str(file), "-o", str(picture))
    assert done.returncode == 1
    assert f"\nno actions are listed: {why}\n" in done.stdout
    assert done.stderr.splitlines()[-1] == (
        f"asplan: no actions are listed ({why}), so {picture} is not written"
    )
