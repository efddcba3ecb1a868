"""The comparison of policies with the plain loop: its halves and its means."""

from __future__ import annotations

from typing import Any

import pytest

from hard_horizons import cells, half_of, summary

ROWS: list[dict[str, Any]] = [
    {"name": "large", "loop": (2.0, 4.0, 7), "parts": (1.0, 2.0, 7), "fresh": (4.0, 4.0, 7)},
    {"name": "larger", "loop": (4.0, 4.0, 9), "parts": (0.5, 1.0, 9), "fresh": (16.0, 16.0, None)},
    {"name": "small", "loop": (0.1, 0.2, 3), "parts": (0.4, 0.5, 3), "fresh": (0.3, 0.5, 3)},
]


def test_a_hash_decides_the_half() -> None:
    halves = [half_of(f"program {number}") for number in range(200)]
    assert halves == [half_of(f"program {number}") for number in range(200)]
    assert 70 < halves.count("learn") < 130


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("parts", ["4.00 ×", "2.00 ×", "2.83 ×", "2.00 ×", "3", "+0.30 s"]),
        ("fresh", ["0.35 ×", "0.25 ×", "0.50 ×", "0.25 ×", "2", "+0.20 s"]),  # one was stopped
    ],
)
def test_small_programs_count_apart(policy: str, expected: list[str]) -> None:
    assert [row[-1] for row in summary(ROWS, [policy])] == expected


def test_a_run_that_was_stopped_has_a_lower_bound() -> None:
    shown = cells(ROWS[1], ["parts", "fresh"])
    assert shown == ("larger", "9", "4.00 / 4.00", "0.50 / 1.00", "≥ 16.00 / 16.00")
