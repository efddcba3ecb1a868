"""The notebook on unified-planning, run in a real kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest

pytest.importorskip("unified_planning")

from notebooks import executed, html_of, text_of

PAGE = Path(__file__).parents[2] / "docs" / "unified_planning.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    notebook = nbformat.read(PAGE, as_version=4)
    nbformat.validate(notebook)
    return executed(notebook, tmp_path_factory.mktemp("notebook"))


SAID = {
    "result.status": ["SOLVED_SATISFICING"],
    "best.status": ["SOLVED_OPTIMALLY", "'9'", "take(red, kitchen)"],
    "judged": ["VALID"],
    "never.status": ["UNSOLVABLE_PROVEN"],
    "why.goals.exclusive": [
        "('the goal (lies red cellar)', 5), ('the goal (lies blue cellar)', 3)",
        "((0, 1),)",
    ],
    "why.relaxed.broken": ["[("],
    "back.status": ["SOLVED_OPTIMALLY", "10"],
}


def test_each_cell_has_the_answer_in_its_text(cells: list[Any]) -> None:
    for end, parts in SAID.items():
        last = next(c for c in cells if end in c.source.splitlines()[-1])
        said = text_of(last)
        assert [part for part in parts if part not in said] == [], said


def test_the_plan_is_animated(cells: list[Any]) -> None:
    shown = html_of(next(cell for cell in cells if "asplan.solve(" in cell.source))
    assert "<iframe" in shown
    assert "fewest actions" in shown


def test_no_cell_fails_or_prints_anything(cells: list[Any]) -> None:
    kinds = {output.output_type for cell in cells for output in cell.outputs}
    assert kinds <= {"execute_result", "display_data"}  # a bar, and what took its place


def test_the_stored_notebook_has_no_outputs() -> None:
    notebook = nbformat.read(PAGE, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
