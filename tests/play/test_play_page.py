"""The page on which one plays, in a real browser: played by drags, touches, keys and buttons."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan.drawing.pictures import draw_space
from asplan.play.game import open_game
from asplan.play.pages import make_whole_page
from asplan.play.surroundings import look_around
from asplan.problem import Inputs
from asplan.statespace.analysis import explore
from conftest import requests_of
from studios import running

LAMPS = """lamp(left;right). on(left,0).
#program step(t).
{ occurs(flip(L),t) : lamp(L) } = 1 :- on(_,t-1).
on(L,t) :- lamp(L), occurs(flip(L),t), not on(L,t-1).
on(L,t) :- on(L,t-1), not occurs(flip(L),t).
#program check(t).
:- query(t), not on(right,t).
:- query(t), on(left,t).
"""
"""Nobody drew it, and whoever turns off the last lamp sits in the dark for ever."""

BEE = """cell(1..3,1..3). at(1,1,0).
#program step(t).
{ occurs(fly(X,Y),t) : cell(X,Y) } = 1.
at(X,Y,t) :- occurs(fly(X,Y),t), at(V,W,t-1), |X-V|+|Y-W| = 1.
:- #count { X,Y : at(X,Y,t) } != 1.
#program check(t).
:- query(t), not at(3,3,t).
"""
"""On a board that asplan finds, though nobody drew it."""


class Table:
    """A page for playing, with the actions of a player."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def open(self, address: str) -> None:
        self.browser.get_log("browser")
        self.browser.get(address)
        assert self.waits(lambda: self.browser.execute_script("return document.body.dataset.ready"))

    def play(self, folder: Path, *files: str, **constants: str) -> None:
        page, _ = make_whole_page(Inputs(files, constants=constants), 5000, lambda _: None)
        (folder / "play.html").write_text(page)
        self.open((folder / "play.html").as_uri())

    def waits(self, condition: Callable[[], object], seconds: float = 120) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.01)
        return False

    def find(self, name: str) -> Any:
        return self.browser.find_element("id", name)

    def text(self, name: str) -> str:
        return str(self.find(name).get_property("textContent"))

    def thing(self, name: str) -> Any:
        return self.browser.find_element("css selector", f'#drawing [data-id="{name}"]')

    def numbers(self) -> tuple[str, str, str]:
        return self.text("done"), self.text("best"), self.text("left")

    def box(self, name: str) -> tuple[float, float, float, float]:
        """Left, top, width and height of a thing, in the units of the drawing."""
        rect = self.thing(name).find_element("tag name", "rect")
        x, y, width, height = (float(rect.get_attribute(a)) for a in ("x", "y", "width", "height"))
        return x, y, width, height

    def drag(self, name: str, right: float, down: float, kind: str = "mouse") -> None:
        """Drag a thing by some units of the drawing."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.actions.pointer_input import PointerInput

        scale = self.browser.execute_script(
            "return document.getElementById('drawing').getScreenCTM().a"
        )
        chain = ActionChains(self.browser, duration=0, devices=[PointerInput(kind, kind)])
        finger = chain.w3c_actions.pointer_action
        finger.move_to(self.thing(name).find_element("tag name", "rect"))
        finger.pointer_down()
        finger.move_by(round(scale * right / 2), round(scale * down / 2))
        finger.move_by(round(scale * right / 2), round(scale * down / 2))
        finger.pointer_up()
        chain.perform()

    def rests(self, name: str, x: float, y: float) -> bool:
        return self.waits(lambda: self.box(name)[:2] == (x, y))

    def press(self, name: str) -> None:
        button = f"//div[@id='moves']/button[.='{name}']"
        self.browser.find_element("xpath", button).click()

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.browser.get_log("browser")]


@pytest.fixture
def table(browser: Any) -> Iterator[Table]:
    table = Table(browser)
    yield table
    assert table.complaints() == []
    browser.get("about:blank")


WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def test_a_board_is_solved_by_drags(table: Table, tmp_path: Path) -> None:
    browser = table.browser
    browser.get_log("performance")
    table.play(tmp_path, "sample02")
    assert (tmp_path / "play.html").stat().st_size < 300_000
    steps = 0
    moves = [re.findall(r"\w+", action)[1:3] for (action,) in asplan.solve("sample02").plan]
    for number, ((car, way), same) in enumerate(groupby(moves)):
        cells = len(list(same))  # in one drag
        steps += cells
        sideways, down = WAYS[way]
        kind = "touch" if number % 2 else "mouse"
        table.drag(car, 100 * cells * sideways, 100 * cells * down, kind)
        assert table.numbers() == (str(steps), "39", str(39 - steps))
    assert table.text("won-text") == "Solved in 39 steps, the fewest there are."
    assert table.find("won").is_displayed()
    table.find("again").click()
    assert table.numbers() == ("0", "39", "39")
    asked = requests_of(browser)
    assert not any(url.startswith(("http", "ws")) for url in asked), asked


def test_a_thing_goes_as_far_as_it_can_and_springs_back(table: Table, tmp_path: Path) -> None:
    table.play(tmp_path, "two_cars")
    x, y, *_ = table.box("r")
    table.drag("r", 40, 300)  # not half of a cell
    assert table.rests("r", x, y)
    assert table.text("done") == "0"
    table.drag("r", 600, 20)  # as far as the other car lets it
    assert table.rests("r", x + 100, y)
    assert table.numbers() == ("1", "6", "5")
    bx, by, *_ = table.box("b")
    table.drag("b", 0, 210)  # two cells are two steps
    assert table.rests("b", bx, by + 200)
    assert table.numbers() == ("3", "6", "3")
    table.drag("r", 320, 0)
    assert table.text("won-text") == "Solved in 6 steps, the fewest there are."


def test_a_board_is_in_the_middle_and_so_are_its_names(table: Table, tmp_path: Path) -> None:
    table.play(tmp_path, "two_cars")
    script = """
    const [outer, inner] = ["frame", "drawing"].map(
      (id) => document.getElementById(id).getBoundingClientRect());
    const text = getComputedStyle(document.querySelector("#drawing text"));
    return [inner.left - outer.left - (outer.right - inner.right), text.textAnchor];
    """
    aside, anchor = table.browser.execute_script(script)
    assert abs(aside) < 2
    assert anchor == "middle"


def test_several_cells_are_one_slide_on_a_phone(table: Table, tmp_path: Path) -> None:
    tell = table.browser.execute_cdp_cmd
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    tell("Emulation.setDeviceMetricsOverride", size)
    try:
        table.play(tmp_path, "two_cars", metric="slide")
        _, y, *_ = table.box("b")
        table.drag("b", 0, 210, "touch")
        assert table.waits(lambda: table.box("b")[1] == y + 200)
        assert table.text("done") == "1"
        script = "return document.documentElement.scrollWidth"
        assert table.browser.execute_script(script) == 390
    finally:
        tell("Emulation.clearDeviceMetricsOverride", {})


def test_keys_move_things_and_solve_plays_the_whole_plan(table: Table, tmp_path: Path) -> None:
    table.play(tmp_path, "two_cars")
    table.browser.execute_script("arguments[0].focus()", table.thing("b"))
    down = "\ue015"
    for steps in (1, 2, 2):  # the wall is in the way of a third
        table.browser.switch_to.active_element.send_keys(down)
        assert table.text("done") == str(steps)
    for key, steps in (("u", 1), ("u", 0), ("r", 1), ("\ue011", 0), ("r", 1)):
        table.browser.switch_to.active_element.send_keys(key)
        assert table.text("done") == str(steps), key
    x, *_ = table.box("r")
    table.find("goal").click()
    assert table.text("said") == "This is the nearest goal, 5 steps ahead."
    assert table.waits(lambda: table.box("r")[0] == x + 400)
    table.drag("b", 0, -100)  # the first touch leads back
    assert table.waits(lambda: table.box("r")[0] == x)
    assert table.numbers() == ("1", "6", "5")
    table.find("hint").click()
    said = table.text("said")
    assert re.fullmatch(r"move\(\w,\w+,1\) is on a shortest way: 5 steps to go\. .*", said)
    table.find("hint").click()
    assert table.numbers() == ("2", "6", "4")
    table.find("solve").click()
    assert table.waits(lambda: table.find("won").is_displayed())
    assert table.numbers() == ("6", "6", "0")
    table.find("restart").click()
    assert table.numbers() == ("0", "6", "6")


def test_an_undrawn_program_is_played_by_buttons_into_a_dead_end(
    table: Table, tmp_path: Path
) -> None:
    file = tmp_path / "lamps.lp"
    file.write_text(LAMPS)
    table.play(tmp_path, str(file))
    assert table.numbers() == ("0", "2", "2")
    table.press("flip(left)")
    assert table.text("dead-text") == "A dead end: no goal can be reached from here."
    assert table.text("moves") == "There is nothing to do."
    assert table.browser.find_element("tag name", "del").text == "on(left)"
    table.find("dead-undo").click()
    assert not table.find("dead").is_displayed()
    table.press("flip(right)")
    table.press("flip(left)")
    assert table.text("won-text") == "Solved in 2 steps, the fewest there are."


@pytest.mark.parametrize(
    ("name", "where", "said"),
    [
        ("five_odd", "dead-text", "This puzzle has no solution; that is proven."),
        ("solved", "won-text", "The goal holds at the start: there is nothing to do."),
    ],
)
def test_a_finished_game_is_reported(
    table: Table, tmp_path: Path, name: str, where: str, said: str
) -> None:
    page, _ = make_whole_page(Inputs((name,)), 10_000, lambda _: None)
    (tmp_path / "play.html").write_text(page)
    table.open((tmp_path / "play.html").as_uri())
    assert table.text(where) == said
    assert table.find(where).is_displayed()


def test_tokens_and_carried_things_move(table: Table, tmp_path: Path) -> None:
    table.play(tmp_path, "towers3")
    x, *_ = table.box("1")
    table.drag("1", 280, -90)
    assert table.numbers()[0] == "1"
    assert table.waits(lambda: table.box("1")[0] == x + 300)
    table.play(tmp_path, "shed")
    table.press("push(6,4,right)")
    assert table.numbers() == ("1", "14", "13")


def test_more_states_than_a_page_holds_come_from_the_server(table: Table, tmp_path: Path) -> None:
    """To two browsers, and with the board that asplan finds where nobody drew one."""
    (tmp_path / "bee.lp").write_text(BEE)
    words = ("bee.lp", "--no-open", "--max-states", "3", "--time-limit", "200")
    with running(*words, cwd=tmp_path, command="play") as one:
        table.open(one.address)
        assert table.waits(lambda: table.numbers() == ("0", "4", "4"))
        x, y, *_ = table.box("at 0")
        table.press("fly(2,1)")
        assert table.waits(lambda: table.box("at 0")[:2] != (x, y))
        table.browser.switch_to.new_window("tab")
        table.open(one.address)
        assert table.box("at 0")[:2] == (x, y)
        table.find("solve").click()
        assert table.waits(lambda: table.find("won").is_displayed())
        assert table.numbers() == ("4", "4", "0")
        table.browser.close()
        table.browser.switch_to.window(table.browser.window_handles[0])
        assert table.text("done") == "1"
        status, said = one.ask(f"{one.path}look?state=99999", "POST", "")
        assert (status, said) == (422, '{"error":"there is no such state"}')
        assert one.ask("/look?state=0", "POST", "")[0] == 403


def test_a_server_draws_states_as_a_page_does() -> None:
    inputs = Inputs(("two_cars",))
    game = open_game(inputs)
    space = explore(game.model, 100)
    holds = list(map(game.fluents_of, space.states))
    pictures = draw_space(game.problem, game.model, space, holds)
    assert pictures is not None
    for state in space.states[:3]:
        told, seen = look_around(inputs, state)
        for one, its in zip(told["states"], seen, strict=True):
            number = space.states.index(its)
            assert one["holds"] == list(map(str, holds[number]))
            assert one["goal"] == (number in space.goals)
            found = {
                thing["name"]: thing["shapes"][pose - 1]
                for thing, pose in zip(told["things"], one["poses"], strict=True)
            }
            assert found == {
                thing.name: thing.shapes[poses[number] - 1]
                for thing, poses in zip(pictures.objects, pictures.poses, strict=True)
            }


def test_a_drawn_task_in_pddl_is_played(table: Table, tmp_path: Path) -> None:
    """Its drawing rules count heights, and read the position of the arm."""
    table.play(tmp_path, "blocks-1")
    away = int(table.numbers()[2])
    x, y, *_ = table.box("c")
    table.find("hint").click()
    table.find("hint").click()
    assert table.numbers() == ("1", str(away), str(away - 1))
    assert table.waits(lambda: table.box("c")[0] == x and table.box("c")[1] < y)


def test_a_player_chooses_the_initial_state(table: Table, tmp_path: Path) -> None:
    file = tmp_path / "lamps.lp"
    file.write_text("1 { on(L,0) : lamp(L) }.\n" + LAMPS.replace("on(left,0).", ""))
    table.play(tmp_path, str(file))
    assert "3 initial states" in table.text("summary")
    found = dict[str, str]()
    for option in table.find("start").find_elements("tag name", "option"):
        option.click()
        assert table.text("done") == "0"
        found[option.text.partition(": ")[2]] = table.text("left")
    assert found == {"on(left)": "2", "on(right)": "0", "on(left), on(right)": "1"}
    table.find("start").find_element("xpath", "option[contains(., ',')]").click()
    table.press("flip(left)")
    assert table.text("won-text") == "Solved in 1 step, the fewest there are."


def test_a_task_in_pddl_without_drawing_rules_has_a_page() -> None:
    _, sentence = make_whole_page(Inputs(("castle-1",)), 100, lambda _: None)
    assert sentence == "24 states, 3 steps at least"


LOOKS = """
const look = (selector) => {
  const style = getComputedStyle(document.querySelector(selector));
  return { ground: style.backgroundColor, border: style.borderTopWidth, shadow: style.boxShadow };
};
const over = [...document.querySelectorAll("button, h1, h2")].filter((e) => e.offsetParent
  && e.scrollWidth > e.clientWidth + 1);
return {
  button: look("#moves button"), fact: look("#fluents span"),
  wide: document.documentElement.scrollWidth, over: over.map((e) => e.textContent),
};
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_buttons_and_facts_of_an_undrawn_game_look_different(
    width: int, scheme: str, table: Table, window: Callable[[int, str], None], tmp_path: Path
) -> None:
    file = tmp_path / "lamps.lp"
    file.write_text(LAMPS)
    window(width, scheme)
    table.play(tmp_path, str(file))
    looks = table.browser.execute_script(LOOKS)
    assert looks["button"]["border"] == "1px"
    assert looks["button"]["shadow"] != "none"
    assert looks["fact"] == {"ground": "rgba(0, 0, 0, 0)", "border": "0px", "shadow": "none"}
    assert looks["wide"] == width
    assert looks["over"] == []
