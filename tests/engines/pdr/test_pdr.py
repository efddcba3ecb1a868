"""The engine pdr: its plans and proofs against search, and its certificates against wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import asplan
import oracle
from asplan import Outcome
from asplan.core.text import amount
from asplan.engines.pdr import engine
from asplan.engines.pdr.proof import InductiveProof, StateCube, is_right
from asplan.problem import Inputs, load
from asplan.statespace.invariants import Invariant, find_invariants
from asplan.statespace.step import OpenStep, open_step
from boards import random_board
from conftest import METRICS, THOROUGH, examples, facts

LOCKED = """
grid(1..9,1..9).
car(r,2,h). position(0,r,5,1).
car(wall,9,v). position(0,wall,1,4).
car(a(1..8),2,h). position(0,a(R),R,6) :- R = 1..4. position(0,a(R),R+1,6) :- R = 5..8.
"""
"""A column is full from top to bottom, and eight cars beside it go to and fro: too many states."""

TWO_PARTS = """
#const wall=3.
#program base.
room(1..6). next(X,X+1) :- room(X), room(X+1), X != wall.
at(0,1). thing(0,T,1) :- T = 1..5.
#program step(t).
{ occurs(go(Y),t) : next(X,Y), at(t-1,X); occurs(go(X),t) : next(X,Y), at(t-1,Y);
  occurs(carry(T,Y),t) : next(X,Y), at(t-1,X), thing(t-1,T,X);
  occurs(carry(T,X),t) : next(X,Y), at(t-1,Y), thing(t-1,T,Y) } 1.
