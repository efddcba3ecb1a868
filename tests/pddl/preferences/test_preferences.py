"""Constraints and preferences: their meaning, the value of plans, and refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

import asplan
from asplan import Outcome
from asplan.core.errors import AsplanError
from asplan.pddl.language.trail import CONSTRAINTS
from conftest import run

DOMAIN = """(define (domain lamps)
  (:requirements :adl :constraints :preferences :numeric-fluents)
  (:types lamp) (:predicates (on ?x - lamp) (seen) (bright))
  (:functions (total-cost) (wear ?x - lamp) (load))
  (:derived (bright) (exists (?x - lamp) (on ?x)))
  (:action press :parameters (?x - lamp)
    :precondition (and (not (on ?x)) (preference alone (not (exists (?y - lamp) (on ?y)))))
    :effect (and (on ?x) (increase (total-cost) (wear ?x))))
  (:action pull :parameters (?x - lamp) :precondition (on ?x) :effect (not (on ?x)))
  (:action look :precondition (bright) :effect (seen)))
"""
PROBLEM = """(define (problem two) (:domain lamps) (:objects A B - lamp)
  (:init (= (wear A) 1) (= (wear B) 0.5))
  (:goal {goal})
  (:constraints {constraints})
  (:metric {metric}))
"""


def files(folder: Path, goal: str, constraints: str, metric: str) -> list[Path]:
    texts = DOMAIN, PROBLEM.format(goal=goal, constraints=constraints, metric=metric)
    found = [folder / "domain.pddl", folder / "problem.pddl"]
    for file, text in zip(found, texts, strict=True):
        file.write_text(text)
    return found


def rows(length: int) -> Iterator[tuple[bool, ...]]:
    return product((False, True), repeat=length)


def test_the_words() -> None:
    """Against the definitions of Gerevini and Long, quantifier by quantifier."""
    for n in (1, 2, 3, 4):
        times = range(n)
        for a in rows(n):
            once = all(
                any(all(a[k] == (i <= k < j) for k in range(i, n)) for j in range(i + 1, n + 1))
                for i in times
                if a[i]
            )
            assert CONSTRAINTS["at-most-once"](a) == once
            for b in rows(n):
                after = all(any(b[j] for j in times if i <= j) for i in times if a[i])
                before = all(any(b[j] for j in times if j < i) for i in times if a[i])
                assert CONSTRAINTS["sometime-after"](a, b) == after
                assert CONSTRAINTS["sometime-before"](a, b) == before


CASES = [
    # constraints, the fewest actions until something has been seen
    ("(and)", 2),
    ("(always (not (seen)))", None),
    ("(sometime (on B))", 2),
    ("(forall (?x - lamp) (sometime (on ?x)))", 3),
    ("(and (forall (?x - lamp) (sometime (on ?x))) (always (not (and (on A) (on B)))))", 4),
    ("(at end (not (bright)))", 3),
    ("(sometime-before (seen) (and (on A) (on B)))", 3),
    ("(sometime-before (bright) (seen))", None),
    ("(sometime-after (on A) (not (on A)))", 2),
    ("(and (sometime (on A)) (sometime-after (on A) (not (on A))))", 3),
    ("(and (at-most-once (on A)) (sometime-before (seen) (on A)) (at end (on A)))", 2),
    ("(and (at-most-once (bright)) (sometime-after (seen) (and (on B) (not (on A)))))", 2),
]


@pytest.mark.parametrize(("constraints", "fewest"), CASES)
def test_constraints(constraints: str, fewest: int | None, tmp_path: Path) -> None:
    given = files(tmp_path, "(seen)", constraints, "minimize (total-cost)")
    searched = asplan.solve(*given, engine="bfs")
    one_by_one = asplan.solve(*given, steps="sequential", max_horizon=6)
    together = asplan.solve(*given, max_horizon=6)
    if fewest is None:
        assert searched.outcome is Outcome.UNSOLVABLE
        assert not one_by_one.plans + together.plans
    else:
        found = [(one.outcome, one.horizon) for one in (searched, one_by_one)]
        assert found == 2 * [(Outcome.OPTIMAL, fewest)]
        assert (together.horizon or 0) <= fewest


SOFT = "(and (preference look (seen)) (forall (?x - lamp) (preference lit (on ?x))))"
_DARK = "(preference Dark (always (not (bright))))"
METRICS = [
    ("minimize (is-violated look)", "(and)", 0, {}),
    ("minimize (+ (total-cost) (* 2 (is-violated look)))", "(and)", "1/2", {}),
    ("minimize (+ (* 0.3 (is-violated lit)) (total-cost))", "(and)", "3/5", {}),
    ("maximize (- 10 (+ (* 3 (is-violated lit)) (total-cost)))", "(and)", "17/2", {}),
    ("maximize (+ 1 (* 2 (is-violated lit)))", "(and)", 5, {"lit": 2}),
    ("minimize (+ (* 5 (is-violated lit)) (is-violated alone))", "(and)", 1, {"alone": 1}),
    ("minimize (+ (is-violated dark) (is-violated lit))", _DARK, 1, {"Dark": 1}),
    ("maximize 7", "(and)", 7, {}),
    ("minimize (* 0 (is-violated look))", "(and)", 0, {}),
    ("minimize (+ (is-violated look) (total-time))", "(and)", 0, {}),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "constraints", "best", "violated"), METRICS)
def test_metrics(
    metric: str, constraints: str, best: int | str, violated: dict[str, int], tmp_path: Path
) -> None:
    given = files(tmp_path, SOFT, constraints, metric)
    found = asplan.solve(*given, engine="astar", optimal="metric")
    assert (found.outcome, str(found.metric)) == (Outcome.OPTIMAL, str(best))
    assert {name: found.violated.get(name) for name in violated} == violated
    steps = asplan.solve(*given)
    assert (steps.horizon, steps.violated["lit"]) == (0, 2)


def test_bounds_from_below() -> None:
    found = [asplan.solve("museum-1", engine=name, optimal="metric") for name in ("asp", "astar")]
    assert {(one.outcome, one.metric, *one.violated) for one in found} == {
        (Outcome.OPTIMAL, 0, "dark")
    }


def test_weights_beyond_the_numbers_of_clingo(tmp_path: Path) -> None:
    given = files(tmp_path, SOFT, "(and)", "minimize (* 123456789012 (is-violated look))")
    with pytest.raises(AsplanError, match="costs above 10000000 are too large"):
        asplan.solve(*given, encoding="cheapest", optimal="metric")


def test_a_metric_of_costs_alone(tmp_path: Path) -> None:
    given = files(tmp_path, SOFT, "(and)", "minimize (total-cost)")
    given[1].write_text(given[1].read_text().replace("0.5", "2"))
    with pytest.raises(AsplanError, match="neither preferences nor numbers"):
        asplan.solve(*given, optimal="metric")


REFUSED = [
    ("minimize (* (is-violated look) (is-violated lit))", "(and)", "is not linear"),
    ("maximize (total-cost)", "(and)", "action press improves the metric"),
    ("minimize (is-violated look)", "(always (<= (total-cost) 3))", "combine numeric conditions"),
    ("minimize (* -1 (is-violated alone))", "(and)", "rewards an action for violating"),
    ("minimize (is-violated look)", "(hold-after 3 (seen))", "constraints with times"),
]


@pytest.mark.parametrize(("metric", "constraints", "said"), REFUSED)
def test_wrong_input_is_refused(metric: str, constraints: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(AsplanError, match=said) as error:
        asplan.solve(*files(tmp_path, SOFT, constraints, metric), optimal="metric")
    assert error.value.at is not None


def test_on_the_command_line(tmp_path: Path) -> None:
    goal, metric = "(and (seen) (forall (?x - lamp) (preference Lit (on ?x))))", "(is-violated lit)"
    given = files(tmp_path, goal, "(sometime (on B))", f"minimize (* 2 {metric})")
    plan = tmp_path / "plan.ipc"
    words = ["solve", *given, "-o", plan, "--optimal", "metric"]
    shown = run(*map(str, words)).stdout
    assert "metric: 0\n" in shown
    told = json.loads(run("solve", *map(str, given), "--steps", "sequential", "--json").stdout)
    assert (told["metric"], told["violated"]) == (2, {"Lit": 1})
    assert "metric is 0" in run("validate", *map(str, [*given, plan])).stdout
    plan.write_text("(press B)\n(look)\n(pull B)\n")
    checked = run("validate", *map(str, [*given, plan]))
    assert checked.stdout.endswith("; the metric is 4; violated: Lit ×2\n")
    plan.write_text("(press A)\n(look)\n")
    checked = run("validate", *map(str, [*given, plan]))
    assert checked.returncode == 4
    assert "problem.pddl:4:17: the constraint (sometime (on B)) is violated" in checked.stderr
    for words in (["convert", *given], ["solve", *given, "-e", "relaxed"]):
        assert run(*map(str, words)).returncode == 2
