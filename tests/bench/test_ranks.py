"""Mean ranks and the critical-difference diagram."""

from __future__ import annotations

import pytest
from made_results import a_start, large, late, results, solved

from asplan.bench.records import Record
from asplan.bench.reports.ranks import MeanRanks, compute_ranks, critical_difference, draw_ranks
from asplan.bench.reports.values import PairedValues, read_values

DEMSAR = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)
"""The critical values of Nemenyi's test at 5 % for 2 to 10 methods (Demšar, 2006, table 5 a)."""


@pytest.mark.parametrize("methods", range(2, 11))
def test_critical_values_are_the_published_ones(methods: int) -> None:
    scale = (methods * (methods + 1) / 6) ** 0.5
    assert critical_difference(methods, 1) / scale == pytest.approx(DEMSAR[methods - 2], abs=0.0015)


def made(
    times: dict[str, float], instances: int = 12, extra: tuple[Record, ...] = ()
) -> PairedValues:
    names = [f"i{n}" for n in range(instances)]
    records = [solved(name, method, time) for name in names for method, time in times.items()]
    return read_values(results([*records, *extra], a_start(list(times), [*names, "last"])))


def test_methods_that_always_come_in_one_order() -> None:
    found = compute_ranks(made({"slow": 3.0, "fast": 1.0, "middle": 2.0}, 40))
    assert found is not None
    assert list(found.ranks.items()) == [("fast", 1.0), ("middle", 2.0), ("slow", 3.0)]
    assert found.p_value < 1e-9
    assert found.critical == pytest.approx(2.343 * (2 / 40) ** 0.5, abs=0.01)
    assert found.groups == []


def test_equal_methods_are_in_one_group() -> None:
    found = compute_ranks(made(dict.fromkeys("abc", 1.0)))
    assert found is not None
    assert (set(found.ranks.values()), found.p_value) == ({2.0}, 1.0)
    assert found.groups == [("a", "b", "c")]


def test_groups_are_the_largest_ranges_within_the_critical_difference() -> None:
    ranks = {"a": 1.0, "b": 1.6, "c": 2.1, "d": 3.5, "e": 5.0}
    assert MeanRanks(ranks, 30, p_value=0.001, critical=1.0).groups == [("a", "b"), ("b", "c")]
    assert MeanRanks(ranks, 30, p_value=0.001, critical=2.0).groups == [
        ("a", "b", "c"),
        ("b", "c", "d"),
        ("d", "e"),
    ]


def test_unsolved_instances_share_the_last_rank_and_others_do_not_count() -> None:
    one = (solved("last", "a", 1.0), late("last", "b"), late("last", "c"))
    found = compute_ranks(made({"a": 1.0, "b": 2.0, "c": 3.0}, 11, one))
    assert found is not None
    assert found.instances == 12
    assert found.ranks["c"] == pytest.approx((11 * 3 + 2.5) / 12)
    none = tuple(late("last", method) for method in "abc")
    found = compute_ranks(made({"a": 1.0, "b": 2.0, "c": 3.0}, 11, none))
    assert found is not None
    assert found.instances == 11


def test_too_few_values_give_no_diagram() -> None:
    assert draw_ranks(made({"a": 1.0, "b": 2.0})) == ()
    assert draw_ranks(made({"a": 1.0, "b": 2.0, "c": 3.0}, 9)) == ()


def test_the_diagram_names_its_tests() -> None:
    methods = ("origin", "sat", "frontier", "bfs", "astar")
    (chart,) = draw_ranks(read_values(large(methods, 30, 1, flaws=False)))
    assert chart.name == "ranks"
    assert "Friedman" in chart.note
    assert "Nemenyi" in chart.note
    assert chart.svg
