"""Drawing rules: errors are reported word for word, and optional atoms may be missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from plans import own_plan, rush_hour, two_cars

import asplan
from asplan.catalog import find_instance
from asplan.core.errors import AsplanError, UsageError
from asplan.drawing.colours import PALETTE
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import DrawnShape, Scene
from asplan.result import Result

MOVING = "canvas(9,9). rect(T,a,X,0,1,1) :- holds(at(X),T)."
INVALID = sorted((Path(__file__).parent / "data" / "invalid").glob("*.lp"))


@pytest.mark.parametrize("file", INVALID, ids=lambda file: file.stem)
def test_wrong_drawing_rules_are_refused_with_their_place(file: Path) -> None:
    lines = [line[3:] for line in file.read_text().splitlines() if line.startswith("%!")]
    with pytest.raises(AsplanError) as caught:
        make_scene(two_cars(), str(file))
    assert str(caught.value) == "\n".join(lines).replace("{file}", str(file))
    assert caught.value.exit_status == 2


SLIPS = sorted((Path(__file__).parent / "data" / "slips").glob("*.lp"))


@pytest.mark.parametrize("file", SLIPS, ids=lambda file: file.stem)
def test_likely_mistakes_are_warned_about_and_still_drawn(file: Path) -> None:
    lines = [line[3:] for line in file.read_text().splitlines() if line.startswith("%!")]
    warnings = make_scene(two_cars(), str(file)).warnings
    told = "\n".join(str(warning).replace(str(file), "{file}") for warning in warnings)
    assert told.splitlines() == lines


def test_the_folders_of_wrong_rules_are_not_empty() -> None:
    assert len(INVALID) >= 20
    assert len(SLIPS) >= 7


SHIPPED = {"two_cars": None, "towers3": "hanoi", "eight05": "moves", "twist05": "turns"}
SHIPPED |= dict.fromkeys(["blocks-1", "gripper-1", "crates-1"])


@pytest.mark.parametrize("instance", SHIPPED)
def test_shipped_drawing_rules_get_no_warnings(instance: str) -> None:
    result = asplan.solve(find_instance(instance), encoding=SHIPPED[instance])
    assert make_scene(result).warnings == ()


def scene_of(rules: str, result: Result, tmp_path: Path) -> Scene:
    file = tmp_path / "draw.lp"
    file.write_text(rules)
    return make_scene(result, str(file))


def test_omitted_styles_have_defaults(tmp_path: Path) -> None:
    scene = scene_of("canvas(9,8). circle(b,4,4,2). rect(a,0,0,9,8).", two_cars(), tmp_path)
    assert (scene.width, scene.height, scene.title) == (9, 8, "two_cars")
    first, second = scene.objects
    assert [first.name, second.name] == ["a", "b"]
    assert [first.look.fill, second.look.fill] == list(PALETTE[:2])
    assert (first.label, first.look.stroke, first.look.opacity) == ("", "none", 1)
    assert first.shapes == (DrawnShape("rect", (0, 0, 9, 8)),) * 7


def test_styles_and_layers_are_read(tmp_path: Path) -> None:
    rules = """
    canvas(99,99). rect((a;b),0,0,9,9). layer(a,1). layer(b,-1). label(a,"<b> & co").
    style(a,fill,teal). style(a,stroke,"#ABC"). style(a,stroke_width,3). style(a,text,white).
    style(a,opacity,50). style(a,radius,4). style(b,fill,none). style(a,over,7).
    """
    b, a = scene_of(rules, two_cars(), tmp_path).objects
    assert (a.name, b.name, a.label, b.look.fill) == ("a", "b", "<b> & co", "none")
    assert (a.look.fill, a.look.stroke, a.look.text) == ("#008080", "#aabbcc", "#ffffff")
    assert (a.look.stroke_width, a.look.opacity, a.look.radius, a.look.over) == (3, 0.5, 4, 7)


def test_default_colours_start_anew_after_fifteen(tmp_path: Path) -> None:
    scene = scene_of("canvas(9,9). rect(1..16,0,0,9,9).", two_cars(), tmp_path)
    fills = [thing.look.fill for thing in scene.objects]
    assert fills == [*PALETTE, PALETTE[0]]


def test_objects_appear_and_vanish(tmp_path: Path) -> None:
    rules = "canvas(9,9). rect(0..3,a,0,0,9,9). rect(5,b,1,1,2,2). appears(b)."
    a, b = scene_of(rules, two_cars(), tmp_path).objects
    assert [shape is not None for shape in a.shapes] == [True] * 4 + [False] * 3
    assert [shape is not None for shape in b.shapes] == [False] * 5 + [True, False]


def test_rules_read_actions_and_fluents(tmp_path: Path) -> None:
    rules = """
    canvas(99,99). rect(still,0,0,1,1).
    rect(T,moved(C),10*T,0,9,9) :- occurs(move(C,D,N),T).   appears(moved(C)) :- car(C,_,_).
    rect(T,at,10*Y,0,9,9) :- holds(position(r,X,Y),T).
    """
    at, _, b, r = scene_of(rules, two_cars(), tmp_path).objects
    assert [shape and shape.numbers[0] for shape in b.shapes] == [None, 10, 20, *[None] * 4]
    assert [shape and shape.numbers[0] for shape in r.shapes] == [*[None] * 3, 30, 40, 50, 60]
    assert [shape and shape.numbers[0] for shape in at.shapes] == [10, 10, 10, 20, 30, 40, 50]


def test_facts_of_the_instance_are_not_drawn(tmp_path: Path) -> None:
    """An instance may call its own things rect or label."""
    result = own_plan(tmp_path, "rect(house,3). label(7).", ["holds(x,0)"], [])
    scene = scene_of("canvas(9,9). rect(I,0,0,N,N) :- rect(I,N).", result, tmp_path)
    assert [thing.name for thing in scene.objects] == ["house"]


def test_own_programs_are_drawn_from_their_holds(tmp_path: Path) -> None:
    atoms = ["holds(at(2),0)", "occurs(go,1)", "holds(at(5),1)", "holds(at(9),2)", "holds(at,x)"]
    result = own_plan(tmp_path, "", atoms, [["go"]])
    scene = scene_of(MOVING, result, tmp_path)
    assert [shape and shape.numbers[0] for shape in scene.objects[0].shapes] == [2, 5]
    assert scene.actions == ("go",)


def test_a_drawing_without_holds_warns_about_the_missing_predicate(tmp_path: Path) -> None:
    result = own_plan(tmp_path, "", [], [])
    (warning,) = scene_of(MOVING, result, tmp_path).warnings
    assert str(warning) == (
        f"{tmp_path / 'draw.lp'}:1:1: the picture is empty: the rules derive no shape, and no "
        "holds(Fluent,Step) is known [draw-empty]\n"
        "  derive holds/2 in the encoding, and add #show holds/2."
    )


def test_rules_beside_the_encoding_are_found(tmp_path: Path) -> None:
    (tmp_path / "draw.lp").write_text("canvas(5,5). rect(a,0,0,1,1).")
    assert make_scene(own_plan(tmp_path, "", [], [])).width == 5


def test_a_result_without_a_plan_is_not_drawn() -> None:
    with pytest.raises(UsageError) as caught:
        make_scene(Result(files=(find_instance("two_cars.lp"),), domain="rush_hour"))
    assert str(caught.value) == "there is no plan, so there is nothing to draw"


def test_an_instance_from_standard_input_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        make_scene(Result(files=("-",)))
    assert str(caught.value) == (
        "an instance that came through standard input cannot be drawn\n"
        "  store it in a file, and name that"
    )


RUSH_HOUR = {
    "horizontal": ("car(r,2,h). position(0,r,2,1).", {"exit", "arrow", "target"}, (260, 160)),
    "vertical": ("car(r,2,v). position(0,r,1,3).", {"exit", "arrow", "target"}, (260, 160)),
    "goal elsewhere": ("car(r,2,h). position(0,r,2,1). goal(r,2,2).", {"target"}, (160, 160)),
}


@pytest.mark.parametrize("name", RUSH_HOUR)
def test_rush_hour_draws_exit_walls_and_goal(name: str, tmp_path: Path) -> None:
    facts, expected, (x, y) = RUSH_HOUR[name]
    file = tmp_path / "board.lp"
    file.write_text(f"grid(1..3,1..4). no(3,1). {facts}")
    things = {thing.name: thing for thing in make_scene(rush_hour(file, [])).objects}
    assert {"exit", "arrow", "target"} & set(things) == expected
    assert "wall(3,1)" in things
    assert things["r"].label == "r"
    target = things["target"].shapes[0]
    assert target is not None
    assert target.box[:2] == (x + 6, y + 6)


def test_an_action_is_a_term_and_no_program(tmp_path: Path) -> None:
    """Actions of a stranger's plan file are never run as a program."""
    (tmp_path / "secret.lp").write_text("canvas(9,9). rect(secret,1,1,2,2).")
    code = f'go,1). #include "{tmp_path / "secret.lp"}". p(a'
    result = own_plan(tmp_path, "p(1).", ["holds(at(1),0)"], [[code]])
    (tmp_path / "draw.lp").write_text("canvas(9,9).")
    with pytest.raises(UsageError, match="is not a term"):
        make_scene(result)
