"""States keep the sign of each atom, whoever finds and shows the plan."""

from __future__ import annotations

import pytest

import asplan
from asplan.cli.results import with_states
from asplan.drawing.rules import make_scene

LAMP = """
#program base.
holds(lit,0). -holds(hot,0).
#program step(t).
{ occurs(off,t) : holds(lit,t-1) }.
-holds(lit,t) :- occurs(off,t).
holds(F,t) :- holds(F,t-1), not -holds(F,t).
-holds(F,t) :- -holds(F,t-1), not holds(F,t).
#program check(t).
:- query(t), not -holds(lit,t).
"""
PEGS = """
#program base.
peg(1,0). -peg(2,0).
#program step(t).
{ move(X,t) : peg(X,t-1) }.
-peg(X,t) :- move(X,t).
peg(3-X,t) :- move(X,t).
peg(X,t) :- peg(X,t-1), not -peg(X,t).
-peg(X,t) :- -peg(X,t-1), not peg(X,t).
#program check(t).
:- query(t), not -peg(1,t).
#show move/2.
"""
# A number as a fluent: minus 1 would be another one.
NUMBERED = LAMP.replace("lit", "1") + "#show occurs/2."
WRITTEN_TERM = """
#program base.
on(lamp,0).
#program step(t).
{ occurs(off,t) } 1.
-on(lamp,t) :- occurs(off,t).
on(X,t) :- on(X,t-1), not -on(X,t).
#program check(t).
:- query(t), not -on(lamp,t).
#show occurs/2.
#program base.
#show holds(X,0) : on(X,0).
#program step(t).
#show holds(X,t) : on(X,t).
#show -holds(X,t) : -on(X,t).
"""
ENGINES = ["asp", "sat", "bfs", "astar", "pdr", "auto"]
LAMPS = ["lit", "-holds(hot)"], ["-holds(hot)", "-holds(lit)"]
STATES = {
    "holds, hidden": (
        LAMP + "#show occurs/2.",
        ["lit", "-holds(hot)"],
        ["-holds(hot)", "-holds(lit)"],
    ),
    "holds, shown": (LAMP, *LAMPS),
    "other predicates": (PEGS, ["peg(1)", "-peg(2)"], ["peg(2)", "-peg(1)"]),
    "numbers": (NUMBERED, ["1", "-holds(hot)"], ["-holds(1)", "-holds(hot)"]),
    "shown terms": (WRITTEN_TERM, ["lamp"], ["-holds(lamp)"]),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", STATES)
def test_states_keep_signs(name: str, engine: str) -> None:
    text, first, last = STATES[name]
    if engine in ("bfs", "astar", "pdr") and name == "shown terms":
        pytest.skip("searched programs show atoms alone")
    result = asplan.solve(text=text, engine=engine)
    assert [sorted(state) for state in result.states] == [sorted(first), sorted(last)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (LAMP, "no longer lit; now -holds(lit)"),
        (PEGS, "no longer peg(1), -peg(2); now peg(2), -peg(1)"),
    ],
)
def test_changes_cannot_be_taken_for_signs(text: str, line: str) -> None:
    result = asplan.solve(text=text)
    assert result.plan is not None
    assert with_states(result.plan, result.states).splitlines()[-1].strip() == line


def test_pictures_show_signed_atoms_of_their_own() -> None:
    scene = make_scene(asplan.solve(text=LAMP))
    labels = {thing.label for thing in scene.objects}
    assert {"lit", "-holds(lit)"} <= labels
