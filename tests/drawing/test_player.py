"""The page: played in a real browser where there is one."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from plans import own_plan, two_cars

import asplan
from asplan.drawing.html import make_player_frame
from asplan.result import Result
from conftest import requests_of

ATTACK = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'


@pytest.fixture
def player(browser: Any, tmp_path: Path) -> Player:
    return Player(browser, asplan.render(two_cars(), tmp_path / "two_cars.html"))


class Player:
    """A player page in the browser, with the actions of a user."""

    def __init__(self, browser: Any, page: Path) -> None:
        self.browser, self.page = browser, page
        browser.get_log("performance")
        browser.get(page.as_uri())

    def find(self, name: str) -> Any:
        return self.browser.find_element("id", name)

    def press(self, *keys: str) -> None:
        self.browser.switch_to.active_element.send_keys(*keys)

    def red(self) -> float:
        """The left edge of the red car, in the units of the drawing."""
        rect = self.browser.find_element("css selector", '#drawing [data-id="r"] rect')
        return float(rect.get_attribute("x"))

    def pause_once_red_moves(self) -> str:
        """Start the player, pause it at the frame in which the red car has moved, and return the
        label of the button in that frame.

        It is done within the page, since on a busy machine the plan may end between two commands.
        """
        return self.browser.execute_async_script(
            """
            const done = arguments[0], play = document.getElementById("play");
            const red = document.querySelector('#drawing [data-id="r"] rect');
            const look = () => {
              if (Number(red.getAttribute("x")) <= 65) { requestAnimationFrame(look); return; }
              const label = play.getAttribute("aria-label");
              play.click();
              done(label);
            };
            play.click();
            look();
            """
        )

    def slow_down(self) -> None:
        """Let a move take a hundred times as long, so that no plan ends while a test looks."""
        self.browser.execute_script(
            """
            const speed = document.getElementById("speed");
            speed.add(new Option("slow", "0.01"));
            speed.value = "0.01";
            """
        )

    def comes_to(self, step: int) -> bool:
        """Return whether the page reaches a step and shows it."""
        edge = 65 + 100 * max(0, step - 2)
        return self.waits(lambda: self.find("slider").get_property("value") == str(step)) and (
            self.waits(lambda: self.red() == edge)
        )

    def waits(self, condition: Any, seconds: float = 120) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.02)
        return False


def test_buttons_step_through_the_plan(player: Player) -> None:
    assert player.comes_to(0)
    for button, step in {"last": 6, "back": 5, "first": 0, "forward": 1}.items():
        player.find(button).click()
        assert player.comes_to(step), button
    player.find("last").click()
    assert player.comes_to(6)
    assert not player.find("forward").is_enabled()
    assert player.find("first").is_enabled()


def test_the_player_plays_and_pauses(player: Player) -> None:
    play = player.find("play")
    assert play.accessible_name == "Play"
    assert player.pause_once_red_moves() == "Pause"
    assert play.accessible_name == "Play"
    step = int(player.find("slider").get_property("value"))
    assert 3 <= step < 6
    assert player.comes_to(step)
    time.sleep(0.8)
    assert player.comes_to(step)
    play.click()
    assert player.comes_to(6)
    assert player.waits(lambda: play.accessible_name == "Play")
    play.click()
    assert player.waits(lambda: player.red() == 65)


def test_keys_step_through_the_plan(player: Player) -> None:
    left, right, home, end, space = "\ue012", "\ue014", "\ue011", "\ue010", " "
    for key, step in [(end, 6), (left, 5), (left, 4), (right, 5), (home, 0), (right, 1)]:
        player.press(key)
        assert player.comes_to(step)
    player.slow_down()
    player.press(space)
    assert player.find("play").accessible_name == "Pause"
    player.press(space)
    assert player.find("play").accessible_name == "Play"


def test_the_slider_shows_any_step(player: Player) -> None:
    slider = player.find("slider")
    slider.send_keys("\ue014" * 4)
    assert player.comes_to(4)
    assert slider.get_attribute("aria-valuetext") == "4 of 6: move(r,right,1)"
    assert slider.accessible_name == "Step"


def test_a_click_in_the_list_of_actions_shows_the_step(player: Player) -> None:
    entries = player.find("actions").find_elements("tag name", "button")
    assert [entry.text.split("\n") for entry in entries][:2] == [
        ["0", "start"],
        ["1", "move(b,down,1)"],
    ]
    entries[5].click()
    assert player.comes_to(5)
    assert [bool(entry.get_attribute("aria-current")) for entry in entries].index(True) == 5
    assert player.find("status").text == "Step 5 of 6 move(r,right,1)"
    player.press("\ue013")  # arrow up
    assert player.comes_to(4)
    assert player.browser.switch_to.active_element == entries[4]
    assert [entry.get_attribute("tabindex") for entry in entries].count("0") == 1


def test_the_state_is_shown_beside_the_plan(player: Player) -> None:
    assert player.find("holds").text == "State 0"
    fluents = player.find("fluents")
    assert fluents.text.split("\n") == ["position(b,2,4)", "position(r,3,1)"]
    player.find("forward").click()
    assert player.find("holds").text == "State 1"
    marks = fluents.find_elements("css selector", "li > *")
    assert [(mark.tag_name, mark.text) for mark in marks] == [
        ("del", "position(b,2,4)"),
        ("ins", "position(b,3,4)"),
        ("span", "position(r,3,1)"),
    ]


def test_motion_is_smooth_unless_the_user_wants_none(player: Player) -> None:
    # The page's clock is the test's, so that a busy browser shows as many frames as an idle one.
    script = """
    const done = arguments[0], rect = document.querySelector('[data-id="r"] rect'), seen = [];
    let now = performance.now();
    performance.now = () => now;
    window.requestAnimationFrame = (show) => setTimeout(() => { now += 20; show(now); }, 0);
    const look = () => {
      seen.push(Number(rect.getAttribute("x")));
      if (seen.at(-1) === 165) done(seen);
    };
    new MutationObserver(look).observe(rect, { attributeFilter: ["x"] });
    document.getElementById("forward").click();
    """
    for reduced in (False, True):
        feature = {"name": "prefers-reduced-motion", "value": "reduce" if reduced else ""}
        player.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        player.browser.refresh()
        player.find("slider").send_keys("\ue014" * 2)
        assert player.comes_to(2)
        seen = player.browser.execute_async_script(script)
        assert seen == sorted(seen)
        assert seen[-1] == 165
        assert (len(set(seen)) > 2) is not reduced


@pytest.mark.parametrize("width", [320, 390, 1200])
def test_nothing_is_wider_than_the_window(player: Player, width: int) -> None:
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 1000}
    player.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    root = player.browser.find_element("tag name", "html")
    assert root.get_property("scrollWidth") == width
    play = player.find("play").rect
    assert play["y"] + play["height"] <= 800
    assert min(play["width"], play["height"]) >= 44
    player.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_player_logs_no_errors_and_makes_no_requests(player: Player) -> None:
    player.find("play").click()
    assert player.comes_to(6)
    assert player.browser.get_log("browser") == []
    assert requests_of(player.browser) == [player.page.as_uri()]


def hostile(folder: Path) -> Result:
    """A plan whose every text is markup."""
    text = ATTACK.replace('"', '\\"')
    (folder / "draw.lp").write_text(
        f'canvas(99,99). rect("{text}",0,0,99,99). label("{text}","{text}").'
    )
    return own_plan(folder, "", [], [[f'go("{text}")']])


def test_names_and_labels_are_text(browser: Any, tmp_path: Path) -> None:
    player = Player(browser, asplan.render(hostile(tmp_path), tmp_path / "a.html"))
    player.find("forward").click()
    assert ATTACK in player.find("action").text.replace('\\"', '"')
    assert browser.find_element("css selector", "#drawing text").text == ATTACK
    assert browser.find_elements("tag name", "img") == []
    assert len(browser.find_elements("tag name", "script")) == 2
    assert browser.get_log("browser") == []


class Tags(HTMLParser):
    """The tags of a page, as a browser would find them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_cannot_be_broken_out_of(tmp_path: Path) -> None:
    page = asplan.render(hostile(tmp_path), tmp_path / "a.html").read_text()
    tags = Tags(page).found
    assert [name for name, _ in tags].count("script") == 2
    assert "img" not in [name for name, _ in tags]
    assert "onerror" not in {attribute for _, attributes in tags for attribute in attributes}


