"""The chart of a comparison draws what solvers read."""

from __future__ import annotations

from pathlib import Path

from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

import asplan
from asplan.catalog import find_encoding
from asplan.measuring.chart import comparison_chart, short_names


def test_bars_are_lines_of_the_numeric_format() -> None:
    encodings = ["origin_published", "block_tuple_published"]
    rows = asplan.compare("two_cars", encodings=encodings, horizon=4)
    left, _ = comparison_chart(rows).axes
    heights = [bar.get_height() for bar in left.patches if isinstance(bar, Rectangle)]
    assert heights == [row.numeric_lines for row in rows]
    assert heights != [row.lines for row in rows]
    assert left.get_title() == "size: lines in the numeric format"


def test_encodings_that_failed_are_left_out_and_files_are_named_without_folders(
    tmp_path: Path,
) -> None:
    mine = tmp_path / "mine.lp"
    mine.write_text(find_encoding("origin", "rush_hour").path.read_text())
    broken = tmp_path / "broken.lp"
    broken.write_text("#program step(t). {")
    encodings = [str(broken), "block_tuple", str(mine)]
    rows = asplan.compare("two_cars", encodings=encodings, horizon=4)
    figure = comparison_chart(rows)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["block_tuple", "mine.lp"]


def test_files_of_the_same_name_keep_their_folders() -> None:
    names = ["a/mine.lp", "b/mine.lp", "c/other.lp"]
    assert list(short_names(names).values()) == ["a/mine.lp", "b/mine.lp", "other.lp"]


def test_lines_of_growth_have_the_name_and_the_colour_of_their_encoding() -> None:
    encodings = ["origin", "block_tuple"]
    rows = asplan.compare("two_cars", encodings=encodings, horizon=4)
    matches = asplan.compare_rules("two_cars", encodings=encodings, horizon=4)
    left, _, growth = comparison_chart(rows, matches).axes
    assert [text.get_text() for text in growth.texts] == encodings
    bars = [container[0].get_facecolor() for container in left.containers]
    assert [to_rgba(line.get_color()) for line in growth.lines] == bars
    assert {text.get_verticalalignment() for text in growth.texts} == {"top", "bottom"}
