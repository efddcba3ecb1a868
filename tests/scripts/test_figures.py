"""Figures of the pages are in blocks with commands; exact ones equal their output."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import figures
from conftest import THOROUGH
from lib.figure_blocks import Block, BlockError, Project

PROJECT = Project()
BLOCKS = PROJECT.blocks()
LP_FILES = sorted(PROJECT.root.glob("encodings/*/*.lp"))

UNIT = r"(?:s|ms|µs|sec|min|h|seconds?|minutes?|hours?|[kKMG]i?B|(?:mega|giga|kilo)?bytes)\b"
MEASURED = re.compile(
    rf"\d\s?{UNIT}"
    r"|\d\s?%|\d per cent|\d percent"
    r"|\d,? (?:times|fold)\b|\d×|factor of \d"
    r"|\|\s*[<>≥~]?\s?\d[\d,]*\.\d+\s*(?=\|)"  # a cell of a table
)
ALLOWED = re.compile(r"<!-- (?:published|set) -->")


NO_PROSE = re.compile(
    r"^<!-- (?:exact )?figures: .*?^<!-- end figures -->$|^```.*?^```$|^    [^\n]*$", re.S | re.M
)


def prose(text: str) -> Iterator[str]:
    """The paragraphs of a page, without blocks of figures, fences, and code in a line."""
    text = NO_PROSE.sub("", text)
    for paragraph in re.split(r"\n\s*\n", text):
        yield re.sub(r"`[^`]*`", "``", paragraph.strip())


def measured(text: str) -> list[str]:
    """Return texts that look like measured figures outside of blocks."""
    paragraphs = [p for p in prose(text) if not ALLOWED.search(p)]
    return [
        p[max(0, m.start() - 30) : m.end() + 10] for p in paragraphs for m in MEASURED.finditer(p)
    ]


def page(block: Block) -> str:
    return block.place


@pytest.mark.parametrize("block", BLOCKS, ids=page)
def test_a_block_names_its_command_and_its_day(block: Block) -> None:
    assert block.fault() is None
    if not block.command.startswith("asplan "):
        PROJECT.script(block.command)


def test_the_report_has_a_line_for_each_block(capsys: pytest.CaptureFixture[str]) -> None:
    assert figures.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [block.place for block in BLOCKS]


LONG = "python scripts/report.py sizes"
"""Counts more than all others together; a test of that script compares a part of it."""

EXACT = [
    block for block in BLOCKS if block.exact and (THOROUGH or not block.command.startswith(LONG))
]


@pytest.mark.parametrize("block", EXACT, ids=page)
def test_exact_figures_equal_the_output_of_their_command(block: Block) -> None:
    if block.note_of_today() != block.note:
        pytest.skip(f"made by another clingo: {block.note}")
    try:
        printed = figures.output(PROJECT, block)
    except BlockError as error:
        if "ASPLAN_DATA" not in os.environ and "ASPLAN_DATA" in str(error):
            pytest.skip(str(error))
        raise
    assert printed == block.body


@pytest.mark.parametrize("file", PROJECT.pages, ids=lambda file: file.name)
def test_no_page_measures_outside_of_blocks(file: Path) -> None:
    assert measured(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("file", LP_FILES, ids=lambda file: "/".join(file.parts[-2:]))
def test_no_encoding_holds_figures(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    comments = "\n".join(line.lstrip("% ") for line in lines if line.startswith("%"))
    assert measured(comments) == []


@pytest.mark.parametrize(
    "text",
    [
        "takes 0.4 s for it", "1.2s", "in 350 MB", "in 11 seconds", "saves 27 %", "saves 27%",
        "2.4 times as fast", "within 20 ms", "takes\n0.4\ns", "| sample02 | 1.23 |",
        "| a | >60.0 |", "cost a factor of 1.2", "1 is 0.5 s. <!-- set -->\n\nand 3 s",
    ],
)  # fmt: skip
def test_measured_figures_are_recognised(text: str) -> None:
    assert measured(f"words\n\n{text}\n\nwords")


@pytest.mark.parametrize(
    "text",
    [
        "solved in 39 steps", "3 states", "turned by 120 degrees", "8-, 15- and 24-puzzle",
        "`--time-limit 30 s`", "```\n0.4 s\n```", "    0.4 s", "three times as fast",
        "1.93 times. <!-- published -->", "1 is 0.45 s a step. <!-- set -->",
        "| `a` | 3 |", "asplan 0.1.0",
        "<!-- figures: python x.py -->\n\n0.4 s\n\n<!-- end figures -->",
        "<!-- exact figures: python x.py -->\n\n4 MB\n\n<!-- end figures -->",
    ],
)  # fmt: skip
def test_other_numbers_are_not(text: str) -> None:
    assert measured(f"words\n\n{text}\n\nwords") == []
