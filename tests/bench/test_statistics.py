"""Statistics of methods, against figures by hand and slow definitions."""

from __future__ import annotations

import itertools
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import a_start, failed, late, results, solved

import asplan
from asplan.bench.records import Record
from asplan.bench.reports.coverage import compute_coverage
from asplan.bench.reports.statistics import (
    MethodStatistics,
    Ratio,
    area_below,
    compute_statistics,
    mean_ratio,
    par2,
)
from asplan.bench.reports.values import PairedValues, read_values
from asplan.core.installing import pip_install
from asplan.result import Outcome

INSTANCES = ("i1", "i2", "i3", "i4")
RECORDS = [
    *(solved("i1", "a", 1.0), solved("i2", "a", 2.0), solved("i3", "a", 4.0), late("i4", "a")),
    *(solved("i1", "b", 2.0), solved("i2", "b", 1.0), solved("i3", "b", 2.0), failed("i4", "b")),
]


def values(records: list[Record], by: str = "cpu", **given: object) -> PairedValues:
    return read_values(results(records, a_start(instances=INSTANCES, **given)), by)


def figures(found: PairedValues) -> dict[str, MethodStatistics]:
    return {one.method: one for one in compute_statistics(found, "a")}


def test_statistics_match_figures_by_hand() -> None:
    a, b = compute_statistics(values(RECORDS), "a")
    # Ratios 2, 1/2 and 1/2; the least and the largest mean of three of them are 1/2 and 2.
    assert b.ratio is not None
    assert b.ratio.mean == pytest.approx(0.5 ** (1 / 3))
    assert (b.ratio.low, b.ratio.high, b.ratio.over) == (0.5, 2.0, 3)
    assert a == MethodStatistics(
        *("a", 4, 3, 3, 0), par2=27 / 4, median=3.0, ratio=None, area=23.0, share=23 / 40
    )
    assert (b.trials, b.solved, b.proven, b.failed) == (4, 3, 3, 1)
    assert (b.par2, b.median, b.area, b.share) == (25 / 4, 2.0, 25.0, 25 / 40)


def test_without_a_limit_the_largest_time_replaces_it() -> None:
    found = values(RECORDS, limit=None)
    assert (found.limit, found.is_limit) == (4.0, False)
    assert figures(found)["a"].par2 == (1 + 2 + 4 + 8) / 4


def test_repetitions_count_by_their_median() -> None:
    trials = [
        *(solved("i1", "a", cpu, repetition=n) for n, cpu in enumerate([1.0, 9.0, 2.0])),
        *(
            solved("i2", "a", 3.0),
            late("i2", "a", repetition=1),
            solved("i2", "a", 5, repetition=2),
        ),
        *(solved("i3", "a", 1.0), late("i3", "a", repetition=1), late("i3", "a", repetition=2)),
        *(solved("i4", "a", 1.0), late("i4", "a", repetition=1)),
    ]
    found = values(trials)
    assert list(found.median["a"]) == [2.0, 5.0, math.inf, math.inf]
    assert list(found.solved["a"]) == [True, True, False, False]
    # All trials count here, not instances: seven have an answer.
    assert figures(found)["a"].par2 == (1 + 9 + 2 + 3 + 5 + 1 + 1 + 4 * 20) / 11
    assert figures(found)["a"].median is None
    assert figures(found)["b"] == MethodStatistics("b", 0, 0, 0, 0, None, None, None, None, None)


def test_unproven_plans_are_answers() -> None:
    trials = [
        solved("i1", "a", 1.0, outcome=Outcome.PLAN),
        solved("i2", "a", 1.0, outcome=Outcome.UNSOLVABLE, horizon=None),
        failed("i3", "a", outcome=Outcome.OPTIMAL, invalid=True),
    ]
    assert [figures(values(trials))["a"].solved, figures(values(trials))["a"].proven] == [2, 1]


def test_conflicts_have_no_par2() -> None:
    trials = [
        *(solved("i1", "a", 1.0, conflicts=10), solved("i2", "a", 1.0, conflicts=0)),
        *(solved("i1", "b", 1.0, conflicts=40), solved("i2", "b", 1.0)),
    ]
    found = values(trials, "conflicts")
    assert (found.limit, found.is_limit) == (40.0, False)
    a, b = compute_statistics(found, "a")
    assert (a.par2, a.area, b.area, b.solved) == (None, 70.0, 0.0, 2)
    assert b.ratio == Ratio(pytest.approx(4.0), None, None, 1)
    assert figures(values(trials, "expanded"))["a"].area is None


@pytest.mark.parametrize("value", [-1.0, 1e300, None])
def test_impossible_values_count_as_not_measured(value: float | None) -> None:
    found = values([solved("i1", "a", value), solved("i2", "a", 3.0)])
    assert found.finite_values("a") == [3.0]
    assert figures(found)["a"].solved == 2


TIMES = st.lists(st.floats(0, 100) | st.just(math.inf), min_size=1, max_size=30)


@given(TIMES)
def test_par2_follows_its_definition(times: list[float]) -> None:
    total = sum(time if time < math.inf else 200.0 for time in times)
    assert par2(times, 100.0) == pytest.approx(total / len(times))


