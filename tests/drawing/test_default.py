"""The picture of a plan that nobody wrote drawing rules for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from plans import own_plan

import asplan
from asplan.catalog import find_instance
from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.drawing.board import DrawnBoard, find_board
from asplan.drawing.board_scene import find_axes
from asplan.drawing.lettering import fit_letters
from asplan.drawing.rows import find_rows, read_states
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import Scene
from asplan.drawing.timeline import LETTERS, find_counters, make_timeline


def scene_of(instance: str, encoding: str) -> Scene:
    return make_scene(asplan.solve(find_instance(instance), encoding=encoding))


def labels(scene: Scene, step: int) -> list[str]:
    """Return the labels at a step, line by line from the top, from left to right."""
    seen = [(o.shapes[step], o.label) for o in scene.objects if o.label]
    boxes = sorted((s.box[1], s.box[0], label) for s, label in seen if s is not None)
    return [label for _, _, label in boxes]


def test_a_timeline_has_a_row_for_each_variable() -> None:
    scene = scene_of("sussman", "blocks")
    assert labels(scene, 0) == [
        *("0", "1", "2", "3"),
        *("move", "c,table", "b,c", "a,b"),
        *("on(a)", "table", "b"),
        *("on(b)", "table", "c"),
        *("on(c)", "a", "table"),
    ]
    colours = {o.label: o.look.fill for o in scene.objects if o.name.startswith("on(")}
    assert len(set(colours.values())) == 4  # table is one colour, whatever lies on it
    now = next(o for o in scene.objects if o.name == "now")
    lefts = [shape.box[0] for shape in now.shapes if shape]
    assert [right - left for left, right in pairwise(lefts)] == [
        now.shapes[0].numbers[2]  # type: ignore[union-attr]
    ] * 3
    assert scene.states[0] == ("on(a,table)", "on(b,table)", "on(c,a)")


@pytest.mark.parametrize(
    ("instance", "encoding", "rows"),
    [
        ("balls_4", "gripper", "carries(left) carries(right) at(1) at(2) at(3) at(4) at(robot)"),
        ("three_and_five", "jugs", "contains(five) contains(three)"),
        ("wolf_goat_cabbage", "river", "at(cabbage) at(farmer) at(goat) at(wolf)"),
        ("seven", "pancakes", " ".join(f"stack({n})" for n in range(1, 8))),
        ("nine_vertices", "recolouring", " ".join(f"has({n})" for n in range(1, 10))),
    ],
)
def test_variables_are_found_among_fluents(instance: str, encoding: str, rows: str) -> None:
    result = asplan.solve(find_instance(instance), encoding=encoding)
    found = find_rows(read_states(result.states), len(result.states))
    assert [row.name for row in found if row.is_variable] == rows.split()
    assert find_board(read_states(result.states), len(result.states), ()) is None


def test_a_long_plan_is_played_page_by_page() -> None:
    states = [(f"at({t % 7})", "lit") if t % 2 else (f"at({t % 7})",) for t in range(101)]
    plan = Plan((("go",),) * 100)
    scene = make_timeline("long", plan, find_rows(read_states(states), 101))
    assert scene.width <= 980
    for step in (0, 50, 100):
        assert str(step) in labels(scene, step)
        boxes = [o.shapes[step].box for o in scene.objects if o.shapes[step]]  # type: ignore[union-attr]
        assert min(box[0] for box in boxes) >= 0
        assert max(box[2] for box in boxes) <= scene.width


@pytest.mark.parametrize(
    ("states", "counters"),
    [
        ([(f"tokens({3 * t})", f"at({t % 3})") for t in range(12)], {"tokens": (0, 33)}),
        ([(f"level(a,{t})", f"level(b,{-t})") for t in range(4)], {"level": (-3, 3)}),
        ([(f"place({n},{(t + n) % 5})",) for t in range(5) for n in [0]], {"place": (0, 4)}),
        ([tuple(f"place({n},{(t + n) % 5})" for n in range(5)) for t in range(5)], {}),
        ([(f"carries({t})",) if t % 2 else () for t in range(12)], {}),
        ([(f"at({place})",) for place in "abcdef"], {}),
    ],
)
def test_counters_have_more_numbers_than_rows(
    states: list[tuple[str, ...]], counters: dict[str, tuple[int, int]]
) -> None:
    number = len(states)
    assert find_counters(find_rows(read_states(states), number), number) == counters


def test_bars_of_a_counter_are_as_high_as_its_numbers() -> None:
    states = [(f"tokens({t * t})",) for t in range(6)]
    scene = make_timeline("count", Plan((("go",),) * 5), find_rows(read_states(states), 6))
    bars = [o.shapes[0] for o in scene.objects if o.name.startswith("tokens level")]
    heights = [bar.numbers[3] for bar in bars if bar]
    assert heights == sorted(heights)
    assert heights[5] - heights[0] == pytest.approx(25 * (heights[1] - heights[0]))
    assert [label for label in labels(scene, 0) if label.isdigit()][6:] == [
        str(t * t) for t in range(6)
    ]


def test_all_letters_of_a_timeline_have_one_height() -> None:
    long = "a_name_that_has_no_room_in_the_picture"
    states = [
        (f"at({'x' if t % 3 else long})", f"n({t})", *([long] if t % 2 else [])) for t in range(40)
    ]
    plan = Plan(tuple((f"go({long if t % 4 else 'b'})",) for t in range(39)))
    scene = make_timeline("letters", plan, find_rows(read_states(states), 40))
    sizes = [
        fit_letters(thing.label, shape)
        for thing in scene.objects
        for shape in thing.shapes
        if thing.label and shape
    ]
    assert len(sizes) > 200
    assert min(sizes) == pytest.approx(LETTERS, rel=0.01)
    assert max(sizes) == pytest.approx(LETTERS, rel=0.01)


def test_omitted_rows_are_counted() -> None:
    states = [[f"p({n},{t})" for n in range(40)] + ["still"] for t in range(3)]
    scene = make_timeline("many", Plan((("a",), ("b",))), find_rows(read_states(states), 3))
    assert labels(scene, 0)[-1] == "not drawn: 1 constant row, 16 more rows"


def test_a_plan_too_long_for_a_timeline_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        make_timeline("long", Plan((("go",),) * 1001), [])
    assert str(caught.value) == (
        "a plan of 1001 steps is too long for the default picture: the most is 1000\n"
        "  docs/drawing.md shows how to write drawing rules"
    )


def test_a_board_has_things_marks_and_areas() -> None:
    scene = scene_of("shed", "sokoban")
    names = [thing.name for thing in scene.objects]
    assert sum(name.startswith("cell") for name in names) == 30
    assert {"goal(2, 7)", "goal(6, 7)", "key goal", "key reach"} <= set(names)
    boxes = [thing for thing in scene.objects if thing.label == "box"]
    (player,) = [thing for thing in scene.objects if thing.label == "player"]
    assert len(boxes) == 2
    moved = sum(box.shapes[0] != box.shapes[1] for box in boxes)
    assert moved == 1  # one step pushes one of them, and it stays the same box
    assert player.look.radius > boxes[0].look.radius


def test_goals_have_the_colours_of_their_things() -> None:
    scene = scene_of("six_robots", "robots")
    things = {thing.name: thing for thing in scene.objects}
    robot, goal = things["position 1"], things["goal(3, 1)1"]
    assert (robot.label, goal.look.fill, goal.look.stroke) == ("1", "none", robot.look.fill)
    last = robot.shapes[-1]
    assert last is not None
    assert goal.shapes[0] is not None
    assert goal.shapes[0].box[0] < last.box[0] < last.box[2] < goal.shapes[0].box[2]


def board(states: list[list[str]], *facts: str) -> DrawnBoard | None:
    return find_board(read_states(states), len(states), facts)


CELLS = tuple(f"cell({x},{y})" for x in range(1, 4) for y in range(1, 4))
BOARDS = [
    ([["at(a,1,1)", "at(b,2,2)"], ["at(a,1,2)", "at(b,2,2)"]], (), 4),
    ([["at(a,(1,1))", "at(b,(3,2))"], ["at(a,(2,1))", "at(b,(3,2))"]], (), 6),
    ([["at(1,1)"], ["at(1,2)"], ["at(2,2)"]], CELLS, 9),
    ([["at(1,1)"], ["at(1,2)"], ["at(2,2)"]], (), None),
    ([["has(1,1)", "has(2,3)"], ["has(1,2)", "has(2,3)"]], CELLS, None),  # a function
    ([["at(a,1,1)", "at(a,1,2)"], ["at(a,1,1)", "at(a,2,2)"]], CELLS, None),  # twice at once
    ([["at(a,1,1)", "at(b,2,2)"], ["at(a,2,2)", "at(b,2,2)"]], (), None),  # in one cell
    ([["at(a,1,1)", "at(b,2,2)"], ["at(a,2,2)", "at(b,2,2)"]], CELLS, 9),
    ([["at(a,1,1)"], ["at(a,100,100)"]], (), None),
    ([["on(a,b)"], ["on(a,table)"]], CELLS, None),
]


@pytest.mark.parametrize(("states", "facts", "cells"), BOARDS)
def test_boards_are_found_unless_in_doubt(
    states: list[list[str]], facts: tuple[str, ...], cells: int | None
) -> None:
    found = board(states, *facts)
    assert (None if found is None else len(found.cells)) == cells


AXES = [("right", 1, 2, (1, 1, 1)), ("up", 2, 1, (0, 1, 1)), ("east", 2, 1, (0, 1, 1))]
AXES += [("north", 1, 2, (0, 1, -1)), ("west", 1, 2, (1, -1, 1)), ("jump", 2, 1, (1, 1, 1))]


@pytest.mark.parametrize(("way", "row", "column", "axes"), AXES)
def test_moves_show_the_orientation_of_a_board(
    way: str, row: int, column: int, axes: tuple[int, int, int]
) -> None:
    found = board([["at(a,1,1)"], [f"at(a,{row},{column})"]], *CELLS)
    assert found is not None
    if way == "up":  # up is to the smaller number, unless moves say otherwise
        axes = (1, 1, -1)
    assert find_axes(found, Plan(((f"move(a,{way})",),))) == axes


def test_a_stored_plan_is_replayed_for_its_states(tmp_path: Path) -> None:
    program = """
        at(0,0).
        #program step(t).
        1 { occurs(go(D),t) : D = 1..2 } 1.
        at(X+D,t) :- at(X,t-1), occurs(go(D),t).
        #program check(t).
        #external query(t).
        :- query(t), not at(4,t).
        #show occurs/2.
    """
    result = own_plan(tmp_path, program, [], [["go(2)"], ["go(2)"]])
    scene = make_scene(result)
    assert scene.states == (("at(0)",), ("at(2)",), ("at(4)",))
    assert labels(scene, 0) == ["0", "1", "2", "go", "2", "2", "at", "0", "2", "4"]
    refused = own_plan(tmp_path, program, [], [["go(9)"]])
    assert labels(make_scene(refused), 0)[-1] == "what holds is not known"