def test_the_page_allows_its_own_script_and_style_only(tmp_path: Path) -> None:
    page = asplan.render(two_cars(), tmp_path / "a.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    for tag, rule in {"script": "script-src", "style": "style-src"}.items():
        text = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[0]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert not re.search(r"""(src|href)\s*=|url\(|https?://(?!www\.w3\.org/2000/svg)""", page)


def test_a_notebook_shows_the_player() -> None:
    shown = make_player_frame(two_cars())
    assert shown is not None
    [(name, attributes)] = Tags(shown).found
    assert (name, attributes["sandbox"]) == ("iframe", "allow-scripts")
    inner = attributes["srcdoc"]
    assert inner is not None
    assert '<svg id="drawing"' in inner
    assert "move(b,down,1)" in inner


def test_a_notebook_has_no_player_where_there_is_nothing_to_draw(tmp_path: Path) -> None:
    assert make_player_frame(Result()) is None
    (tmp_path / "draw.lp").write_text("canvas(9,9")
    assert make_player_frame(own_plan(tmp_path, "", [], [])) is None


TIMELINE = """
const stage = document.getElementById("stage").getBoundingClientRect();
const now = document.querySelector('[data-id="now"] rect').getBoundingClientRect();
const letters = [...document.querySelectorAll("#drawing text")].map(
  (text) => text.getAttribute("font-size") * text.getScreenCTM().a);
return {
  wide: document.documentElement.scrollWidth, least: Math.min(...letters),
  inside: now.left >= stage.left - 1 && now.right <= stage.right + 1,
};
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_a_timeline_scrolls_to_its_present_where_it_has_no_room(
    width: int, browser: Any, window: Callable[[int, str], None], tmp_path: Path
) -> None:
    window(width, "light")
    player = Player(browser, asplan.render(asplan.solve("three_and_five"), tmp_path / "jugs.html"))
    for step, button in ((6, "last"), (0, "first")):
        player.find(button).click()
        assert player.waits(lambda: player.find("holds").text == f"State {step}")  # noqa: B023
        assert player.waits(lambda: browser.execute_script(TIMELINE)["inside"])
    shape = browser.execute_script(TIMELINE)
    assert shape["wide"] == width
    assert shape["least"] > 7.7, "letters can be read"


@pytest.fixture(scope="module")
def twist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asplan.render(asplan.solve("twist04"), tmp_path_factory.mktemp("twist") / "twist.html")


def test_a_net_folds_into_a_solid_that_turns(browser: Any, twist: Path) -> None:
    player = Player(browser, twist)
    assert not player.find("solid").is_displayed()
    player.find("fold").click()
    assert player.find("solid").is_displayed()
    assert not player.find("drawing").is_displayed()

    # Whole answers come from one script each, since each picture replaces all elements.
    def texts() -> list[str]:
        script = (
            "return [...document.querySelectorAll('#solid text')].map((one) => one.textContent)"
        )
        return browser.execute_script(script)

    def points() -> list[tuple[str, str]]:
        script = "return [...document.querySelectorAll('#solid polygon')].map("
        script += "(one) => [one.getAttribute('points'), one.getAttribute('fill')])"
        return [tuple(pair) for pair in browser.execute_script(script)]

    before = points()
    assert len(before) == 12
    assert len({*texts()} - {"-", "+"}) == 12
    player.press("d")
    turned = points()
    assert len(turned) == 12
    assert set(turned).isdisjoint(before)
    player.find("forward").click()
    assert player.waits(lambda: player.find("count").text == "Step 1 of 4" and points() != turned)
    player.find("fold").click()
    assert player.find("drawing").is_displayed()


def test_a_picture_without_places_in_space_has_no_solid(player: Player) -> None:
    assert not player.find("fold").is_displayed()
