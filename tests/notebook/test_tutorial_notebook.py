"""The notebook of the docs runs in a real kernel, and calls there show their progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from notebooks import executed, html_of

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    notebook = nbformat.read(PAGE, as_version=4)
    nbformat.validate(notebook)
    return executed(notebook, tmp_path_factory.mktemp("notebook"))


SHOWN = {
    'asplan.solve("two_cars")': ["<b>optimal</b>", "<iframe", "move(b,down,1)"],
    "result.plan": ["<table", "move(r,right,1)"],
    "asplan.solve(text=frogs + four)": ["<b>optimal</b>", "<iframe", "jump("],
    'asplan.solve(["frogs.lp"], text=four)': ["<iframe", "8 steps"],
    "pandas.concat": ["<table", "sample01", "slide"],
    "asplan.compare": ["<table", "<th", "origin_naive", "data:image/svg+xml"],
    "asplan.profile": ["<table", "linear", "clingo matches this rule", "data:image/svg+xml"],
    "asplan.analyse": ["<table", "goal states", "data:image/svg+xml"],
}


@pytest.mark.parametrize("source", SHOWN)
def test_a_cell_shows_its_answer(cells: list[Any], source: str) -> None:
    shown = html_of(next(cell for cell in cells if source in cell.source))
    assert [part for part in SHOWN[source] if part not in shown] == []


def test_a_cell_has_at_most_one_output(cells: list[Any]) -> None:
    for cell in cells:
        shown = [o for o in cell.outputs if o.get("data", {}).get("text/html") != ""]
        assert len(shown) <= 1, cell.source


def test_only_intended_errors_occur_and_each_is_a_message(cells: list[Any]) -> None:
    errors = {
        cell.source: output["traceback"]
        for cell in cells
        for output in cell.outputs
        if output.output_type == "error"
    }
    meant = {c.source for c in cells if "raises-exception" in c.metadata.get("tags", [])}
    assert set(errors) == meant
    assert len(meant) == 2
    for traceback in errors.values():
        assert len(traceback) == 1
        assert "File " not in traceback[0]
    assert any("X is unsafe" in traceback[0] for traceback in errors.values())


def test_no_cell_prints_anything(cells: list[Any]) -> None:
    assert [o for c in cells for o in c.outputs if o.output_type == "stream"] == []


def test_the_stored_notebook_has_no_outputs() -> None:
    notebook = nbformat.read(PAGE, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


WORK = [
    "import asplan\nfrom asplan.notebook import progress\nprogress._PATIENCE = progress._PAUSE = 0",
    "bar = progress.Bar()\nbar.show('<refuting>', 0.25)",
    "kept = []\nput = progress.Bar._put\n"
    "def keep(bar, html):\n    kept.append(html)\n    put(bar, html)\nprogress.Bar._put = keep",
    "asplan.solve('two_cars', encoding='origin', max_horizon=8).horizon",
    "asplan.analyse('two_cars').states",
    "asplan.compare('two_cars', encodings='origin', horizon=2)[0].rules",
    "asplan.profile('two_cars', horizon=30, encoding='origin').horizon",
    "asplan.solve('two_cars', progress=lambda result: None).horizon",
    "print(*kept, sep='\\n')",
    "asplan.explain('two_cars', encoding='origin', horizon=3)",
    "asplan.solve('nowhere.lp')",
]


PLACES = [
    WORK[0],
    "asplan.solve('two_cars', encoding='origin')",
    "for name in ('two_cars', 'blocks-1'):\n    result = asplan.solve(name)\nresult",
    "result",
    "print('before')\nasplan.solve('two_cars', encoding='origin')",
    "asplan.profile('two_cars', horizon=30, encoding='origin'); 1",
    "progress._PATIENCE = 60\nasplan.solve('two_cars')",
]


def test_the_answer_takes_the_place_of_the_bar(tmp_path: Path) -> None:
    cells = executed(new_notebook(cells=[new_code_cell(s) for s in PLACES]), tmp_path)
    kinds = [[output.output_type for output in cell.outputs] for cell in cells]
    shown, shown_again = ["display_data"], ["execute_result"]
    printed = ["stream", "display_data"]
    both = ["display_data", "execute_result"]
    assert kinds == [[], shown, shown, shown_again, printed, both, shown_again]
    for cell in (*cells[1:5], cells[6]):
        assert html_of(cell).startswith("<p>")
    assert html_of(cells[5]) == ""


def test_a_bar_shows_progress_and_disappears(tmp_path: Path) -> None:
    cells = [new_code_cell(source) for source in WORK]
    cells[-1].metadata["tags"] = ["raises-exception"]
    found = {cell.source: cell for cell in executed(new_notebook(cells=cells), tmp_path)}
    bar, *calls = [found[source] for source in WORK if source not in (WORK[0], WORK[2])]
    assert html_of(bar) == '<progress value="0.250"></progress> &lt;refuting&gt;'
    for cell in calls[:3]:
        shown, answer = cell.outputs
        assert (shown.output_type, shown["data"]["text/html"]) == ("display_data", "")
        assert answer.output_type == "execute_result"
    assert [output.output_type for output in calls[4].outputs] == ["execute_result"]
    kept = calls[5].outputs[0]["text"]
    assert '<progress value="0.' in kept
    assert "every plan has at least" in kept
    (explanation,) = calls[6].outputs
    assert "no plan of 3 steps exists" in explanation["data"]["text/html"]
    assert "two_cars · origin" in kept
    assert "states within" in kept
    assert [output.output_type for output in calls[7].outputs] == ["display_data", "error"]
    assert calls[7].outputs[0]["data"]["text/html"] == ""
