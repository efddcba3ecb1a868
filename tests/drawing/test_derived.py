"""What an encoding derives at each time, on the board of a plan, and the numbers beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from plans import own_plan, two_cars

import asplan
from asplan.core.errors import UsageError
from asplan.drawing.cells import add_coordinates, find_cells
from asplan.drawing.derived import add_derived, show_derived
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import DrawnShape, Scene
from asplan.play.game import open_game
from asplan.play.pages import make_empty_page, make_whole_page
from asplan.play.surroundings import look_around
from asplan.problem import Inputs

PUBLISHED = replace(two_cars(), encoding="origin_published")
TUPLES = replace(two_cars(), encoding="block_tuple_published")


def names_at(scene: Scene, step: int, predicate: str) -> set[str]:
    """The objects of a predicate that a scene has at a step."""
    return {
        thing.name
        for thing in scene.objects
        if thing.name.startswith(predicate) and thing.shapes[step] is not None
    }


def show(*names: str) -> Scene:
    return show_derived(make_scene(PUBLISHED), PUBLISHED, names)


def test_free_cells_are_tinted_at_each_time() -> None:
    scene = show("free")
    for step, row, column in [(0, 2, 4), (0, 3, 1), (6, 3, 5), (6, 6, 4)]:
        assert f"free({row}, {column})" not in names_at(scene, step, "free(")
        assert f"free({row}, {column})" in names_at(scene, 6 - step, "free(")
    assert all(len(names_at(scene, step, "free(")) == 31 for step in range(7))


def test_a_tint_is_where_the_cell_is_and_behind_the_cars() -> None:
    scene = show("free")
    grid = find_cells(scene)
    assert grid is not None
    named = {thing.name: thing for thing in scene.objects}
    [shape] = set(named["free(1, 6)"].shapes)
    assert shape is not None
    assert shape.box == grid.boxes[1, 6]
    order = [thing.name for thing in scene.objects]
    assert order.index("cell(6,6)") < order.index("free(1, 6)") < order.index("b")


def test_busy_cells_are_hatched_before_the_cars() -> None:
    scene = show("busy")
    assert {name.rpartition(" ")[0] for name in names_at(scene, 0, "busy(")} == {
        *("busy(3, 1)", "busy(3, 2)"),
        *("busy(2, 4)", "busy(3, 4)", "busy(4, 4)"),
    }
    order = [thing.name for thing in scene.objects]
    assert order.index("r") < order.index("busy(3, 1) 1")


def test_moves_are_arrows_beside_their_cars() -> None:
    scene = show("executable", "move")
    assert names_at(scene, 0, "executable ") == {
        "executable r right",
        "executable b up",
        "executable b down",
    }
    assert names_at(scene, 0, "move ") == {"move b down"}
    assert names_at(scene, 6, "move ") == set()
    named = {thing.name: thing for thing in scene.objects}
    car = named["b"].shapes[0]
    arrow = named["executable b down"].shapes[0]
    assert car is not None
    assert arrow is not None
    left, _, right, bottom = car.box
    assert arrow.box[1] < bottom < arrow.box[3]
    assert left < arrow.box[0] < arrow.box[2] < right


def test_terms_within_terms_name_object_and_direction() -> None:
    scene = show_derived(make_scene(TUPLES), TUPLES, ["executed", "not_free"])
    assert names_at(scene, 0, "executed ") == {"executed b down"}
    assert len(names_at(scene, 0, "not_free(")) == 25


def test_a_legend_names_the_predicates_below_the_drawing() -> None:
    plain = make_scene(PUBLISHED)
    scene = show("free", "executable")
    named = {thing.name: thing for thing in scene.objects}
    for name in ("free", "executable"):
        assert named[f"name {name}"].label == name
        key = named[f"key {name}"].shapes[0]
        assert key is not None
        assert plain.height <= key.box[1] < key.box[3] <= scene.height


@pytest.mark.parametrize(
    ("names", "message", "hint"),
    [
        (["bussy"], "origin_published derives no bussy at a time", "did you mean busy? it derives"),
        (["busy/3"], "origin_published derives no busy/3 at a time", "it derives busy, executable"),
        (["reached"], "reached has no place on the board: reached", "a cell of the board"),
    ],
)
def test_what_cannot_be_shown_is_refused(names: list[str], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as refusal:
        show(*names)
    assert refusal.value.message == message
    assert hint in refusal.value.hint


def test_a_plan_without_an_encoding_derives_nothing() -> None:
    result = replace(two_cars(), encoding=None, engine="bfs")
    with pytest.raises(UsageError, match="found without an encoding"):
        show_derived(make_scene(result), result, ["busy"])


def test_a_drawing_without_cells_has_no_place(tmp_path: Path) -> None:
    result = own_plan(tmp_path, "", ["holds(a,0)", "holds(b,1)"], [["go"]])
    scene = make_scene(result)
    with pytest.raises(UsageError, match="no cells on which busy could be shown"):
        add_derived(scene, {"busy": ((), ())})
    with pytest.raises(UsageError, match="no cells, so none can be numbered"):
        add_coordinates(scene)


def test_coordinates_stand_beside_rows_and_above_columns() -> None:
    plain = make_scene(two_cars())
    scene = add_coordinates(plain)
    grid = find_cells(scene)
    assert grid is not None
    assert (scene.width - plain.width, scene.height - plain.height) == (53, 53)
    named = {thing.name: thing for thing in scene.objects}
    for number in range(1, 7):
        row = named[f"row {number}"].shapes[0]
        column = named[f"column {number}"].shapes[0]
        assert row is not None
        assert column is not None
        left, top, right, bottom = grid.boxes[number, number]
        assert row.box == (0, top, 53, bottom)
        assert column.box == (left, 0, right, 53)
    for before, after in zip(plain.objects, scene.objects, strict=False):
        assert before.name == after.name
        assert [shape and shape.box[0] + 53 for shape in before.shapes] == [
            shape and shape.box[0] for shape in after.shapes
        ]


def test_a_board_with_numbers_is_left_as_it_is() -> None:
    result = asplan.solve("shed")
    scene = make_scene(result)
    assert add_coordinates(scene) is scene
    shown = show_derived(scene, result, ["reach"])
    assert names_at(shown, 0, "reach(") > {"reach(7, 3)"}


def test_cells_out_of_line_have_no_numbers() -> None:
    plain = make_scene(two_cars())
    objects = list(plain.objects)
    at = [thing.name for thing in objects].index("cell(1,1)")
    objects[at] = replace(objects[at], shapes=(DrawnShape("rect", (1, 2, 3, 4)),) * 7)
    with pytest.raises(UsageError, match="not in rows and columns"):
        add_coordinates(replace(plain, objects=tuple(objects)))


@pytest.mark.parametrize("suffix", ["gif", "html", "svg", "png"])
def test_all_formats_show_and_number(suffix: str, tmp_path: Path) -> None:
    plain = asplan.render(PUBLISHED, tmp_path / f"plain.{suffix}")
    shown = asplan.render(
        PUBLISHED, tmp_path / f"shown.{suffix}", show=["busy", "free"], coordinates=True
    )
    assert shown.stat().st_size > plain.stat().st_size


def test_a_page_for_playing_has_coordinates_with_all_states_or_with_some() -> None:
    inputs = Inputs(("two_cars",))
    plain, _ = make_whole_page(inputs, 100, lambda _: None)
    numbered, _ = make_whole_page(inputs, 100, lambda _: None, coordinates=True)
    assert '"row 3"' not in plain
    assert '"row 3"' in numbered
    near, _ = look_around(inputs, open_game(inputs).model.initial, coordinates=True)
    names = [thing["name"] for thing in near["things"]]
    place = names.index("row 3")
    assert {state["poses"][place] for state in near["states"]} == {1}
    assert '"width":773' in make_empty_page(inputs, coordinates=True)
