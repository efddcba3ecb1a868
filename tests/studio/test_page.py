"""The page in a real browser, against the real server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

import asplan
from conftest import requests_of
from studios import ENDLESS, PROGRAM, Running, running

TAB = "\ue004"
ATTACK = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'


@dataclass(frozen=True)
class Page:
    """The page of a studio, with the actions of a user."""

    browser: Any
    studio: Running
    file: Path

    def find(self, name: str) -> Any:
        return self.browser.find_element("id", name)

    def text(self, name: str) -> str:
        return str(self.find(name).get_property("textContent"))

    def sees(self, outcome: str, steps: int | None = None) -> bool:
        """Return whether the page comes to show an outcome, with the length of the plan."""
        return self.waits(
            lambda: (
                self.text("outcome") == outcome
                and (steps is None or self.text("doing").startswith(f"{steps} steps"))
            )
        )

    def waits(self, condition: Callable[[], object], seconds: float = 120) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.02)
        return False

    def script(self, text: str) -> Any:
        return self.browser.execute_script(f"return {text}")

    def press(self, *names: str, then: str = "") -> None:
        """Press the enabled buttons among some of the files, and run a script at once."""
        # Looked at and clicked in one go: the page may hide a button in between.
        for name in names:
            self.browser.execute_script(
                "[...document.querySelectorAll('#files button')].filter((button) => "
                f"button.textContent === '{name}' && button.offsetParent && !button.disabled)"
                f".forEach((button) => button.click());{then}"
            )

    def workers(self) -> list[psutil.Process]:
        """The processes that work on a run."""
        return psutil.Process(self.studio.process.pid).children()[0].children()


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    folder = tmp_path_factory.mktemp("studio")
    file = folder / "steps.lp"
    file.write_text(PROGRAM)
    with running("steps.lp", cwd=folder) as studio:
        yield studio, file


@pytest.fixture
def page(browser: Any, studio: tuple[Running, Path]) -> Iterator[Page]:
    """Return the shared page of a studio with its original file and settings."""
    one, file = studio
    events = one.events()
    number = next(value["number"] for name, value in events if name == "run")

    def await_later(section: str, number: int) -> int:
        found = (value for name, value in events if name == section)
        return next(value["number"] for value in found if value["number"] > number)

    if not file.exists() or file.read_text() != PROGRAM:
        file.write_text(PROGRAM)
        number = await_later("run", number)
    assert one.ask(f"{one.path}settings", "POST", "{}") == (204, "")
    await_later("outcome", number)
    events.close()
    browser.get_log("browser")
    browser.get(one.address)
    page = Page(browser, one, file)
    assert page.sees("optimal", 4)
    yield page
    log = [entry["message"] for entry in browser.get_log("browser")]
    assert [message for message in log if "status of 4" not in message] == []
    browser.get("about:blank")


def test_a_save_is_seen(page: Page) -> None:
    page.file.write_text(PROGRAM.replace("goal(4)", "goal(7)"))
    assert page.sees("optimal", 7)
    assert page.waits(lambda: page.text("steps-title") == "7 steps")
    assert page.waits(lambda: page.script("document.querySelectorAll('.cm-bars i').length") == 4)
    rule = next(r for r in asplan.profile(page.file, horizon=7).rules if r.line == 5)
    page.find("costs-tab").click()
    said = f"{rule.instantiations} instantiations, {100 * rule.share:.1f} %"
    assert said in page.text("heat")
    assert page.script("document.querySelectorAll('#chart rect').length") == 16
    page.find("plan-tab").click()
    page.browser.find_elements("css selector", "#steps td:first-child button")[3].click()
    assert page.text("state-title") == "State 3"
    assert page.script("document.querySelector('#state li').dataset.atom") == "at(3)"


def test_a_text_is_edited_and_saved_here(page: Page) -> None:
    page.script("document.querySelector('.cm-content').focus()")
    keys = page.browser.switch_to.active_element
    keys.send_keys("n(1). ")
    assert page.waits(lambda: "Not saved yet." in page.text("files"))
    page.file.write_text("% mine\n" + PROGRAM)
    assert page.waits(lambda: "The file has changed on disk." in page.text("files"))

    def is_saved() -> bool:
        """Once more where the studio has seen the file half written, and then whole."""
        page.press("Keep mine", "Save")
        return page.file.read_text() == "n(1). " + PROGRAM

    assert page.waits(is_saved)
    assert page.sees("optimal", 4)
    bars = "[...document.querySelectorAll('#files .bar')]"
    assert page.waits(lambda: page.script(f"{bars}.every((bar) => bar.hidden)"))


def test_typing_during_a_save_is_kept(page: Page) -> None:
    page.script("document.querySelector('.cm-content').focus()")
    page.browser.switch_to.active_element.send_keys("n(1). ")
    assert page.waits(lambda: "Not saved yet." in page.text("files"))
    page.press("Save", then="document.execCommand('insertText', false, 'n(2). ')")
    assert page.waits(lambda: page.file.read_text() == "n(1). " + PROGRAM)

    def is_saved() -> bool:
        page.press("Keep mine", "Save")
        return page.file.read_text() == "n(1). n(2). " + PROGRAM

    assert page.waits(is_saved)


def test_an_error_stands_at_its_line_until_it_is_mended(page: Page) -> None:
    page.file.write_text(PROGRAM.replace("at(X,t-1),", "at(X,t-1)"))
    assert page.sees("error")
    assert page.text("place") == "steps.lp:5:24"
    assert page.text("message").startswith("syntax error, unexpected")
    before = "document.querySelector('.remark.error').previousElementSibling.textContent"
    assert page.script(before).startswith("at(X+1,t)")
    page.file.unlink()
    assert page.waits(lambda: "no such file" in page.text("message"))
    page.file.write_text(PROGRAM)
    assert page.sees("optimal", 4)
    assert not page.find("error").is_displayed()


def test_a_missing_plan_is_explained_and_a_warning_has_its_line(page: Page) -> None:
    page.file.write_text(PROGRAM.replace("not at(N,t)", "not at(N+1,t), not att(N,t)"))
    assert page.waits(lambda: "att/2" in page.text("notes"))
    assert page.waits(lambda: page.script("document.querySelectorAll('.remark.warning').length"))
    page.file.write_text(PROGRAM + ":- query(t), at(4,t).\n")
    field = page.find("settings").find_element("name", "max_horizon")
    field.send_keys("8\n")
    assert page.sees("unknown")
    assert "whether there is one is not known" in page.text("doing")
    assert page.waits(lambda: "these together exclude every plan" in page.text("why"))
    assert page.text("why-title") == "Why there is no plan of 8 steps"
    page.script("document.querySelector('#why .place').click()")


def test_a_click_explains_why_an_atom_holds_or_not(page: Page) -> None:
    def ask(atom: str, *said: str) -> str:
        """Ask about an atom of state 2, and unfold its reasons."""

        def answers() -> bool:
            if page.find("state").get_attribute("data-step") != "2":
                page.script("document.querySelectorAll('#steps td:first-child button')[2]?.click()")
            page.script(f"document.querySelector('#state [data-atom=\"{atom}\"] .ask')?.click()")
            return page.text("reasons").startswith("Why")

        assert page.waits(answers)
        first = page.text("reasons")
        folded = "document.querySelector('#reasons details:not([open]) summary')?.click()"
        assert page.waits(
            lambda: page.script(folded) or all(s in page.text("reasons") for s in said)
        )
        return first

    rule = "at(X+1,t) :- at(X,t-1), occurs(up,t)."
    first = ask("at(2)", rule, "with X=1", "at(0,0) is a fact", "occurs(up,1) was chosen")
    assert first.startswith("Why at(2,2)?")
    assert "at(0,0)" not in first  # it is behind two instances of the rule
    page.script("document.querySelector('#reasons .rule button.place').click()")
    first = ask("at(1)", rule, "with X=0")
    assert first.startswith("Why not at(1,2)?at(1,2) does not hold: the nearest rule is here")


def test_actions_and_atoms_of_the_step_table_are_explained(page: Page) -> None:
    def press(place: str, said: str) -> bool:
        row = "document.querySelectorAll('#steps tbody tr')[2]"
        page.script(f"{row}.querySelector('{place}')?.click()")
        return page.text("reasons").startswith(said)

    assert page.waits(lambda: press("td:nth-child(2) .ask", "Why occurs(up,2)?"))
    assert page.text("state-title") == "State 2", "a click anywhere in a row chooses its step"
    assert press("ins .ask", "Why at(2,2)?")
    assert press("del .ask", "Why not at(1,2)?")
    page.script("document.querySelectorAll('#steps tbody tr')[1].lastElementChild.click()")
    assert page.text("state-title") == "State 1"


NO_END = """n(0,0).
#program step(t).
{ occurs(up,t); occurs(rest,t) } = 1.
n(X+1,t) :- n(X,t-1), occurs(up,t).
n(X,t) :- n(X,t-1), occurs(rest,t).
won(t) :- n(X,t), X < 0.
#program check(t).
:- query(t), not won(t).
"""
"""A search that never ends: every state has a successor that is new, and none is a goal."""


def test_a_long_search_says_why_there_is_no_plan_so_far(page: Page) -> None:
    field = page.find("settings").find_element("name", "time_limit")
    field.clear()
    field.send_keys("1000\n")
    page.file.write_text(NO_END)
    assert page.waits(lambda: "won(" in page.text("why"))
    assert page.text("outcome") == "working …"
    assert page.text("why-title").startswith("Why there is no plan of ")
    assert page.find("why-open").is_displayed()
    page.file.write_text(PROGRAM)
    assert page.sees("optimal", 4)
    assert not page.find("why").is_displayed()
    assert page.waits(lambda: page.workers() == [])


def test_a_save_and_the_stop_button_cancel_an_endless_run(page: Page) -> None:
    page.file.write_text(ENDLESS + PROGRAM)
    assert page.sees("working …")
    assert page.waits(lambda: "grounding" in page.text("doing"))
    page.file.write_text(ENDLESS + PROGRAM.replace("4", "5"))
    assert page.waits(lambda: "goal(5)" in page.text("files") and len(page.workers()) == 1)
    page.browser.switch_to.new_window("tab")
    page.browser.get(page.studio.address)
    assert page.sees("working …")
    assert page.waits(lambda: page.find("stop").is_enabled())
    page.find("stop").click()
    assert page.sees("stopped")
    assert page.waits(lambda: page.workers() == [])
    page.browser.close()
    page.browser.switch_to.window(page.browser.window_handles[0])
    assert page.sees("stopped")
    field = page.find("settings").find_element("name", "time_limit")
    field.clear()
    field.send_keys("0.5\n")
    assert page.sees("unknown")
    assert "time limit of 0.5 s reached while grounding" in page.text("reason")
    assert page.waits(lambda: page.text("doing").endswith(" s"))
    assert page.workers() == []


OUTLINED = (
    "document.activeElement.matches('iframe, body, .cm-content, .cm-scroller')"
    " || getComputedStyle(document.activeElement).outlineStyle === 'solid'"
)


def test_the_page_works_with_the_keyboard_alone(page: Page) -> None:
    keys = pytest.importorskip("selenium.webdriver").ActionChains
    seen = []
    for _ in range(40):
        keys(page.browser).send_keys(TAB).perform()  # whatever has the focus just then
        element = page.browser.switch_to.active_element
        seen.append(element.get_attribute("name") or element.text.partition("\n")[0])
        # The player and the editor show their own, and a new answer may take what had the focus.
        assert page.script(OUTLINED)
        if seen[-1] == "max_horizon":
            element.send_keys("2\n")
            assert page.sees("unknown")
            assert page.text("reason") == "maximal horizon 2 reached"
        if "cm-content" in (element.get_attribute("class") or ""):
            break
    assert seen[0] == "Run again"
    assert {"Plan", "time_limit"} <= {*seen}


def test_the_page_reports_wrong_settings(page: Page) -> None:
    field = page.find("settings").find_element("name", "constants")
    field.send_keys("n\n")
    assert page.waits(lambda: "n" in page.text("refused"))
    assert page.sees("optimal", 4)
    field.send_keys("\b")
    field.send_keys("goal=3\n")
    assert page.waits(lambda: page.text("refused") == "")


@pytest.mark.parametrize("text", [ATTACK, "\u202e"])
def test_text_from_files_is_never_markup(page: Page, text: str) -> None:
    quoted = text.replace('"', '\\"')
    page.file.write_text(f"% {text}\n" + PROGRAM.replace("up", f'"{quoted}"'))
    shown = text.replace("\u202e", "\\u202e")
    assert page.waits(lambda: f"% {shown}" in page.text("files"))
    assert page.sees("optimal", 4)
    assert page.waits(lambda: quoted.replace("\u202e", "\\u202e") in page.text("steps"))
    images = "document.querySelectorAll('img:not(.cm-widgetBuffer)').length"
    assert page.script(f"[document.scripts.length, {images}]") == [1, 0]


def test_a_shipped_instance_is_played_and_its_encoding_chosen(browser: Any, tmp_path: Path) -> None:
    with running("two_cars", "-e", "origin", cwd=tmp_path) as studio:
        browser.get_log("performance")
        browser.get(studio.address)
        page = Page(browser, studio, tmp_path)
        assert page.sees("optimal", 6)
        assert page.waits(lambda: page.find("player").is_displayed())
        browser.switch_to.frame("player")
        assert page.waits(lambda: browser.find_elements("css selector", '#drawing [data-id="r"]'))
        browser.switch_to.default_content()
        for name, value, steps in (("metric", "slide", 2), ("encoding", "rush_hour/frontier", 2)):
            select = page.find("settings").find_element("name", name)
            select.find_element("css selector", f'option[value="{value}"]').click()
            assert page.sees("optimal", steps)
        assert page.waits(lambda: "frontier.lp" in page.text("files"))
        sent = requests_of(browser)
        assert all(url.startswith((studio.address, "data:")) for url in sent), sent
        browser.get("about:blank")


def test_it_is_readable_on_a_telephone(page: Page) -> None:
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.file.write_text(f"% {'long ' * 80}{'x' * 400}\n{PROGRAM}")
        assert page.waits(lambda: "xxx" in page.text("files"))
        assert page.sees("optimal", 4)
        assert page.script("document.documentElement.scrollWidth") == 360
        small = "[...document.querySelectorAll('input, button')].filter((e) => e.offsetHeight < 30)"
        assert page.script(f"{small}.filter((e) => e.offsetParent).length") == 0
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
