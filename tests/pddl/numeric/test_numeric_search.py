"""Searches through the states of tasks with numbers: exact, and they prove that no plan exists."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan import Outcome

DOMAIN = """(define (domain jugs)
  (:requirements :typing :numeric-fluents :negative-preconditions :equality)
  (:types jug)
  (:functions (holds ?j - jug) (size ?j - jug))
  (:action fill :parameters (?j - jug)
    :precondition (< (holds ?j) (size ?j))
    :effect (assign (holds ?j) (size ?j)))
  (:action empty :parameters (?j - jug)
    :precondition (> (holds ?j) 0)
    :effect (assign (holds ?j) 0))
  (:action pour :parameters (?a ?b - jug)
    :precondition (and (not (= ?a ?b)) (> (holds ?a) 0) (<= (+ (holds ?a) (holds ?b)) (size ?b)))
    :effect (and (increase (holds ?b) (holds ?a)) (assign (holds ?a) 0)))
  (:action pour-some :parameters (?a ?b - jug)
    :precondition (and (not (= ?a ?b)) (< (holds ?b) (size ?b))
      (> (+ (holds ?a) (holds ?b)) (size ?b)))
    :effect (and (decrease (holds ?a) (- (size ?b) (holds ?b))) (assign (holds ?b) (size ?b)))))
"""
PROBLEM = """(define (problem two) (:domain jugs) (:objects five three - jug)
  (:init (= (holds five) 0) (= (holds three) 0) (= (size five) 5) (= (size three) 3))
  (:goal (and (= (holds five) %d) %s)))
"""


@pytest.fixture
def task(tmp_path: Path) -> list[Path]:
    """Jugs of 5 and 3 litres, of which the large one is to hold 4."""
    return _written(tmp_path, 4)


def _written(folder: Path, wanted: int, too: str = "") -> list[Path]:
    files = [folder / "domain.pddl", folder / "problem.pddl"]
    for file, text in zip(files, (DOMAIN, PROBLEM % (wanted, too)), strict=True):
        file.write_text(text)
    return files


@pytest.mark.parametrize("engine", ["asp", "bfs", "astar", "auto"])
def test_engines_agree(task: list[Path], engine: str) -> None:
    found = asplan.solve(*task, engine=engine)
    assert (found.outcome, found.horizon) == (Outcome.OPTIMAL, 6)
    assert found.validated == "text"


def test_no_plan_is_proven_where_the_horizons_never_end(tmp_path: Path) -> None:
    files = _written(tmp_path, 4, "(= (holds three) 2)")
    found = asplan.solve(*files, engine="auto", time_limit=200)
    assert found.outcome is Outcome.UNSOLVABLE
    assert "none of the 16 reachable states is a goal" in found.reason


def test_a_number_beyond_its_bounds_needs_no_search(tmp_path: Path) -> None:
    found = asplan.solve(*_written(tmp_path, 6))
    assert found.outcome is Outcome.UNSOLVABLE
    assert found.reason == "no plan exists: the numbers that the goal requires cannot be reached"


def test_all_states_are_counted(task: list[Path]) -> None:
    assert asplan.analyse(*task).states == 16
