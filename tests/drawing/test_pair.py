"""Two plans side by side, and why atoms hold, in a real browser where there is one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan.core.errors import UsageError
from asplan.drawing.formats import Settings, draw_pair
from asplan.result import Result
from conftest import run

BROKEN = Path(__file__).parents[2] / "docs" / "broken" / "right.lp"


def result_of(tmp_path: Path, *steps: str) -> Result:
    """Return the result that a file stores: a plan of the courier, optionally with a detour."""
    found = asplan.solve(BROKEN)
    plan = asplan.Plan(tuple((step,) for step in steps))
    return Result(plans=(plan,), horizon=len(plan), files=found.files, encoding=found.encoding)


@pytest.fixture(scope="module")
def results(tmp_path_factory: Any) -> dict[str, Result]:
    folder = tmp_path_factory.mktemp("pair")
    short = result_of(folder, "take", "go(2)", "go(3)", "go(4)", "drop")
    long = result_of(folder, "take", "go(2)", "go(1)", "go(2)", "go(3)", "go(4)", "drop")
    return {"short": short, "long": long}


def texts(browser: Any, selector: str) -> list[str]:
    return [one.text for one in browser.find_elements("css selector", selector)]


def test_differences_of_two_plans_are_marked(
    browser: Any, results: dict[str, Result], tmp_path: Path
) -> None:
    file = tmp_path / "both.html"
    draw_pair(results, str(file), print, settings=Settings())
    browser.get(file.as_uri())
    find = browser.find_element
    assert find("id", "summary").text == (
        "5 steps and 7 steps; they differ first at step 3; 4 of 8 states differ"
    )
    assert texts(browser, "#rows tr.differs th") == ["3", "4", "5", "6"]
    assert texts(browser, ".side ins") == []
    find("id", "difference").click()
    assert texts(browser, ".side .status") == ["go(3)", "go(1)"]
    assert texts(browser, ".side ins") == ["at(courier,3)", "at(courier,1)"]
    assert texts(browser, ".side del") == ["at(courier,1)", "at(courier,3)"]
    find("css selector", "#rows tr:last-child button").click()
    assert texts(browser, ".side .status") == ["ended after 5 steps", "drop"]
    assert find("id", "status").text == "Step 7 of 7: the actions differ"
    assert texts(browser, ".side ins") == []


def test_the_heads_of_the_steps_are_whole_on_a_telephone(
    browser: Any,
    window: Callable[[int, str], None],
    results: dict[str, Result],
    tmp_path: Path,
) -> None:
    window(390, "light")
    file = tmp_path / "both.html"
    draw_pair(results, str(file), print, settings=Settings())
    browser.get(file.as_uri())
    script = """
    const range = document.createRange();
    range.selectNodeContents(document.querySelector("#steps thead th"));
    return [range.getClientRects().length, document.documentElement.scrollWidth];
    """
    assert browser.execute_script(script) == [1, 390]


def test_objects_that_differ_are_outlined(browser: Any, tmp_path: Path) -> None:
    whole = asplan.solve("two_cars", encoding="origin")
    steps = (
        (whole.plan.steps[1], *whole.plan.steps[:1], *whole.plan.steps[2:]) if whole.plan else ()
    )
    other = Result(
        plans=(asplan.Plan(steps),),
        horizon=len(steps),
        files=whole.files,
        domain=whole.domain,
        encoding="origin",
    )
    file = tmp_path / "cars.html"
    draw_pair({"a": whole, "b": other}, str(file), print, settings=Settings())
    browser.get(file.as_uri())
    browser.find_element("id", "difference").click()
    browser.execute_async_script("setTimeout(arguments[0], 700)")
    marks = browser.find_elements("css selector", ".marks rect")
    assert [mark.rect["width"] > 0 for mark in marks] == [True] * 4  # two cars in two pictures


def test_other_domains_are_two_columns(
    browser: Any, results: dict[str, Result], tmp_path: Path
) -> None:
    file = tmp_path / "other.html"
    pair = {"cars": asplan.solve("two_cars"), "courier": results["short"]}
    draw_pair(pair, str(file), print, settings=Settings())
    browser.get(file.as_uri())
    told = browser.find_element("id", "summary").text
    assert told.endswith("no fluent is known of both, so states are not compared")
    browser.find_element("id", "forward").click()
    assert texts(browser, ".side ins, .side del, .marks rect") == []


def test_a_click_on_an_atom_shows_its_reason(
    browser: Any, results: dict[str, Result], tmp_path: Path
) -> None:
    file = asplan.render(results["short"], tmp_path / "why.html", explain=True)
    browser.get(file.as_uri())
    browser.find_element("id", "last").click()
    buttons = {one.text: one for one in browser.find_elements("css selector", "#fluents .ask")}
    assert {*buttons} == {"at(courier,4)", "at(parcel,4)", "carried"}
    buttons["at(parcel,4)"].click()
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert texts(browser, "#why h2") == ["Why holds(at(parcel,4),5)?"]
    assert texts(browser, "#why summary") == [
        "holds(at(parcel,4),5)",
        "occurs(drop,5) was chosen",
        "holds(at(courier,4),4)",
    ]
    assert texts(browser, "#why .place") == ["right.lp:26:1"]
    browser.find_elements("css selector", "#why summary")[2].click()
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert texts(browser, "#why .place") == ["right.lp:26:1", "right.lp:24:1"]
    buttons["carried"].click()
    assert texts(browser, "#why h2, #why .not > div:first-child") == [
        "Why not holds(carried,5)?",
        "holds(carried,5) does not hold: the nearest rule is here, but ended(F,t) is true",
    ]
    severe = [one for one in browser.get_log("browser") if one["level"] == "SEVERE"]
    assert severe == []


def test_an_atom_of_pddl_shows_the_action_that_added_it(browser: Any, tmp_path: Path) -> None:
    result = asplan.solve("blocks-1")
    browser.get(asplan.render(result, tmp_path / "blocks.html", explain=True).as_uri())
    browser.find_element("id", "last").click()
    (button,) = (b for b in browser.find_elements("class name", "ask") if b.text == "on(b,c)")
    button.click()
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert texts(browser, "#why summary") == [
        "(on B C) after step 4",
        "(stack B C) in step 4 was chosen",
    ]
    assert texts(browser, "#why code") == ["(stack B C) adds (on B C)"]
    browser.find_elements("css selector", "#why summary")[1].click()
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert texts(browser, "#why summary")[2:] == [
        "(holding B) after step 3",
        "(clear C) after step 2",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "render {a} {a} -o {out}.gif",
            "{out}.gif: two plans side by side make a page, such as both.html",
        ),
        (
            "render {a} {a} {a} -o {out}.html",
            "3 plans are too many: draw one, or two side by side",
        ),
        ("render {a} -o {out}.gif --explain", "{out}.gif: the option explain is only for .html"),
        ("solve two_cars --explain", "--explain needs a page, such as -o plan.html"),
    ],
)
def test_pairs_that_cannot_be_drawn_are_refused(words: str, said: str, tmp_path: Path) -> None:
    plan, out = tmp_path / "a.json", tmp_path / "x"
    plan.write_text(run("solve", "two_cars", "--json").stdout)
    done = run(*words.format(a=plan, out=out).split())
    assert done.returncode == 2
    assert done.stderr.endswith(f"asplan: {said.format(out=out)}\n")
    assert not list(tmp_path.glob("x.*"))


def test_a_program_that_refuses_the_plan_gives_no_reasons(tmp_path: Path) -> None:
    wrong = result_of(tmp_path, "take", "go(2)")
    with pytest.raises(UsageError, match="refuses the plan, so its atoms have no reasons"):
        asplan.render(wrong, tmp_path / "x.html", explain=True)
