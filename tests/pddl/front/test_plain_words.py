"""Costs that are expressions, variables of several types, and goals of many disjunctions."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import asplan
from asplan.core.child import Usage, is_out_of_time
from asplan.result import Outcome

DOMAIN = """(define (domain roads)
  (:requirements :adl :typing :action-costs :fluents)
  (:types car cart town)
  (:predicates (at ?x ?p) (road ?p ?q - town) (seen ?p - town))
  (:functions (total-cost) (length ?p ?q - town) (spare ?p - town))
  (:action go
    :parameters (?x - car ?p ?q - town)
    :precondition (and (at ?x ?p) (road ?p ?q))
    :effect (and (not (at ?x ?p)) (at ?x ?q) (increase (total-cost) (length ?p ?q)))))
"""
PROBLEM = """(define (problem far) (:domain roads)
  (:objects c - car k - cart a b d - town)
  (:init (at c a) (at k d) (road a b) (road b d) (road a d)
    (= (total-cost) 0) (= (length a b) 2) (= (length b d) 3) (= (length a d) 6))
  (:goal (at c d))
  (:metric minimize (total-cost)))
"""
READ = {
    "a cost that is a product": ("(length ?p ?q))", "(* 2 (length ?p ?q)))", 10),
    "a cost that is a sum": ("(length ?p ?q))", "(+ (length ?p ?q) 2))", 8),
    "a cost of two functions": ("(length ?p ?q))", "(- (* 3 (length ?p ?q)) (length ?p ?q)))", 10),
    "a cost without a function": ("(length ?p ?q))", "(* 2 3))", 6),
    "a number that nothing uses": ("(= (total-cost) 0)", "(= (total-cost) 0) (= (spare a) 2.5)", 5),
    "types in a parameter": ("?x - car", "?x - (either car cart)", 5),
    "types in an exists": ("(at c d)", "(exists (?x - (either car town)) (at ?x d))", 5),
    "types in a forall": ("(at c d)", "(forall (?x - (either car cart)) (at ?x d))", 5),
    "types in an effect": (
        "(at ?x ?q) (inc",
        "(forall (?y - (either car cart)) (when (at ?y ?p) (at ?y ?q))) (inc",
        5,
    ),
}
"""What is replaced in domain or problem, by what, and what the cheapest plan costs then."""


@pytest.mark.parametrize("about", READ)
def test_supported_forms_are_read(about: str, tmp_path: Path) -> None:
    old, new, cost = READ[about]
    files = []
    for name, text in (("domain", DOMAIN), ("problem", PROBLEM)):
        files.append(tmp_path / f"{name}.pddl")
        files[-1].write_text(text.replace(old, new))
    found = asplan.solve(*files, optimal="cost")
    assert (found.outcome, found.validated, found.cost) == (Outcome.OPTIMAL, "text", (cost,))


def test_a_type_that_only_stands_above_another(tmp_path: Path) -> None:
    files = [tmp_path / "domain.pddl", tmp_path / "problem.pddl"]
    text = DOMAIN.replace("car cart town", "car - thing town").replace("?x - car", "?x - thing")
    files[0].write_text(text)
    files[1].write_text(PROBLEM.replace("k - cart", "k - thing").replace("(at c d)", "(at k d)"))
    assert asplan.solve(*files).horizon == 0
    files[1].write_text(files[1].read_text().replace("(at k d) (road a b)", "(at k b) (road a b)"))
    assert asplan.solve(*files).horizon == 1


SWITCHES = """(define (domain switches)
  (:requirements :adl)
  (:predicates (on ?x) (free))
  (:action press
    :parameters (?x)
    :precondition (and (free) (not (on ?x)))
    :effect (on ?x)))
"""


@pytest.mark.parametrize("engine", ["asp", "bfs"])
def test_a_goal_of_many_disjunctions_is_not_multiplied_out(engine: str, tmp_path: Path) -> None:
    """Twenty of two parts each would be a million conjunctions."""
    names = [f"s{n}" for n in range(21)]
    pairs = " ".join(f"(or (on {a}) (on {b}))" for a, b in pairwise(names[:5]))
    pairs += " ".join(f" (imply (free) (not (on {name})))" for name in names[5:])
    task = f"""(define (problem many) (:domain switches)
      (:objects {" ".join(names)}) (:init (free)) (:goal (and {pairs})))"""
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text(SWITCHES)
    files[1].write_text(task)
    found = asplan.solve(*files, engine=engine, steps="sequential" if engine == "asp" else None)
    assert found.validated == "text"
    assert found.plan is not None
    assert {str(action) for step in found.plan for action in step} == {"press(s1)", "press(s3)"}
    files[1].write_text(task.replace("(:init (free))", "(:init)"))
    assert asplan.solve(*files, engine="bfs").outcome == Outcome.UNSOLVABLE


LIMITED = """
from asplan.pddl.grounding import grounder, relaxed
relaxed._FEW_INSTANCES = -1
grounder._ground = lambda *given: {status}
from asplan.cli import main
main()
"""
ENDS = {
    "without memory": (33, "out of memory while reading the files"),
}
"""How the grounder ends, and what is said then."""


@pytest.mark.parametrize("about", ENDS)
def test_the_grounder_reaches_a_limit(about: str, tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    status, said = ENDS[about]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(status=status), "solve", "problem.pddl"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 1
    assert f"unknown ({said})" in done.stdout


@pytest.mark.parametrize(
    ("status", "seconds", "is_over"),
    [(-9, 2.0, True), (-9, 1.0, False), (-24, 0.0, True), (1, 9, False)],
)
def test_the_limit_of_processor_time_ends_a_run(
    status: int, seconds: float, is_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda kind: (1, 2))
    assert is_out_of_time(status, Usage(seconds, 1)) is is_over
