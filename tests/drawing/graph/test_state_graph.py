"""State spaces as pictures and pages, against the analysis and the drawings of plans."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains

import asplan
from asplan.core.installing import pip_install
from asplan.drawing.graph import layout
from asplan.drawing.graph import map as drawn_states
from asplan.drawing.graph.layout import APART, DOT, lay_out
from asplan.drawing.graph.map import DEAD, make_looks, make_shades
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import Scene
from asplan.problem import Inputs, Problem, load, load_space
from asplan.program.reading.source import ground_term
from asplan.statespace.analysis import Space, TooManyStates, explore
from asplan.statespace.space import state_space
from conftest import run

WALLED = "grid(1..2,1..2). car(r,2,h). position(0,r,1,1)."
"""A board with one state."""
STUCK = "grid(1..3,1..3). car(r,2,h). car(b,2,v). position(0,r,1,1). position(0,b,1,3). no(3,3)."
"""A board without a plan."""


CASTLE = "(lies brass hall) (lies crown library)\n(open iron)"


def opened(instance: str) -> tuple[Problem, Space]:
    problem = load(Inputs((asplan.catalog.find_instance(instance),), all_states=True))
    return problem, explore(problem.domain_and_model()[1], 10_000)


def written(folder: Path, facts: str) -> str:
    file = folder / "board.lp"
    file.write_text(facts)
    return str(file)


@pytest.mark.parametrize("instance", ["two_cars", "sample01", "crates-1", "castle-1", "stuck"])
def test_a_space_agrees_with_the_analysis(instance: str, tmp_path: Path) -> None:
    name = written(tmp_path, STUCK) if instance == "stuck" else instance
    problem, space = opened(name)
    model, analysis = problem.domain_and_model()[1], asplan.analyse(name)
    assert len(space.states) == analysis.states
    assert len(space.moves) == analysis.moves
    assert len(space.goals) == analysis.goal_states
    assert tuple(Counter(space.depths).values()) == analysis.depths
    assert space.distances[0] == analysis.distance
    near = Counter(away for away in space.distances if away is not None)
    assert tuple(near[away] for away in sorted(near)) == analysis.distances
    assert space.distances.count(None) == analysis.dead_ends
    for state, move in space.entries.items():
        assert model.apply(space.states[move.source], move.action) == space.states[state]
        assert space.depths[state] == space.depths[move.source] + 1


def test_states_a_move_apart_are_near_in_the_picture() -> None:
    _, space = opened("sample01")
    points = lay_out(space)
    assert np.array_equal(points, lay_out(opened("sample01")[1])), "another picture each time"
    joined = [np.linalg.norm(points[m.source] - points[m.target]) for m in space.moves]
    apart = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    assert 0.9 < np.mean(joined) < 1.1
    assert np.mean(joined) < np.mean(apart) / 3
    assert points[0, 0] < np.median(points[:, 0]), "the start lies left"
    assert np.ptp(points[:, 0]) >= np.ptp(points[:, 1])


@pytest.mark.parametrize("instance", ["sample01", "crates-1", "ten_seven_three"])
def test_states_do_not_overlap(instance: str) -> None:
    """The last one has few moves between any two states, so its layout begins crowded."""
    problem = load_space(Inputs((asplan.catalog.find_instance(instance),), all_states=True))
    points = lay_out(explore(state_space(problem)[1], 10_000))
    apart = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.999 * APART
    assert 2 * DOT < APART


def test_states_at_one_place_are_moved_apart() -> None:
    points = layout._move_apart(np.zeros((40, 2)))
    apart = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    assert apart[~np.eye(40, dtype=bool)].min() > 0.999 * APART


def test_spaces_of_one_or_two_states_are_laid_out(tmp_path: Path) -> None:
    _, one = opened(written(tmp_path, WALLED))
    assert lay_out(one).tolist() == [[0, 0]]
    _, two = opened(written(tmp_path, "grid(1..2,1..3). car(r,2,h). position(0,r,1,1)."))
    assert lay_out(two).tolist() == [[0, 0], [1, 0]]
    assert lay_out(opened("two_cars")[1]).shape == (14, 2)


def test_shades_are_the_distances_to_a_goal(tmp_path: Path) -> None:
    _, space = opened("crates-1")
    shades = make_shades(space)
    assert len(shades.colours) == 12
    assert len(set(shades.colours)) == 12
    for state, away in enumerate(space.distances):
        assert shades.colour_of(state) == (DEAD if away is None else shades.colours[away])
    _, space = opened(written(tmp_path, STUCK))
    shades = make_shades(space)
    assert shades.meaning == "fewest moves from the start; no goal can be reached"
    assert shades.numbers == tuple(space.depths)


TILES = "grid(1..2,1..3). tile(1..5). " + " ".join(
    f"position(0,{tile},{place // 3 + 1},{place % 3 + 1})."
    for place, tile in enumerate([0, 1, 2, 4, 5, 3])
    if tile
)
"""Six cells: 360 states."""


@pytest.mark.parametrize("instance", ["two_cars", "tiles", "blocks-1", "crates-1"])
def test_states_look_the_same_in_maps_and_plans(instance: str, tmp_path: Path) -> None:
    """Among them blocks, whose rules look one step back at where the arm took a block."""
    name = written(tmp_path, TILES) if instance == "tiles" else instance
    problem, space = opened(name)
    model, result = problem.domain_and_model()[1], asplan.solve(name, engine="bfs")
    film, states = make_scene(result), make_looks(problem, model, space).scene
    assert states is not None
    assert result.plan is not None
    state = model.initial
    for step, actions in enumerate([(), *result.plan]):
        for action in actions:
            state = model.apply(state, model.parse_action(ground_term(action, "action")))
        assert shapes(film, step) == shapes(states, space.states.index(state)), f"step {step}"


def shapes(scene: Scene, step: int) -> dict[str, Any]:
    return {thing.name: thing.shapes[step] for thing in scene.objects if thing.shapes[step]}


def test_maps_without_rules_or_with_many_states_have_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem, space = opened("castle-1")
    looks = make_looks(problem, problem.domain_and_model()[1], space)
    assert looks.scene is None
    assert looks.texts[0] == CASTLE
    problem, space = opened("two_cars")
    monkeypatch.setattr(drawn_states, "_MOST_SHAPES", 27)
    assert make_looks(problem, problem.domain_and_model()[1], space).scene is None
    assert make_looks(problem, problem.domain_and_model()[1], space).texts[0].startswith(". . .")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_maps_are_written_as_pictures(suffix: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}{suffix}" for number in range(2)]
    for file in files:
        asplan.analyse("crates-1", graph=file)
    assert files[0].read_bytes() == files[1].read_bytes()
    if suffix == ".svg":
        text = files[0].read_text()
        assert text.count(DEAD) >= 98, "a dot for each dead end"
        assert {"start", "goal", "dead end"} <= set(re.findall("<!-- (.*?) -->", text))
    if suffix == ".png":
        with Image.open(files[0]) as image:
            colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 24) or ()}
        assert tuple(int(DEAD[i : i + 2], 16) for i in (1, 3, 5)) in colours


def test_the_command_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "states.svg"
    done = run("analyse", "two_cars", "--graph", str(file), "--json")
    assert done.stderr == f"asplan: {file} is written\n"
    assert file.exists()


def test_too_many_states_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(TooManyStates) as caught:
        asplan.analyse("eight31a", graph=tmp_path / "x.html")
    assert str(caught.value) == (
        "more than 10000 states can be reached, too many for a picture\n"
        "  leave --graph out to count them only"
    )
    assert not list(tmp_path.iterdir())


def test_a_graph_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(asplan.MissingExtra) as caught:
        asplan.analyse("two_cars", graph=tmp_path / "x.png")
    assert str(caught.value) == (
        f"pictures of state spaces need igraph, which is not installed\n  {pip_install('graph')}"
    )


def test_the_page_names_nothing_unescaped(tmp_path: Path) -> None:
    file = tmp_path / "<script>alert(1)<!--.lp"
    file.write_text("grid(1..1,1..3). car(r,2,h). position(0,r,1,1).")
    asplan.analyse(file, graph=tmp_path / "x.html")
    text = (tmp_path / "x.html").read_text()
    assert "<script>alert" not in text
    data = json.loads(re.findall('id="data">(.*?)</script>', text, re.DOTALL)[0])
    assert data["names"] == ["move(r,right,1)"]
    assert data["lines"] == [0, 1]
    assert data["arrows"] == []


SEEK = """
const [map, what] = arguments, box = map.getBoundingClientRect();
const says = (x, y) => {
  const at = { pointerId: 1, clientX: box.left + x, clientY: box.top + y };
  map.dispatchEvent(new PointerEvent("pointermove", at));
  return document.getElementById("status").textContent.includes(what);
};
for (let y = 8; y < box.height; y += 8) {
  for (let x = 8; x < box.width; x += 8) {
    // Not at the very border of the state: the real pointer stands at whole pixels.
    if (says(x - 2, y - 2) && says(x + 2, y + 2) && says(x, y)) {
      return [Math.round(x - box.width / 2), Math.round(y - box.height / 2)];
    }
  }
}
"""


class Map:
    """A map of states in the browser, with the actions of a user."""

    def __init__(self, browser: Any, page: Path) -> None:
        self.browser = browser
        browser.get_log("browser")
        browser.get(page.as_uri())

    def find(self, name: str) -> Any:
        return self.browser.find_element("id", name)

    def text(self, name: str) -> str:
        return str(self.find(name).get_property("textContent"))

    def says(self, name: str, what: str) -> bool:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if re.fullmatch(what, self.text(name)):
                return True
            time.sleep(0.02)
        raise AssertionError(f"{name}: {self.text(name)!r} is not {what!r}")

    def await_colours(self) -> Any:
        """Return the shape of the page as soon as states are painted."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            shape = self.browser.execute_script(SHAPE)
            if shape["light"] or shape["dark"]:
                return shape
        raise AssertionError("no states are painted")

    def seek(self, what: str) -> None:
        """Move the pointer over the map until the state under it is called so."""
        canvas = self.find("map")
        end = time.monotonic() + 120
        # While a plan is played it is not disturbed.
        while self.find("play").get_attribute("aria-label") == "Pause" and time.monotonic() < end:
            time.sleep(0.02)
        found = self.browser.execute_script(SEEK, canvas, what)
        assert found, f"no state is called {what}"
        ActionChains(self.browser).move_to_element_with_offset(canvas, *found).perform()


