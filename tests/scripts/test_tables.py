"""Tables of scripts: Markdown that renders, and plain text."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from lib import tables

COLUMNS = ("", "seconds", "answer")
ROWS = [("a|b", "0.21", "3 or 4"), ("[c]", ">60.00", ""), None, ("all", "", "?")]


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show(COLUMNS, ROWS, "two boards", markdown=True)
    tables.say("A word.")
    assert capsys.readouterr().out == (
        "Two boards:\n\n"
        "|  | seconds | answer |\n"
        "|---|---:|---|\n"
        "| a\\|b | 0.21 | 3 or 4 |\n"
        "| [c] | >60.00 |  |\n"
        "| all |  | ? |\n"
        "\n"
        "A word.\n\n"
    )


def test_for_the_eye(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show(COLUMNS, ROWS, markdown=False)
    lines = capsys.readouterr().out.splitlines()
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert cells == [list(row) for row in ROWS if row is not None]
