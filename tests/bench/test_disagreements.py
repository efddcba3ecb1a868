"""Contradictory answers are found, and methods that count differently do not contradict."""

from __future__ import annotations

from typing import Any

import pytest
from made_results import a_start, failed, late, solved

from asplan.bench.records import Record
from asplan.bench.reports.disagreements import FaultKind, find_disagreements, known_optima
from asplan.result import Outcome

NONE: dict[str, Any] = {"outcome": Outcome.UNSOLVABLE, "horizon": None, "actions": None}
PLAN: dict[str, Any] = {"outcome": Outcome.PLAN}

Summaries = list[tuple[FaultKind, tuple[str, ...], str]]

CASES: dict[str, tuple[list[Record], Summaries]] = {
    "all the same": ([solved("i", "a", 1), solved("i", "b", 1), late("i", "c")], []),
    "a longer plan that is not proven": (
        [solved("i", "a", 1, horizon=5), solved("i", "b", 1, horizon=7, **PLAN)],
        [],
    ),
    "two optima": (
        [
            solved("i", "a", 1, horizon=7),
            solved("i", "b", 1, horizon=5),
            solved("i", "c", 1, horizon=7),
        ],
        [(FaultKind.OPTIMUM, ("a", "c", "b"), "proven best: 5 steps by b, 7 steps by a and c")],
    ),
    "two optima of one method": (
        [solved("i", "a", 1, horizon=7), solved("i", "a", 1, horizon=5, repetition=1)],
        [(FaultKind.OPTIMUM, ("a",), "proven best: 5 steps by a, 7 steps by a")],
    ),
    "an optimum above a plan": (
        [solved("i", "a", 1, horizon=7), solved("i", "b", 1, horizon=5, **PLAN)],
        [
            (
                FaultKind.BOUND,
                ("a", "b"),
                "no plan has less than 7 steps according to a; one of 5 steps by b",
            )
        ],
    ),
    "a bound above a plan": (
        [late("i", "a", lower_bound=6), late("i", "c", lower_bound=5), solved("i", "b", 1)],
        [
            (
                FaultKind.BOUND,
                ("a", "b"),
                "no plan has less than 6 steps according to a; one of 5 steps by b",
            )
        ],
    ),
    "two optima, and a bound above both": (
        [
            solved("i", "a", 1, horizon=7),
            solved("i", "b", 1, horizon=5),
            late("i", "c", lower_bound=9),
        ],
        [
            (FaultKind.OPTIMUM, ("a", "b"), "proven best: 5 steps by b, 7 steps by a"),
            (
                FaultKind.BOUND,
                ("c", "b"),
                "no plan has less than 9 steps according to c; one of 5 steps by b",
            ),
        ],
    ),
    "no plan, and one": (
        [solved("i", "a", 1, **NONE), solved("i", "b", 1, **PLAN), solved("i", "c", 1)],
        [(FaultKind.SOLVABLE, ("a", "b", "c"), "no plan according to a; a plan by b and c")],
    ),
    "an invalid plan": (
        [
            failed("i", "a", "step 1: no", invalid=True),
            failed("i", "a", "step 1: no", invalid=True, repetition=1),
            failed("i", "b", "no memory"),
        ],
        [(FaultKind.INVALID, ("a",), "step 1: no")],
    ),
    "actions": (
        [
            solved("i", "a", 1, horizon=4, actions=9, optimized="actions"),
            solved("i", "b", 1, horizon=6, actions=8, optimized="actions"),
        ],
        [(FaultKind.OPTIMUM, ("a", "b"), "proven best: 8 actions by b, 9 actions by a")],
    ),
    "costs": (
        [
            solved("i", "a", 1, horizon=4, cost=[1, 9], optimized="cost"),
            solved("i", "b", 1, horizon=6, cost=[2, 0], optimized="cost"),
        ],
        [(FaultKind.OPTIMUM, ("a", "b"), "proven best: cost 1 9 by a, cost 2 0 by b")],
    ),
    "steps here and actions there": (
        [
            solved("i", "a", 1, horizon=4),
            solved("i", "b", 1, horizon=6, actions=6, optimized="actions"),
        ],
        [],
    ),
    "several actions in a step": (
        [solved("i", "a", 1, horizon=7), solved("i", "b", 1, horizon=5, actions=7)],
        [],
    ),
    "other instances": ([solved("i", "a", 1, horizon=4), solved("j", "b", 1, horizon=5)], []),
}


