"""The comparison with the plain loop on other people's programs: its means, and its lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import other_programs
from lib.plain_loop import BOUNDS
from other_programs import cells, summary
from single_shot_corpus import programs

ROWS: list[dict[str, Any]] = [
    {"name": "large", "loop": (2.0, 4.0, 7), "asplan": (1.0, 2.0, 7), "fresh": (4.0, 4.0, 7)},
    {"name": "larger", "loop": (4.0, 4.0, 9), "asplan": (0.5, 1.0, 9), "fresh": (16.0, 16.0, None)},
    {"name": "small", "loop": (0.1, 0.2, 3), "asplan": (0.4, 0.5, 3), "fresh": (0.3, 0.5, 3)},
]


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("asplan", ["4.00 ×", "2.00 ×", "2.83 ×", "2.00 ×", "3", "+0.30 s"]),
        ("fresh", ["0.35 ×", "0.25 ×", "0.50 ×", "0.25 ×", "2", "+0.20 s"]),  # one was stopped
    ],
)
def test_small_programs_count_apart(way: str, expected: list[str]) -> None:
    assert [row[-1] for row in summary(ROWS, [way])] == expected


def test_a_run_that_was_stopped_has_a_lower_bound() -> None:
    shown = cells(ROWS[1], ["asplan", "fresh"])
    assert shown == ("larger", "9", "4.00 / 4.00", "0.50 / 1.00", "≥ 16.00 / 16.00")


@pytest.mark.parametrize(("name", "bounded"), [("single_shot", True), ("with_parts", False)])
def test_lists_say_what_bounds_the_time(name: str, bounded: bool) -> None:
    file = Path(other_programs.__file__).with_name(f"other_{name}.toml")
    listed = list(programs(Path("folder"), file))
    assert len(listed) > 30
    assert {program.keys().isdisjoint(BOUNDS) for program in listed} == {not bounded}
    assert len({tuple(program["files"]) for program in listed}) == len(listed)
