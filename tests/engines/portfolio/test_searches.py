"""Searches that race beside clingo: on the states of a program or of a model."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import asplan
from asplan import Outcome
from asplan.core.limits import Limits, Stop
from asplan.engines.asp import PlanningOptions
from asplan.engines.portfolio.methods import parse_methods
from asplan.engines.portfolio.runner import SharedBound
from asplan.engines.run import Run
from asplan.problem import Inputs, load
from conftest import examples, in_time

ROOMS = """
#program step(t).
1 {{ occurs(go(X,Y),t) : door(X,Y); occurs(take(K),t) : key(K,_) }} 1.
:- occurs(go(X,Y),t), not at(X,t-1).
:- occurs(go(X,Y),t), lock(X,Y,K), not has(K,t-1).
:- occurs(take(K),t), key(K,X), not at(X,t-1).
at(Y,t) :- occurs(go(X,Y),t).
at(X,t) :- at(X,t-1), not occurs(go(X,_),t).
has(K,t) :- occurs(take(K),t).
has(K,t) :- has(K,t-1).
#program check(t).
:- query(t), not at({goal},t).
#program base.
at(0,0).
{facts}
#show occurs/2.
"""
"""Some doors need a key that lies in another room; it may lie behind them."""

METHODS = "asp,asp:jumpy,sat,bfs,bfs-tree,astar,idastar,pdr"


def rooms(random: Random) -> str:
    """A program of six rooms at most, whose last one is the goal."""
    count = random.randint(3, 6)
    doors = {(random.randrange(count), random.randrange(count)) for _ in range(2 * count)}
    facts = [f"door({x},{y})." for x, y in sorted(doors)]
    for x, y in sorted(doors):
        if random.random() < 0.4:
            facts.append(f"lock({x},{y},{random.randrange(2)}).")
    facts += [f"key({key},{random.randrange(count)})." for key in range(2)]
    return ROOMS.format(goal=count - 1, facts=" ".join(facts))


def test_they_race_on_programs_that_no_domain_knows(tmp_path: Path) -> None:
    """The winner's answer equals that of breadth-first search; the methods are random."""
    random, outcomes = Random(5), set()
    for _ in range(examples(21)):
        text = rooms(random)
        alone = asplan.solve(text=text, engine="bfs")
        methods = random.sample(METHODS.split(","), random.randint(2, 4))
        # Trees and horizons have no end where there is no plan.
        deepest = None if {"bfs", "pdr"} & set(methods) else 12
        raced = asplan.solve(
            text=text, engine="race", methods=",".join(methods), max_horizon=deepest
        )
        if deepest is not None and alone.outcome is Outcome.UNSOLVABLE:
            assert raced.outcome in (Outcome.UNKNOWN, Outcome.UNSOLVABLE)
        else:
            assert (raced.outcome, raced.horizon) == (alone.outcome, alone.horizon), methods
            assert raced.validated == alone.validated
        outcomes.add(raced.outcome)
    assert {Outcome.OPTIMAL, Outcome.UNSOLVABLE} <= outcomes


def test_pdr_chooses_an_encoding_that_is_a_transition_system() -> None:
    found = asplan.solve("sample02", engine="race", methods="pdr,sat", max_horizon=3)
    assert found.encoding == "origin"
    found = asplan.solve("blocks-1", engine="race", methods="pdr,asp")
    assert (found.encoding, found.outcome, found.horizon) == ("forall", "optimal", 6)


@pytest.mark.parametrize("methods", ["asp,pdr", "asp,bfs"])
def test_they_prove_that_no_plan_exists(methods: str) -> None:
    """clingo alone would go on for ever."""
    text = ROOMS.format(goal=2, facts="door(0,1). door(1,0). key(0,1).")
    found = asplan.solve(text=text, engine="race", methods=methods, time_limit=60)
    assert found.outcome == "unsolvable"
    assert f"{methods[4:]} was first; asp had refuted " in found.reason


@pytest.mark.parametrize(("name", "methods"), [("fifteen34", "bfs"), ("towers5", "pdr")])
def test_one_tells_the_others_how_deep_it_has_looked(name: str, methods: str) -> None:
    problem = load(Inputs((name,)))
    (method,) = parse_methods(methods, PlanningOptions())

    def work(seconds: int) -> tuple[int, asplan.Result]:
        bound = SharedBound()
        limits = Limits(seconds=seconds, max_horizon=None if methods == "bfs" else 9)
        run = Run(problem, method.options, limits, lambda partial: None, shared=bound)
        result = method.solve(run)
        return bound.proven(), result

    ends = Stop.TIME if methods == "bfs" else Stop.HORIZON
    bound, result = in_time(work, lambda found: found[0] > 5 and found[1].stopped is ends)
    assert 5 < bound <= result.lower_bound
