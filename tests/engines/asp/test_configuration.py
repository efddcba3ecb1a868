"""The choice of clasp's configuration: its rules, and a search that goes on with another."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import asplan
from asplan.engines.asp import configuration, effort, optimization
from asplan.engines.asp.configuration import Signs, better_configuration
from asplan.engines.asp.multishot import MultiShot

LONG = Signs(lemma_length=80.0, cycles=0, rules=20_000)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, ("jumpy", "lemmas had 80 literals")),
        ({"lemma_length": 79.99}, None),  # they are short
        ({"lemma_length": 0.0}, None),
        ({"cycles": 1}, None),
        ({"rules": 25_001}, None),  # to ground them once more costs more than the search so far
        ({"rules": 25_000}, ("jumpy", "lemmas had 80 literals")),
    ],
)
def test_the_rules(changed: dict[str, Any], expected: tuple[str, str] | None) -> None:
    assert better_configuration(LONG._replace(**changed), 1000) == expected


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any search is hard enough, and all lemmas are long."""
    monkeypatch.setattr(configuration, "ENOUGH", 10)
    monkeypatch.setattr(configuration, "LONG", 1)
    monkeypatch.setattr(effort, "REGROUNDED", 10_000)


@pytest.mark.usefixtures("eager")
def test_the_search_continues_after_the_refuted_horizons() -> None:
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
    """Atoms of a later step are false for an earlier one, in a fresh clingo, too."""
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


def delivery(seed: int) -> str:
    """A program of robots on a random graph whose moves cost something, in one sum or two."""
    random = Random(seed)
    places = range(random.randint(5, 8))
    robots = range(random.randint(1, 3))
    facts = [
        f"at({r},{random.choice(places)},0). goal({r},{random.choice(places)})." for r in robots
    ]
    facts += [
        f"e({here},{there},{random.randint(-3, 9)})."
        for here in places
        for there in random.sample(places, 3)
    ]
    return f"""
        {" ".join(facts)}
        #program step(t).
        {{ occurs(go(R,X,Y),t) : e(X,Y,_) }} 1 :- at(R,X,t-1).
        at(R,Y,t) :- occurs(go(R,X,Y),t).
        at(R,X,t) :- at(R,X,t-1), not occurs(go(R,X,_),t).
        :- at(R,X,t), at(S,X,t), R < S.
        #minimize {{ C@{random.randint(1, 2)},R,t : occurs(go(R,X,Y),t), e(X,Y,C) }}.
        #minimize {{ 1@1,R,t : occurs(go(R,_,_),t) }}.
        #program check(t).
        :- query(t), goal(R,X), not at(R,X,t).
    """


def test_both_ways_to_optimize_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimization, "SHORT_TURN", 1)
    monkeypatch.setattr(optimization, "LONG_TURN", 1)
    monkeypatch.setattr(effort.ClingoEffort, "first_turn", 1)
    words, reopen = list[str](), MultiShot.reopen

    def noted(self: Any, word: str) -> None:
        words.append(word)
        reopen(self, word)

    monkeypatch.setattr(MultiShot, "reopen", noted)
    turns = Counter[str]()
    for seed in range(24):
        text = delivery(seed)
        found, by_sat = (asplan.solve(text=text, max_horizon=8, engine=e) for e in ("asp", "sat"))
        assert (by_sat.outcome, by_sat.horizon, by_sat.cost) == (
            found.outcome,
            found.horizon,
            found.cost,
        )
        for way in ("bb", "usc"):
            other = asplan.solve(text=text, max_horizon=8, clingo=[f"--opt-strategy={way}"])
            expected = other.outcome, other.horizon, other.cost, other.reason
            assert (found.outcome, found.horizon, found.cost, found.reason) == expected
        for result in (found, by_sat):
            horizons = [step.horizon for step in result.statistics.steps]
            turns[result.engine] += horizons.count(found.horizon) > 2
    assert min(turns["asp"], turns["sat"]) > 3
    assert set(words) == {"--opt-strategy=usc"}
