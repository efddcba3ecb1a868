"""Figures for charts, by a library that takes long to import and is talkative."""

from __future__ import annotations

import importlib
import logging
from typing import Any


def new_figure(width: float, height: float) -> Any:
    """An empty `matplotlib.figure.Figure`; its size is in inches."""
    import_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def import_matplotlib() -> Any:
    """The module matplotlib, quiet.

    That it cannot keep its list of fonts on a full or read-only disk is of no concern to whoever
    wants a chart.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    return importlib.import_module("matplotlib")
