"""PDDL converted to facts: the answers stay the same, also for plasp's encodings."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan.catalog import find_instance
from asplan.core.errors import InputError, UsageError
from asplan.pddl.front import facts_of_pddl
from asplan.problem import Inputs
from conftest import run

NAMES = ["blocks-1", "castle-1", "crates-1", "gripper-1", "lamps-1", "lamps-2", "parcels-1"]

SEQUENTIAL = """
% One action a step, over the facts of plasp: actions, conditional effects and axiom rules.
#program base.
derived(X) :- postcondition(axiomRule(_),_,X,_).
holds(X,V,0) :- initialState(X,V), not derived(X).
holds(X,V,0) :- fires(X,V,0).
holds(X,V,0) :- derived(X), initialState(X,V), not fires(X,W,0) : contains(X,W), W != V.
fires(X,V,0) :- postcondition(axiomRule(R),_,X,V),
                holds(Y,W,0) : precondition(axiomRule(R),Y,W).

#program step(t).
1 { occurs(A,t) : action(action(A)) } 1.
:- occurs(A,t), precondition(action(A),X,V), not holds(X,V,t-1).
caused(X,V,t) :- occurs(A,t), postcondition(action(A),effect(unconditional),X,V).
caused(X,V,t) :- occurs(A,t), postcondition(action(A),effect(N),X,V), N != unconditional,
                 holds(Y,W,t-1) : precondition(effect(N),Y,W).
changed(X,t) :- caused(X,_,t).
holds(X,V,t) :- caused(X,V,t).
holds(X,V,t) :- holds(X,V,t-1), not changed(X,t), not derived(X).
fires(X,V,t) :- postcondition(axiomRule(R),_,X,V),
                holds(Y,W,t) : precondition(axiomRule(R),Y,W).
holds(X,V,t) :- fires(X,V,t).
holds(X,V,t) :- derived(X), initialState(X,V), not fires(X,W,t) : contains(X,W), W != V.

#program check(t).
:- query(t), goal(X,V), not holds(X,V,t).
#show occurs/2.
"""


def facts(name: str, notation: str | None = None) -> str:
    text = facts_of_pddl(Inputs((name,)), notation)
    assert text is not None
    return text


@pytest.mark.parametrize("name", NAMES)
def test_facts_give_the_same_answers(name: str, tmp_path: Path) -> None:
    task = tmp_path / "task.lp"
    task.write_text(facts(name))
    for words in ({}, {"encoding": "sequential"}, {"engine": "bfs"}):
        from_text, from_facts = asplan.solve(name, **words), asplan.solve(task, **words)
        assert (from_text.outcome, from_text.horizon) == (from_facts.outcome, from_facts.horizon)
        assert (from_text.validated, from_facts.validated) == ("text", "model")
    if name == "castle-1":
        cost = asplan.solve(task, engine="astar", optimal="cost").cost
        assert cost == asplan.solve(name, engine="astar", optimal="cost").cost == (5,)


@pytest.mark.parametrize("name", ["blocks-1", "castle-1", "gripper-1", "lamps-1", "parcels-1"])
def test_an_encoding_for_plasp_runs_on_its_facts(name: str, tmp_path: Path) -> None:
    program, task = tmp_path / "sequential.lp", tmp_path / "task.lp"
    program.write_text(SEQUENTIAL)
    task.write_text(facts(name, "plasp"))
    result = asplan.solve(task, program, models=0)
    wanted = asplan.solve(name, encoding="sequential", models=0)
    assert (result.outcome, result.horizon) == (wanted.outcome, wanted.horizon)
    if name in ("blocks-1", "gripper-1"):  # no action is two operators
        assert len(result.plans) == len(wanted.plans)


def test_the_facts_of_plasp_have_the_names_of_pddl() -> None:
    lines = facts("gripper-1", "plasp").splitlines()
    said = {line.split(", ", 1)[1] for line in lines if line.startswith(("contains(", "goal("))}
    assert 'value("empty(left)", false)).' in said
    assert 'value("ball-in(blue, hall)", true)).' in said
    lines = facts("castle-1", "plasp").splitlines()
    assert lines.index("requires(feature(actionCosts)).") < lines.index("% variables")
    assert 'action(action(("take", "brass", "hall"))).' in lines
    assert 'costs(action(("force", "iron")), 20).' in lines
    assert "requires(feature(axiomRules))." in lines


def test_facts_become_those_of_plasp(tmp_path: Path) -> None:
    task = tmp_path / "task.lp"
    task.write_text(facts("blocks-1"))
    assert 'value("arm_empty", true)' in asplan.convert(task, "plasp")


def test_the_command_writes_a_file(tmp_path: Path) -> None:
    path = Path(find_instance("blocks-1"))
    words = ["convert", str(path.parent / "domain.pddl"), str(path)]
    assert run(*words, "-o", "task.lp", cwd=tmp_path).returncode == 0
    text = (tmp_path / "task.lp").read_text()
    assert text == facts("blocks-1") == run(*words).stdout
    assert text.startswith("% domain.pddl and blocks-1.pddl, translated by asplan convert")
    assert asplan.convert("blocks-1") == text
    assert asplan.convert("blocks-1", "plasp") == run(*words, "--to", "plasp").stdout


def test_numbers_are_not_lost_in_plasp() -> None:
    with pytest.raises(UsageError) as caught:
        facts("courier-1", "plasp")
    said = "domain.pddl: the task has numbers, and facts of plasp have none\n"
    assert str(caught.value).endswith(f"{said}  leave --to out for facts in asplan's vocabulary")


def test_notations_of_something_else() -> None:
    with pytest.raises(UsageError, match="--to board is not a notation for PDDL tasks"):
        facts("blocks-1", "board")
    with pytest.raises(InputError):
        asplan.convert("two_cars", "plasp")


def test_facts_of_a_task_without_a_plan_have_none(tmp_path: Path) -> None:
    """Also where the task has numbers: there are no facts of numbers if it is plain before."""
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text("""(define (domain tank) (:requirements :adl :numeric-fluents)
      (:predicates (wet) (dry)) (:functions (level))
      (:action pour :parameters () :effect (and (wet) (increase (level) 1))))""")
    files[1].write_text("""(define (problem p) (:domain tank)
      (:init (= (level) 0)) (:goal (and (dry) (>= (level) 2))))""")
    result = asplan.solve(text=asplan.convert(files[1]))
    assert (result.outcome, result.plan) == ("unsolvable", None)