def test_a_map_shows_states_and_plays_plans_in_a_browser(browser: Any, tmp_path: Path) -> None:
    asplan.analyse("crates-1", graph=tmp_path / "x.html")
    page = Map(browser, tmp_path / "x.html")
    assert page.says("summary", "210 states, 14 goal states, 98 dead ends")
    assert page.says("status", "State 0: 7 moves to a goal, 0 moves from the start")
    assert page.says("action", "Step 0 of 7 ")
    page.seek(": 1 move to a goal")
    ActionChains(browser).click().perform()
    assert page.says("action", r"Step 1 of 1 \(push-in-.*\)"), "an action as PDDL writes it"
    assert page.says("status", r"State \d+: a goal, \d+ moves from the start")
    page.seek("a dead end")
    ActionChains(browser).click().perform()
    assert not page.find("play").is_enabled()
    page.find("start").click()
    page.find("play").click()
    for key in ("\ue011", "\ue014", "\ue014"):  # Home, right, right
        browser.switch_to.active_element.send_keys(key)
    assert page.says("action", r"Step 2 of 7 \(.*\)")
    assert browser.get_log("browser") == []


def test_a_map_without_rules_shows_texts_in_a_browser(browser: Any, tmp_path: Path) -> None:
    asplan.analyse("castle-1", graph=tmp_path / "x.html")
    page = Map(browser, tmp_path / "x.html")
    assert page.says("text", re.escape(CASTLE))
    page.seek(": a goal")
    assert page.text("text") != CASTLE
    assert not page.find("drawing").is_displayed()


