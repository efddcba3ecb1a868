"""The programs of the PDDL guides work, and the table of facts has the whole vocabulary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import asplan
from asplan.pddl.task import OPTIONAL, REQUIRED

DOCS = Path(__file__).parents[3] / "docs"
GUIDE = (DOCS / "pddl.md").read_text()
FACTS = (DOCS / "pddl_facts.md").read_text()
OLD_NAMES = {("circles", 0), ("circle", 2)}
"""Predicates for encodings that were written for an earlier version."""
PROGRAMS = {
    found[1]: found[0]
    for found in re.findall(r"```prolog\n(% (\w+\.lp)\n.*?)```", GUIDE + FACTS, re.S)
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the programs of the guide."""
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("name", ["blocks-1", "blocks-2", "gripper-1", "parcels-1"])
def test_the_encoding(name: str, folder: Path) -> None:
    result = asplan.solve(name, encoding=folder / "one_at_a_time.lp")
    wanted = asplan.solve(name, encoding="sequential")
    assert (result.outcome, result.horizon) == (wanted.outcome, wanted.horizon)
    assert result.validated == "text"


@pytest.mark.parametrize(
    ("name", "why"), [("lamps-1", "conditional effects"), ("castle-1", "derived predicates")]
)
def test_the_encoding_refuses_other_tasks(name: str, why: str, folder: Path) -> None:
    with pytest.raises(asplan.InputError, match=f"one_at_a_time knows no {why}"):
        asplan.solve(name, encoding=folder / "one_at_a_time.lp")


def test_an_object_may_not_be_a_constant_of_the_encoding(folder: Path) -> None:
    program = folder / "one_at_a_time.lp"
    program.write_text(f"{program.read_text()}\n#const blue = 3.\n")
    with pytest.raises(asplan.InputError, match=r"blue is a constant of .*one_at_a_time"):
        asplan.solve("gripper-1", encoding=program)


def test_the_drawing(folder: Path) -> None:
    asplan.render(asplan.solve("blocks-1"), folder / "x.html", draw=folder / "towers.lp")
    assert "(pick-up" in (folder / "x.html").read_text()


def test_the_vocabulary() -> None:
    section = FACTS.partition("## The facts of a task")[2].partition("\n## ")[0]
    classical, _, more = section.partition("\n**Tasks with numbers**")
    assert _signatures(classical) == (REQUIRED | OPTIONAL) - OLD_NAMES
    assert _signatures(more).isdisjoint(REQUIRED | OPTIONAL)


def _signatures(section: str) -> set[tuple[str, int]]:
    rows = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    found = set()
    for fact in re.findall(r"`([^`]+)`", " ".join(rows)):
        name, _, arguments = fact.removesuffix(")").partition("(")
        found.add((name, arguments.count(",") + 1 if arguments else 0))
    return found


def test_the_guide_names_all_suffixes() -> None:
    for suffix in (".ipc", ".plan", ".soln"):
        assert suffix in GUIDE
