"""The study of Brain Twist: its states, its ratios, and one small run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import asplan
from asplan.catalog import find_instance
from asplan.program.ground import read_facts

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from lib.brain_twist import rules as study


def shipped(name: str, distance: int) -> study.State:
    facts = read_facts([find_instance(name)], {})
    return study.State(tuple(f"{fact}." for fact in facts), distance)


def test_states_are_drawn_at_random() -> None:
    one, two = study.states(2, None)
    assert set(one.facts) != set(two.facts)
    assert one == next(study.states(1, None))
    first, second = one.orders(2)
    assert first != second
    assert sorted(first.split()) == sorted(second.split()) == sorted(one.facts)
    assert asplan.solve(text=first).horizon == one.distance


def test_a_small_run() -> None:
    """All methods find a plan of the right length, and only encodings have a length given."""
    encodings = (*study.METHODS, *study.PUBLISHED)
    methods = (*encodings, "frontier", "bidirectional")
    some = [shipped("twist02", 2)]
    figures = study.measure(some, methods, study.MODES, 1, 60)
    assert {method for method, mode in figures if mode == study.LENGTH} == set(encodings)
    assert {method for method, mode in figures if mode == study.PROOF} == set(methods)
    assert all(len(column) == 1 for column in figures.values())
    assert not any(figure.stopped for column in figures.values() for figure in column)
    assert len(list(study.pair_rows(figures, study.MODES))) == len(study.PAIRS)
    rows = {row[0]: row for row in study.method_rows(figures, study.MODES)}
    assert rows["`frontier`"][4:] == ["", "", ""]
    assert all(rows[f"`{method}`"][4:] != ["", "", ""] for method in encodings)


def figure(seconds: float, conflicts: int = 0, stopped: bool = False) -> study.Figure:
    return study.Figure(seconds, conflicts, stopped)


def test_ratios_measure_the_use_of_an_option() -> None:
    (what, *pair), *_ = study.PAIRS
    mode = study.PROOF
    with_it = [figure(1, 9), figure(2, 99), figure(9)]
    without = [figure(4, 99), figure(2, 9), figure(9, 0, stopped=True)]
    figures = {(pair[0], mode): with_it, (pair[1], mode): without}
    (row,) = study.pair_rows(figures, [mode])
    assert row[0] == what
    assert row[-2:] == ["2.00 (1.00–4.00)", "1.00 (0.10–10.00)"]
    assert study.summary(without) == ["4.00", ">9.0", "9"]


def test_a_wrong_length_is_no_figure() -> None:
    with pytest.raises(AssertionError):
        study.work("turns", study.PROOF, " ".join(shipped("twist03", 4).facts), 4)