SHAPE = """
const box = (id) => document.getElementById(id).getBoundingClientRect().toJSON();
const map = document.getElementById("map"), pen = map.getContext("2d");
const inks = new Set();
const pixels = new Uint32Array(pen.getImageData(0, 0, map.width, map.height).data.buffer);
for (const pixel of pixels) {
  const part = (shift) => ((pixel >>> shift) & 255).toString(16).padStart(2, "0");
  if (pixel >>> 24 === 255) inks.add("#" + part(0) + part(8) + part(16));
}
const data = JSON.parse(document.getElementById("data").textContent);
return {
  boxes: Object.fromEntries(["map", "viewer", "start"].map((id) => [id, box(id)])),
  wide: document.documentElement.scrollWidth,
  ground: getComputedStyle(map).backgroundColor,
  anchor: getComputedStyle(document.querySelector("#drawing text")).textAnchor,
  light: data.colours.filter((colour) => inks.has(colour)).length,
  dark: data.darkColours.filter((colour) => inks.has(colour)).length,
};
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_map_fits_the_page_and_its_colours(
    width: int, scheme: str, browser: Any, window: Callable[[int, str], None], tmp_path: Path
) -> None:
    asplan.analyse("two_cars", graph=tmp_path / "x.html")
    window(width, scheme)
    page = Map(browser, tmp_path / "x.html")
    shape = page.await_colours()
    boxes = shape["boxes"]
    assert shape["wide"] == width
    assert shape["anchor"] == "middle", "names stand in the middle of what they name"
    assert boxes["map"]["width"] > 0.6 * width, "the map gets the page"
    assert boxes["start"]["right"] <= boxes["viewer"]["right"], "the button stays inside"
    assert boxes["start"]["height"] < 50, "its text has one line"
    is_dark = sum(map(int, re.findall(r"\d+", shape["ground"])[:3])) < 200
    assert is_dark == (scheme == "dark")
    assert (shape["dark"] > shape["light"]) == is_dark