@given(TIMES, st.floats(1, 100))
def test_the_area_follows_its_definition(times: list[float], limit: float) -> None:
    """Rectangle by rectangle between the times at which the staircase rises."""
    ends = sorted({0.0, limit, *(time for time in times if time < limit)})
    area = sum(
        (right - left) * sum(time <= left for time in times)
        for left, right in itertools.pairwise(ends)
    )
    assert area_below([t for t in times if t < math.inf], limit) == pytest.approx(area, abs=1e-9)


def test_ratios_ignore_unsolved_instances() -> None:
    assert mean_ratio([1.0, math.inf], [math.inf, 1.0]) is None
    assert mean_ratio([0.0, math.nan, 3.0], [1.0, 1.0, 1.5]) == Ratio(2.0, None, None, 1)
    same = mean_ratio([2.0] * 5, [1.0] * 5)
    assert same is not None
    assert (same.low, same.high) == (pytest.approx(2.0), pytest.approx(2.0))


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=12))
def test_the_bootstrap_interval_is_reproducible(new: list[float]) -> None:
    old = [1.0] * len(new)
    found = mean_ratio(new, old)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found == mean_ratio(new, old)
    close = 1 + 1e-9
    assert min(new) / close <= found.low <= found.mean * close
    assert found.mean / close <= found.high <= max(new) * close


def test_the_interval_agrees_with_a_slow_bootstrap() -> None:
    """Resampled in plain Python, with other random numbers."""
    import random

    new = [0.5, 0.7, 0.8, 1.1, 1.3, 0.4, 0.9, 0.6, 2.0, 0.75]
    logs = [math.log(value) for value in new]
    chance = random.Random(5)
    means = sorted(sum(chance.choices(logs, k=10)) / 10 for _ in range(20_000))
    found = mean_ratio(new, [1.0] * 10)
    assert found is not None
    assert found.low == pytest.approx(math.exp(means[500]), rel=0.02)
    assert found.high == pytest.approx(math.exp(means[19_500]), rel=0.02)


def test_a_method_counts_on_its_groups_only() -> None:
    """Instances of other groups count neither for a method nor against it."""
    start = a_start(
        {"a": {}, "b": {"on": ["x"]}}, INSTANCES, groups={"i1": "x", "i2": "x", "i3": "y"}
    )
    found = read_values(results([*RECORDS[:4], *RECORDS[4:6]], start))
    b = figures(found)["b"]
    assert (b.area, b.share) == (17.0, 17 / 20)
    assert compute_coverage(found, {"i1": 5, "i2": 7, "i3": 7}).sizes == {
        "a": (1, 2, 1),
        "b": (1, 1, 0),
    }


def test_cpu_time_has_a_limit_of_its_own() -> None:
    start = a_start(instances=INSTANCES)
    suite = start.suite.replace('"seconds": 10.0', '"seconds": 10.0, "cpu_seconds": 8.0')
    start = a_start(instances=INSTANCES, suite=suite)
    assert [read_values(results(RECORDS, start), by).limit for by in ("cpu", "wall")] == [8, 10]


def test_coverage_groups_by_known_plan_lengths() -> None:
    found = compute_coverage(values(RECORDS), {"i1": 5, "i2": 7, "i3": 7})
    assert (found.by, found.bins) == ("steps of the shortest plan", ("5", "7", "not known"))
    assert found.sizes == {"a": (1, 2, 1), "b": (1, 2, 1)}
    assert found.solved == {"a": (1, 2, 0), "b": (1, 2, 0)}
    many = [f"i{n}" for n in range(1, 21)]
    large = read_values(results([solved("i1", "a", 1.0)], a_start(instances=many)))
    spans = compute_coverage(large, {name: n for n, name in enumerate(many, 1)})
    assert (spans.bins, spans.sizes["a"]) == (("1–4", "5–8", "9–12", "13–16", "17–20"), (4,) * 5)


def test_coverage_groups_by_time_without_known_optima() -> None:
    trials = [
        *(solved("i1", "a", 0.5), solved("i2", "a", 30.0), solved("i2", "b", 2.0)),
        *(solved("i3", "b", 0.0), late("i4", "a")),
    ]
    found = compute_coverage(values(trials), {})
    assert found.by == "CPU time of the best method in s"
    assert found.bins == ("0", "0.1–1", "1–10", "not solved")
    assert found.solved == {"a": (0, 1, 1, 0), "b": (1, 0, 1, 0)}


def test_unknown_measures_and_missing_trials_are_refused() -> None:
    with pytest.raises(asplan.UsageError) as caught:
        values(RECORDS, "cqu")
    assert str(caught.value) == "no measure 'cqu'\n  did you mean cpu?"
    with pytest.raises(asplan.UsageError) as caught:
        values([])
    assert str(caught.value) == "no trial has ended, so there is nothing to report"


@pytest.mark.parametrize(("module", "package"), [("pandas", "pandas"), ("scipy.stats", "scipy")])
def test_missing_packages_are_named(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(asplan.MissingExtra) as caught:
        compute_statistics(values(RECORDS), "a")
    assert str(caught.value) == (
        f"the statistics of benchmarks need {package}, which is not installed\n"
        f"  {pip_install('bench')}"
    )
