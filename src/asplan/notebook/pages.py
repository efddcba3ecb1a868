"""What a notebook shows for asplan's data: tables, charts and players, as `answers.html` says."""

from base64 import b64encode
from functools import singledispatch
from io import BytesIO, StringIO
from typing import Any

from markupsafe import Markup
from rich.console import Console
from rich.text import Text

from asplan.core.figures import new_figure
from asplan.core.page import filled, safe
from asplan.core.plan import Plan
from asplan.drawing.html import make_player_frame
from asplan.explaining.explanation import Explanation
from asplan.explaining.text import paragraphs
from asplan.measuring.chart import comparison_chart
from asplan.measuring.comparison import COSTS, SIZES, SOLVING, Rows
from asplan.measuring.profile import Profile, cells_of
from asplan.result import Result
from asplan.statespace.analysis import Analysis, histogram

_RULES_IN_TABLE, _RULES_IN_CHART = 10, 5
_MEASURES = (*SIZES, *COSTS, *SOLVING)
_WIDEST = 10_000  # characters of a line of text; a page scrolls, and breaks none
_MOST_STEPS = 1000  # lines of a plan that are shown; a browser is slow with many more


def _filled(kind: str, answer: object, **values: Any) -> str:
    values |= {"kind": kind, "answer": answer, "plan_rows": _plan_rows, "most": _MOST_STEPS}
    return filled("notebook/answers.html", safe, **values).strip()


@singledispatch
def html_of(shown: object) -> str:
    """What a notebook shows of an answer."""
    raise TypeError(f"{type(shown).__name__} is nothing that a notebook shows")


@html_of.register
def _result(result: Result) -> str:
    variants = [f"{name}={value}" for name, value in result.constants.items()]
    about = [result.domain, result.instance, result.encoding, result.engine, *variants]
    steps = None if result.horizon is None else f"{result.horizon} steps"
    small = filter(None, [*dict.fromkeys(about), steps, f"{result.seconds.total:.2f} s"])
    shown = make_player_frame(result)
    return _filled("result", result, small=" · ".join(small), player=shown and Markup(shown))


@html_of.register
def _plan(plan: Plan) -> str:
    return _filled("plan", plan)


def _plan_rows(plan: Plan) -> list[tuple[int, str]]:
    first = enumerate(plan.steps[:_MOST_STEPS], 1)
    return [(t, "  ".join(map(plan.name, step))) for t, step in first]


@html_of.register
def _analysis(analysis: Analysis) -> str:
    known = analysis.distance is not None
    counts = {
        "states": analysis.states,
        "goal states": analysis.goal_states,
        "dead ends": analysis.dead_ends,
        "fewest moves": analysis.distance if known else "no plan exists",
        "shortest plans": analysis.shortest_plans,
        "moves to the farthest state": len(analysis.depths) - 1,
        "moves a state": f"{analysis.branching:.2f}",
    }
    chart = _source(histogram(analysis)) if known else ""
    return _filled("analysis", analysis, counts=counts.items(), chart=chart)


@html_of.register
def _profile(profile: Profile) -> str:
    rules = [rule for rule in profile.rules[:_RULES_IN_TABLE] if rule.instantiations]
    chart = _source(_instantiations(profile)) if profile.horizon and rules else ""
    advices = dict.fromkeys(rule.advice for rule in rules if rule.advice)
    return _filled("profile", profile, rules=map(cells_of, rules), advices=advices, chart=chart)


def _instantiations(profile: Profile) -> Any:
    figure = new_figure(8, 3)
    axes = figure.add_subplot()
    for rule in profile.rules[:_RULES_IN_CHART]:
        steps = rule.per_step[1:]
        axes.plot(range(1, len(steps) + 1), steps, label=f"line {rule.line}")
    axes.set_xlabel("step")
    axes.set_ylabel("instantiations")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


@html_of.register
def _explanation(found: Explanation) -> str:
    # Within a notebook rich would show each line by itself, whatever the file.
    settings: dict[str, Any] = {"force_jupyter": False, "highlight": False}
    console = Console(record=True, file=StringIO(), width=_WIDEST, **settings)
    for number, lines in enumerate(paragraphs(found)):
        for line in [*([Text()] if number else []), *lines]:
            console.print(line, soft_wrap=True)
    text = console.export_html(code_format="<pre>{code}</pre>", inline_styles=True)
    return _filled("explanation", found, text=Markup(text))


@html_of.register
def _rows(rows: Rows) -> str:
    tables = []
    for instance in dict.fromkeys(row.instance for row in rows):
        own = [row for row in rows if row.instance == instance]
        # A column for each encoding, and a line for what was measured of any.
        values = ((name, *(getattr(row, name) for row in own)) for name in _MEASURES)
        lines = [
            (name.replace("_", " "), *cells)
            for name, *cells in values
            if any(cell is not None for cell in cells)
        ]
        tables.append((instance, own[0].horizon, [row.encoding for row in own], lines))
    measured = any(row.lines is not None for row in rows)
    chart = _source(comparison_chart(rows)) if measured else ""
    return _filled("rows", rows, tables=tables, chart=chart)


def _source(figure: Any) -> str:
    """A `matplotlib.figure.Figure` as the source of an image that needs no other file."""
    file = BytesIO()
    figure.savefig(file, format="svg")
    return f"data:image/svg+xml;base64,{b64encode(file.getvalue()).decode()}"
