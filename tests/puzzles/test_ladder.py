"""The shipped ladder: a board for each number of slides, each as hard as it claims.

`scripts/rush_hour.py ladder --prove` has the frontier encoding prove them all.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import asplan
from asplan import catalog
from conftest import METRICS, THOROUGH, optimum, run
from lib.rush_hour import ladder

RUNGS = [entry for entry in catalog.rungs() if entry.domain == "rush_hour"]
SLIDES = [entry for entry in RUNGS if entry.name.startswith("slides")]


def test_there_is_a_board_for_each_number_of_slides_and_some_are_larger() -> None:
    numbers = [int(entry.name.removeprefix("slides")) for entry in SLIDES]
    assert numbers == list(range(1, 42))
    assert {entry.name for entry in RUNGS} - {entry.name for entry in SLIDES} == {
        f"board{side}x{side}" for side in (7, 8, 9)
    }


@pytest.mark.parametrize("entry", RUNGS, ids=lambda entry: entry.name)
def test_search_finds_the_length_in_the_header(entry: catalog.ShippedFile) -> None:
    for metric in METRICS:
        result = asplan.solve(entry.path, engine="bfs", metric=metric)
        assert (result.outcome, result.horizon) == ("optimal", optimum(entry.path, metric))
    if entry in SLIDES:
        assert optimum(entry.path, "slide") == int(entry.name.removeprefix("slides"))


@pytest.mark.parametrize("entry", SLIDES[::6], ids=lambda entry: entry.name)
def test_a_board_is_the_hardest_of_its_space_and_has_no_superfluous_car(
    entry: catalog.ShippedFile,
) -> None:
    found = asplan.analyse(entry.path, metric="slide")
    assert entry.title.endswith(f"; {found.states} states, {len(found.roles)} cars.")
    assert found.is_hardest
    assert not any(role.is_superfluous for role in found.roles)


@pytest.mark.parametrize("entry", RUNGS[::8], ids=lambda entry: entry.name)
@pytest.mark.parametrize("metric", METRICS)
def test_the_frontier_encoding_proves_it(entry: catalog.ShippedFile, metric: str) -> None:
    result = asplan.solve(entry.path, encoding="frontier", metric=metric)
    assert (result.outcome, result.horizon) == ("optimal", optimum(entry.path, metric))


@pytest.mark.parametrize(
    "name", ["slides02", "slides08", "slides14"] + ["slides15", "slides20"] * THOROUGH
)
def test_the_seed_makes_the_same_board_on_this_machine(name: str) -> None:
    """One board stands for all; the script makes the others."""
    text = next(entry.path for entry in RUNGS if entry.name == name).read_text()
    assert ladder.again(text) is None
    other = text.replace("--seed 1 ", "--seed 2 ")
    assert ladder.again(other) is not None


def test_the_command_makes_the_file_of_the_ladder() -> None:
    text = next(entry.path for entry in RUNGS if entry.name == "slides08").read_text()
    words = re.search(r"^% asplan (generate .*?)   \(", text, re.MULTILINE)
    assert words
    assert run(*words[1].split()).stdout == text


def test_names_are_found_and_no_two_are_alike() -> None:
    names = [entry.name for entry in [*catalog.instances(), *catalog.rungs()]]
    assert len(set(names)) == len(names)
    for word in ("slides07", "slides07.lp", "rush_hour/slides07", "rush_hour/ladder/slides07"):
        assert Path(catalog.find_instance(word)).stem == "slides07"
    assert asplan.solve("slides03").domain == "rush_hour"


def test_the_list_folds_the_ladder_into_a_line() -> None:
    rows = json.loads(run("list", "instances", "rush_hour", "--json").stdout)["instances"]
    assert [row["name"] for row in rows if "ladder" in row["path"]] == ["ladder/"]
    assert rows[-1]["about"] == (
        f"{len(RUNGS)} instances, {RUNGS[0].name} to {RUNGS[-1].name}; "
        "asplan list instances rush_hour/ladder shows each"
    )
    each = json.loads(run("list", "instances", "rush_hour/ladder", "--json").stdout)["instances"]
    assert [row["name"] for row in each] == [entry.name for entry in RUNGS]
    assert "there are none" in run("list", "encodings", "rush_hour/ladder").stdout
