"""Costs that have no value, that are more than costs, or that nothing declares."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.plan import Plan

DOMAIN = """(define (domain bakery)
 (:requirements :adl :numeric-fluents :preferences)
 (:predicates (bread) (late))
 (:functions (flour) (total-cost) - number)
 (:action bake :parameters () :precondition (not (late))
  :effect (and (bread) (increase (total-cost) (+ 1 (flour)))))
 (:action buy :parameters () :effect (and (bread) (increase (total-cost) 7))))
"""
PROBLEM = """(define (problem p) (:domain bakery)
 (:init (= (total-cost) 0))
 (:goal (bread))
 (:metric minimize (total-cost)))
"""
SAID = "--optimal cost needs a task whose only numbers are costs: "


def files(folder: Path, old: str = "", new: str = "") -> tuple[str, str]:
    """The names of the two files, in which something was replaced."""
    assert old in DOMAIN + PROBLEM
    for name, text in (("domain", DOMAIN), ("problem", PROBLEM)):
        (folder / f"{name}.pddl").write_text(text.replace(old, new) if old else text)
    return str(folder / "domain.pddl"), str(folder / "problem.pddl")


@pytest.mark.parametrize("options", [{}, {"engine": "astar"}, {"encoding": "cheapest"}])
def test_an_action_whose_cost_has_no_value_never_applies(
    options: dict[str, str], tmp_path: Path
) -> None:
    given = files(tmp_path)
    result = asplan.solve(*given, optimal="cost", **options)
    assert (result.outcome, result.cost) == ("optimal", (7,))
    texts = [warning.text for warning in result.warnings]
    assert texts == ["(flour) has no value in (:init …), so action bake never applies"]
    with pytest.raises(InvalidPlan, match=r"its cost has no value in \(:init …\)"):
        asplan.validate(*given, plan=Plan((("bake",),)))


def test_nor_does_it_where_preferences_count(tmp_path: Path) -> None:
    old = "(bread))\n (:metric minimize (total-cost))"
    new = """(and (bread) (preference soon (late))))
      (:metric minimize (+ (total-cost) (is-violated soon)))"""
    given = files(tmp_path, old, new)
    result = asplan.solve(*given, optimal="metric", engine="astar")
    assert (result.outcome, result.metric) == ("optimal", 8)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(+ 1 (flour))", "-3", "domain.pddl:6:24: {}this effect is not a cost"),
        ("(+ 1 (flour))", "0.5", "domain.pddl:6:24: {}this effect is not a cost"),
        ("(total-cost) 0", "(flour) -3", "domain.pddl:6:24: {}this effect is not a cost"),
        ("(increase (total-cost) 7)", "(decrease (total-cost) 7)",
         "domain.pddl:7:51: {}this effect is not a cost"),
        ("(increase (total-cost) 7)", "(when (late) (increase (total-cost) 7))",
         "domain.pddl:7:64: {}this effect is not a cost"),
        ("(not (late))", "(< (total-cost) 9)", "domain.pddl:5:45: {}this compares numbers"),
        ("minimize (total-cost)", "maximize (total-cost)",
         "problem.pddl:4:21: {}the metric is not to minimize (total-cost)"),
    ],
)  # fmt: skip
def test_numbers_besides_costs_are_named_with_their_place(
    old: str, new: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path, old, new)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as error:
        asplan.solve("domain.pddl", "problem.pddl", optimal="cost")
    first, hint = str(error.value).split("\n")
    assert first == said.format(SAID)
    assert hint.startswith("  a cost is a whole number from 0")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(= (total-cost) 0)", "(= (total-cost) 5) (= (flour) 1)",
         "problem.pddl:2:13: (total-cost) begins at 5, but the cost of a plan begins at 0"),
        (" (total-cost) - number", "", "domain.pddl:6:35: (total-cost) is not declared"),
    ],
)  # fmt: skip
def test_an_odd_total_cost_is_a_warning(
    old: str, new: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path, old, new)
    monkeypatch.chdir(tmp_path)
    result = asplan.solve("domain.pddl", "problem.pddl", optimal="cost")
    assert said in [f"{warning.at}: {warning.text}" for warning in result.warnings]


def test_one_cost_is_a_number_in_json(tmp_path: Path) -> None:
    from asplan.stored import from_json, to_json

    result = asplan.solve(*files(tmp_path), optimal="cost")
    stored = to_json(result)
    assert stored["cost"] == 7
    for cost in (7, [7]):  # version 0.1 wrote a list
        assert from_json(stored | {"cost": cost}).cost == (7,)
    assert list(to_json(from_json(stored | {"cost": [7, 1]}))["cost"]) == [7, 1]
