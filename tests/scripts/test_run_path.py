"""The script that follows runs through the modules of asplan."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import asplan
import run_path
from asplan.core.text import amount
from asplan.result import Outcome


def test_calls_of_asplan_alone_are_counted() -> None:
    counter = run_path.CallCounter()
    with counter.counting():
        sorted([3, 1])
        amount(2, "step")
        amount(3, "step")
    amount(4, "step")
    assert counter.calls >= 2
    assert counter.modules == {"asplan.core.text"}
    assert counter.switches == 1
    assert sys.getprofile() is None


def test_a_run_passes_the_stations() -> None:
    counts = run_path.follow(lambda: asplan.solve("two_cars"))
    assert {
        "asplan.planner",
        "asplan.engines.asp.controller",
        "asplan.validation",
    } <= counts.modules
    assert len(counts.modules) < counts.switches < counts.calls
    assert len(counts.functions) < counts.calls


def test_each_run_finds_a_plan() -> None:
    for run in run_path.RUNS.values():
        assert run().outcome is Outcome.OPTIMAL
