"""Times and names of variables in a program shape the default board."""

from __future__ import annotations

import pytest

import asplan
from asplan.drawing.board import DrawnBoard, find_board
from asplan.drawing.board_scene import find_axes
from asplan.drawing.rows import read_states
from asplan.result import Result

WALK = """
#program base.
{cell}(1..3,1..2). at(a,1,1,0).
#program step(t).
{ go({A},{B},t) : {cell}({A},{B}) } = 1.
:- go({A},{B},t), at(a,{C},{D},t-1), |{A}-{C}|+|{B}-{D}| != 1.
at(a,{A},{B},t) :- go({A},{B},t).
#program check(t).
:- query(t), not at(a,3,2,t).
#show go/3.
"""
REIFIED = """
#program base.
cell(1..3,1..2). holds(at(a,1,1),0).
#program step(t).
{ go(X,Y,t) : cell(X,Y) } = 1.
:- go(X,Y,t), holds(at(a,V,W),t-1), |X-V|+|Y-W| != 1.
holds(at(a,X,Y),t) :- go(X,Y,t).
#program check(t).
:- query(t), not holds(at(a,3,2),t).
#show go/3. #show holds/2.
"""


def walk(*names: str) -> str:
    text = WALK.replace("{cell}", "cell")
    for letter, name in zip("ABCD", names, strict=True):
        text = text.replace(f"{{{letter}}}", name)
    return text


def board_of(result: Result) -> DrawnBoard:
    trajectory = result.trajectory
    assert trajectory is not None
    number = len(result.states)
    hints = trajectory.facts, trajectory.changing, trajectory.columns
    board = find_board(read_states(result.states), number, *hints)
    assert board is not None
    return board


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (walk("X", "Y", "X1", "Y1"), 0),
        (walk("Col", "Row", "OldCol", "OldRow"), 0),
        (walk("Column", "R", "C", "Row"), 0),
        (walk("C", "R", "C1", "R1"), 0),
        (walk("R", "C", "R1", "C1"), 1),
        (walk("Y", "X", "YY", "XX"), 1),
        (walk("Row", "Column", "I", "J"), 1),
        (walk("I", "J", "K", "L"), 1),
        (walk("ToX", "ToY", "FromX", "FromY"), 0),
        (REIFIED, 0),
    ],
)
def test_names_of_variables_decide_the_column(text: str, column: int) -> None:
    result = asplan.solve(text=text)
    assert result.plan is not None
    assert find_axes(board_of(result), result.plan).column == column


TIMED = """
#const n=9.
time(1..n). k(1..2).
at(1,1,1,1). at(1,2,2,2).
{ go(T,T1,X,Y) : k(X), k(Y) } = 1 :- time(T), T1=T+1.
near(T,X,Y) :- at(T,1,X,V), k(Y), T < n+1.
:- go(T,_,X,Y), not near(T,X,Y).
at(T+1,1,X,Y) :- go(T,_,X,Y).
at(T+1,2,X,Y) :- at(T,2,X,Y), time(T).
:- not at(n+1,1,1,2).
#show go/4.
"""
STEPPED = (
    walk("X", "Y", "V", "W").replace("at(a,", "at(0,")
    + "#program base. goal(3,2). seen(0,2,2). "
    + ("#program step(t). seen(t,X,Y) :- at(0,X,Y,t). #program check(t). :- query(t), seen(t,1,1).")
)


@pytest.mark.parametrize("fresh", [False, True])
def test_atoms_of_the_first_time_are_no_marks(fresh: bool) -> None:
    board = board_of(asplan.solve(text=TIMED, fresh=fresh))
    assert board.marks == []
    assert {piece.owner for piece in board.pieces} == {"1", "2"}


def test_only_facts_for_ever_are_marks() -> None:
    board = board_of(asplan.solve(text=STEPPED))
    assert {mark.kind for mark in board.marks} == {"goal"}
