"""What a notebook shows for the data of asplan: tables, charts and players as HTML."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import singledispatch
from io import BytesIO, StringIO
from pathlib import PurePath
from typing import Any

from rich.console import Console
from rich.text import Text

from asplan.drawing.html import player
from asplan.explaining.explanation import Explanation
from asplan.explaining.text import paragraphs
from asplan.figures import new_figure
from asplan.measuring.comparison import COSTS, SIZES, SOLVING, Row, Rows
from asplan.measuring.profile import Profile, RuleCost, sparkline
from asplan.notebook.progress import paragraph, table, text
from asplan.plan import Plan
from asplan.result import Result
from asplan.statespace.analysis import Analysis
from asplan.statespace.histogram import histogram

# Charts as pictures inside a page.


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


# Answers as pieces of a page: a player, tables and charts.


_MOST_RULES_PAGES = 10
_WIDEST = 10_000
"""Characters of a line of text; a page scrolls, and breaks none."""
_MOST_STEPS = 1000
"""Lines of a plan that are shown; a browser is slow with many more."""


@singledispatch
def html_of(shown: object) -> str:
    """What a notebook shows of an answer."""
    raise TypeError(f"{type(shown).__name__} is nothing that a notebook shows")


@html_of.register
def _result(result: Result) -> str:
    variants = [f"{name}={value}" for name, value in result.constants.items()]
    asked = [result.domain, result.instance, result.encoding, result.engine, *variants]
    steps = None if result.horizon is None else f"{result.horizon} steps"
    small = " · ".join(
        filter(None, [*dict.fromkeys(asked), steps, f"{result.seconds.total:.2f} s"])
    )
    said = [paragraph(f"({result.reason})", bold=str(result.outcome), small=small)]
    said += [paragraph(warning, bold="warning:") for warning in result.warnings]
    shown = player(result)
    return "".join([*said, shown] if shown else [*said, *map(_plan, result.plans)])


@html_of.register
def _plan(plan: Plan) -> str:
    if not len(plan):
        return paragraph("nothing to do")
    first = enumerate(plan.steps[:_MOST_STEPS], 1)
    steps = [(t, "  ".join(map(plan.name, step))) for t, step in first]
    left = len(plan) - len(steps)
    more = paragraph(f"and {left} more steps") if left else ""
    return table(["step", "actions"], steps, words=["actions"]) + more


@html_of.register
def _analysis(analysis: Analysis) -> str:
    known = analysis.distance is not None
    rows = {
        "states": analysis.states,
        "goal states": analysis.goal_states,
        "dead ends": analysis.dead_ends,
        "fewest moves": analysis.distance if known else "no plan exists",
        "shortest plans": analysis.shortest_plans,
        "moves to the farthest state": len(analysis.depths) - 1,
        "moves a state": f"{analysis.branching:.2f}",
    }
    counts = table(["", "counted"], rows.items(), words=[""])
    if not known:
        return counts
    return counts + picture(histogram(analysis), "how many states have each distance to a goal")


@html_of.register
def _profile(profile: Profile) -> str:
    rules = [rule for rule in profile.rules[:_MOST_RULES_PAGES] if rule.instantiations]
    heads = ["instantiations", "different", "share", "growth", "by step", "place", "rule"]
    said = [table(heads, map(_rule, rules), words=heads[3:])]
    said += map(paragraph, dict.fromkeys(rule.advice for rule in rules if rule.advice))
    if profile.reason:
        said.append(paragraph(profile.reason, bold="incomplete:"))
    if profile.horizon and rules:
        said.append(picture(instantiations(profile), "instantiations of the dearest rules by step"))
    return "".join(said)


@html_of.register
def _explanation(found: Explanation) -> str:
    console = Console(record=True, file=StringIO(), width=_WIDEST, highlight=False)
    for number, lines in enumerate(paragraphs(found)):
        for line in [*([Text()] if number else []), *lines]:
            console.print(line, soft_wrap=True)
    return console.export_html(code_format="<pre>{code}</pre>", inline_styles=True)


def _rule(rule: RuleCost) -> Sequence[object]:
    return [
        f"{'~' if rule.approximate else ''}{rule.instantiations}",
        rule.different,
        f"{rule.share:.1%}",
        rule.growth,
        sparkline(rule.per_step[1:]),
        f"{PurePath(rule.file).name}:{rule.line}",
        rule.rule,
    ]


@html_of.register
def _rows(rows: Rows) -> str:
    if not rows:
        return paragraph("nothing was compared")
    said = [_measures([row for row in rows if row.instance == i]) for i in _instances(rows)]
    said += [_note(row, note) for row in rows for note in (row.remark, row.reason) if note]
    if any(row.lines is not None for row in rows):
        # Imported here: without a chart no colours are needed.
        from asplan.measuring.plots import comparison_chart

        said.append(picture(comparison_chart(rows), "size and time of the encodings, side by side"))
    return "".join(said)


def _instances(rows: Rows) -> list[str]:
    return list(dict.fromkeys(row.instance for row in rows))


def _measures(rows: Sequence[Row]) -> str:
    """The encodings of one instance, a column each; a line for what was measured of any."""
    names = [*SIZES, *COSTS, *SOLVING]
    cells = [[getattr(row, name) for row in rows] for name in names]
    lines = [
        [name.replace("_", " "), *values]
        for name, values in zip(names, cells, strict=True)
        if any(value is not None for value in values)
    ]
    title = paragraph(f"horizon {rows[0].horizon}", bold=f"{rows[0].instance},")
    return title + table(["", *(row.encoding for row in rows)], lines, words=[""])


def _note(row: Row, note: str) -> str:
    return paragraph(note, bold=f"{row.instance}, {row.encoding or 'no encoding'}:")
