"""The Rush Hour model against the oracle, and its reasons against inapplicable moves."""

from __future__ import annotations

from typing import Any

import pytest
from clingo import parse_term
from hypothesis import given, settings

import oracle
from asplan.domains import rush_hour
from asplan.program.ground import ground_facts
from asplan.program.reading.unit import unit_of_text
from boards import boards
from conftest import METRICS, examples, facts


def problem(text: str, metric: str = "step") -> Any:
    return rush_hour.DOMAIN.model(ground_facts([unit_of_text(text)], {}), {"metric": metric})


BOARD = problem(
    """
    grid(1..4,1..5). no(1,3).
    car(r,2,h). position(0,r,2,1).
    car(b,3,v). position(0,b,2,4).
    car(c,2,h). position(0,c,1,1).
    """,
    "slide",
)

WHY_NOT = [
    ("move(z,left,1)", "there is no car z"),
    ("move(r,up,1)", "car r is horizontal and cannot go up"),
    ("move(b,left,1)", "car b is vertical and cannot go left"),
    ("move(r,left,1)", "car r would leave the board at (2,0)"),
    ("move(b,down,1)", "car b would leave the board at (5,4)"),
    ("move(r,right,2)", "car b is at (2,4)"),
    ("move(c,right,1)", "there is a wall at (1,3)"),
    ("move(r,right,1)", None),
    ("move(b,up,1)", None),
]


@pytest.mark.parametrize(("action", "why"), WHY_NOT)
def test_a_blocked_move_has_a_reason(action: str, why: str | None) -> None:
    assert BOARD.why_not(BOARD.initial, BOARD.parse_action(parse_term(action))) == why


def test_metric_step_moves_one_cell() -> None:
    board = problem("grid(1,1..4). car(r,1,h). position(0,r,1,1).")
    why = board.why_not(board.initial, board.parse_action(parse_term("move(r,right,2)")))
    assert why == "metric step moves one cell at a time, not 2"


@pytest.mark.parametrize(
    ("term", "why"),
    [
        ("drive(r)", "drive(r) is not a move(Car,Dir,Cells)"),
        ("move(r,north,1)", "move(r,north,1): north is not left, right, up or down"),
        ("move(r,left,0)", "move(r,left,0): 0 is not a number of cells"),
        ("move(r,left,far)", "move(r,left,far): far is not a number of cells"),
    ],
)
def test_invalid_action_terms_are_refused(term: str, why: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        BOARD.parse_action(parse_term(term))
    assert str(caught.value) == why


def test_text_shows_names_walls_and_empty_cells() -> None:
    assert BOARD.text(BOARD.initial) == "c c # . .\nr r . b .\n. . . b .\n. . . b ."


def test_fluents_are_the_positions_of_the_cars() -> None:
    found = {str(fluent) for fluent in BOARD.fluents(BOARD.initial)}
    assert found == {"position(r,2,1)", "position(b,2,4)", "position(c,1,1)"}


@settings(max_examples=examples(150), deadline=None)
@given(boards())
def test_breadth_first_layers_equal_those_of_the_oracle(board: oracle.Board) -> None:
    for metric in METRICS:
        model = problem(facts(board), metric)
        layer, seen, found = {model.initial}, {model.initial}, None
        for depth, expected in enumerate(oracle.layers(board, metric)):
            assert len(layer) == len(expected)
            if found is None and any(model.is_goal(state) for state in layer):
                found = depth
            after = {model.apply(s, a) for s in layer for a in model.actions(s)}
            assert all(model.why_not(s, a) is None for s in layer for a in model.actions(s))
            layer = after - seen
            seen |= layer
        assert not layer
        assert found == oracle.solve(board, metric)
