"""Proofs are accepted by a checker that shares no code with any solver, and by none if tampered."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from dratify import check_proof, parse_dimacs

import asplan
from asplan.catalog import find_encoding
from asplan.core.budget import Budget
from asplan.engines.asp import optimization
from asplan.engines.asp.effort import ClingoEffort
from asplan.engines.sat import SOLVERS
from asplan.engines.sat.solver import Refutation, write_proof

PROGRAMS = [("two_cars", "origin"), ("towers4", "hanoi"), ("parcels-1", "forall")]
"""None of them is refuted by unit propagation alone."""

WITHOUT_END = """
    #program step(t). { occurs(a,t) }. :- t = 3. #program check(t). :- query(t), t < 9.
"""


def is_refuted(clauses: list[str], proof: list[str]) -> bool:
    text = "\n".join([f"p cnf 99999 {len(clauses)}", *clauses]) + "\n"
    result = check_proof(parse_dimacs(text), "".join(f"{line}\n" for line in proof))
    return bool(result.ok and result.reached_empty)


def written(folder: Path, name: str, **options: object) -> tuple[str, list[str], list[str]]:
    """The reason of a run, the clauses that it has written, and the proof."""
    given = {"engine": "sat", "proof": str(folder / "p.drat"), **options}
    result = asplan.solve(name, **given)  # type: ignore[arg-type]
    header, *clauses = (folder / "p.cnf").read_text().splitlines()
    assert header.startswith("p cnf ")
    assert header.endswith(f" {len(clauses)}")
    return result.reason, clauses, (folder / "p.drat").read_text().splitlines()


@pytest.mark.parametrize(("name", "encoding"), PROGRAMS)
def test_a_proof_is_accepted(name: str, encoding: str, tmp_path: Path) -> None:
    reason, clauses, proof = written(tmp_path, name, encoding=encoding)
    assert reason.endswith(f"found; {tmp_path}/p.drat refutes {tmp_path}/p.cnf")
    assert reason.startswith("shortest: ")
    assert is_refuted(clauses, proof)


@pytest.mark.parametrize(("name", "encoding"), PROGRAMS)
def test_tampering_is_noticed(name: str, encoding: str, tmp_path: Path) -> None:
    _, clauses, proof = written(tmp_path, name, encoding=encoding)
    assert not is_refuted(clauses, ["0"])
    lemmas = [line for line in proof if not line.startswith("d")]
    learnt = [n for n, lemma in enumerate(lemmas) if len(lemma.split()) > 2]
    hasty = [lemma.split()[0] + " 0" if n in learnt else lemma for n, lemma in enumerate(lemmas)]
    assert not is_refuted(clauses, hasty)  # says more than follows
    assert not is_refuted(clauses, [lemmas[n] for n in learnt[-5:]] + ["0"])  # leaves steps out
    assert not is_refuted(clauses[: len(clauses) // 2], proof)
    # The demands of the horizon come last; without them there is a model.
    demands = next(n for n, c in enumerate(reversed(clauses)) if len(c.split()) != 2)
    assert demands
    assert not is_refuted(clauses[:-demands], proof)


def test_the_proof_is_written_with_an_objective(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another clingo, which has refuted nothing, may have had the last word."""
    monkeypatch.setattr(optimization, "SHORT_TURN", 1)
    monkeypatch.setattr(ClingoEffort, "first_turn", 1)
    own = tmp_path / "own.lp"
    encoding = find_encoding("origin", None)
    assert encoding is not None
    cost = """
        #program base. dear(C,N) :- car(C,_,_), N = #count { D : car(D,_,_), D < C }.
        #program step(t). #minimize { N,t : occurs(move(C,_,_),t), dear(C,N) }.
    """
    own.write_text(encoding.path.read_text() + cost)
    reason, clauses, proof = written(tmp_path, "sample01", encoding=str(own), metric="slide")
    assert reason.endswith(f"found; {tmp_path}/p.drat refutes {tmp_path}/p.cnf")
    assert is_refuted(clauses, proof)


