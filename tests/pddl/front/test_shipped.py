"""The PDDL problems that ship with asplan are found by name, and their headers are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import asplan
from asplan import catalog

PROBLEMS = [entry for entry in catalog.instances() if entry.path.suffix == ".pddl"]
QUICK = {
    "blocks-1", "blocks-2", "castle-1", "castle-2", "crates-1", "gripper-1", "gripper-2",
    "lamps-1", "lamps-2", "parcels-1",
}  # fmt: skip


def said(path: Path, what: str) -> int | None:
    """Return the optimum in the header of a problem."""
    found = re.search(rf"{what} (\d+)", path.read_text().partition("(define")[0].lower())
    return int(found[1]) if found else None


@pytest.mark.parametrize("entry", PROBLEMS, ids=lambda entry: entry.name)
def test_a_header_gives_title_and_optimum(entry: catalog.ShippedFile) -> None:
    assert entry.title[:1].isalpha()
    assert said(entry.path, "fewest steps") or said(entry.path, "fewest actions")


@pytest.mark.parametrize("name", sorted(QUICK))
def test_the_header_is_right(name: str) -> None:
    path = Path(catalog.find_instance(name))
    steps = asplan.solve(name)
    assert (str(steps.outcome), steps.horizon) == ("optimal", said(path, "fewest steps"))
    fewest = asplan.solve(name, engine="astar", optimal="actions")
    assert str(fewest.outcome) == "optimal"
    assert fewest.plan is not None
    assert len(fewest.plan.actions) == said(path, "fewest actions")
    if (cost := said(path, "least cost")) is not None:
        assert asplan.solve(name, engine="astar", optimal="cost").cost == (cost,)


@pytest.mark.parametrize("word", ["blocks-1", "blocks-1.pddl", "pddl/blocks-1"])
def test_a_problem_has_names(word: str) -> None:
    assert asplan.solve(word).instance == "blocks-1"


def test_domains_and_parts_are_not_listed() -> None:
    assert "domain" not in {entry.name for entry in catalog.instances()}
    parts = {path.stem for path in (PROBLEMS[0].path.parents[3] / "encodings").glob("*/parts/*.lp")}
    assert parts
    assert parts.isdisjoint(entry.name for entry in catalog.encodings())
