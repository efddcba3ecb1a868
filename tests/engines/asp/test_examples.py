"""The example programs: asplan and a plain loop agree, and both with the header's optimum."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from clingo import Control, Function, Number

import asplan
from asplan import catalog
from asplan.catalog import only_encoding
from asplan.domains import domains

SMALL = [
    "blocks/sussman",
    "blocks/ten_blocks",
    "gripper/balls_4",
    "hanoi/towers4",
    "jugs/ten_seven_three",
    "jugs/three_and_five",
    "logistics/five_packages",
    "pancakes/eight",
    "pancakes/seven",
    "recolouring/nine_vertices",
    "river/market",
    "river/wolf_goat_cabbage",
    "robots/six_robots",
    "robots/twelve_robots",
    "sokoban/shed",
]


def plain_loop(*files: Path) -> Iterator[bool]:
    """Is there a plan at horizon 0, 1, 2, …? Solved as clingo's own incremental loop does it.

    All that a horizon needs is grounded in one call, and the solver has its default options.
    """
    control = Control(logger=lambda code, message: None)
    for file in files:
        control.load(str(file))
    control.add("check", ["t"], "#external query(t).")
    for n in range(100):
        control.ground([("check", [Number(n)]), ("step", [Number(n)]) if n else ("base", [])])
        control.assign_external(Function("query", [Number(n)]), True)
        yield bool(control.solve().satisfiable)
        control.release_external(Function("query", [Number(n)]))


def files(name: str) -> tuple[Path, Path]:
    instance = Path(catalog.find_instance(name))
    return instance, only_encoding(instance.parent.name).path


def optimum(name: str) -> int:
    found = re.search(r"shortest plan (\d+) steps", files(name)[0].read_text())
    assert found
    return int(found[1])


@pytest.mark.parametrize("name", SMALL)
def test_a_plain_loop_needs_as_many_steps(name: str) -> None:
    result = asplan.solve(name)
    first = next(n for n, found in enumerate(plain_loop(*files(name))) if found)
    assert (result.outcome, result.horizon) == ("optimal", optimum(name))
    assert first == optimum(name)
    assert result.validated == "replay"


@pytest.mark.parametrize("name", [name for name in SMALL if name != "robots/twelve_robots"])
def test_programs_with_the_fact_monotone_are_monotone(name: str) -> None:
    later = list(islice(plain_loop(*files(name)), optimum(name) + 1, optimum(name) + 3))
    says = "asplan(monotone)." in files(name)[1].read_text()
    assert later == ([True, True] if says else [False, True])


def test_every_example_is_among_them() -> None:
    examples = {entry.domain for entry in catalog.encodings()} - set(domains())
    assert {name.partition("/")[0] for name in SMALL} == examples
    assert len(examples) >= 8


def test_every_instance_states_its_optimum() -> None:
    for entry in catalog.instances():
        if entry.domain not in domains():
            assert re.search(r": shortest plan \d+ steps\.$", entry.title), entry.path


def test_no_move_is_wasted(tmp_path: Path) -> None:
    """Four grippers have time for useless moves; the objective forbids them."""
    text = files("blocks/sussman")[0].read_text().replace("grippers(1)", "grippers(4)")
    (tmp_path / "idle.lp").write_text(text + "block(1..3). on(1..3,table).")
    result = asplan.solve(tmp_path / "idle.lp", encoding="blocks")
    assert (result.horizon, result.cost) == (3, (3,))
    assert result.plan is not None
    assert [len(step) for step in result.plan] == [1, 1, 1]
