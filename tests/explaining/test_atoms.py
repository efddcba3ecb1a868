"""Reasons why an atom holds in a plan, or does not hold, word for word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asplan
from conftest import run

BROKEN = Path(__file__).parents[2] / "docs" / "broken"
PLAN = asplan.Plan((("take",), ("go(2)",), ("go(3)",), ("go(4)",), ("drop",)))

MAZE = """\
edge(a,b). edge(b,c). edge(c,a). edge(c,d).
start(a).
#program step(t).
{ occurs(open(X,Y),t) : edge(X,Y) } = 1.
isopen(X,Y,t) :- occurs(open(X,Y),t).
isopen(X,Y,t) :- isopen(X,Y,t-1).
#program check(t).
reached(X,t) :- start(X).
reached(Y,t) :- reached(X,t), isopen(X,Y,t).
full(t) :- 3 <= #count { X : reached(X,t) }.
-bad(t) :- full(t), not isopen(_,a,t).
:- query(t), not reached(d,t).
"""
OPENED = asplan.Plan((("open(b,c)",), ("open(a,b)",), ("open(c,d)",)))

SAID = {
    "holds(at(parcel,4),5)": """\
  right.lp:26:1 holds(at(parcel,4),5) is derived here with X=4
      holds(at(parcel,X),t) :- occurs(drop,t), holds(at(courier,X),t-1).
    right.lp:16:1 occurs(drop,5) is chosen here
    right.lp:24:1 holds(at(courier,4),4) is derived here with X=4
        holds(at(courier,X),t) :- occurs(go(X),t).
      right.lp:16:1 occurs(go(4),4) is chosen here""",
    "holds(carried,2)": """\
  right.lp:30:1 holds(carried,2) is derived here with F=carried
      holds(F,t) :- holds(F,t-1), not ended(F,t).
    right.lp:25:1 holds(carried,1) is derived here
        holds(carried,t) :- occurs(take,t).
      right.lp:16:1 occurs(take,1) is chosen here
    right.lp:29:1 ended(carried,2) comes nearest here, but occurs(drop,t) is false
        ended(carried,t) :- occurs(drop,t).
                            ^~~~~~~~~~~~~~""",
    "goal(parcel,4)": "  right.lp:3:45 goal(parcel,4) is a fact",
    "query(5)": "  query(5) is required by the plan",
    "holds(carried,5)": """\
  right.lp:30:1 holds(carried,5) comes nearest here with F=carried, but ended(F,t) is true
      holds(F,t) :- holds(F,t-1), not ended(F,t).
                                  ^~~~~~~~~~~~~~
  right.lp:25:1 holds(carried,5) comes nearest here, but occurs(take,t) is false
      holds(carried,t) :- occurs(take,t).
                          ^~~~~~~~~~~~~~""",
    "occurs(drop,4)": """\
  right.lp:16:1 occurs(drop,4) may be chosen here
      { occurs(go(X),t) : room(X); occurs(take,t); occurs(drop,t) } 1.""",
    "holds(carried,9)": "  no fact and no rule derives it: the plan ends at step 5",
    "holds(5,carried)": "  no fact and no rule derives it: did you mean holds(carried,5)?",
    "holds(carried)": "  no fact and no rule derives it: there is holds/2",
    "hold(carried,5)": "  no fact and no rule derives it: did you mean holds/2?",
    "piano": "  no fact and no rule derives it",
    "reached(d,3)": """\
  maze.lp:9:1 reached(d,3) is derived here with X=c, Y=d
      reached(Y,t) :- reached(X,t), isopen(X,Y,t).
    maze.lp:9:1 reached(c,3) is derived here with X=b, Y=c
        reached(Y,t) :- reached(X,t), isopen(X,Y,t).
      maze.lp:9:1 reached(b,3) is derived here with X=a, Y=b
          reached(Y,t) :- reached(X,t), isopen(X,Y,t).
        maze.lp:8:1 reached(a,3) is derived here with X=a
            reached(X,t) :- start(X).
          maze.lp:2:1 start(a) is a fact
        maze.lp:6:1 isopen(a,b,3) is derived here with X=a, Y=b
            isopen(X,Y,t) :- isopen(X,Y,t-1).
          maze.lp:5:1 isopen(a,b,2) is derived here with X=a, Y=b
              isopen(X,Y,t) :- occurs(open(X,Y),t).
            maze.lp:4:1 occurs(open(a,b),2) is chosen here
      maze.lp:6:1 isopen(b,c,3) is derived here with X=b, Y=c
          isopen(X,Y,t) :- isopen(X,Y,t-1).
        maze.lp:6:1 isopen(b,c,2) is derived here with X=b, Y=c
            isopen(X,Y,t) :- isopen(X,Y,t-1).
          maze.lp:5:1 isopen(b,c,1) is derived here with X=b, Y=c
              isopen(X,Y,t) :- occurs(open(X,Y),t).
            maze.lp:4:1 occurs(open(b,c),1) is chosen here
    maze.lp:5:1 isopen(c,d,3) is derived here with X=c, Y=d
        isopen(X,Y,t) :- occurs(open(X,Y),t).
      maze.lp:4:1 occurs(open(c,d),3) is chosen here""",
    "-bad(3)": """\
  maze.lp:11:1 -bad(3) is derived here
      -bad(t) :- full(t), not isopen(_,a,t).
    maze.lp:10:1 full(3) is derived here
        full(t) :- 3 <= #count { X : reached(X,t) }.
        3 <= #count { X : reached(X,t) } counts a; b; c; d
      maze.lp:8:1 reached(a,3) is derived here with X=a
          reached(X,t) :- start(X).
        maze.lp:2:1 start(a) is a fact
      maze.lp:9:1 reached(b,3) is derived here with X=a, Y=b
          reached(Y,t) :- reached(X,t), isopen(X,Y,t).
        maze.lp:8:1 reached(a,3) is derived as above
        maze.lp:6:1 isopen(a,b,3) is derived here with X=a, Y=b
            isopen(X,Y,t) :- isopen(X,Y,t-1).
          maze.lp:5:1 isopen(a,b,2) is derived here with X=a, Y=b
              isopen(X,Y,t) :- occurs(open(X,Y),t).
            maze.lp:4:1 occurs(open(a,b),2) is chosen here
      maze.lp:9:1 reached(c,3) is derived here with X=b, Y=c
          reached(Y,t) :- reached(X,t), isopen(X,Y,t).
        maze.lp:9:1 reached(b,3) is derived as above
        maze.lp:6:1 isopen(b,c,3) is derived here with X=b, Y=c
            isopen(X,Y,t) :- isopen(X,Y,t-1).
          maze.lp:6:1 isopen(b,c,2) is derived here with X=b, Y=c
              isopen(X,Y,t) :- isopen(X,Y,t-1).
            maze.lp:5:1 isopen(b,c,1) is derived here with X=b, Y=c
                isopen(X,Y,t) :- occurs(open(X,Y),t).
              maze.lp:4:1 occurs(open(b,c),1) is chosen here
    maze.lp:6:1 isopen(_,a,3) comes nearest here with Y=a, but isopen(X,Y,t-1) is false
        isopen(X,Y,t) :- isopen(X,Y,t-1).
                         ^~~~~~~~~~~~~~~""",
    "occurs(open(a,c),1)": """\
  maze.lp:4:1 occurs(open(a,c),1) comes nearest here with X=a, Y=c, but edge(X,Y) is false
      { occurs(open(X,Y),t) : edge(X,Y) } = 1.
                              ^~~~~~~~~
      nothing derives edge(a,c)""",
    "reached(d,2)": """\
  maze.lp:8:1 reached(d,2) comes nearest here with X=d, but start(X) is false
      reached(X,t) :- start(X).
                      ^~~~~~~~
      nothing derives start(d)
  maze.lp:9:1 reached(d,2) comes nearest here with Y=d, X=a, but isopen(X,Y,t) is false
      reached(Y,t) :- reached(X,t), isopen(X,Y,t).
                                    ^~~~~~~~~~~~~
      maze.lp:6:1 isopen(a,d,2) comes nearest here with X=a, Y=d, but isopen(X,Y,t-1) is false
          isopen(X,Y,t) :- isopen(X,Y,t-1).
                           ^~~~~~~~~~~~~~~
      maze.lp:6:1 isopen(a,d,1) comes nearest here with X=a, Y=d, but isopen(X,Y,t-1) is false
          isopen(X,Y,t) :- isopen(X,Y,t-1).
                           ^~~~~~~~~~~~~~~""",
}
IN_MAZE = ("reached", "-bad", "occurs(open")


@pytest.mark.parametrize("atom", SAID)
def test_an_atom_is_explained(atom: str, tmp_path: Path) -> None:
    file, plan = BROKEN / "right.lp", PLAN
    if atom.startswith(IN_MAZE):
        file, plan = tmp_path / "maze.lp", OPENED
        file.write_text(MAZE)
    found = asplan.explain(file, plan=plan, atom=atom)
    head, _, text = str(found).partition("\n\n")
    said = SAID[atom]
    holds = not any(word in said.splitlines()[0] for word in ("no fact", "may be", "comes nearest"))
    assert found.why is not None
    assert (found.why.atom, found.why.holds, found.found) == (atom, holds, plan)
    verb = "holds" if holds else "does not hold"
    assert head.startswith(f"{atom} {verb} in this plan of {len(plan)} steps:\n  1. ")
    assert text == said


def test_an_action_that_the_program_does_not_know(tmp_path: Path) -> None:
    file = tmp_path / "rooms.lp"
    file.write_text(
        "room(a;b). at(a,0). #program step(t). { go(R,t) : room(R) } = 1. at(R,t) :- go(R,t)."
        "#program check(t). :- query(t), not at(b,t)."
    )
    found = asplan.explain(file, plan=asplan.Plan((("fly(3)",),)))
    assert str(found).endswith("\n\nstep 1: no rule offers fly(3) there\n  nothing derives fly(3)")


def test_a_plan_is_looked_for() -> None:
    done = run("explain", str(BROKEN / "right.lp"), "--atom", "holds(at(parcel,4),5)", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["why"]["holds"]) == (0, True)
    supports = found["why"]["derivation"]["supports"]
    body = supports["holds(at(parcel,4),5)"]["body"]
    assert [supports[atom]["kind"] for atom in body] == ["chosen", "derived"]


def test_actions_may_have_no_names(tmp_path: Path) -> None:
    file = tmp_path / "light.lp"
    file.write_text(
        "#program step(t). { on(t) }. #program check(t). :- query(t), not on(t). :- on(0)."
    )
    found = asplan.explain(file, atom="on(1)", time_limit=60)
    assert found.why is not None
    assert found.why.derivation is not None
    assert found.why.derivation.supports["on(1)"].kind == "chosen"


def test_no_plan_is_explained_instead() -> None:
    found = asplan.explain(BROKEN / "inertia.lp", atom="holds(carried,2)", time_limit=60)
    assert (found.why, found.conflict is None) == (None, False)
    refused = asplan.explain(BROKEN / "strong.lp", plan=PLAN, atom="holds(carried,2)")
    assert (refused.why, refused.accepted) == (None, False)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (
            {"atom": "holds(carried", "plan": PLAN},
            "atom: 'holds(carried' is not a term: syntax error, unexpected <EOF>, expecting )",
        ),
        (
            {"atom": "a", "horizon": 3},
            "an atom is explained in a plan: leave out the horizon",
        ),
        ({"atom": "3", "plan": PLAN}, "atom: 3 is not an atom"),
    ],
)
def test_wrong_questions(question: dict[str, object], message: str) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.explain(BROKEN / "right.lp", **question)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_an_atom_of_a_pddl_task_is_explained_on_a_page() -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.explain("blocks-1", atom="on(b,c)", plan=asplan.solve("blocks-1").plan)
    assert str(caught.value) == (
        "an atom of a PDDL task is not one of its translation\n"
        "  make a page that explains its atoms: asplan solve FILE... -o plan.html --explain"
    )


def test_anonymous_variables_of_an_aggregate_are_its_own() -> None:
    text = (
        "p(1). q(a,5). q(b,6). many :- p(_), #count { X : q(X,_) } >= 2. "
        "#program step(t). { go(t) } = 1. done(t) :- go(t), many. "
        "#program check(t). :- query(t), not done(t). #show go/1."
    )
    why = asplan.explain(text=text, atom="many").why
    assert why is not None
    assert why.derivation is not None
    assert why.derivation.supports["many"].body == ("p(1)", "q(a,5)", "q(b,6)")
