"""The chart of a comparison draws what solvers read."""

from __future__ import annotations

from matplotlib.patches import Rectangle

import asplan
from asplan.measuring.chart import comparison_chart


def test_bars_are_lines_of_the_numeric_format() -> None:
    encodings = ["origin_published", "block_tuple_published"]
    rows = asplan.compare("two_cars", encodings=encodings, horizon=4)
    left, _ = comparison_chart(rows).axes
    heights = [bar.get_height() for bar in left.patches if isinstance(bar, Rectangle)]
    assert heights == [row.numeric_lines for row in rows]
    assert heights != [row.lines for row in rows]
    assert left.get_title() == "size: lines in the numeric format"
