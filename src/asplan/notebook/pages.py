"""What a notebook shows for the data of asplan: tables, charts and players as HTML."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import singledispatch
from io import BytesIO, StringIO
from pathlib import PurePath
from typing import Any

from rich.console import Console
from rich.text import Text

from asplan.core.figures import new_figure
from asplan.core.plan import Plan
from asplan.drawing.html import player
from asplan.explaining.explanation import Explanation
from asplan.explaining.text import paragraphs
from asplan.measuring.comparison import COSTS, SIZES, SOLVING, Row, Rows, comparison_chart
from asplan.measuring.profile import Profile, RuleCost, sparkline
from asplan.notebook.progress import html_text
from asplan.result import Result
from asplan.statespace.analysis import Analysis, histogram

_RULES_IN_TABLE, _RULES_IN_CHART = 10, 5
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
    about = [result.domain, result.instance, result.encoding, result.engine, *variants]
    steps = None if result.horizon is None else f"{result.horizon} steps"
    small = " · ".join(
        filter(None, [*dict.fromkeys(about), steps, f"{result.seconds.total:.2f} s"])
    )
    parts = [paragraph(f"({result.reason})", bold=result.verdict, small=small)]
    parts += [paragraph(str(warning), bold="warning:") for warning in result.warnings]
    shown = player(result)
    return "".join([*parts, shown] if shown else [*parts, *map(_plan, result.plans)])


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
    rules = [rule for rule in profile.rules[:_RULES_IN_TABLE] if rule.instantiations]
    heads = ["instantiations", "different", "share", "growth", "by step", "place", "rule"]
    parts = [table(heads, map(_rule, rules), words=heads[3:])]
    parts += map(paragraph, dict.fromkeys(rule.advice for rule in rules if rule.advice))
    if profile.reason:
        parts.append(paragraph(profile.reason, bold="incomplete:"))
    if profile.horizon and rules:
        chart = _instantiations(profile)
        parts.append(picture(chart, "instantiations of the dearest rules by step"))
    return "".join(parts)


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


def _instantiations(profile: Profile) -> Any:
    """The instantiations of the dearest rules, step by step."""
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
    console = Console(record=True, file=StringIO(), width=_WIDEST, highlight=False)
    for number, lines in enumerate(paragraphs(found)):
        for line in [*([Text()] if number else []), *lines]:
            console.print(line, soft_wrap=True)
    warned = "".join(paragraph(str(warning), bold="warning:") for warning in found.warnings)
    return warned + console.export_html(code_format="<pre>{code}</pre>", inline_styles=True)


@html_of.register
def _rows(rows: Rows) -> str:
    if not rows:
        return paragraph("nothing was compared")
    instances = dict.fromkeys(row.instance for row in rows)
    parts = [_measures([row for row in rows if row.instance == name]) for name in instances]
    parts += [
        paragraph(note, bold=f"{row.instance}, {row.encoding or 'no encoding'}:")
        for row in rows
        for note in (row.remark, row.reason)
        if note
    ]
    if any(row.lines is not None for row in rows):
        chart = comparison_chart(rows)
        parts.append(picture(chart, "size and time of the encodings, side by side"))
    return "".join(parts)


def _measures(rows: Sequence[Row]) -> str:
    """The encodings of one instance, a column each; a line for what was measured of any."""
    values = {name: [getattr(row, name) for row in rows] for name in (*SIZES, *COSTS, *SOLVING)}
    lines = [
        [name.replace("_", " "), *cells]
        for name, cells in values.items()
        if any(value is not None for value in cells)
    ]
    title = paragraph(f"horizon {rows[0].horizon}", bold=f"{rows[0].instance},")
    return title + table(["", *(row.encoding for row in rows)], lines, words=[""])


# Pictures, paragraphs and tables; all text is escaped.


def picture(figure: Any, about: str) -> str:
    """A `matplotlib.figure.Figure` as an image that needs no other file."""
    file = BytesIO()
    figure.savefig(file, format="svg")
    source = f"data:image/svg+xml;base64,{b64encode(file.getvalue()).decode()}"
    return f'<img alt="{html_text(about)}" style="max-width: 100%" src="{source}">'


def paragraph(words: str, bold: str = "", small: str = "") -> str:
    """A paragraph, with bold words in front of it and small ones in a line below."""
    front = f"<b>{html_text(bold)}</b> " if bold else ""
    below = f"<br><small>{html_text(small)}</small>" if small else ""
    return f"<p>{front}{html_text(words)}{below}</p>"


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], *, words: Sequence[str] = ()
) -> str:
    """A table of figures; the columns in `words` hold words, and begin at the left."""
    sides = ["left" if head in words else "right" for head in heads]

    def cells(tag: str, values: Sequence[object]) -> str:
        found = ""
        for value, side in zip(values, sides, strict=True):
            shown = "–" if value is None else f"{value:.3f}" if isinstance(value, float) else value
            found += f'<{tag} style="text-align: {side}">{html_text(shown)}</{tag}>'
        return found

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', heads)}</tr></thead><tbody>{body}</tbody></table>"
