"""Notebooks, run in a real kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbclient import NotebookClient


def executed(notebook: Any, folder: Path) -> list[Any]:
    """Return the code cells of a notebook with their outputs."""
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources=place).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def html_of(cell: Any) -> str:
    """Return the HTML output of a cell."""
    shown = [output["data"] for output in cell.outputs if output.output_type != "stream"]
    return "".join(data.get("text/html", "") for data in shown)


def text_of(cell: Any) -> str:
    """Return the text output of a cell."""
    return "".join(output["data"].get("text/plain", "") for output in cell.outputs)
