"""Growth is classified from a series of costs."""

from __future__ import annotations

import pytest

from asplan.measuring.growth import classify_growth, sparkline


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ([5] * 20, "constant"),
        ([0] * 20, "constant"),
        ([*range(10), *[10] * 30], "constant"),
        ([7, 8] * 20, "constant"),
        (list(range(1, 41)), "linear"),
        ([30 + t for t in range(1, 41)], "linear"),
        ([0] * 10 + list(range(30)), "worse"),
        ([t * t for t in range(1, 41)], "worse"),
        ([2**t for t in range(1, 21)], "worse"),
        ([40 - t for t in range(40)], "constant"),
        ([1, 2, 3, 4, 5, 6, 7], ""),
        ([1, 2, 3, 4, 5, 6, 7, 8], "linear"),
    ],
)
def test_growth_is_classified_by_the_second_half(costs: list[int], expected: str) -> None:
    assert classify_growth(costs) == expected


def test_sparklines_average_neighbours() -> None:
    assert sparkline([1, 2, 3, 4]) == "▂▄▆█"
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([]) == ""
    assert sparkline([8] * 160) == "█" * 16
    assert sparkline(list(range(1, 33)), width=8) == "▁▂▃▄▅▆▇█"
