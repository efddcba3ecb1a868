"""Tasks with few states and no plan: the default engine proves it."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan

LIGHTS = """(define (domain lights) (:requirements :adl)
 (:predicates (on ?x) (near ?x ?y))
 (:action press :parameters (?x) :effect (and
   (forall (?y) (when (and (near ?x ?y) (on ?y)) (not (on ?y))))
   (forall (?y) (when (and (near ?x ?y) (not (on ?y))) (on ?y))))))"""
TWO_LIGHTS = """(define (problem p) (:domain lights) (:objects a b)
 (:init (near a a) (near a b) (near b a) (near b b)) (:goal (and (on a) (not (on b)))))"""
"""Whatever is pressed, both lights are on, or both are off."""

TANK = """(define (domain tank) (:requirements :numeric-fluents)
 (:functions (level))
 (:action fill :parameters () :precondition (<= (level) 4) :effect (increase (level) 2))
 (:action drain :parameters () :precondition (>= (level) 2) :effect (decrease (level) 2)))"""
ODD_LEVEL = """(define (problem p) (:domain tank)
 (:init (= (level) 0)) (:goal (= (level) 3)))"""

ENOUGH = 60  # horizons, in which the states have their turn


@pytest.mark.parametrize(
    ("texts", "steps", "states"),
    [
        *(((LIGHTS, TWO_LIGHTS), steps, 2) for steps in ("sequential", "forall", "exists")),
        ((LIGHTS, TWO_LIGHTS), "relaxed", 2),
        ((TANK, ODD_LEVEL), "forall", 4),
    ],
)
def test_all_states_are_seen(
    texts: tuple[str, str], steps: str, states: int, tmp_path: Path
) -> None:
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    result = asplan.solve(*files, steps=steps, max_horizon=ENOUGH)
    assert result.outcome == "unsolvable"
    assert result.reason == f"no plan exists: none of the {states} reachable states is a goal"
    alone = asplan.solve(*files, steps=steps, max_horizon=ENOUGH, no_states=True)
    assert (alone.outcome, alone.lower_bound) == ("unknown", ENOUGH + 1)


def test_a_plan_is_as_short_as_without_the_states(tmp_path: Path) -> None:
    """The states have their turn before the goal is reached, and leave the proof to clingo."""
    counter = """(define (domain counter) (:requirements :numeric-fluents)
     (:functions (n)) (:predicates (done))
     (:action up :parameters () :precondition (<= (n) 40) :effect (increase (n) 1))
     (:action end :parameters () :precondition (>= (n) 40) :effect (done)))"""
    problem = """(define (problem p) (:domain counter) (:init (= (n) 0)) (:goal (done)))"""
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text(counter)
    files[1].write_text(problem)
    result = asplan.solve(*files, steps="sequential")
    assert (result.outcome, result.horizon) == ("optimal", 41)
    assert result.reason == "shortest: 40 steps refuted, 41 found"
