"""The choice of clasp's configuration: its rules, and a search that goes on with another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import asplan
from asplan.engines.asp import configuration
from asplan.engines.asp.configuration import JUMPY, Signs, another

LONG = Signs(lemmas=100, literals=8000, cycles=0, rules=20_000, effort=1000)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, (JUMPY, "lemmas had 80 literals")),
        ({"literals": 7999}, None),  # they are short
        ({"lemmas": 0, "literals": 0}, None),
        ({"cycles": 1}, None),
        ({"rules": 25_001}, None),  # to ground them once more costs more than the search so far
        ({"rules": 25_000}, (JUMPY, "lemmas had 80 literals")),
    ],
)
def test_the_rules(changed: dict[str, int], expected: tuple[str, str] | None) -> None:
    assert another(replace(LONG, **changed)) == expected


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any search is hard enough, and all lemmas are long."""
    monkeypatch.setattr("asplan.engines.asp.controller.ENOUGH", 10)
    monkeypatch.setattr(configuration, "LONG", 1)
    monkeypatch.setattr(configuration, "REGROUNDED", 10_000)


@pytest.mark.usefixtures("eager")
def test_the_search_goes_on_from_what_is_refuted() -> None:
    found = asplan.solve("rush_hour/sample01", encoding="origin", no_rewrite=True)
    again = asplan.solve("rush_hour/sample01", encoding="origin", no_rewrite=True)
    usual = asplan.solve("rush_hour/sample01", encoding="origin", clingo=["--stats=0"])
    chosen = found.statistics.configuration
    assert chosen
    assert chosen.startswith("jumpy from horizon ")
    assert chosen.endswith("literals")
    assert (found.outcome, found.horizon, found.reason) == (
        usual.outcome,
        usual.horizon,
        usual.reason,
    )
    assert found.plan == again.plan
    assert chosen == again.statistics.configuration
    assert usual.statistics.configuration is None
    horizons = [step.horizon for step in found.statistics.steps if step.conflicts]
    assert horizons == sorted(horizons)  # no horizon is refuted twice


@pytest.mark.usefixtures("eager")
def test_a_program_that_looks_back_keeps_its_answers(tmp_path: Path) -> None:
    """What a later step derives is false for an earlier one, in a fresh clingo as well."""
    program = """
        h(X,0) :- X = 1..9.
        #program step(t).
        { m(X,t) : X = 1..9 } = 1. h(X,t) :- h(X,t-1), not m(X,t). late(t-1) :- m(1,t).
        :- late(t), t > 0.
        #program check(t).
        :- query(t), h(X,t), X < 7.
    """
    file = tmp_path / "late.lp"
    file.write_text(program)
    found = asplan.solve(file)
    assert found.horizon == asplan.solve(file, clingo=["--configuration=tweety"]).horizon == 6
