"""Comparisons of old and new results: changes, noise, notes, and refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from made_results import a_start, failed, large, late, results, solved

import asplan
from asplan.bench.records import Record
from asplan.bench.reports.differences import Differences, Trend, compare_results
from asplan.result import Outcome

NONE: dict[str, Any] = {"outcome": Outcome.UNSOLVABLE, "horizon": None, "actions": None}


def compare(old: list[Record], new: list[Record], **given: Any) -> Differences:
    return compare_results(results(old), results(new), **given)


def summaries_of(found: Differences) -> list[tuple[Trend, str, str, str]]:
    return [(d.change, d.instance, d.method, d.text) for d in found.differences]


def trials(*times: float) -> list[Record]:
    return [solved("i1", "a", time, repetition=n) for n, time in enumerate(times)]


MOVES: dict[str, tuple[tuple[float, ...], tuple[float, ...], Trend | None]] = {
    "twice as long": ((1.0,), (2.0,), Trend.SLOWER),
    "half as long": ((1.0,), (0.5,), Trend.FASTER),
    "within the factor": ((1.0,), (1.19,), None),
    "just the factor": ((1.0,), (1.2,), Trend.SLOWER),
    "less than 0.05 s": ((0.01,), (0.06,), None),
    "from nothing": ((0.0,), (0.06,), Trend.SLOWER),
    "ranges apart": ((1.0, 1.1, 1.2), (2.0, 2.1, 2.2), Trend.SLOWER),
    "ranges that touch": ((1.0, 1.1, 2.0), (2.0, 2.1, 2.2), None),
    "ranges apart, below the factor": ((1.0, 1.01, 1.02), (1.1, 1.11, 1.12), None),
    "one repetition and three": ((1.0,), (0.9, 2.1, 2.2), Trend.SLOWER),
}


@pytest.mark.parametrize("name", MOVES)
def test_faster_and_slower_exclude_noise(name: str) -> None:
    old, new, change = MOVES[name]
    found = compare(trials(*old), trials(*new))
    assert [d.change for d in found.differences] == ([change] if change else [])
    assert not found.is_worse


def test_a_single_repetition_is_named() -> None:
    (note,) = compare(trials(1.0), trials(2.0)).notes
    assert note.startswith("1 change rests on a single repetition and may be noise; set ")
    assert compare(trials(1.0), trials(1.1)).notes == ()
    many = compare(trials(1.0, 1.0), trials(2.0, 2.1))
    assert len(many.differences) == 1
    assert many.notes == ()


def test_the_factor_sets_the_least_change() -> None:
    assert compare(trials(1.0), trials(2.0), factor=2.5).differences == ()
    assert len(compare(trials(1.0), trials(1.06), factor=1).differences) == 1
    for factor in (0.9, float("nan"), float("inf")):
        with pytest.raises(asplan.UsageError) as caught:
            compare(trials(1.0), trials(2.0), factor=factor)
        assert str(caught.value) == f"factor={factor}: the factor must be at least 1"


A, B = solved("i1", "a", 1.0), solved("i1", "b", 1.0)
OTHER = solved("i1", "a", 1.0, horizon=7)
INVALID = failed("i1", "a", "step 1: no", invalid=True)

CASES: dict[str, tuple[list[Record], list[Record], list[tuple[Trend, str, str, str]], bool]] = {
    "nothing": ([A, B], [A, B], [], False),
    "newly solved": ([late("i1", "a")], [A], [(Trend.SOLVED, "i1", "a", "")], False),
    "no longer solved": (
        [A],
        [late("i1", "a")],
        [(Trend.UNSOLVED, "i1", "a", "time limit of 10 s reached while solving")],
        False,
    ),
    "an error": (
        [A],
        [failed("i1", "a", "syntax error")],
        [(Trend.FAILED, "i1", "a", "syntax error")],
        True,
    ),
    "an error that was there": ([failed("i1", "a", "x")], [failed("i1", "a", "y")], [], False),
    "an invalid plan": (
        [A],
        [INVALID],
        [(Trend.WRONG, "i1", "a", "invalid plan: step 1: no")],
        True,
    ),
    "an invalid plan that was there": ([INVALID], [INVALID], [], False),
    "a new disagreement": (
        [A, B],
        [OTHER, B],
        [
            (
                Trend.WRONG,
                "i1",
                "b, a",
                "different optimum: proven best: 5 steps by b, 7 steps by a",
            )
        ],
        True,
    ),
    "a disagreement that was there": ([OTHER, B], [OTHER, B], [], False),
    "a disagreement that is settled": ([OTHER, B], [A, B], [], False),
    "an optimum that changed": (
        [A],
        [OTHER],
        [
            (
                Trend.WRONG,
                "i1",
                "a",
                "different optimum: proven best: 5 steps by the old results, "
                "7 steps by the new results",
            )
        ],
        True,
    ),
    "a plan that is no more": (
        [A],
        [solved("i1", "a", 1.0, **NONE)],
        [
            (
                Trend.WRONG,
                "i1",
                "a",
                "solvable or not: no plan according to the new results; a plan by the old results",
            )
        ],
        True,
    ),
    "a plan below an old bound": (
        [late("i1", "a", lower_bound=6)],
        [A],
        [
            (
                Trend.WRONG,
                "i1",
                "a",
                "bound above a plan: no plan has less than 6 steps according to the old results; "
                "one of 5 steps by the new results",
            )
        ],
        True,
    ),
    "a better plan": ([solved("i1", "a", 1.0, horizon=7, outcome=Outcome.PLAN)], [A], [], False),
}


@pytest.mark.parametrize("name", CASES)
def test_contradictions_of_old_answers_are_wrong(name: str) -> None:
    old, new, expected, worse = CASES[name]
    found = compare(old, new)
    assert [(c, i, {*m.split(", ")}, t) for c, i, m, t in summaries_of(found)] == [
        (c, i, {*m.split(", ")}, t) for c, i, m, t in expected
    ]
    assert found.is_worse is worse


def test_ratios_and_counts() -> None:
    old, new = large(flaws=False), large(factors={"sat": 0.5, "frontier": 1.6})
    found = compare_results(old, new)
    assert found.ratios["origin"] is not None
    assert (found.ratios["origin"].mean, found.ratios["origin"].low) == (1.0, 1.0)
    for method, factor in {"sat": 0.5, "frontier": 1.6}.items():
        ratio = found.ratios[method]
        assert ratio is not None
        assert ratio.mean == pytest.approx(factor, rel=0.1)
    counts = found.counts()
    assert (counts[Trend.WRONG], counts[Trend.FAILED]) == (3, 1)
    assert {d.method for d in found.differences if d.change is Trend.SLOWER} == {"frontier"}
    assert {d.method for d in found.differences if d.change is Trend.FASTER} == {"sat"}
    assert [d.change for d in found.differences] == sorted(
        (d.change for d in found.differences), key=list(Trend).index
    )
    assert compare_results(old, old).differences == ()


def test_missing_trials_are_noted() -> None:
    found = compare([A, B], [A])
    assert found.notes == ("the new results have no trial of i1, b",)
    assert found.ratios["b"] is None
    assert compare([A], [A, B, solved("i2", "a", 1)]).notes == (
        "the old results have no trial of i1, b, and 1 more",
    )


def test_changed_circumstances_are_noted() -> None:
    files = {"boards/i1.lp": "0", "enc/a.lp": "1", "enc/b.lp": "2"}
    before = a_start(files=files, machine={"cores": "2"}, versions={"clingo": "5.7"})
    after = a_start(
        {"a": {"encoding": "enc/b.lp"}, "b": {}},
        files={**files, "enc/b.lp": "3"},
        machine={"cores": "4"},
    )
    suite = json.loads(after.suite)
    suite["repetitions"] = 3
    after = msgspec.structs.replace(after, suite=json.dumps(suite), name="another name")
    found = compare_results(results([A], before), replace(results([A], after), torn='{"kind'))
    assert found.notes == (
        "the last line of the new results was cut off, and is left out",
        "changed files: enc/b.lp",
        "the machine changed: cores: 2, and 4",
        "versions changed: clingo: 5.7, and nothing",
        "the suite changed: repetitions: 1, and 3; methods.a.encoding: nothing, and enc/b.lp",
    )


SUITES = {
    "methods": (
        a_start(("a", "c")),
        "methods only in the old ones: b; methods only in the new ones: c",
    ),
    "instances": (
        a_start(instances=("i1", *"uvwxyz")),
        "instances only in the old ones: i2; instances only in the new ones: u, v, w, x and 2 more",
    ),
    "limits": (a_start(limit=20.0), "limits.seconds: 10.0, and 20.0"),
    "a method": (
        a_start({"a": {"constants": {"metric": "slide"}}, "b": {}}),
        "methods.a.constants.metric: nothing, and slide",
    ),
    "an engine": (
        a_start({"a": {"engine": "x"}, "b": {}}),
        "methods.a.engine: nothing, and x",
    ),
    "all": (
        a_start({"a": {"engine": "x", "mode": [1]}, "c": {}}, ("i1",), None),
        "methods only in the old ones: b; methods only in the new ones: c; instances only in the "
        "old ones: i2; limits.seconds: 10.0, and nothing; and 2 more",
    ),
}


@pytest.mark.parametrize("name", SUITES)
def test_another_suite_is_refused(name: str) -> None:
    start, what = SUITES[name]
    with pytest.raises(asplan.InputError) as caught:
        compare_results(results([A]), results([A], start))
    assert str(caught.value) == (
        f"the results are of different suites: {what}\n"
        "  compare results of one suite, before and after a change"
    )


ENCODINGS = {
    "one of ours": ("asplan:encodings/hanoi/i1.lp", {}),
    "one of one's own": ("enc/i1.lp", {"encoding": "enc/i1.lp:n=3"}),
    "of another name": ("enc/mine.lp", {"encoding": "enc/mine.lp"}),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_changed_encodings_are_noted(name: str) -> None:
    """Even one that is called as an instance is."""
    path, entry = ENCODINGS[name]
    before, after = (a_start({"a": entry, "b": {}}, files={path: d}) for d in "01")
    assert compare_results(results([A], before), results([A], after)).notes == (
        f"changed files: {path}",
    )


FILES = {
    "by the suite": ("boards/i1.lp", "boards/i1.lp"),
    "by its name": ("cards/i2.lp", "cards/i2.lp"),
    "in PDDL": ("d/domain.pddl", "d/domain.pddl"),
    "in another folder": ("old/boards/i1.lp", "new/boards/i1.lp"),
}


@pytest.mark.parametrize("name", FILES)
def test_changed_instances_are_refused(name: str) -> None:
    old, new = FILES[name]
    same = compare_results(
        results([A], a_start(files={old: "0"})), results([A], a_start(files={new: "0"}))
    )
    assert same.notes == ()
    suite = a_start().suite.replace("boards/", "elsewhere/")
    assert compare_results(results([A]), results([A], a_start(suite=suite))).differences == ()
    with pytest.raises(asplan.InputError) as caught:
        compare_results(
            results([A], a_start(files={old: "0"})), results([A], a_start(files={new: "1"}))
        )
    shown = old if old == new else "i1.lp"
    assert str(caught.value) == (
        f"the files of instances are not the same: {shown}\n  run both on the same instances"
    )
