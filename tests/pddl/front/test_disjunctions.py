"""Actions with several operators: plans are put in order and hold on the text."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan

DOMAIN = """(define (domain {name}) (:requirements :adl)
 (:predicates (hot) (wet) (clean)) {actions})"""
PROBLEM = "(define (problem p) (:domain {name}) (:init) (:goal {goal}))"

SAUNA = """
 (:action heat :parameters () :precondition (or (not (wet)) (not (hot))) :effect (hot))
 (:action pour :parameters () :precondition (or (wet) (not (hot)))
   :effect (and (not (hot)) (wet)))"""
"""Together each action reads what the other one changes; (pour) before (heat) is an order."""

SCRUB = """
 (:action scrub :parameters () :precondition (or (not (wet)) (not (clean)))
   :effect (and (wet) (when (wet) (clean))))"""
"""The goal takes two of one action, for which two operators stand."""

CASES = {
    ("sauna", "exists"): [["pour", "heat"]],
    ("sauna", "forall"): [["pour"], ["heat"]],
    ("sauna", "sequential"): [["pour"], ["heat"]],
    ("scrub", "exists"): [["scrub"], ["scrub"]],
    ("scrub", "relaxed"): [["scrub", "scrub"]],
}


@pytest.mark.parametrize(
    ("name", "steps", "engine"),
    [
        *((*case, engine) for case in CASES for engine in ("asp", "sat")),
        ("scrub", "relaxed", "pdr"),
    ],
)
def test_the_plan_has_an_order(tmp_path: Path, name: str, steps: str, engine: str) -> None:
    actions, goal = {"sauna": (SAUNA, "(and (hot) (wet))"), "scrub": (SCRUB, "(clean)")}[name]
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text(DOMAIN.format(name=name, actions=actions))
    files[1].write_text(PROBLEM.format(name=name, goal=goal))
    result = asplan.solve(*files, encoding=steps, engine=engine)
    assert (result.outcome, result.validated) == ("optimal", "text")
    assert result.plan is not None
    assert [list(step) for step in result.plan] == CASES[name, steps]


def test_a_plan_that_explain_finds_has_an_order_too(tmp_path: Path) -> None:
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text(DOMAIN.format(name="sauna", actions=SAUNA))
    files[1].write_text(PROBLEM.format(name="sauna", goal="(and (hot) (wet))"))
    found = asplan.explain(*files, horizon=1).found
    assert found is not None
    assert found.steps == (("pour", "heat"),)