def test_the_last_horizon_that_was_refuted_is_written(tmp_path: Path) -> None:
    _, clauses, proof = written(tmp_path, "towers4", max_horizon=10)
    assert is_refuted(clauses, proof)
    reason, later, _ = written(tmp_path, "towers4")
    assert "14 steps refuted" in reason
    assert len(later) > len(clauses)


@pytest.mark.parametrize("solver", SOLVERS)
def test_any_solver_may_find_the_refutation(solver: str, tmp_path: Path) -> None:
    _, clauses, proof = written(tmp_path, "two_cars", encoding="origin", solver=solver)
    assert is_refuted(clauses, proof)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "fixed", "horizon": 5},
        {"schedule": "stride:4"},
        {"schedule": "parallel:3", "max_horizon": 5},
        {"min_horizon": 3},
    ],
    ids=str,
)
def test_other_ways_to_the_refutation(options: dict[str, object], tmp_path: Path) -> None:
    _, clauses, proof = written(tmp_path, "two_cars", encoding="origin", **options)
    assert is_refuted(clauses, proof)


def test_a_program_without_a_plan(tmp_path: Path) -> None:
    file = tmp_path / "program.lp"
    file.write_text(WITHOUT_END)
    reason, clauses, proof = written(tmp_path, str(file))
    assert reason.startswith("no plan exists: the program has no answer set from step 3 on; ")
    assert is_refuted(clauses, proof)


@pytest.mark.parametrize("name", ["solved", "two_cars"])
def test_no_proof_is_written_without_a_refutation(name: str, tmp_path: Path) -> None:
    """One goal holds at the start; the frontier encoding leaves a solver nothing to search."""
    encoding = "origin" if name == "solved" else "frontier"
    proof = tmp_path / "p.drat"
    result = asplan.solve(name, encoding=encoding, engine="sat", proof=str(proof))
    assert result.outcome == "optimal"
    said = "; no proof is written: the SAT solver refuted nothing"
    assert result.reason.endswith(said)
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_when_the_time_is_up(tmp_path: Path) -> None:
    """The proof that thirteen pigeons do not fit into twelve holes takes long."""
    rooms = [[pigeon * 12 + hole + 2 for hole in range(12)] for pigeon in range(13)]
    clauses = [*rooms, *([-a, -b] for hole in zip(*rooms, strict=True)
                         for a, b in combinations(hole, 2))]  # fmt: skip
    turns = iter([False, False])
    refutation = Refutation(clauses, 13 * 12 + 1)
    proof = str(tmp_path / "p.drat")
    budget = Budget(is_abandoned=lambda: next(turns, True))
    assert write_proof(refutation, proof, budget) is None
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("p.txt", "--proof {folder}/p.txt: the name must end with .drat"),
        ("no/p.drat", "cannot write {folder}/no/p.drat: there is no folder {folder}/no"),
        ("a.drat", "cannot write {folder}/a.drat: it is a folder"),
        ("b.drat", "cannot write {folder}/b.cnf: it is a folder"),
    ],
)
def test_a_wrong_name_is_refused_before_any_work(name: str, message: str, tmp_path: Path) -> None:
    for folder in ("a.drat", "b.cnf"):
        (tmp_path / folder).mkdir()
    with pytest.raises(asplan.AsplanError) as caught:
        asplan.solve("there is none", engine="sat", proof=str(tmp_path / name))
    assert str(caught.value) == message.replace("{folder}", str(tmp_path))


def test_a_cut_plan_refutes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "program.lp"
    file.write_text(
        "asplan(monotone). age(0,0).\n"
        "#program step(t). { occurs(water,t) : t < 0 }. age(N+1,t) :- age(N,t-1).\n"
        "#program check(t). :- query(t), age(N,t), N < 2."
    )
    proof = tmp_path / "p.drat"
    result = asplan.solve(file, engine="sat", mode="fixed", horizon=3, proof=str(proof))
    assert (result.outcome, result.horizon) == ("plan", 2)
    assert result.reason.endswith("no proof is written: the SAT solver refuted nothing")
    assert not proof.exists()
