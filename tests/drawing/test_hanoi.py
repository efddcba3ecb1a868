"""The example of the tutorial: towers of Hanoi, which has no model in Python."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import asplan
from asplan.catalog import encodings, find_encoding, instances
from asplan.drawing.rules import make_scene

TOWERS = [entry for entry in instances() if entry.domain == "hanoi"]


@pytest.mark.parametrize("entry", TOWERS, ids=lambda entry: entry.name)
def test_shortest_plans(entry: asplan.catalog.Entry) -> None:
    result = asplan.solve(entry.path, encoding="hanoi")
    discs = int(entry.name.removeprefix("towers"))
    assert (result.outcome, result.horizon, result.validated) == ("optimal", 2**discs - 1, "replay")
    assert str(result.horizon) in entry.title


def test_discs_lie_on_larger_ones_and_are_carried_over_the_pegs() -> None:
    [entry] = [entry for entry in TOWERS if entry.name == "towers3"]
    scene = make_scene(asplan.solve(entry.path, encoding="hanoi"))
    discs = [thing for thing in scene.objects if thing.name.isdigit()]
    assert [disc.label for disc in discs] == ["1", "2", "3"]
    for step in range(scene.last + 1):
        shapes = [shape for disc in discs if (shape := disc.shapes[step])]
        by_peg: dict[float, list[tuple[float, float]]] = {}
        for shape in shapes:
            left, top, right, _ = shape.box
            by_peg.setdefault((left + right) / 2, []).append((top, right - left))
        assert set(by_peg) <= {170, 470, 770}
        for tower in by_peg.values():
            tower.sort()
            assert tower[-1][0] == max(top for stack in by_peg.values() for top, _ in stack)
            assert all(below[0] - above[0] == 60 for above, below in pairwise(tower))
            assert all(below[1] > above[1] for above, below in pairwise(tower))
    assert {disc.look.over for disc in discs} == {20}


def test_the_drawing_rules_are_as_short_as_in_the_guide() -> None:
    rules = find_encoding("hanoi", None).path.with_name("draw.lp").read_text().splitlines()
    assert len([line for line in rules if line.strip()]) < 40
    assert "draw" not in [entry.name for entry in encodings()]


def test_the_guide_shows_the_files_that_ship() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "drawing.md").read_text()
    shipped = find_encoding("hanoi", None).path.with_name("draw.lp").read_text()
    rules = [line for line in shipped.splitlines() if line and not line.startswith("%")]
    for rule in rules:
        assert rule in guide
