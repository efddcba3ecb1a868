"""Charts as pictures inside a page."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import Any

from asplan.asp.measuring.costs import Profile
from asplan.figures import new_figure
from asplan.notebook.tables import text

_MOST_RULES = 5


def picture(figure: Any, about: str) -> str:
    """A `matplotlib.figure.Figure` as an image that needs no other file."""
    file = BytesIO()
    figure.savefig(file, format="svg")
    data = b64encode(file.getvalue()).decode()
    return (
        f'<img alt="{text(about)}" style="max-width: 100%" src="data:image/svg+xml;base64,{data}">'
    )


def instantiations(profile: Profile) -> Any:
    """The instantiations of the dearest rules, step by step."""
    figure = new_figure(8, 3)
    axes = figure.add_subplot()
    for rule in profile.rules[:_MOST_RULES]:
        steps = rule.per_step[1:]
        axes.plot(range(1, len(steps) + 1), steps, label=f"line {rule.line}")
    axes.set_xlabel("step")
    axes.set_ylabel("instantiations")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside right upper", frameon=False)
    return figure
