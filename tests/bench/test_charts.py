"""Charts are drawn for any number of methods with any names."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from made_results import a_start, failed, large, late, results, solved
from PIL import Image

from asplan.bench.records import Results
from asplan.bench.reports.charts import Chart, draw_charts
from asplan.bench.reports.coverage import compute_coverage
from asplan.bench.reports.statistics import compute_statistics
from asplan.bench.reports.values import read_values
from asplan.core.figures import COLOURS, MARKS, styles
from conftest import crossed

HOSTILE = (
    "<script>",
    "$x$ \\frac{1}{2}",
    "_hidden",
    "a\nb\x1b[31m",
    "",
    "日本",
    "&amp;\"'",
    "\u202e",
)


def drawn(found: Results, pairs: Sequence[tuple[int, int]] = ((0, 1),)) -> dict[str, Chart]:
    """The charts of results; pairs of methods are given by their places."""
    values = read_values(found, "cpu")
    methods = values.methods
    statistics = compute_statistics(values, methods[0])
    named = [(methods[n], methods[m]) for n, m in pairs]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        charts = draw_charts(values, statistics, compute_coverage(values, {}), named)
    return {chart.name: chart for chart in charts}


def check(charts: dict[str, Chart]) -> None:
    for chart in charts.values():
        svg = ElementTree.fromstring(chart.svg)
        assert not [one for one in svg.iter() if one.tag.endswith("script")]
        with Image.open(io.BytesIO(chart.png)) as image:
            assert min(image.size) > 100
            assert len(image.convert("RGB").getcolors(1 << 24) or ()) > 2


@pytest.mark.parametrize(("count", "pairs"), [(1, []), (11, [(0, 10)])])
def test_charts_have_any_number_of_methods(count: int, pairs: list[tuple[int, int]]) -> None:
    methods = [f"method {n}" for n in range(1, count + 1)]
    charts = drawn(large(methods, 4, 1, flaws=False), pairs)
    names = {f"scatter-{n + 1}-{m + 1}" for n, m in pairs}
    assert set(charts) == {"cactus", "box", "coverage"} | names
    check(charts)


def test_charts_show_hostile_names_as_text() -> None:
    """All of them in the charts of all methods, and each beside another."""
    places = range(0, len(HOSTILE), 2)
    check(drawn(large(HOSTILE, 5, 1, flaws=False), [(n, n + 1) for n in places]))


FEW = {
    "nothing solved": ([late("i1", "a"), failed("i2", "b")], {"coverage"}),
    "no time at all": (
        [solved("i1", "a", 0.0), solved("i1", "b", 0.0)],
        {"cactus", "box", "coverage", "scatter-1-2"},
    ),
    "one of them nothing": (
        [solved("i1", "a", 1.0), late("i1", "b")],
        {"cactus", "box", "coverage"},
    ),
    "from nothing to much": (
        [solved("i1", "a", 0.0), solved("i2", "a", 0.01), solved("i1", "b", 9.0)],
        {"cactus", "box", "coverage", "scatter-1-2"},
    ),
    "only zero where the axis is logarithmic": (
        [solved("i1", "a", 0.01), solved("i2", "a", 9.0), solved("i1", "b", 0.0)],
        {"cactus", "box", "coverage", "scatter-1-2"},
    ),
    "nothing in common": (
        [solved("i1", "a", 1.0), solved("i2", "b", 2.0)],
        {"cactus", "box", "coverage", "scatter-1-2"},
    ),
    "not measured": ([solved("i1", "a", None), solved("i1", "b", None)], {"coverage"}),
}


@pytest.mark.parametrize(("name", "limit"), crossed([*FEW], [10.0, None]))
def test_charts_without_values_are_left_out(name: str, limit: float | None) -> None:
    records, expected = FEW[name]
    charts = drawn(results(records, a_start(limit=limit)))
    assert set(charts) == expected
    check(charts)


@pytest.fixture(scope="module")
def two() -> dict[str, Chart]:
    return drawn(large(("a", "b"), 8, 1, flaws=False))


def test_a_method_has_the_same_colour_in_all_charts(two: dict[str, Chart]) -> None:
    assert len({*COLOURS}) == len({*MARKS}) == len(COLOURS) == 10
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in COLOURS)
    looks = styles([str(n) for n in range(100)])
    assert (looks["1"], looks["11"]) == ((COLOURS[1], MARKS[1]), (COLOURS[1], MARKS[2]))
    assert len({*looks.values()}) == 100
    for name in ("cactus", "box", "scatter-1-2"):
        assert COLOURS[1].encode() in two[name].svg


def test_the_axes_of_a_scatter_plot_fit_the_data() -> None:
    fast = [solved("i1", "a", 0.2), solved("i1", "b", 0.4), solved("i2", "a", 0.3)]
    solved_both = drawn(results([*fast, solved("i2", "b", 0.5)], a_start(limit=900.0)))
    unsolved = drawn(results([*fast, late("i2", "b")], a_start(limit=900.0)))
    labels = [
        set(re.findall(r"<!-- ([\d.]+) -->", c["scatter-1-2"].svg.decode()))
        for c in (solved_both, unsolved)
    ]
    assert labels[0] == {"0.2", "0.5"}
    assert {"1", "100", "1000"} <= labels[1]
