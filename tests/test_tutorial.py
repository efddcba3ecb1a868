"""The tutorial, followed word for word in an empty folder."""

from __future__ import annotations

import sys
from pathlib import Path

import clingo
import pytest

sys.path.append(str(Path(__file__).parents[1] / "scripts"))
import walkthrough
from conftest import command_server
from walkthrough import Walk, agree, walk, written

PAGE = Path(__file__).parents[1] / "docs" / "tutorial.md"


def test_the_commands_of_the_tutorial_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walkthrough, "surroundings", command_server().surroundings)
    faults = walk(PAGE).faults
    if f"clingo {clingo.__version__};" not in PAGE.read_text(encoding="utf-8"):
        faults = [fault for fault in faults if not fault.startswith("the page says")]
    assert faults == []


@pytest.mark.parametrize(
    ("said", "printed", "is_so"),
    [
        ("1. up\n", "1. up\n", True),
        ("1. up\n", "1. down\n", False),
        ("1. up\n", "1. up\n2. up\n", False),
        ("1. up\n…\n", "1. up\n2. up\n3. up\n", True),
        ("…\n3. up\n", "1. up\n2. up\n3. up\n", True),
        ("…\n4. up\n", "1. up\n2. up\n3. up\n", False),
        ("a    0.41   7\n──\n", "a   12.3  7\n────\n", True),
        ("a    0.41   7\n", "a   12.3  8\n", False),
    ],
)
def test_statements_of_pages_are_compared(said: str, printed: str, is_so: bool) -> None:
    assert agree(said, printed) == is_so


def fenced(kind: str, text: str) -> str:
    return f"\n\n```{kind}\n{text}\n```\n\n"


WRONG = {
    "another output": fenced("sh", "echo 1") + fenced("", "2"),
    "another status": fenced("sh", "false"),
    "a status that is not so": "<!-- ends with 3 -->" + fenced("sh", "true"),
    "an early command that fails": fenced("sh", "false\ntrue"),
    "no such quotation": "Write `a.lp`:" + fenced("", "a.") + fenced("prolog", "b."),
    "nothing to replace": "Write `a.lp`:"
    + fenced("prolog", "a.")
    + "In `a.lp` replace"
    + fenced("prolog", "b.")
    + "by"
    + fenced("prolog", "c."),
}


@pytest.mark.parametrize("page", WRONG.values(), ids=WRONG.keys())
def test_an_error_on_a_page_is_reported(page: str, tmp_path: Path) -> None:
    assert Walk(tmp_path).through(page).faults


def test_the_output_of_a_command_is_put_into_the_page(tmp_path: Path) -> None:
    page = "Write `a.lp`:" + fenced("prolog", "a.") + fenced("sh", "cat a.lp") + fenced("", "b.")
    assert (tmp_path / "a.lp").exists() is False
    done = Walk(tmp_path).through(page)
    assert written(page, done.fresh) == page.replace("b.", "a.")
    assert Walk(tmp_path).through(written(page, done.fresh)).faults == []