at(t,X) :- occurs(go(X),t).
at(t,X) :- occurs(carry(_,X),t).
gone(t) :- occurs(go(_),t).
gone(t) :- occurs(carry(_,_),t).
at(t,X) :- at(t-1,X), not gone(t).
thing(t,T,X) :- occurs(carry(T,X),t).
thing(t,T,X) :- thing(t-1,T,X), not occurs(carry(T,_),t).
#program check(t).
:- query(t), not thing(t,1,GOAL).
#show occurs/2.
"""
"""Five things in a row of rooms, which a wall may part."""

GUARDED = (
    TWO_PARTS.replace("GOAL", "6").replace("wall=3", "wall=0")
    + "#program step(t). :- occurs(carry(1,4),t)."
)
"""No wall, but the first thing must not be carried through."""


def test_an_invariant_proves_that_there_is_no_plan(tmp_path: Path) -> None:
    file = tmp_path / "locked.lp"
    file.write_text(LOCKED)
    result = asplan.solve(file, engine="pdr")
    assert (result.outcome, result.encoding, result.plan) == ("unsolvable", "origin", None)
    assert result.reason.startswith("no plan exists: every reachable state has one of ")
    assert result.reason.endswith("to a goal or to a state without one; checked anew")


@pytest.mark.parametrize(("goal", "length"), [(1, 0), (3, 2), (4, None)])
def test_a_program_of_ones_own(goal: int, length: int | None) -> None:
    result = asplan.solve(text=TWO_PARTS.replace("GOAL", str(goal)), engine="pdr")
    outcome = Outcome.UNSOLVABLE if length is None else Outcome.OPTIMAL
    assert (result.outcome, result.horizon) == (outcome, length)
    if length:
        assert (result.validated, result.lower_bound) == ("replay", length)
        assert result.reason == f"shortest: no goal within {amount(length - 1, 'step')}"
        assert f"occurs(carry(1,{goal}),{length})" in result.atoms


@pytest.mark.parametrize(
    ("instance", "encoding"),
    [
        ("towers4", None),
        ("sussman", None),
        ("balls_4", None),
        *[("shed", None), ("eight_thirteen", None)] * THOROUGH,
        ("five_packages", None),
        ("twist01", None),
        ("sample01", "block_tuple"),
        ("crates-1", None),
    ],
)
def test_shipped_instances(instance: str, encoding: str | None) -> None:
    ours = asplan.solve(instance, encoding=encoding, engine="pdr")
    assert ours.outcome == "optimal"
    theirs = asplan.solve(instance, encoding=ours.encoding, engine="asp")
    assert (ours.horizon, ours.lower_bound) == (theirs.horizon, theirs.horizon)


def test_a_plan_with_parallel_steps_is_shortest_in_parallel_steps() -> None:
    result = asplan.solve("gripper-1", engine="pdr")
    assert result.reason == "shortest: no goal within 2 parallel steps"


@pytest.mark.parametrize("metric", METRICS)
def test_random_boards(metric: str, tmp_path: Path) -> None:
    random, file, seen = Random(f"pdr {metric}"), tmp_path / "board.lp", set()
    for _ in range(examples(75)):
        board = random_board(random)
        file.write_text(facts(board))
        result = asplan.solve(file, engine="pdr", constants={"metric": metric})
        best = oracle.solve(board, metric)
        assert result.horizon == best, file.read_text()
        assert result.outcome == ("unsolvable" if best is None else "optimal")
        seen.add(result.outcome)
    assert len(seen) == 2


def step_of(text: str) -> OpenStep:
    return open_step(load(Inputs(text=text)).program, {})


def test_of_which_atoms_just_one_holds() -> None:
    step = step_of(TWO_PARTS.replace("GOAL", "4"))
    found = {
        (group.is_most, frozenset(str(step.fluents[number]) for number in group.atoms))
        for group in find_invariants(step)
    }
    # Rooms 4 to 6 are not there: the grounder knows already that nothing comes to them.
    at = frozenset(f"at({x})" for x in (1, 2, 3))
    things = [frozenset(f"thing({n},{x})" for x in (1, 2, 3)) for n in range(1, 6)]
    alone = {(most, atoms) for atoms in (at, *things) for most in (True, False)}
    assert found == {*alone, (False, frozenset().union(*things))}


def proof_of(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[InductiveProof, Callable[[], OpenStep]]:
    """The proof that the engine finds, and the step it is about, fresh whenever it is called."""
    proofs: list[InductiveProof] = []

    def kept(proof: InductiveProof, step: OpenStep) -> bool:
        proofs.append(proof)
        return is_right(proof, step)

    monkeypatch.setattr(engine, "is_right", kept)
    assert asplan.solve(text=text, engine="pdr").outcome == "unsolvable"
    return proofs[0], lambda: step_of(text)


def test_a_wrong_proof_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    proof, step = proof_of(GUARDED, monkeypatch)
    assert is_right(proof, step())
    things = tuple(atom for atom in step().before.values() if atom.name == "thing")
    everywhere: StateCube = frozenset()
    wrong = {
        "no cube": replace(proof, cubes=()),
        "one is missing": replace(proof, cubes=proof.cubes[1:]),
        "one has all states": replace(proof, cubes=(everywhere,)),
        "no invariant": replace(proof, invariants=()),
        "not that at most one holds": replace(
            proof, invariants=tuple(one for one in proof.invariants if not one.is_most)
        ),
        "an invariant that is wrong at first": replace(
            proof, invariants=(Invariant(things, is_most=True),)
        ),
        "an invariant that is wrong later": replace(
            proof,
            invariants=(*proof.invariants, Invariant((things[0], *things[-1:]), is_most=False)),
        ),
    }
    for name, other in wrong.items():
        assert not is_right(other, step()), name


def test_no_plan_is_claimed_without_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "is_right", lambda proof, step: False)
    with pytest.raises(asplan.AsplanError) as caught:
        asplan.solve(text=TWO_PARTS.replace("GOAL", "4"), engine="pdr")
    assert str(caught.value) == "the check refuted the proof that there is no plan"


def test_limits() -> None:
    result = asplan.solve("sample03", engine="pdr", max_horizon=5)
    assert (result.outcome, result.lower_bound) == ("unknown", 6)
    assert result.reason == "maximal horizon 5 reached"
    result = asplan.solve("sample05", engine="pdr", time_limit=0.5)
    assert (result.outcome, result.stopped) == ("unknown", "time")
    assert result.reason.startswith("time limit of 0.5 s reached")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "#program step(t).\noccurs(a,t) ; occurs(b,t).\np(t) :- occurs(a,t).\n"
            "#program check(t).\n:- query(t), not p(t).",
            "<text>:2:1: engine pdr cannot solve a disjunction in the head of a rule\n"
            "  use --engine bfs, or write a choice",
        ),
        (
            "#program step(t).\n{ p(t) } :- p(t-1).\n#program check(t).\n:- query(t), not p(t).",
            "the program shows no actions, so a path through its states is not a plan\n"
            "  show what is chosen in step(t), or name it with --action NAME/ARITY; "
            "--engine asp needs no actions",
        ),
        (
            "#program step(t).\n{ occurs(a,t) }.\n#program check(t).\n:- query(t), t \\ 3 = 1.",
            "<text>:4:1: :- query(t), t\\3 = 1.: t is used other than as the time of "
            "an atom, so steps differ\n  asplan can search the states of a program only if all its "
            "steps are alike; for other programs use --engine asp",
        ),
    ],
)
def test_unsupported_problems_are_refused(text: str, message: str) -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=text, engine="pdr")
    assert str(caught.value) == message
