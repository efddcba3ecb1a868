"""Tests of the object `proof` in JSON: the refuted plans, the methods, the assumptions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import asplan
from asplan import from_json, to_json
from asplan.core.proof import Proof, Refuted
from asplan.result import Evidence, Outcome, Refuter, Reliance, Result

COUNTER = """
at(0,0). goal(3).
#program step(t).
{ occurs(up,t) } 1.
at(t,N+1) :- at(t-1,N), occurs(up,t).
at(t,N) :- at(t-1,N), not occurs(up,t).
#program check(t).
#external query(t).
:- query(t), goal(N), not at(t,N).
#show occurs/2.
"""
MONOTONE = COUNTER + "#program base. asplan(monotone).\n"
LEAST = COUNTER + "#program base. asplan(least(3)).\n"
DEAD_END = COUNTER + "#program step(t). :- t = 2.\n"
FINITE = COUNTER.replace("at(t-1,N), occurs", "at(t-1,N), N < 3, occurs")
EXHAUSTED = COUNTER.replace("goal(3)", "goal(9)") + "#program step(t). asplan(exhausted(t)) :- t=2."
SINGLE_SHOT = """
#const n = 4.
time(0..n). at(0,0).
{ occurs(up,T) } 1 :- time(T), T > 0.
at(T,N+1) :- at(T-1,N), occurs(up,T).
at(T,N) :- at(T-1,N), not occurs(up,T), time(T).
:- not at(n,2).
#show occurs/2.
"""
DOMAIN = """
(define (domain lamps) (:requirements :strips)
  (:predicates (off) (lit) (bright))
  (:action light :parameters () :precondition (off) :effect (and (lit) (not (off))))
  (:action turn-up :parameters () :precondition (lit) :effect (bright)))
"""
TASK = "(define (problem p) (:domain lamps) (:init {init}) (:goal (bright)))"


def proof(*files: Any, **options: Any) -> dict[str, object]:
    """The object `proof` of a run."""
    result = asplan.solve(*files, **options)
    found: dict[str, object] = json.loads(json.dumps(to_json(result)))["proof"]
    return found


def expected(refuted: str, up_to: int | None, by: str = "", on: str = "") -> dict[str, object]:
    return {"refuted": refuted, "up_to": up_to, "by": by.split(), "relies_on": on.split()}


PROGRAMS: list[tuple[str, dict[str, Any], dict[str, object]]] = [
    (COUNTER, {}, expected("steps", 2, "solver")),
    (COUNTER, {"min_horizon": 3}, expected("nothing", None)),
    (COUNTER, {"max_horizon": 1}, expected("steps", 1, "solver")),
    (COUNTER.replace("goal(3)", "goal(0)"), {}, expected("nothing", None)),
    (MONOTONE, {"schedule": "stride:4"}, expected("steps", 2, "solver", "monotone")),
    (MONOTONE, {"mode": "minimize", "horizon": 5}, expected("steps", 2, "solver", "monotone")),
    (MONOTONE, {"mode": "fixed", "horizon": 2}, expected("steps", 2, "solver", "monotone")),
    (MONOTONE, {"mode": "fixed", "horizon": 5}, expected("nothing", None)),
    (LEAST, {}, expected("steps", 2, "program", "least")),
    (DEAD_END, {}, expected("plans", None, "solver program")),
    (EXHAUSTED, {}, expected("plans", None, "solver program", "exhausted")),
    (COUNTER, {"engine": "sat"}, expected("steps", 2, "solver")),
    (FINITE, {"engine": "bfs"}, expected("steps", 2, "states")),
    (FINITE, {"engine": "bfs", "max_horizon": 1}, expected("steps", 1, "states")),
]


@pytest.mark.parametrize(("text", "options", "claim"), PROGRAMS)
def test_the_proof_about_an_incremental_program(
    text: str, options: dict[str, Any], claim: dict[str, object]
) -> None:
    assert proof(text=text, **options) == claim


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        ({}, expected("steps", 1, "solver", "conversion")),
        ({"fresh": True}, expected("steps", 1, "solver")),
        ({"constants": {"n": 1}}, expected("steps", 1, "solver", "conversion")),
    ],
)
def test_the_proof_about_a_single_shot_program(
    options: dict[str, Any], claim: dict[str, object]
) -> None:
    assert proof(text=SINGLE_SHOT, **options) == claim


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        ({}, expected("steps", 5, "solver")),
        ({"max_horizon": 2}, expected("steps", 2, "solver")),
        ({"engine": "bfs"}, expected("steps", 5, "states")),
        ({"engine": "astar"}, expected("steps", 5, "states", "heuristic")),
        ({"engine": "dfs"}, expected("nothing", None)),
    ],
)
def test_the_proof_about_an_instance_of_a_domain(
    options: dict[str, Any], claim: dict[str, object]
) -> None:
    assert proof("two_cars", **options) == claim


@pytest.mark.parametrize(
    ("init", "options", "claim"),
    [
        ("(off)", {}, expected("steps", 1, "program", "least translation")),
        ("(off)", {"max_horizon": 1}, expected("steps", 1, "program", "least translation")),
        ("(off)", {"engine": "bfs"}, expected("actions", 1, "states", "translation")),
        ("(off)", {"engine": "astar"}, expected("actions", 1, "states", "heuristic translation")),
        ("(off)", {"engine": "pdr"}, expected("steps", 1, "solver", "translation")),
        ("", {}, expected("plans", None, "model", "translation")),
    ],
)
def test_the_proof_about_a_pddl_task(
    init: str, options: dict[str, Any], claim: dict[str, object], tmp_path: Any
) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(DOMAIN)
    problem.write_text(TASK.format(init=init))
    assert proof(domain, problem, **options) == claim


COSTS = Result(Outcome.OPTIMAL, evidence=Evidence((Refuter.STATES,)))


@pytest.mark.parametrize(
    ("result", "refuted", "up_to"),
    [
        (replace(COSTS, optimized="cost", lower_cost=7), Refuted.COST, 6),
        (replace(COSTS, optimized="cost"), Refuted.NOTHING, None),
        (replace(COSTS, optimized="metric"), Refuted.METRIC, None),
        (replace(COSTS, optimized="actions", lower_bound=4), Refuted.ACTIONS, 3),
        (replace(COSTS, optimized="layers", lower_bound=1), Refuted.LAYERS, 0),
        (
            replace(COSTS, outcome=Outcome.PLAN, optimized="cost", lower_bound=2),
            Refuted.STEPS,
            1,
        ),
    ],
)
def test_the_measure_of_a_proof(result: Result, refuted: Refuted, up_to: int | None) -> None:
    assert (result.proof.refuted, result.proof.up_to) == (refuted, up_to)


def test_a_proof_is_stored() -> None:
    evidence = Evidence((Refuter.SOLVER, Refuter.STATES), (Reliance.MONOTONE,), "in words")
    result = Result(Outcome.PLAN, lower_bound=3, evidence=evidence)
    assert from_json(to_json(result)).proof == result.proof


def test_results_without_a_proof_are_read() -> None:
    stored = to_json(Result(Outcome.PLAN, lower_bound=3))
    del stored["proof"]
    assert from_json(stored).proof == Proof(Refuted.STEPS, 2)