@pytest.mark.parametrize("name", CASES)
def test_contradictory_answers_are_disagreements(name: str) -> None:
    records, expected = CASES[name]
    found = find_disagreements(a_start(("a", "b", "c"), ("i", "j")), records)
    assert [(d.fault, d.methods, d.text) for d in found] == expected
    assert {d.instance for d in found} <= {"i"}


KINDS: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"encoding": "origin"}, {"encoding": "frontier"}, True),
    ({"engine": "sat"}, {"engine": "bfs"}, True),
    ({"steps": "sequential"}, {"encoding": "sequential"}, True),
    ({"steps": "sequential"}, {"encoding": "pddl/sequential"}, True),
    ({"steps": "sequential"}, {"steps": "forall"}, False),
    ({"encoding": "sequential"}, {"encoding": "exists"}, False),
    ({"constants": {"metric": "slide"}}, {"encoding": "origin:metric=slide"}, True),
    ({"constants": {"metric": "slide"}}, {"metric": "slide"}, True),
    ({"constants": {"metric": "slide"}}, {"constants": {}}, False),
    ({"constants": {"n": 3}}, {"constants": {"n": "3"}}, True),
    ({"optimal": "actions"}, {}, False),
    ({"optimal": "cost"}, {"optimal": "cost"}, True),
    ({"encoding": "a:b"}, {"encoding": 7}, True),
]


@pytest.mark.parametrize(("one", "other", "alike"), KINDS)
def test_lengths_are_compared_within_a_kind_of_methods(
    one: dict[str, Any], other: dict[str, Any], alike: bool
) -> None:
    """Only methods of one kind are compared by their length; whether there is a plan, all are."""
    start = a_start({"a": one, "b": other}, ("i", "j"))
    lengths = [solved("i", "a", 1, horizon=4), solved("i", "b", 1, horizon=5)]
    assert [d.fault for d in find_disagreements(start, lengths)] == [FaultKind.OPTIMUM] * alike
    answers = [solved("i", "a", 1), solved("i", "b", 1, **NONE)]
    assert [d.fault for d in find_disagreements(start, answers)] == [FaultKind.SOLVABLE]


def test_the_worst_disagreement_is_first() -> None:
    records = [
        *(solved("i", "a", 1, horizon=4), solved("i", "b", 1, horizon=5)),
        *(solved("j", "a", 1, **NONE), solved("j", "b", 1)),
        failed("k", "a", "step 1: no", invalid=True),
    ]
    found = find_disagreements(a_start(), records)
    assert [(d.instance, d.fault) for d in found] == [
        ("k", FaultKind.INVALID),
        ("j", FaultKind.SOLVABLE),
        ("i", FaultKind.OPTIMUM),
    ]


def test_optima_are_those_of_one_kind_or_of_agreeing_methods() -> None:
    start = a_start({"a": {}, "b": {}, "c": {"steps": "forall"}}, ("i", "j", "k", "l"))
    records = [
        *(solved("i", "b", 1, horizon=4), solved("j", "a", 1, horizon=5, **PLAN)),
        *(solved("k", "c", 1, horizon=2), solved("l", "a", 1, horizon=10**30)),
        solved("m", "a", 1),
    ]
    assert known_optima(start, records, "a", but=["m"]) == {"i": 4, "k": 2}
    assert known_optima(start, records, "c", but=["m"]) == {"k": 2, "i": 4}
    records += [solved("k", "a", 1, horizon=9), solved("i", "a", 1, horizon=5)]
    assert known_optima(start, records, "a", but=["m"]) == {"k": 9}
    assert known_optima(start, records, "c", but=["m"]) == {"k": 2}


@pytest.mark.parametrize("suite", ["", "[]", "{", '{"methods": [1, {"name": 3}]}', "[" * 100_000])
def test_a_stored_suite_of_any_shape_is_accepted(suite: str) -> None:
    start = a_start(("a", "b"), suite=suite)
    records = [solved("i", "a", 1, horizon=4), solved("i", "b", 1, horizon=5)]
    assert len(find_disagreements(start, records)) == 1
