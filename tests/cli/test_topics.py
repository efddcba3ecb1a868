"""The exit statuses and the features that asplan lists."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from asplan.cli import exit_codes, main
from asplan.cli.features import FEATURES
from asplan.core.errors import AsplanError, Bug, InvalidPlan, Stopped
from conftest import HERE, run

DOCS = HERE.parent / "docs"


def test_exit_codes_are_listed() -> None:
    done = run("help", "exit-codes")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [int(line.split()[0]) for line in lines] == list(exit_codes.EXIT_CODES)
    assert "3    proven unsolvable" in lines


def test_every_exit_status_of_an_error_is_listed() -> None:
    statuses = {kind.exit_status for kind in (AsplanError, Bug, InvalidPlan, Stopped)}
    assert statuses <= set(exit_codes.EXIT_CODES)
    stated = set(map(int, re.findall(r"\b\d+\b", main.__doc__ or "")))
    assert stated == set(exit_codes.EXIT_CODES)


def test_features_are_the_same_in_json() -> None:
    data = json.loads(run("list", "features", "--json").stdout)
    assert [row["name"] for row in data["features"]] == [one.name for one in FEATURES]
    assert {row["understood"] for row in data["features"]} == {"yes", "no"}


def test_features_fit_into_one_table_of_80_columns() -> None:
    done = run("list", "features")
    assert done.stdout.count("understood") == 1
    assert max(map(len, done.stdout.splitlines())) <= 80


REFUSED = {
    "constraints with times": "(:constraints (within 5 (p)))",
    "processes and events": "(:process x :parameters () :precondition (p) :effect (p))",
    "sensing actions": "(:action a :parameters () :observe (p))",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_feature_that_is_listed_as_refused_is_refused(name: str, tmp_path: Path) -> None:
    assert next(one for one in FEATURES if one.name == name).understood == "no"
    domain = f"(define (domain d) (:predicates (p)) {REFUSED[name]})"
    (tmp_path / "domain.pddl").write_text(domain)
    problem = "(define (problem x) (:domain d) (:init) (:goal (p)))"
    (tmp_path / "problem.pddl").write_text(problem)
    done = run("solve", "domain.pddl", "problem.pddl", cwd=tmp_path)
    assert done.returncode == 2
    assert "asplan does not plan with" in done.stderr


@pytest.mark.parametrize("name", [one.name for one in FEATURES if one.language == "PDDL"])
def test_the_docs_name_each_feature_of_pddl(name: str) -> None:
    assert f" {name} " in (DOCS / "limits.md").read_text(encoding="utf-8")
